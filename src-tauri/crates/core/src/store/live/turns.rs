//! The turn under way of a lineage, so that its end by a crash is said where the turn was.

use super::rows::{self, NewRow};
use super::waiting;
use crate::store::error::StoreError;
use crate::store::update;
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashSet;
use talaria_wire::{MessageRole, Millis, ToolCall};

/// What stands in the column `finish_reason` of an answer that was cut off here.
pub const INTERRUPTED: &str = "interrupted";

/// The result of a call that nobody knows the end of, in the shape of the tools' own results (reference section 8.6).
pub const LOST_RESULT: &str =
    r#"{"output": "", "error": "Interrupted: Talaria ended while this ran. It may have been done in part."}"#;

/// Begins a turn; what a former one left is gone.
pub(super) fn open(db: &Connection, lineage: i64, now: Millis) -> Result<(), StoreError> {
    db.prepare_cached("INSERT OR REPLACE INTO turns VALUES (?1, ?2, '', '')")?.execute((lineage, now))?;
    Ok(())
}

/// Keeps what came of the answer. Without effect when no turn is open.
pub(super) fn keep(db: &Connection, lineage: i64, text: &str, reasoning: &str) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE turns SET text = ?2, reasoning = ?3 WHERE lineage = ?1")?
        .execute((lineage, text, reasoning))?;
    Ok(())
}

/// Ends the turn.
pub(super) fn close(db: &Connection, lineage: i64, unread: bool) -> Result<(), StoreError> {
    db.prepare_cached("DELETE FROM turns WHERE lineage = ?1")?.execute([lineage])?;
    if unread {
        update::set_unread(db, &[lineage], true)?;
    }
    Ok(())
}

/// Puts the turns that the end of the process cut off into their transcripts, and marks those unread. At opening, before
/// anybody reads.
pub(in crate::store) fn settle(db: &Connection, now: Millis) -> Result<(), StoreError> {
    let mut statement = db.prepare("SELECT lineage, text, reasoning FROM turns")?;
    let cut = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (lineage, text, reasoning) in cut.collect::<Result<Vec<(i64, String, String)>, _>>()? {
        let answered = fill_results(db, lineage, LOST_RESULT, now)?;
        // A turn that came to results says by them where it ended; any other by an answer, be it an empty one.
        if answered == 0 || !text.is_empty() || !reasoning.is_empty() {
            let row = NewRow {
                reasoning: (!reasoning.is_empty()).then_some(&*reasoning),
                finish_reason: Some(INTERRUPTED),
                ..NewRow::new(MessageRole::Assistant, &text)
            };
            rows::append(db, lineage, &row, now)?;
        }
        close(db, lineage, true)?;
    }
    waiting::settle(db)
}

/// Gives each open call of the last answer that made any a result; answers how many.
fn fill_results(db: &Connection, lineage: i64, result: &str, now: Millis) -> Result<usize, StoreError> {
    let Some(caller) = rows::last_caller(db, lineage)? else { return Ok(0) };
    let calls: Option<String> = db
        .prepare_cached("SELECT tool_calls FROM messages WHERE seq = ?1 AND place IS NOT NULL")?
        .query_row([caller], |row| row.get(0))
        .optional()?
        .flatten();
    let calls: Vec<ToolCall> = calls.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default();
    let mut statement = db.prepare_cached(
        "SELECT call_id FROM messages WHERE lineage = ?1 AND seq > ?2 AND role = 'tool' AND undone_at IS NULL \
         AND call_id IS NOT NULL",
    )?;
    let answered: HashSet<String> =
        statement.query_map((lineage, caller), |row| row.get(0))?.collect::<Result<_, _>>()?;
    let open: Vec<&ToolCall> = calls.iter().filter(|call| !answered.contains(&call.id)).collect();
    for call in &open {
        let row = NewRow { answers: Some((&call.id, &call.name)), ..NewRow::new(MessageRole::Tool, result) };
        rows::append(db, lineage, &row, now)?;
    }
    Ok(open.len())
}
