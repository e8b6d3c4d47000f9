//! The transcript on disk of a turn, and its listener: what is stored is told as stored.

use super::Live;
use super::models::ModelInUse;
use crate::agent::ports::{AnswerRow, Audience, ContextMessage, Ledger, ResultRow};
use crate::store::live::{NewAnswer, NewChange, NewResult, Used};
use async_trait::async_trait;
use talaria_wire::*;

/// Writes for one live session. `session`: any of its lineage, which the store follows to the tip.
pub(super) struct Book {
    pub live: Live,
    pub id: LiveId,
    pub session: SessionId,
    /// For what its requests cost. `None`: a command of the user's own.
    pub model: Option<ModelInUse>,
}

impl Book {
    /// Tells what is on disk now; the tip is where the session stands.
    fn stored(&self, total: i64, ended: Vec<String>, answer: bool) {
        let session_id = self.live.registry().session(&self.id).unwrap_or_else(|| self.session.clone());
        self.live
            .change(&self.id, LiveChange::Stored { session_id: session_id.clone(), total, ended, answer });
        self.live.tell_lists(session_id);
    }
}

#[async_trait]
impl Ledger for Book {
    async fn context(&self) -> Result<Vec<ContextMessage>, IpcError> {
        let rows = self.live.store().context(&self.session).await?;
        let message = |row: crate::store::live::ContextRow| ContextMessage {
            role: row.role,
            text: row.text,
            calls: row.calls,
            call_id: row.call_id,
        };
        Ok(rows.into_iter().map(message).collect())
    }

    async fn answer(&self, row: AnswerRow) -> Result<(), IpcError> {
        let AnswerRow { text, reasoning, calls, finish_reason } = row;
        let total = self
            .live
            .store()
            .answer_put(&self.session, NewAnswer { text, reasoning, calls, finish_reason })
            .await?;
        self.stored(total, Vec::new(), true);
        Ok(())
    }

    async fn result(&self, row: ResultRow) -> Result<(), IpcError> {
        let change = row.outcome.change.map(|change| NewChange {
            path: change.path,
            before: change.before,
            after: change.after,
            diff: change.diff,
        });
        let call_id = row.call_id.clone();
        let new = NewResult {
            call_id: row.call_id,
            name: row.name,
            text: row.outcome.text,
            duration_ms: row.duration_ms,
            change,
        };
        let total = self.live.store().result_put(&self.session, new).await?;
        self.stored(total, vec![call_id], false);
        Ok(())
    }

    async fn partial(&self, text: &str, reasoning: &str) -> Result<(), IpcError> {
        Ok(self.live.store().turn_keep(&self.session, text.to_owned(), reasoning.to_owned()).await?)
    }

    async fn steered(&self, text: &str) -> Result<(), IpcError> {
        let total = self.live.store().steer_put(&self.session, text.to_owned()).await?;
        if let Some(held) = self.live.registry().held.get_mut(&self.id) {
            held.steered.clear();
        }
        self.stored(total, Vec::new(), false);
        Ok(())
    }

    async fn used(&self, input: i64, output: i64) -> Result<Usage, IpcError> {
        let cost = self.model.as_ref().and_then(|model| model.cost(input, output));
        let usage = self.live.store().usage_add(&self.session, Used { input, output, cost }).await?;
        let context_max = self.model.as_ref().and_then(|model| model.context_length);
        Ok(Usage { context_max, ..usage })
    }

    async fn rotate(&self, summary: &str, keep: usize) -> Result<SessionId, IpcError> {
        let before = self.live.registry().session(&self.id);
        let (child, total) = self.live.store().rotate(&self.session, summary.to_owned(), keep).await?;
        let stored =
            LiveChange::Stored { session_id: child.clone(), total, ended: Vec::new(), answer: false };
        self.live.change(&self.id, stored);
        // The list shows the child in the parent's place.
        before.into_iter().chain([child.clone()]).for_each(|session| self.live.tell_lists(session));
        Ok(child)
    }

    async fn title(&self, title: &str) -> Result<(), IpcError> {
        if self.live.store().title_automatic(&self.session, title).await?
            && let Some(session) = self.live.registry().session(&self.id)
        {
            self.live.tell_lists(session);
        }
        Ok(())
    }
}

/// The owner, to whom the changes go.
pub(super) struct Owner {
    pub live: Live,
    pub id: LiveId,
}

impl Audience for Owner {
    fn tell(&self, change: LiveChange) {
        self.live.change(&self.id, change);
    }
}
