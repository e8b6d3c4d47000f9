//! What the user has said that is not in the transcript yet. It is on disk when it is acknowledged; when nothing is left
//! that would send it, it is the session's draft again.

use crate::store::error::StoreError;
use rusqlite::{Connection, OptionalExtension};

/// Keeps what waits, or forgets it.
pub(super) fn set(db: &Connection, lineage: i64, queued: &str, steered: &str) -> Result<(), StoreError> {
    if queued.is_empty() && steered.is_empty() {
        db.prepare_cached("DELETE FROM waiting WHERE lineage = ?1")?.execute([lineage])?;
    } else {
        db.prepare_cached("INSERT OR REPLACE INTO waiting VALUES (?1, ?2, ?3)")?
            .execute((lineage, queued, steered))?;
    }
    Ok(())
}

/// What was queued, or steered, is in the transcript now.
pub(super) fn taken(db: &Connection, lineage: i64, queued: bool) -> Result<(), StoreError> {
    let sql = match queued {
        true => "UPDATE waiting SET queued = '' WHERE lineage = ?1",
        false => "UPDATE waiting SET steered = '' WHERE lineage = ?1",
    };
    db.prepare_cached(sql)?.execute([lineage])?;
    db.prepare_cached("DELETE FROM waiting WHERE lineage = ?1 AND queued = '' AND steered = ''")?
        .execute([lineage])?;
    Ok(())
}

/// Puts what waits behind the draft of the lineage.
pub(super) fn to_draft(db: &Connection, lineage: i64) -> Result<(), StoreError> {
    let waiting: Option<(String, String)> = db
        .prepare_cached("SELECT steered, queued FROM waiting WHERE lineage = ?1")?
        .query_row([lineage], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((steered, queued)) = waiting else { return Ok(()) };
    let draft: Option<String> = db
        .prepare_cached("SELECT text FROM drafts WHERE lineage = ?1")?
        .query_row([lineage], |row| row.get(0))
        .optional()?;
    let parts = [draft.unwrap_or_default(), steered, queued];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    db.prepare_cached("INSERT OR REPLACE INTO drafts (lineage, text) VALUES (?1, ?2)")?
        .execute((lineage, parts.join("\n\n")))?;
    set(db, lineage, "", "")
}

/// All of them, at opening: nothing is left that would send them.
pub(super) fn settle(db: &Connection) -> Result<(), StoreError> {
    let mut statement = db.prepare("SELECT lineage FROM waiting")?;
    let all: Vec<i64> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    all.into_iter().try_for_each(|lineage| to_draft(db, lineage))
}
