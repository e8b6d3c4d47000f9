//! Delete, restore, and the end of the trash after 30 days. One path for every entry point.

use super::error::StoreError;
use super::lineages::{self, Place, Standing};
use super::meta::{DAY, Elapsed};
use super::{folders, titles, tombstones, update};
use rusqlite::Connection;
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
        DeleteMode::Trash if !trash(db, &standing, now)? => return Ok(absent),
        DeleteMode::Trash => {}
        DeleteMode::Purge => purge(db, vec![standing.lineage], now)?,
    }
    Ok(SessionDeleteResponse { already_absent: false, unpinned_rank: standing.pin_rank })
}

pub(super) fn session_restore(
    db: &Connection,
    request: &SessionRestoreRequest,
    now: Millis,
) -> Result<SessionRow, StoreError> {
    let standing = lineages::find(db, &request.id)?;
    if restore(db, &standing)?
        && let Some(rank) = request.pin_rank.filter(|_| !standing.archived)
    {
        update::pin_at(db, standing.lineage, rank)?;
    }
    Ok(lineages::get(db, standing.lineage, now)?.row)
}

/// Into the trash. Answers whether it was not there already. Unpins.
pub(super) fn trash(db: &Connection, standing: &Standing, now: Millis) -> Result<bool, StoreError> {
    if standing.is(Place::Trash) {
        return Ok(false);
    }
    db.prepare_cached(
        "UPDATE lineages SET place = 2, deleted_at = ?2, pin_rank = NULL, swept_at = NULL WHERE id = ?1",
    )?
    .execute((standing.lineage, now))?;
    Ok(true)
}

/// Back to where it was. A title that was given away meanwhile gets a number. Answers whether it was in the trash.
pub(super) fn restore(db: &Connection, standing: &Standing) -> Result<bool, StoreError> {
    if !standing.is(Place::Trash) {
        return Ok(false);
    }
    if let Some(title) = &standing.title {
        let free = titles::numbered(db, title, standing.lineage)?;
        if free != *title {
            update::set_title(db, standing.lineage, Some(&free))?;
        }
    }
    let place = if standing.archived { Place::Archived } else { Place::Active };
    update::set_place(db, standing.lineage, place)?;
    Ok(true)
}

/// For good: the lineages, their messages and drafts, and the children they delegated to. Their origin ids stay behind,
/// so that no import brings them back.
pub(super) fn purge(db: &Connection, mut doomed: Vec<i64>, now: Millis) -> Result<(), StoreError> {
    let mut at = 0;
    while let Some(owner) = doomed.get(at).copied() {
        let mut children = db.prepare_cached("SELECT id FROM lineages WHERE owner = ?1")?;
        for child in children.query_map([owner], |row| row.get(0))? {
            doomed.push(child?);
        }
        at += 1;
    }
    // Children first: nothing is left to cascade, and each row's triggers run.
    for lineage in doomed.into_iter().rev() {
        tombstones::add_lineage(db, lineage, now)?;
        db.prepare_cached("DELETE FROM messages WHERE lineage = ?1")?.execute([lineage])?;
        db.prepare_cached("DELETE FROM sessions WHERE lineage = ?1")?.execute([lineage])?;
        db.prepare_cached("DELETE FROM lineages WHERE id = ?1")?.execute([lineage])?;
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
    let count = expired.len();
    purge(db, expired, now)?;
    Ok(count)
}
