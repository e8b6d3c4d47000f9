//! The files that tools changed: shown as a diff, and what is needed to take a change back.

use crate::store::error::StoreError;
use crate::store::lineages;
use rusqlite::{Connection, OptionalExtension};
use std::path::PathBuf;
use talaria_wire::{Millis, SessionId};

/// Bytes of a file's content, before or after, up to which a change can be taken back.
const LONGEST: usize = 4 * 1024 * 1024;

/// A change as a tool reports it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChange {
    pub path: PathBuf,
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    pub diff: String,
}

/// A change that may be taken back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    pub path: PathBuf,
    /// `None`: there was no file.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    message: i64,
}

/// Keeps the change with its tool row.
pub(super) fn keep(db: &Connection, message: i64, change: &NewChange) -> Result<(), StoreError> {
    let small =
        change.after.len() <= LONGEST && change.before.as_ref().is_none_or(|old| old.len() <= LONGEST);
    let (before, after) = if small { (change.before.as_ref(), Some(&change.after)) } else { (None, None) };
    db.prepare_cached("INSERT OR REPLACE INTO changes VALUES (?1, ?2, ?3, NULL, ?4, ?5)")?.execute((
        message,
        change.path.to_string_lossy(),
        &change.diff,
        before,
        after,
    ))?;
    Ok(())
}

/// The change that a call of the session's lineage made. Errors: `NotFound`; `BadRequest` when it was taken back or is too
/// large for that.
pub(super) fn find(db: &Connection, id: &SessionId, call_id: &str) -> Result<KeptChange, StoreError> {
    let lineage = lineages::find(db, id)?.lineage;
    let sql = "SELECT c.message, c.path, c.before, c.after, c.undone_at FROM messages m JOIN changes c \
               ON c.message = m.seq WHERE m.lineage = ?1 AND m.call_id = ?2 AND m.place IS NOT NULL \
               ORDER BY m.seq DESC LIMIT 1";
    let found = db.prepare_cached(sql)?.query_row((lineage, call_id), |row| {
        let path: String = row.get(1)?;
        let undone: Option<Millis> = row.get(4)?;
        Ok((row.get(0)?, path, row.get(2)?, row.get::<_, Option<Vec<u8>>>(3)?, undone))
    });
    let (message, path, before, after, undone) =
        found.optional()?.ok_or(StoreError::NotFound("This change is not here any more."))?;
    match after {
        _ if undone.is_some() => Err(StoreError::bad("This change was taken back already.")),
        None => Err(StoreError::bad("The file is too large: Talaria kept no copy of it to put back.")),
        Some(after) => Ok(KeptChange { path: PathBuf::from(path), before, after, message }),
    }
}

/// Marks a change as taken back.
pub(super) fn undone(db: &Connection, change: &KeptChange, now: Millis) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE changes SET undone_at = ?2 WHERE message = ?1")?
        .execute((change.message, now))?;
    Ok(())
}
