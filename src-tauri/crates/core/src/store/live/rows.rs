//! One more row of a lineage, and what its list row derives from it.

use crate::store::error::StoreError;
use crate::store::messages::role_word;
use crate::store::put;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::{MessageId, MessageRole, Millis, ToolCall};

/// A row on its way to the end of a transcript.
pub(super) struct NewRow<'a> {
    pub role: MessageRole,
    pub text: &'a str,
    pub calls: &'a [ToolCall],
    /// Tool rows: the call, and the tool's name.
    pub answers: Option<(&'a str, &'a str)>,
    pub reasoning: Option<&'a str>,
    pub finish_reason: Option<&'a str>,
    pub duration_ms: Option<Millis>,
}

impl<'a> NewRow<'a> {
    pub(super) fn new(role: MessageRole, text: &'a str) -> Self {
        Self {
            role,
            text,
            calls: &[],
            answers: None,
            reasoning: None,
            finish_reason: None,
            duration_ms: None,
        }
    }
}

/// A written row.
pub(super) struct Written {
    pub seq: i64,
    pub id: MessageId,
}

/// Writes a row that a reader sees behind all others, into the session at the tip. The lineage goes to the top of the
/// list.
pub(super) fn append(
    db: &Connection,
    lineage: i64,
    row: &NewRow<'_>,
    now: Millis,
) -> Result<Written, StoreError> {
    let session = tip_seq(db, lineage)?;
    let seq = next_seq(db, lineage, now)?;
    let id = MessageId(uuid::Uuid::now_v7().to_string());
    let caller = match row.answers {
        Some(_) => last_caller(db, lineage)?,
        None => None,
    };
    db.prepare_cached(
        "INSERT INTO messages (seq, lineage, session, place, role, id, created_at, call_seq, call_id, tool_name, \
         finish_reason, text, tool_calls, reasoning, duration_ms) \
         SELECT ?1, id, ?3, row_count, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14 FROM lineages WHERE id = ?2",
    )?
    .execute(rusqlite::params![
        seq,
        lineage,
        session,
        role_word(row.role),
        id.as_str(),
        now,
        caller,
        row.answers.map(|(call, _)| call),
        row.answers.map(|(_, tool)| tool),
        row.finish_reason,
        row.text,
        json(row.calls),
        row.reasoning,
        row.duration_ms,
    ])?;
    db.prepare_cached(
        "UPDATE lineages SET row_count = row_count + 1, message_count = message_count + ?2 WHERE id = ?1",
    )?
    .execute((lineage, row.role != MessageRole::Summary))?;
    touch(db, lineage, now)?;
    Ok(Written { seq, id })
}

/// To the top of the list: `max(now, highest key + 1)`, unless it stands there (sessions.md, "List").
pub(super) fn touch(db: &Connection, lineage: i64, now: Millis) -> Result<(), StoreError> {
    db.prepare_cached(
        "UPDATE lineages SET last_active = max(last_active, ?2), recency = (SELECT CASE \
         WHEN max(l.recency) = lineages.recency THEN max(lineages.recency, ?2) ELSE max(?2, max(l.recency) + 1) END \
         FROM lineages l) WHERE id = ?1",
    )?
    .execute((lineage, now))?;
    Ok(())
}

/// The key of the lineage's next row.
pub(super) fn next_seq(db: &Connection, lineage: i64, now: Millis) -> Result<i64, StoreError> {
    let last: Option<i64> = db
        .prepare_cached("SELECT max(seq) FROM messages WHERE lineage = ?1")?
        .query_row([lineage], |row| row.get(0))?;
    put::next_seq(db, now, last.unwrap_or(i64::MIN))
}

/// The number of the session at the lineage's tip.
pub(super) fn tip_seq(db: &Connection, lineage: i64) -> Result<i64, StoreError> {
    Ok(db
        .prepare_cached("SELECT s.seq FROM lineages l JOIN sessions s ON s.id = l.tip WHERE l.id = ?1")?
        .query_row([lineage], |row| row.get(0))?)
}

/// How many rows a reader sees.
pub(super) fn total(db: &Connection, lineage: i64) -> Result<i64, StoreError> {
    Ok(db
        .prepare_cached("SELECT row_count FROM lineages WHERE id = ?1")?
        .query_row([lineage], |row| row.get(0))?)
}

/// The answer whose calls are open: the last one that made any.
pub(super) fn last_caller(db: &Connection, lineage: i64) -> Result<Option<i64>, StoreError> {
    let sql = "SELECT seq FROM messages WHERE lineage = ?1 AND role = 'assistant' AND tool_calls IS NOT NULL \
               AND undone_at IS NULL ORDER BY seq DESC LIMIT 1";
    Ok(db.prepare_cached(sql)?.query_row([lineage], |row| row.get(0)).optional()?)
}

/// As the column holds calls; none is NULL.
pub(super) fn json(calls: &[ToolCall]) -> Option<String> {
    (!calls.is_empty()).then(|| serde_json::to_string(calls).expect("wire types are plain data"))
}
