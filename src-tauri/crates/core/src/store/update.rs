//! `session_update`, `session_pin`, `session_mark`: what the user does to one row.

use super::error::StoreError;
use super::lineages::{self, Place, Standing};
use super::titles;
use rusqlite::Connection;
use talaria_wire::{
    Millis, SessionMarkRequest, SessionPinRequest, SessionRow, SessionUpdateRequest, SessionUpdateResponse,
};

/// Title and archive flag of a whole lineage. Errors in the order of the rule: unknown id, nothing given, title.
pub(super) fn session_update(
    db: &Connection,
    request: &SessionUpdateRequest,
    now: Millis,
) -> Result<SessionUpdateResponse, StoreError> {
    let standing = lineages::find(db, &request.id)?;
    if request.title.is_none() && request.archived.is_none() {
        return Err(StoreError::bad("Nothing to update; provide 'title' and/or 'archived'."));
    }
    check_listed(&standing)?;
    if let Some(typed) = &request.title {
        let title = titles::cleaned(typed)?;
        if let Some(title) = &title {
            titles::check_free(db, title, standing.lineage)?;
        }
        set_title(db, standing.lineage, title.as_deref())?;
    }
    let mut unpinned_rank = None;
    match request.archived {
        Some(true) => {
            unpinned_rank = standing.pin_rank;
            set_place(db, &[standing.lineage], Place::Archived)?;
        }
        Some(false) => {
            set_place(db, &[standing.lineage], Place::Active)?;
            if let Some(rank) = request.pin_rank {
                pin_at(db, standing.lineage, rank)?;
            }
        }
        None => {}
    }
    let row = lineages::get(db, standing.lineage, now)?.row;
    Ok(SessionUpdateResponse { title: row.title.clone(), archived: request.archived, row, unpinned_rank })
}

/// Pins (on top, or at a place) or unpins. Only an active session can be pinned.
pub(super) fn session_pin(
    db: &Connection,
    request: &SessionPinRequest,
    now: Millis,
) -> Result<SessionRow, StoreError> {
    let standing = lineages::find(db, &request.id)?;
    check_listed(&standing)?;
    if request.pinned && standing.is(Place::Archived) {
        return Err(StoreError::bad("An archived session cannot be pinned. Unarchive it first."));
    }
    match (request.pinned, request.rank, standing.pin_rank) {
        (true, Some(rank), _) => pin_at(db, standing.lineage, rank)?,
        (true, None, None) => {
            let top: i64 = db.query_row(
                "SELECT ifnull(min(pin_rank), 1) - 1 FROM lineages WHERE pin_rank IS NOT NULL",
                [],
                |r| r.get(0),
            )?;
            pin_at(db, standing.lineage, top)?;
        }
        // It is pinned already, and no other place was asked for.
        (true, None, Some(_)) => {}
        (false, ..) => {
            db.execute("UPDATE lineages SET pin_rank = NULL WHERE id = ?1", [standing.lineage])?;
        }
    }
    Ok(lineages::get(db, standing.lineage, now)?.row)
}

/// Sets or clears the unread mark; the row keeps its place in the list.
pub(super) fn session_mark(
    db: &Connection,
    request: &SessionMarkRequest,
    now: Millis,
) -> Result<SessionRow, StoreError> {
    let lineage = lineages::find(db, &request.id)?.lineage;
    set_unread(db, &[lineage], request.unread)?;
    Ok(lineages::get(db, lineage, now)?.row)
}

pub(super) fn set_unread(db: &Connection, lineages: &[i64], unread: bool) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE lineages SET unread = ?2 WHERE id IN (SELECT value FROM json_each(?1))")?
        .execute((lineages::json(lineages), unread))?;
    Ok(())
}

/// Refuses what the lists do not show: the trash, a sub-agent's.
pub(super) fn check_listed(standing: &Standing) -> Result<(), StoreError> {
    if standing.is(Place::Trash) {
        return Err(StoreError::bad("This session is in Recently deleted. Restore it first."));
    }
    check_own(standing)
}

/// A child of a delegation goes with the session that started it.
pub(super) fn check_own(standing: &Standing) -> Result<(), StoreError> {
    if standing.is(Place::Delegate) {
        return Err(StoreError::bad(
            "A sub-agent's session stays with the session that started it. Change that one instead.",
        ));
    }
    Ok(())
}

/// Stores an already cleaned title.
pub(super) fn set_title(db: &Connection, lineage: i64, title: Option<&str>) -> Result<(), StoreError> {
    db.prepare_cached("UPDATE lineages SET title = ?2 WHERE id = ?1")?.execute((lineage, title))?;
    lineages::refresh_head(db, lineage)
}

/// Moves to active or archived, because the user said so. Leaving the active list unpins. What the automatic archive had
/// taken and the user brings back is marked, so that the next run leaves it alone.
pub(super) fn set_place(db: &Connection, lineages: &[i64], place: Place) -> Result<(), StoreError> {
    db.prepare_cached(
        "UPDATE lineages SET place = ?2, archived = ?2, deleted_at = NULL, \
         swept_at = CASE WHEN ?2 = 0 AND swept_at IS NOT NULL THEN 0 END, pin_rank = CASE WHEN ?2 = 0 THEN pin_rank END WHERE id IN (SELECT value FROM json_each(?1))",
    )?
    .execute((lineages::json(lineages), place as i64))?;
    Ok(())
}

/// Pins at a rank; who holds it, and those behind, move one on.
pub(super) fn pin_at(db: &Connection, lineage: i64, rank: i64) -> Result<(), StoreError> {
    check_rank(rank)?;
    let taken: bool = db
        .prepare_cached("SELECT 1 FROM lineages WHERE pin_rank = ?1 AND id <> ?2")?
        .exists((rank, lineage))?;
    if taken {
        db.execute(
            "UPDATE lineages SET pin_rank = pin_rank + 1 WHERE pin_rank >= ?1 AND id <> ?2",
            (rank, lineage),
        )?;
    }
    db.execute("UPDATE lineages SET pin_rank = ?2 WHERE id = ?1", (lineage, rank))?;
    Ok(())
}

/// Far from both ends, so that moving on never overflows.
pub(super) fn check_rank(rank: i64) -> Result<(), StoreError> {
    match rank.checked_abs() {
        Some(far) if far <= i64::from(i32::MAX) => Ok(()),
        _ => Err(StoreError::bad("There is no such place among the pinned rows.")),
    }
}
