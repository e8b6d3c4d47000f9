//! What a live session writes: prompts, answers, results, the turn under way, and what hangs on them. Called by `gateway`.

mod changes;
mod choices;
mod context;
mod prompt;
mod rows;
pub(super) mod turns;
mod waiting;

pub use changes::{KeptChange, NewChange};
pub use choices::Used;
pub use context::ContextRow;
pub use prompt::{NewPrompt, PromptAt, Prompted, Retry, Undone};
pub use turns::INTERRUPTED;

use super::error::StoreError;
use super::writer::Durability;
use super::{Store, lineages, update};
use rows::NewRow;
use rusqlite::Connection;
use talaria_wire::{MessageRole, Millis, ModelChoice, SessionId, ToolCall, Usage};

/// Names a lineage for as long as the store is open, whichever session its tip is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LineageKey(i64);

/// A lineage as it is opened.
#[derive(Clone, Debug)]
pub struct Opened {
    pub lineage: LineageKey,
    pub tip: SessionId,
    pub title: Option<String>,
    pub folder: Option<String>,
    pub choice: Option<ModelChoice>,
    pub usage: Usage,
}

/// An assistant's row.
#[derive(Clone, Debug, Default)]
pub struct NewAnswer {
    pub text: String,
    pub reasoning: Option<String>,
    pub calls: Vec<ToolCall>,
    pub finish_reason: String,
}

/// A tool's row.
#[derive(Clone, Debug)]
pub struct NewResult {
    pub call_id: String,
    pub name: String,
    pub text: String,
    pub duration_ms: Millis,
    pub change: Option<NewChange>,
}

impl Store {
    /// What is needed to open a session on its tip. Errors: `NotFound`; `BadRequest` in the trash or for a sub-agent's.
    pub async fn live_open(&self, id: &SessionId) -> Result<Opened, StoreError> {
        let (id, now) = (id.clone(), self.now());
        self.read(move |db| {
            let standing = lineages::find(db, &id)?;
            update::check_listed(&standing)?;
            let row = lineages::get(db, standing.lineage, now)?.row;
            Ok(Opened {
                lineage: LineageKey(standing.lineage),
                tip: standing.tip,
                title: standing.title,
                folder: row.folder,
                choice: choices::get(db, standing.lineage)?,
                usage: choices::usage(db, standing.lineage)?,
            })
        })
        .await
    }

    /// The lineage that holds the session. Errors: `NotFound`.
    pub async fn lineage_of(&self, id: &SessionId) -> Result<LineageKey, StoreError> {
        let id = id.clone();
        self.read(move |db| Ok(LineageKey(lineages::find(db, &id)?.lineage))).await
    }

    /// Stores a prompt, with its session when it is the first, and opens its turn. Survives a power cut. Errors:
    /// `NotFound`, `BadRequest`.
    pub async fn prompt_put(&self, new: NewPrompt) -> Result<Prompted, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| prompt::put(db, &new, now)).await
    }

    /// A user's text in the middle of the turn; answers the readable rows. Survives a power cut.
    pub async fn steer_put(&self, id: &SessionId, text: String) -> Result<i64, StoreError> {
        self.append(id, Durability::Full, move |db, lineage, now| {
            rows::append(db, lineage, &NewRow::new(MessageRole::User, &text), now)?;
            waiting::taken(db, lineage, false)
        })
        .await
    }

    /// Keeps what the user has said and is not in the transcript yet. Survives a power cut.
    pub async fn waiting_set(
        &self,
        id: &SessionId,
        queued: String,
        steered: String,
    ) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Full, move |db| {
            waiting::set(db, lineages::find(db, &id)?.lineage, &queued, &steered)
        })
        .await
    }

    /// Makes it the session's draft: nothing is left that would send it.
    pub async fn waiting_to_draft(&self, id: &SessionId) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Full, move |db| waiting::to_draft(db, lineages::find(db, &id)?.lineage)).await
    }

    /// The text of the last prompt since the last summary.
    pub async fn last_prompt(&self, id: &SessionId) -> Result<Option<String>, StoreError> {
        let id = id.clone();
        self.read(move |db| {
            Ok(prompt::last_prompt(db, lineages::find(db, &id)?.lineage)?.map(|(_, text)| text))
        })
        .await
    }

    /// Takes the last prompt and all behind it back. Errors: `NotFound`, `BadRequest` when there is none.
    pub async fn prompt_undo(&self, id: &SessionId) -> Result<Undone, StoreError> {
        let (id, now) = (id.clone(), self.now());
        self.write(Durability::Full, move |db| prompt::undo(db, &id, now)).await
    }

    /// Takes back what the model is to answer anew and opens a turn. Errors: `NotFound`, `BadRequest`.
    pub async fn prompt_retry(&self, id: &SessionId, how: Retry) -> Result<Prompted, StoreError> {
        let (id, now) = (id.clone(), self.now());
        self.write(Durability::Full, move |db| prompt::retry(db, &id, how, now)).await
    }

    /// Keeps what came of the answer under way, until [`Store::answer_put`].
    pub async fn turn_keep(&self, id: &SessionId, text: String, reasoning: String) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, move |db| {
            turns::keep(db, lineages::find(db, &id)?.lineage, &text, &reasoning)
        })
        .await
    }

    /// Ends the open turn; answers the readable rows. `unread`: nobody saw its end.
    pub async fn turn_end(&self, id: &SessionId, unread: bool) -> Result<i64, StoreError> {
        self.append(id, Durability::Normal, move |db, lineage, _| turns::close(db, lineage, unread)).await
    }

    /// Stores an answer in the place of what was kept of it; answers the readable rows.
    pub async fn answer_put(&self, id: &SessionId, new: NewAnswer) -> Result<i64, StoreError> {
        self.append(id, Durability::Full, move |db, lineage, now| {
            let row = NewRow {
                calls: &new.calls,
                reasoning: new.reasoning.as_deref(),
                finish_reason: Some(&new.finish_reason),
                ..NewRow::new(MessageRole::Assistant, &new.text)
            };
            rows::append(db, lineage, &row, now)?;
            turns::keep(db, lineage, "", "")
        })
        .await
    }

    /// Stores a tool's result; answers the readable rows.
    pub async fn result_put(&self, id: &SessionId, new: NewResult) -> Result<i64, StoreError> {
        self.append(id, Durability::Full, move |db, lineage, now| {
            let row = NewRow {
                answers: Some((&new.call_id, &new.name)),
                duration_ms: Some(new.duration_ms),
                ..NewRow::new(MessageRole::Tool, &new.text)
            };
            let written = rows::append(db, lineage, &row, now)?;
            new.change.as_ref().map_or(Ok(()), |change| changes::keep(db, written.seq, change))
        })
        .await
    }

    async fn append(
        &self,
        id: &SessionId,
        durability: Durability,
        work: impl FnOnce(&Connection, i64, Millis) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<i64, StoreError> {
        let (id, now) = (id.clone(), self.now());
        self.write(durability, move |db| {
            let lineage = lineages::find(db, &id)?.lineage;
            work(db, lineage, now)?;
            rows::total(db, lineage)
        })
        .await
    }

    /// What the model is told: the rows of the tip, oldest first.
    pub async fn context(&self, id: &SessionId) -> Result<Vec<ContextRow>, StoreError> {
        let id = id.clone();
        self.read(move |db| context::read(db, lineages::find(db, &id)?.lineage)).await
    }

    /// Ends the tip with `compression` and goes on in a child, which begins with the summary and the last `keep` rows of
    /// the context. Answers the child and the readable rows.
    pub async fn rotate(
        &self,
        id: &SessionId,
        summary: String,
        keep: usize,
    ) -> Result<(SessionId, i64), StoreError> {
        let (id, now) = (id.clone(), self.now());
        self.write(Durability::Full, move |db| {
            let child = context::rotate(db, &id, &summary, keep, now)?;
            let lineage = lineages::find(db, &child)?.lineage;
            Ok((child, rows::total(db, lineage)?))
        })
        .await
    }

    /// Gives a title to a session that has none; answers whether it did.
    pub async fn title_automatic(&self, id: &SessionId, title: &str) -> Result<bool, StoreError> {
        let (id, title) = (id.clone(), title.to_owned());
        self.write(Durability::Normal, move |db| context::title(db, &id, &title)).await
    }

    /// Adds the tokens of a request; answers the sum.
    pub async fn usage_add(&self, id: &SessionId, used: Used) -> Result<Usage, StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, move |db| choices::add(db, lineages::find(db, &id)?.lineage, used))
            .await
    }

    /// The lineage's own model; `None`: the one of the settings.
    pub async fn choice_set(&self, id: &SessionId, choice: Option<ModelChoice>) -> Result<(), StoreError> {
        let id = id.clone();
        self.write(Durability::Normal, move |db| {
            choices::set(db, lineages::find(db, &id)?.lineage, choice.as_ref())
        })
        .await
    }

    /// Whether the user allowed exactly this for good.
    pub async fn is_allowed(&self, workspace: &str, tool: &str, text: &str) -> Result<bool, StoreError> {
        let (workspace, tool, text) = (workspace.to_owned(), tool.to_owned(), text.to_owned());
        self.read(move |db| choices::is_allowed(db, &workspace, &tool, &text)).await
    }

    /// Remembers exactly this for good.
    pub async fn allow(&self, workspace: &str, tool: &str, text: &str) -> Result<(), StoreError> {
        let (workspace, tool, text) = (workspace.to_owned(), tool.to_owned(), text.to_owned());
        let now = self.now();
        self.write(Durability::Full, move |db| choices::allow(db, &workspace, &tool, &text, now)).await
    }

    /// The change that a call made. Errors: `NotFound`; `BadRequest` when it cannot be taken back.
    pub async fn change(&self, id: &SessionId, call_id: &str) -> Result<KeptChange, StoreError> {
        let (id, call_id) = (id.clone(), call_id.to_owned());
        self.read(move |db| changes::find(db, &id, &call_id)).await
    }

    /// Marks a change as taken back.
    pub async fn change_undone(&self, change: KeptChange) -> Result<(), StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| changes::undone(db, &change, now)).await
    }
}
