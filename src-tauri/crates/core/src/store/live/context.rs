//! What the model is told of a lineage, and the step to a session that goes on from a summary.

use super::rows::{self, NewRow};
use crate::store::error::StoreError;
use crate::store::{lineages, messages, put, text, titles, update};
use rusqlite::Connection;
use std::collections::HashMap;
use talaria_wire::{MessageRole, Millis, SessionId, ToolCall};

/// A row as the model is told of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextRow {
    pub role: MessageRole,
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub call_id: Option<String>,
}

/// The condition on rows `m` of the session ?1 from the row ?2 on. An answer that was cut off before its first letter
/// tells nothing.
const TOLD: &str = "m.session = ?1 AND m.seq >= ?2 AND m.undone_at IS NULL \
    AND NOT (m.role = 'assistant' AND m.text = '' AND m.tool_calls IS NULL)";

/// The rows of the tip, oldest first: from its last summary on, those too that only the model is told of.
pub(super) fn read(db: &Connection, lineage: i64) -> Result<Vec<ContextRow>, StoreError> {
    let (tip, from) = start(db, lineage)?;
    let sql =
        format!("SELECT m.role, m.text, m.tool_calls, m.call_id FROM messages m WHERE {TOLD} ORDER BY m.seq");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map((tip, from), |row| {
        let calls = text::read(row, 2)?.and_then(|json| serde_json::from_str(&json).ok());
        Ok(ContextRow {
            role: messages::role(&row.get::<_, String>(0)?),
            text: text::read(row, 1)?.unwrap_or_default(),
            calls: calls.unwrap_or_default(),
            call_id: text::read(row, 3)?,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The tip's number and the key of the first row that is told.
fn start(db: &Connection, lineage: i64) -> Result<(i64, i64), StoreError> {
    let tip = rows::tip_seq(db, lineage)?;
    let summary: Option<i64> = db
        .prepare_cached(
            "SELECT max(seq) FROM messages WHERE session = ?1 AND role = 'summary' AND undone_at IS NULL",
        )?
        .query_row([tip], |row| row.get(0))?;
    Ok((tip, summary.unwrap_or(i64::MIN)))
}

/// Ends the tip with `compression` and goes on in a child: the summary, which a reader sees as a divider, then the last
/// `keep` rows of the context once more, for the model alone. Answers the child.
pub(super) fn rotate(
    db: &Connection,
    id: &SessionId,
    summary: &str,
    keep: usize,
    now: Millis,
) -> Result<SessionId, StoreError> {
    let standing = lineages::find(db, id)?;
    update::check_listed(&standing)?;
    let lineage = standing.lineage;
    let kept = kept(db, lineage, keep)?;
    let child = SessionId(uuid::Uuid::now_v7().to_string());
    db.execute(
        "INSERT INTO sessions (id, lineage, position, relation, parent, source, model, started_at) \
         SELECT ?2, lineage, position + 1, 'continuation', id, source, model, ?3 FROM sessions WHERE id = ?1",
        (standing.tip.as_str(), child.as_str(), now),
    )?;
    db.execute(
        "UPDATE sessions SET ended_at = ?2, end_reason = 'compression' WHERE id = ?1",
        (standing.tip.as_str(), now),
    )?;
    db.execute("UPDATE lineages SET tip = ?2, open = 1 WHERE id = ?1", (lineage, child.as_str()))?;
    rows::append(db, lineage, &NewRow::new(MessageRole::Summary, summary), now)?;
    copy(db, lineage, &kept, now)?;
    Ok(child)
}

/// The last rows of the context, oldest first; a summary is none of them.
fn kept(db: &Connection, lineage: i64, keep: usize) -> Result<Vec<(i64, Option<i64>)>, StoreError> {
    let (tip, from) = start(db, lineage)?;
    let sql = format!(
        "SELECT m.seq, m.call_seq FROM messages m WHERE {TOLD} AND m.role <> 'summary' ORDER BY m.seq DESC LIMIT ?3"
    );
    let mut statement = db.prepare_cached(&sql)?;
    let limit = i64::try_from(keep).unwrap_or(i64::MAX);
    let rows = statement.query_map((tip, from, limit), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut kept = rows.collect::<Result<Vec<(i64, Option<i64>)>, _>>()?;
    kept.reverse();
    Ok(kept)
}

fn copy(db: &Connection, lineage: i64, kept: &[(i64, Option<i64>)], now: Millis) -> Result<(), StoreError> {
    let tip = rows::tip_seq(db, lineage)?;
    let mut insert = db.prepare_cached(
        "INSERT INTO messages (seq, lineage, session, role, id, created_at, call_seq, call_id, tool_name, \
         finish_reason, text, tool_calls, notice, reasoning, duration_ms) \
         SELECT ?2, lineage, ?3, role, ?4, created_at, ?5, call_id, tool_name, finish_reason, text, tool_calls, notice, \
         reasoning, duration_ms FROM messages WHERE seq = ?1",
    )?;
    let mut seqs: HashMap<i64, i64> = HashMap::new();
    let mut last = rows::next_seq(db, lineage, now)? - 1;
    for (seq, call_seq) in kept {
        last = put::next_seq(db, now, last)?;
        seqs.insert(*seq, last);
        let caller = call_seq.and_then(|caller| seqs.get(&caller));
        insert.execute((seq, last, tip, uuid::Uuid::now_v7().to_string(), caller))?;
    }
    Ok(())
}

/// The title that nobody typed, numbered when it is taken; nothing when there is one.
pub(super) fn title(db: &Connection, id: &SessionId, title: &str) -> Result<bool, StoreError> {
    let standing = lineages::find(db, id)?;
    let Some(title) = titles::automatic(title).filter(|_| standing.title.is_none()) else {
        return Ok(false);
    };
    let title = titles::numbered(db, &title, standing.lineage)?;
    update::set_title(db, standing.lineage, Some(&title))?;
    Ok(true)
}
