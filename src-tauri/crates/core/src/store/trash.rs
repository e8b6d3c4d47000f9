//! Delete, restore, and the end of the trash after 30 days. One path for every entry point.

use super::error::StoreError;
use super::lineages::{self, Place, Standing};
use super::meta::{DAY, Elapsed};
use super::{folders, titles, tombstones, update};
use rusqlite::Connection;
use std::collections::HashSet;
use talaria_wire::{
    DeleteMode, Millis, SessionDeleteRequest, SessionDeleteResponse, SessionRestoreRequest, SessionRow,
};

/// How long the trash keeps.
pub(super) const KEPT: Millis = 30 * DAY;

pub(super) fn session_delete(
    db: &Connection,
    request: &SessionDeleteRequest,
    now: Millis,
) -> Result<SessionDeleteResponse, StoreError> {
    let absent = SessionDeleteResponse { already_absent: true, unpinned_rank: None };
    let standing = match lineages::find(db, &request.id) {
        Err(StoreError::NotFound(_)) => return Ok(absent),
        standing => standing?,
    };
    update::check_own(&standing)?;
    match request.mode {
        DeleteMode::Trash if standing.is(Place::Trash) => return Ok(absent),
        DeleteMode::Trash => trash(db, &[standing.lineage], now)?,
        DeleteMode::Purge => purge(db, &[standing.lineage], now)?,
    }
    Ok(SessionDeleteResponse { already_absent: false, unpinned_rank: standing.pin_rank })
}

pub(super) fn session_restore(
    db: &Connection,
    request: &SessionRestoreRequest,
    now: Millis,
) -> Result<SessionRow, StoreError> {
    let standing = lineages::find(db, &request.id)?;
    if standing.is(Place::Trash) {
        restore(db, &[&standing])?;
        if let Some(rank) = request.pin_rank.filter(|_| !standing.archived) {
            update::pin_at(db, standing.lineage, rank)?;
        }
    }
    Ok(lineages::get(db, standing.lineage, now)?.row)
}

/// Into the trash, from wherever they are. Unpins. The mark of the automatic archive stays: restored, it is what it was.
pub(super) fn trash(db: &Connection, lineages: &[i64], now: Millis) -> Result<(), StoreError> {
    db.prepare_cached(
        "UPDATE lineages SET place = 2, deleted_at = ?2, pin_rank = NULL \
         WHERE id IN (SELECT value FROM json_each(?1))",
    )?
    .execute((lineages::json(lineages), now))?;
    Ok(())
}

/// Out of the trash, each to where it was. Who can keep the title keeps it; a title that was given away meanwhile, or that
/// two of them have, gets a number.
pub(super) fn restore(db: &Connection, trashed: &[&Standing]) -> Result<(), StoreError> {
    let mut kept = HashSet::new();
    let (mut free, mut clashing) = (Vec::new(), Vec::new());
    for standing in trashed {
        match &standing.title {
            Some(title) if titles::holder(db, title, standing.lineage)?.is_some() || !kept.insert(title) => {
                clashing.push((standing, title));
            }
            _ => free.push(*standing),
        }
    }
    leave_trash(db, &free)?;
    for (standing, title) in clashing {
        let title = titles::numbered(db, title, standing.lineage)?;
        update::set_title(db, standing.lineage, Some(&title))?;
        leave_trash(db, &[standing])?;
    }
    Ok(())
}

fn leave_trash(db: &Connection, trashed: &[&Standing]) -> Result<(), StoreError> {
    let back: Vec<i64> = trashed.iter().map(|standing| standing.lineage).collect();
    db.prepare_cached(
        "UPDATE lineages SET place = archived, deleted_at = NULL WHERE id IN (SELECT value FROM json_each(?1))",
    )?
    .execute([lineages::json(&back)])?;
    Ok(())
}

/// For good: the lineages, their messages, drafts and places in media, and the children they delegated to. Their origin ids stay behind,
/// so that no import brings them back.
pub(super) fn purge(db: &Connection, lineages: &[i64], now: Millis) -> Result<(), StoreError> {
    let mut owned = db.prepare_cached(
        "WITH RECURSIVE doomed (id) AS (SELECT value FROM json_each(?1) \
         UNION SELECT l.id FROM doomed JOIN lineages l ON l.owner = doomed.id) SELECT id FROM doomed",
    )?;
    let doomed: Vec<i64> =
        owned.query_map([lineages::json(lineages)], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let doomed = lineages::json(&doomed);
    tombstones::add_lineages(db, &doomed, now)?;
    // What hangs on them first: nothing is left to cascade.
    for (table, column) in [("messages", "lineage"), ("sessions", "lineage"), ("lineages", "id")] {
        let sql = format!("DELETE FROM {table} WHERE {column} IN (SELECT value FROM json_each(?1))");
        db.prepare_cached(&sql)?.execute([&doomed])?;
    }
    folders::forget_unused(db)
}

/// Empties what the trash has kept for 30 days, unless the clock cannot be trusted: a wrong one must not delete. Answers
/// how many went.
pub(super) fn expire(db: &Connection, elapsed: Elapsed, now: Millis) -> Result<usize, StoreError> {
    if elapsed != Elapsed::Usual {
        return Ok(0);
    }
    let mut statement = db.prepare("SELECT id FROM lineages WHERE place = 2 AND deleted_at <= ?1")?;
    let expired: Vec<i64> = statement.query_map([now - KEPT], |row| row.get(0))?.collect::<Result<_, _>>()?;
    purge(db, &expired, now)?;
    Ok(expired.len())
}
