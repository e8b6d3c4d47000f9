//! The user's words: a prompt that makes a session or goes on with one, and taking prompts back.
//!
//! What is taken back is kept in the file (`undone_at`): it has no place in the transcript and is not told to the model.

use super::rows::{self, NewRow};
use super::{turns, waiting};
use crate::store::error::StoreError;
use crate::store::lineages::{self, Standing};
use crate::store::messages::place_of;
use crate::store::{folders, text, update};
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::{ClientId, MessageId, MessageRole, Millis, ModelChoice, SessionId};

/// What stands in the column `source` of a session made here.
const SOURCE: &str = "talaria";

/// Where a prompt goes.
#[derive(Clone, Debug)]
pub enum PromptAt {
    /// A new session; the unsaved draft of the client that says the same goes with it.
    New { client: ClientId, folder: Option<String>, git_branch: Option<String>, choice: Option<ModelChoice> },
    /// The tip of this session's lineage. `replace`: instead of this prompt and all behind it.
    Tip { id: SessionId, replace: Option<MessageId> },
}

/// A prompt on its way. Its turn is open once it is stored.
#[derive(Clone, Debug)]
pub struct NewPrompt {
    pub at: PromptAt,
    pub text: String,
    /// The model that is to answer.
    pub model: Option<String>,
    /// It was queued until now.
    pub queued: bool,
}

/// Where it went.
#[derive(Clone, Debug)]
pub struct Prompted {
    pub session: SessionId,
    pub message: MessageId,
    /// Readable rows of the lineage.
    pub total: i64,
}

/// Stores the prompt and opens its turn. Errors: `NotFound`, `BadRequest` (in the trash, a sub-agent's, a message that is
/// no prompt of this session).
pub(super) fn put(db: &Connection, new: &NewPrompt, now: Millis) -> Result<Prompted, StoreError> {
    let (lineage, session) = match &new.at {
        PromptAt::New { client, folder, git_branch, choice } => {
            forget_client_draft(db, client, &new.text)?;
            let made = add(db, folder.as_deref(), git_branch.as_deref(), now)?;
            super::choices::set(db, made.0, choice.as_ref())?;
            made
        }
        PromptAt::Tip { id, replace } => {
            let standing = lineages::find(db, id)?;
            update::check_listed(&standing)?;
            if let Some(message) = replace {
                take_back(db, &standing, prompt_seq(db, &standing, message)?, now)?;
            }
            db.prepare_cached("DELETE FROM drafts WHERE lineage = ?1 AND trim(text) = trim(?2)")?
                .execute((standing.lineage, &new.text))?;
            (standing.lineage, standing.tip)
        }
    };
    let written = rows::append(db, lineage, &NewRow::new(MessageRole::User, &new.text), now)?;
    // A session that had ended goes on.
    db.prepare_cached(
        "UPDATE sessions SET ended_at = NULL, end_reason = NULL, model = ifnull(?2, model) WHERE id = ?1",
    )?
    .execute((session.as_str(), &new.model))?;
    db.prepare_cached("UPDATE lineages SET open = 1, model = ifnull(?2, model) WHERE id = ?1")?
        .execute((lineage, &new.model))?;
    preview(db, lineage)?;
    if new.queued {
        waiting::taken(db, lineage, true)?;
    }
    turns::open(db, lineage, now)?;
    Ok(Prompted { session, message: written.id, total: rows::total(db, lineage)? })
}

fn forget_client_draft(db: &Connection, client: &ClientId, said: &str) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM drafts WHERE client = ?1 AND trim(text) = trim(?2)")?
        .execute((client.as_str(), said))?;
    Ok(())
}

fn add(
    db: &Connection,
    folder: Option<&str>,
    git_branch: Option<&str>,
    now: Millis,
) -> Result<(i64, SessionId), StoreError> {
    let folder = folder.map(|path| folders::number(db, path)).transpose()?.flatten();
    let newest: i64 = db.query_row("SELECT ifnull(max(recency), 0) FROM lineages", [], |row| row.get(0))?;
    let id = SessionId(uuid::Uuid::now_v7().to_string());
    db.prepare_cached(
        "INSERT INTO lineages (place, archived, recency, created_at, last_active, message_count, row_count, folder, \
         open, tip, source, git_branch) VALUES (0, 0, ?1, ?2, ?2, 0, 0, ?3, 1, ?4, ?5, ?6)",
    )?
    .execute((now.max(newest + 1), now, folder, id.as_str(), SOURCE, git_branch))?;
    let lineage = db.last_insert_rowid();
    db.prepare_cached(
        "INSERT INTO sessions (id, lineage, position, relation, source, started_at) VALUES (?1, ?2, 0, 'root', ?3, ?4)",
    )?
    .execute((id.as_str(), lineage, SOURCE, now))?;
    Ok((lineage, id))
}

/// The row's key. Errors: `NotFound`; `BadRequest` when it is no prompt, or stands before a summary.
fn prompt_seq(db: &Connection, standing: &Standing, id: &MessageId) -> Result<i64, StoreError> {
    place_of(db, standing.lineage, id)?;
    let tip = rows::tip_seq(db, standing.lineage)?;
    let (seq, role, session): (i64, String, i64) = db
        .prepare_cached("SELECT seq, role, session FROM messages WHERE id = ?1")?
        .query_row([id.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    if role != "user" {
        return Err(StoreError::bad("Only a message of yours can be edited."));
    }
    if session != tip {
        return Err(StoreError::bad(
            "This message stands before a summary, from which the session goes on. Branch from it instead.",
        ));
    }
    Ok(seq)
}

/// What undo took away.
pub struct Undone {
    pub session: SessionId,
    pub removed: i64,
    pub text: String,
    pub total: i64,
}

/// Takes the last prompt and all behind it back. Errors: `NotFound`; `BadRequest` when there is none since the last
/// summary.
pub(super) fn undo(db: &Connection, id: &SessionId, now: Millis) -> Result<Undone, StoreError> {
    let standing = lineages::find(db, id)?;
    update::check_listed(&standing)?;
    let last = last_prompt(db, standing.lineage)?;
    let (seq, text) = last.ok_or_else(|| StoreError::bad("There is no message of yours to take back."))?;
    let removed = take_back(db, &standing, seq, now)?;
    preview(db, standing.lineage)?;
    Ok(Undone { session: standing.tip, removed, text, total: rows::total(db, standing.lineage)? })
}

/// The last prompt of the tip: its key and text.
pub(super) fn last_prompt(db: &Connection, lineage: i64) -> Result<Option<(i64, String)>, StoreError> {
    let tip = rows::tip_seq(db, lineage)?;
    let sql = "SELECT seq, text FROM messages WHERE lineage = ?1 AND session = ?2 AND role = 'user' \
               AND place IS NOT NULL ORDER BY place DESC LIMIT 1";
    Ok(db.prepare_cached(sql)?.query_row((lineage, tip), |row| Ok((row.get(0)?, row.get(1)?))).optional()?)
}

/// From where the model answers again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// From the prompt on: all behind it goes.
    Whole,
    /// The turn broke off: the piece of an answer at its end goes, the work it had done stays.
    GoOn,
    /// As the last row says: of the two what fits how the turn ended.
    AsItEnded,
}

/// Opens a turn without a new prompt. Errors: `NotFound`, `BadRequest` when there is nothing to answer.
pub(super) fn retry(
    db: &Connection,
    id: &SessionId,
    how: Retry,
    now: Millis,
) -> Result<Prompted, StoreError> {
    let standing = lineages::find(db, id)?;
    update::check_listed(&standing)?;
    let lineage = standing.lineage;
    let nothing = || StoreError::bad("There is nothing to try again.");
    let (last, role, finish): (String, String, Option<String>) = db
        .prepare_cached(
            "SELECT id, role, finish_reason FROM messages WHERE lineage = ?1 AND place IS NOT NULL \
             ORDER BY place DESC LIMIT 1",
        )?
        .query_row([lineage], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .optional()?
        .ok_or_else(nothing)?;
    // A turn that came to its end has an answer there.
    let broke = role == "tool" || finish.is_some_and(|why| matches!(why.as_str(), "interrupted" | "cut"));
    let sql = if how == Retry::GoOn || how == Retry::AsItEnded && broke {
        // Behind the last row that is worth something to the model.
        "SELECT max(seq) FROM messages WHERE lineage = ?1 AND session = ?2 AND place IS NOT NULL \
         AND (role <> 'assistant' OR tool_calls IS NOT NULL)"
    } else {
        "SELECT max(seq) FROM messages WHERE lineage = ?1 AND session = ?2 AND place IS NOT NULL \
         AND role IN ('user', 'summary')"
    };
    let tip = rows::tip_seq(db, lineage)?;
    let kept: Option<i64> = db.prepare_cached(sql)?.query_row((lineage, tip), |row| row.get(0))?;
    take_back(db, &standing, kept.ok_or_else(nothing)? + 1, now)?;
    turns::open(db, lineage, now)?;
    Ok(Prompted { session: standing.tip, message: MessageId(last), total: rows::total(db, lineage)? })
}

/// Takes the rows from a key on back; answers how many a reader saw.
fn take_back(db: &Connection, standing: &Standing, from: i64, now: Millis) -> Result<i64, StoreError> {
    let removed: i64 = db
        .prepare_cached(
            "SELECT count(*) FROM messages WHERE lineage = ?1 AND seq >= ?2 AND place IS NOT NULL",
        )?
        .query_row((standing.lineage, from), |row| row.get(0))?;
    db.prepare_cached(
        "UPDATE messages SET place = NULL, undone_at = ?3 WHERE lineage = ?1 AND seq >= ?2 AND place IS NOT NULL",
    )?
    .execute((standing.lineage, from, now))?;
    db.prepare_cached(
        "UPDATE lineages SET (row_count, message_count) = (SELECT count(*), count(*) FILTER (WHERE role <> 'summary') \
         FROM messages WHERE lineage = ?1 AND place IS NOT NULL) WHERE id = ?1",
    )?
    .execute([standing.lineage])?;
    Ok(removed)
}

/// The list row's preview: the first prompt, which may be another one now.
fn preview(db: &Connection, lineage: i64) -> Result<(), StoreError> {
    let first: Option<String> = db
        .prepare_cached(
            "SELECT text FROM messages WHERE lineage = ?1 AND place IS NOT NULL AND role = 'user' ORDER BY place LIMIT 1",
        )?
        .query_row([lineage], |row| row.get(0))
        .optional()?;
    let words = first.as_deref().and_then(text::preview);
    let changed = db
        .prepare_cached("UPDATE lineages SET preview = ?2 WHERE id = ?1 AND preview IS NOT ?2")?
        .execute((lineage, words))?;
    // A new session's folder is to be found, too.
    if changed > 0 { lineages::refresh_head(db, lineage) } else { Ok(()) }
}
