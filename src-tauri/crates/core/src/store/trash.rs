//! Delete, restore, and the end of the trash after 30 days. One path for every entry point.

use super::error::StoreError;
use super::lineages::{self, Place};
use super::{folders, meta, titles, tombstones, update};
use rusqlite::Connection;
use talaria_wire::{
    DeleteMode, Millis, SessionDeleteRequest, SessionDeleteResponse, SessionRestoreRequest, SessionRow,
};

const DAY: Millis = 24 * 60 * 60 * 1000;
/// How long the trash keeps.
pub(super) const KEPT: Millis = 30 * DAY;
/// A clock that moved further than this since the last run is not trusted with deleting.
const JUMP: Millis = 7 * DAY;

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
        DeleteMode::Trash => {
            db.execute(
                "UPDATE lineages SET place = 2, deleted_at = ?2, pin_rank = NULL WHERE id = ?1",
                (standing.lineage, now),
            )?;
        }
        DeleteMode::Purge => purge(db, standing.lineage, now)?,
    }
    Ok(SessionDeleteResponse { already_absent: false, unpinned_rank: standing.pin_rank })
}

/// Back to where it was. A title that was given away meanwhile gets a number.
pub(super) fn session_restore(
    db: &Connection,
    request: &SessionRestoreRequest,
    now: Millis,
) -> Result<SessionRow, StoreError> {
    let standing = lineages::find(db, &request.id)?;
    if standing.is(Place::Trash) {
        if let Some(title) = &standing.title {
            let title = titles::numbered(db, title, standing.lineage)?;
            update::set_title(db, standing.lineage, Some(&title))?;
        }
        let place = if standing.archived { Place::Archived } else { Place::Active };
        update::set_place(db, standing.lineage, place)?;
        if let Some(rank) = request.pin_rank.filter(|_| place == Place::Active) {
            update::pin_at(db, standing.lineage, rank)?;
        }
    }
    Ok(lineages::get(db, standing.lineage, now)?.row)
}

/// For good: the lineage, its messages and draft, and the children it delegated to. Their origin ids stay behind, so
/// that no import brings them back.
fn purge(db: &Connection, lineage: i64, now: Millis) -> Result<(), StoreError> {
    let mut doomed = vec![lineage];
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
        db.execute("DELETE FROM messages WHERE lineage = ?1", [lineage])?;
        db.execute("DELETE FROM sessions WHERE lineage = ?1", [lineage])?;
        db.execute("DELETE FROM lineages WHERE id = ?1", [lineage])?;
    }
    folders::forget_unused(db)
}

/// By how many days the clock moved since the last run, back or forward, when that is over seven.
pub(super) fn clock_jump_days(db: &Connection, now: Millis) -> Result<Option<i64>, StoreError> {
    let moved =
        meta::last_run(db)?.map(|last| now.abs_diff(last)).filter(|moved| *moved > JUMP.unsigned_abs());
    Ok(moved.map(|moved| (moved / DAY.unsigned_abs()) as i64))
}

/// Empties what the trash has kept for 30 days, and notes that the app ran. Does nothing on the first run after the
/// clock moved by over seven days: a wrong clock must not delete. Answers how many went.
pub(super) fn expire(db: &Connection, now: Millis) -> Result<usize, StoreError> {
    let last_run = meta::last_run(db)?;
    meta::set_last_run(db, now)?;
    if last_run.is_none_or(|last| now.abs_diff(last) > JUMP.unsigned_abs()) {
        return Ok(0);
    }
    let mut statement = db.prepare("SELECT id FROM lineages WHERE place = 2 AND deleted_at <= ?1")?;
    let expired: Vec<i64> = statement.query_map([now - KEPT], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for lineage in &expired {
        purge(db, *lineage, now)?;
    }
    Ok(expired.len())
}
