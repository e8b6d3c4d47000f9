//! `session_branch`: a new session with the beginning of another, or all of it.
//!
//! What the model was told of goes along: rows that are not shown, and which session of the lineage a row stands in. The
//! copy is a session made here: it has ids of its own and no origin, so that no import takes it for what it brought.

use super::error::StoreError;
use super::lineages::{self, Place, Standing};
use super::messages::{place_of, role_word};
use super::{put, text, titles};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;
use talaria_wire::{MessageId, MessageRole, Millis, SessionBranchRequest, SessionId, SessionRow};

/// What stands in the column `source` of a session made here.
const SOURCE: &str = "talaria";

/// Errors: `NotFound` (session, message), `BadRequest` for one in the trash.
pub(super) fn session_branch(
    db: &Connection,
    request: &SessionBranchRequest,
    now: Millis,
) -> Result<SessionRow, StoreError> {
    let from = lineages::find(db, &request.id)?;
    if from.is(Place::Trash) {
        return Err(StoreError::bad("This session is in Recently deleted. Restore it first."));
    }
    let end = match &request.message_id {
        Some(message) => Some(end_at(db, from.lineage, message)?),
        None => None,
    };
    let lineage = add_lineage(db, &from, now)?;
    let sessions = copy_sessions(db, from.lineage, lineage, end.as_ref())?;
    copy_messages(db, from.lineage, lineage, &sessions, end.as_ref())?;
    derive(db, lineage)?;
    Ok(lineages::get(db, lineage, now)?.row)
}

/// Where a fork ends.
struct End {
    /// The last message that goes along.
    seq: i64,
    /// The session that the fork's row stands in.
    session: SessionId,
    position: i64,
}

/// The end of a fork at this row. Behind a summary the last rows before the compression stand again, not shown: a model
/// that goes on from the summary needs them.
fn end_at(db: &Connection, lineage: i64, message: &MessageId) -> Result<End, StoreError> {
    let place = place_of(db, lineage, message)?;
    let (seq, role, session, id, position): (i64, String, i64, String, i64) = db.query_row(
        "SELECT m.seq, m.role, m.session, s.id, s.position FROM messages m JOIN sessions s ON s.seq = m.session \
         WHERE m.lineage = ?1 AND m.place = ?2",
        (lineage, place),
        |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?)),
    )?;
    let seq = if role == role_word(MessageRole::Summary) {
        repeated(db, lineage, session, place, seq)?
    } else {
        seq
    };
    Ok(End { seq, session: SessionId(id), position })
}

/// The last row of the session between this place and the next one, else `seq`.
fn repeated(db: &Connection, lineage: i64, session: i64, place: i64, seq: i64) -> Result<i64, StoreError> {
    let next: Option<i64> = db
        .query_row(
            "SELECT seq FROM messages WHERE lineage = ?1 AND place = ?2",
            (lineage, place + 1),
            |row| row.get(0),
        )
        .optional()?;
    let last: Option<i64> = db.query_row(
        "SELECT max(seq) FROM messages WHERE lineage = ?1 AND session = ?2 AND seq > ?3 AND seq < ?4",
        (lineage, session, seq, next.unwrap_or(i64::MAX)),
        |row| row.get(0),
    )?;
    Ok(last.unwrap_or(seq))
}

/// The new row, at the top of the list; what it derives from messages comes later.
fn add_lineage(db: &Connection, from: &Standing, now: Millis) -> Result<i64, StoreError> {
    let newest: i64 = db.query_row("SELECT ifnull(max(recency), 0) FROM lineages", [], |row| row.get(0))?;
    // 0 is nobody's number: a copy that is to share no title has none yet.
    let title = from.title.as_deref().map(|title| titles::numbered(db, title, 0)).transpose()?;
    db.execute(
        "INSERT INTO lineages (place, archived, recency, created_at, last_active, message_count, row_count, folder, \
         open, tip, title, source, git_branch) \
         SELECT 0, 0, ?2, ?3, ?3, 0, 0, folder, 1, ?4, ?5, ?6, git_branch FROM lineages WHERE id = ?1",
        (from.lineage, now.max(newest + 1), now, new_id(), &title, SOURCE),
    )?;
    Ok(db.last_insert_rowid())
}

/// The sessions up to the fork's, oldest first; the last one goes on. Answers the number of each by the number of the
/// one it copies.
fn copy_sessions(
    db: &Connection,
    from: i64,
    to: i64,
    end: Option<&End>,
) -> Result<HashMap<i64, i64>, StoreError> {
    let mut read =
        db.prepare("SELECT seq FROM sessions WHERE lineage = ?1 AND position <= ?2 ORDER BY position")?;
    let last = end.map_or(i64::MAX, |end| end.position);
    let old: Vec<i64> = read.query_map((from, last), |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut copy = db.prepare(
        "INSERT INTO sessions (id, lineage, position, relation, parent, source, model, started_at, ended_at, end_reason) \
         SELECT ?2, ?3, position, ?4, ?5, ?6, model, started_at, iif(?7, NULL, ended_at), iif(?7, NULL, end_reason) \
         FROM sessions WHERE seq = ?1",
    )?;
    let mut numbers = HashMap::with_capacity(old.len());
    // Of a fork the first session came from the one its row stands in; a duplicate came from nowhere.
    let (mut relation, mut parent) = match end {
        Some(end) => ("branch", Some(end.session.to_string())),
        None => ("root", None),
    };
    for (at, seq) in old.iter().enumerate() {
        let (id, is_tip) = (new_id(), at + 1 == old.len());
        copy.execute((seq, &id, to, relation, &parent, SOURCE, is_tip))?;
        numbers.insert(*seq, db.last_insert_rowid());
        if is_tip {
            db.execute("UPDATE lineages SET tip = ?2 WHERE id = ?1", (to, &id))?;
        }
        (relation, parent) = ("continuation", Some(id));
    }
    Ok(numbers)
}

/// The rows up to the fork's, in their order. Texts are copied inside the file.
fn copy_messages(
    db: &Connection,
    from: i64,
    to: i64,
    sessions: &HashMap<i64, i64>,
    end: Option<&End>,
) -> Result<(), StoreError> {
    let mut read = db.prepare(
        "SELECT seq, session, created_at, call_seq FROM messages WHERE lineage = ?1 AND seq <= ?2 AND undone_at IS NULL \
         ORDER BY seq",
    )?;
    let rows = read.query_map((from, end.map_or(i64::MAX, |end| end.seq)), |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
    })?;
    let rows: Vec<(i64, i64, Millis, Option<i64>)> = rows.collect::<Result<_, _>>()?;
    let mut copy = db.prepare(
        "INSERT INTO messages (seq, lineage, session, place, role, id, created_at, call_seq, call_id, tool_name, \
         finish_reason, text, tool_calls, notice, reasoning, duration_ms) \
         SELECT ?2, ?3, ?4, place, role, ?5, created_at, ?6, call_id, tool_name, finish_reason, text, tool_calls, \
         notice, reasoning, duration_ms FROM messages WHERE seq = ?1",
    )?;
    let mut seqs: HashMap<i64, i64> = HashMap::with_capacity(rows.len());
    let mut last = i64::MIN;
    for (seq, session, created_at, call_seq) in rows {
        last = put::next_seq(db, created_at, last)?;
        seqs.insert(seq, last);
        let call = call_seq.and_then(|call| seqs.get(&call));
        // A row stands in a session up to the fork's, or not before its row.
        let Some(session) = sessions.get(&session) else { continue };
        copy.execute((seq, last, to, session, new_id(), call))?;
    }
    Ok(())
}

/// What the row shows of its messages.
fn derive(db: &Connection, lineage: i64) -> Result<(), StoreError> {
    let first: Option<String> = db
        .query_row(
            "SELECT text FROM messages WHERE lineage = ?1 AND place IS NOT NULL AND role = 'user' ORDER BY place LIMIT 1",
            [lineage],
            |row| row.get(0),
        )
        .optional()?;
    db.execute(
        "UPDATE lineages SET preview = ?2, (row_count, message_count) = (SELECT count(*), \
         count(*) FILTER (WHERE role <> 'summary') FROM messages WHERE lineage = ?1 AND place IS NOT NULL), \
         model = (SELECT model FROM sessions WHERE lineage = ?1 AND model IS NOT NULL ORDER BY position DESC LIMIT 1) \
         WHERE id = ?1",
        (lineage, first.as_deref().and_then(text::preview)),
    )?;
    lineages::refresh_head(db, lineage)
}

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}
