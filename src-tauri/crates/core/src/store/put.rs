//! Writing whole lineages: what an import brings.
//!
//! A lineage is written in one transaction, or not at all. One that is here already is only ever extended: title,
//! archive, pin, trash and unread are the user's, and what was deleted stays deleted.

use super::error::StoreError;
use super::incoming::{LATEST, LineageKind, NewLineage, NewSession};
use super::lineages::{self, Place};
use super::messages::role_word;
use super::{folders, text, titles, tombstones};
use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;
use talaria_wire::{MessageId, MessageRole, Millis, SessionId};

/// Message keys a millisecond.
const KEYS: i64 = 1024;

/// What became of a lineage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    Added,
    /// It was here and has grown: so many new messages that were not here.
    Extended {
        sessions: usize,
        messages: usize,
    },
    Unchanged,
    /// One of its sessions was deleted here for good.
    Deleted,
    /// It was gone on with here, so the other store's news would not fit.
    ContinuedHere,
    /// What is here is not part of it: other sessions belong together, or messages are gone there. Left alone, because
    /// an import only adds.
    Differs,
    /// It is a child of a session that is not here.
    NoOwner,
}

/// What is known of an imported session: the id it has here, and the mark it was last read at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub id: SessionId,
    pub mark: Option<String>,
}

/// Every imported session that is here, by its origin id.
pub(super) fn known(db: &Connection) -> Result<HashMap<String, Known>, StoreError> {
    let mut statement =
        db.prepare("SELECT origin_id, id, origin_mark FROM sessions WHERE origin_id IS NOT NULL")?;
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, Known { id: SessionId(row.get(1)?), mark: row.get(2)? })))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Stores a lineage, or what is new of it.
pub(super) fn put(db: &Connection, new: &NewLineage) -> Result<Put, StoreError> {
    if new.sessions.is_empty() {
        return Err(StoreError::Broken("A lineage without a session was to be stored."));
    }
    for origin in new.sessions.iter().filter_map(|session| session.origin.as_ref()) {
        if tombstones::has(db, &origin.id)? {
            return Ok(Put::Deleted);
        }
    }
    match standing(db, new)? {
        None => add(db, new),
        Some(lineage) if changed(db, new)? => extend(db, lineage, new),
        Some(_) => Ok(Put::Unchanged),
    }
}

/// The lineage that holds one of these sessions already.
fn standing(db: &Connection, new: &NewLineage) -> Result<Option<i64>, StoreError> {
    let mut statement = db.prepare_cached("SELECT lineage FROM sessions WHERE origin_id = ?1")?;
    for origin in new.sessions.iter().filter_map(|session| session.origin.as_ref()) {
        if let Some(lineage) = statement.query_row([&origin.id], |row| row.get(0)).optional()? {
            return Ok(Some(lineage));
        }
    }
    Ok(None)
}

fn changed(db: &Connection, new: &NewLineage) -> Result<bool, StoreError> {
    let mut statement = db.prepare_cached("SELECT origin_mark FROM sessions WHERE origin_id = ?1")?;
    for origin in new.sessions.iter().filter_map(|session| session.origin.as_ref()) {
        let mark: Option<Option<String>> = statement.query_row([&origin.id], |row| row.get(0)).optional()?;
        if mark.flatten().as_ref() != Some(&origin.mark) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn add(db: &Connection, new: &NewLineage) -> Result<Put, StoreError> {
    let (place, owner) = match &new.kind {
        LineageKind::Active => (Place::Active, None),
        LineageKind::Archived => (Place::Archived, None),
        LineageKind::Delegate { owner } => match lineages::find(db, owner) {
            Ok(standing) => (Place::Delegate, Some(standing.lineage)),
            Err(StoreError::NotFound(_)) => return Ok(Put::NoOwner),
            Err(error) => return Err(error),
        },
    };
    let title = new.title.as_deref().and_then(titles::automatic);
    let title = match title {
        // Only listed titles are unique; 0 is nobody's number.
        Some(title) if owner.is_none() => Some(titles::numbered(db, &title, 0)?),
        title => title,
    };
    let tip = tip(new);
    let recency = lineages::free_recency(db, new.last_active.clamp(0, LATEST))?;
    db.prepare_cached(
        "INSERT INTO lineages (place, archived, recency, created_at, last_active, message_count, row_count, open, \
         owner, tip, title, source) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, ?6, ?7, ?8, ?9)",
    )?
    .execute((
        place as i64,
        place == Place::Archived,
        recency,
        new.created_at.clamp(0, LATEST),
        new.last_active.clamp(0, LATEST),
        owner,
        tip.id.as_str(),
        &title,
        &tip.source,
    ))?;
    let lineage = db.last_insert_rowid();
    write_content(db, lineage, new)?;
    Ok(Put::Added)
}

fn extend(db: &Connection, lineage: i64, new: &NewLineage) -> Result<Put, StoreError> {
    let own: bool = db
        .prepare_cached(
            "SELECT 1 FROM messages WHERE lineage = ?1 AND origin_seq IS NULL UNION ALL \
             SELECT 1 FROM sessions WHERE lineage = ?1 AND origin_id IS NULL LIMIT 1",
        )?
        .exists([lineage])?;
    if own {
        return Ok(Put::ContinuedHere);
    }
    let mut new = new.clone();
    if !has_all_sessions(db, lineage, &new)? || !keep_message_ids(db, lineage, &mut new)? {
        return Ok(Put::Differs);
    }
    let before = sizes(db, lineage)?;
    // Written anew with the ids it had: a compression in between hides and moves rows, it does not only add some.
    db.execute("DELETE FROM messages WHERE lineage = ?1", [lineage])?;
    db.execute("DELETE FROM sessions WHERE lineage = ?1", [lineage])?;
    let last_active = new.last_active.clamp(0, LATEST);
    let recency: i64 = db.query_row("SELECT recency FROM lineages WHERE id = ?1", [lineage], |r| r.get(0))?;
    if last_active > recency {
        let recency = lineages::free_recency(db, last_active)?;
        db.execute("UPDATE lineages SET recency = ?2 WHERE id = ?1", (lineage, recency))?;
    }
    db.execute(
        "UPDATE lineages SET last_active = max(last_active, ?2), tip = ?3, source = ?4 WHERE id = ?1",
        (lineage, last_active, tip(&new).id.as_str(), &tip(&new).source),
    )?;
    write_content(db, lineage, &new)?;
    // It may have moved to another folder.
    folders::forget_unused(db)?;
    let after = sizes(db, lineage)?;
    Ok(Put::Extended {
        sessions: after.0.saturating_sub(before.0),
        messages: after.1.saturating_sub(before.1),
    })
}

fn sizes(db: &Connection, lineage: i64) -> Result<(usize, usize), StoreError> {
    let sql = "SELECT (SELECT count(*) FROM sessions WHERE lineage = ?1), \
               (SELECT count(*) FROM messages WHERE lineage = ?1)";
    Ok(db.query_row(sql, [lineage], |row| {
        Ok((row.get::<_, i64>(0)? as usize, row.get::<_, i64>(1)? as usize))
    })?)
}

/// Whether each session of the lineage is in `new`, and none of `new` is in another lineage.
fn has_all_sessions(db: &Connection, lineage: i64, new: &NewLineage) -> Result<bool, StoreError> {
    let mut statement = db.prepare_cached("SELECT lineage FROM sessions WHERE id = ?1")?;
    let mut here = 0;
    for session in &new.sessions {
        match statement.query_row([session.id.as_str()], |row| row.get::<_, i64>(0)).optional()? {
            Some(other) if other != lineage => return Ok(false),
            Some(_) => here += 1,
            None => {}
        }
    }
    Ok(sizes(db, lineage)?.0 == here)
}

/// Gives messages the ids they have here. Answers whether each message that is here is in `new`.
fn keep_message_ids(db: &Connection, lineage: i64, new: &mut NewLineage) -> Result<bool, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT s.origin_id, m.origin_seq, m.id FROM messages m JOIN sessions s ON s.seq = m.session \
         WHERE m.lineage = ?1",
    )?;
    let rows =
        statement.query_map([lineage], |row| Ok(((row.get(0)?, row.get(1)?), MessageId(row.get(2)?))))?;
    let mut ids: HashMap<(Option<String>, Option<i64>), MessageId> = rows.collect::<Result<_, _>>()?;
    for message in &mut new.messages {
        let origin = new.sessions[message.session].origin.as_ref().map(|origin| origin.id.clone());
        if let Some(id) = ids.remove(&(origin, message.origin_seq)) {
            message.id = id;
        }
    }
    Ok(ids.is_empty())
}

fn tip(new: &NewLineage) -> &NewSession {
    new.sessions.last().expect("put() refuses a lineage without a session")
}

/// Sessions, messages, and what the row derives from them.
fn write_content(db: &Connection, lineage: i64, new: &NewLineage) -> Result<(), StoreError> {
    let sessions = write_sessions(db, lineage, new)?;
    let (message_count, row_count) = write_messages(db, lineage, &sessions, new)?;
    let first_user = new.messages.iter().find(|m| m.shown && m.role == MessageRole::User);
    // The newest session that says it: a continuation often does not repeat its folder.
    let newest =
        |field: fn(&NewSession) -> &Option<String>| new.sessions.iter().rev().find_map(|s| field(s).clone());
    let folder = match newest(|session| &session.folder) {
        Some(path) => folders::number(db, &path)?,
        None => None,
    };
    db.prepare_cached(
        "UPDATE lineages SET message_count = ?2, row_count = ?3, preview = ?4, folder = ?5, model = ?6, \
         git_branch = ?7, open = ?8 WHERE id = ?1",
    )?
    .execute((
        lineage,
        message_count,
        row_count,
        first_user.and_then(|message| text::preview(&message.text)),
        folder,
        newest(|session| &session.model),
        newest(|session| &session.git_branch),
        tip(new).ended_at.is_none(),
    ))?;
    lineages::refresh_head(db, lineage)
}

fn write_sessions(db: &Connection, lineage: i64, new: &NewLineage) -> Result<Vec<i64>, StoreError> {
    let mut statement = db.prepare_cached(
        "INSERT INTO sessions (id, lineage, position, relation, parent, source, model, started_at, ended_at, \
         end_reason, origin_id, origin_mark) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    let mut seqs = Vec::with_capacity(new.sessions.len());
    for (position, session) in new.sessions.iter().enumerate() {
        statement.execute((
            session.id.as_str(),
            lineage,
            position as i64,
            session.relation.word(),
            session.parent.as_ref().map(SessionId::as_str),
            &session.source,
            &session.model,
            session.started_at.clamp(0, LATEST),
            session.ended_at.map(|at| at.clamp(0, LATEST)),
            &session.end_reason,
            session.origin.as_ref().map(|origin| &origin.id),
            session.origin.as_ref().map(|origin| &origin.mark),
        ))?;
        seqs.push(db.last_insert_rowid());
    }
    Ok(seqs)
}

/// Answers the numbers of counted and of shown rows.
fn write_messages(
    db: &Connection,
    lineage: i64,
    sessions: &[i64],
    new: &NewLineage,
) -> Result<(i64, i64), StoreError> {
    let mut statement = db.prepare_cached(
        "INSERT INTO messages (seq, lineage, session, place, role, id, created_at, call_seq, call_id, tool_name, \
         finish_reason, origin_seq, text, tool_calls, notice, reasoning, undone_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
    )?;
    let (mut counted, mut shown, mut last) = (0, 0, i64::MIN);
    let mut callers: HashMap<&str, i64> = HashMap::new();
    for message in &new.messages {
        let seq = next_seq(db, message.created_at, last)?;
        last = seq;
        callers.extend(message.tool_calls.iter().map(|call| (call.id.as_str(), seq)));
        let place = message.shown.then_some(shown);
        shown += i64::from(message.shown);
        counted += i64::from(message.shown && message.role != MessageRole::Summary);
        statement.execute(rusqlite::params![
            seq,
            lineage,
            sessions[message.session],
            place,
            role_word(message.role),
            message.id.as_str(),
            message.created_at.clamp(0, LATEST),
            message.call_id.as_deref().and_then(|id| callers.get(id)),
            message.call_id,
            message.tool_name,
            message.finish_reason,
            message.origin_seq,
            message.text,
            (!message.tool_calls.is_empty()).then(|| json(&message.tool_calls)),
            message.notice.as_ref().map(json),
            message.reasoning,
            // When, the other store does not say.
            message.undone.then(|| message.created_at.clamp(0, LATEST)),
        ])?;
    }
    Ok((counted, shown))
}

fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("wire types are plain data")
}

/// The key of a lineage's next message: by its time, and behind the one before it (`i64::MIN`: it is the first).
pub(super) fn next_seq(db: &Connection, created_at: Millis, last: i64) -> Result<i64, StoreError> {
    free_seq(db, (created_at.clamp(0, LATEST) * KEYS).max(last.saturating_add(1)))
}

/// The lowest free message key from `wanted` on, a millisecond's keys at a time.
fn free_seq(db: &Connection, wanted: i64) -> Result<i64, StoreError> {
    let mut newest = db.prepare_cached("SELECT max(seq) FROM messages WHERE seq BETWEEN ?1 AND ?2")?;
    let mut from = wanted;
    loop {
        let end = from - from.rem_euclid(KEYS) + KEYS - 1;
        match newest.query_row((from, end), |row| row.get::<_, Option<i64>>(0))? {
            None => return Ok(from),
            Some(taken) if taken < end => return Ok(taken + 1),
            Some(_) => from = end + 1,
        }
    }
}
