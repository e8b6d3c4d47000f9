//! `session_bulk`: one action on many sessions, in the caller's transaction. What one session refuses leaves the others
//! done; what the disk refuses leaves nothing done.

use super::error::StoreError;
use super::lineages::{self, Place, Standing};
use super::{folders, sweep, trash, update};
use rusqlite::Connection;
use std::collections::HashSet;
use talaria_wire::{
    BulkAction, BulkRefusal, BulkTarget, Millis, PinPlace, SessionBulkRequest, SessionBulkResponse, SessionId,
};

pub(super) fn session_bulk(
    db: &Connection,
    request: &SessionBulkRequest,
    now: Millis,
) -> Result<SessionBulkResponse, StoreError> {
    let pins = request.pins.as_deref().unwrap_or_default();
    for pin in pins {
        update::check_rank(pin.rank)?;
    }
    let mut answer = SessionBulkResponse::default();
    let (mut wanted, mut changed) = (Vec::new(), Vec::new());
    for (id, standing) in meant(db, &request.target, now)? {
        match verdict(standing.as_ref(), request.action) {
            Ok(changes) => {
                wanted.extend(standing.as_ref().map(|standing| standing.lineage));
                changed.extend(standing.filter(|_| changes));
            }
            Err(error) => answer.refused.push(BulkRefusal { id, error: error.into() }),
        }
    }
    let lineages: Vec<i64> = changed.iter().map(|standing| standing.lineage).collect();
    match request.action {
        // Also those that are there already: what the user put there is no longer the automatic archive's.
        BulkAction::Archive => update::set_place(db, &wanted, Place::Archived)?,
        BulkAction::Unarchive => update::set_place(db, &lineages, Place::Active)?,
        BulkAction::Trash => trash::trash(db, &lineages, now)?,
        BulkAction::Restore => trash::restore(db, &changed.iter().collect::<Vec<_>>())?,
        BulkAction::Purge => trash::purge(db, &lineages, now)?,
        BulkAction::MarkRead => update::set_unread(db, &lineages, false)?,
        BulkAction::MarkUnread => update::set_unread(db, &lineages, true)?,
    }
    match request.action {
        BulkAction::Archive | BulkAction::Trash => {
            let pin = |s: &Standing| s.pin_rank.map(|rank| PinPlace { id: s.tip.clone(), rank });
            answer.pins = changed.iter().filter_map(pin).collect();
        }
        BulkAction::Unarchive => pin_again(db, lineages, pins)?,
        BulkAction::Restore => {
            let active = changed.iter().filter(|standing| !standing.archived);
            pin_again(db, active.map(|standing| standing.lineage).collect(), pins)?;
        }
        BulkAction::Purge | BulkAction::MarkRead | BulkAction::MarkUnread => {}
    }
    answer.done = changed.into_iter().map(|standing| standing.tip).collect();
    Ok(answer)
}

/// Whether the action changes a session, or why it must not. No session: it is not here.
fn verdict(standing: Option<&Standing>, action: BulkAction) -> Result<bool, StoreError> {
    let Some(standing) = standing else {
        // What is gone already is as wanted.
        let gone = matches!(action, BulkAction::Trash | BulkAction::Purge);
        return if gone { Ok(false) } else { Err(StoreError::NO_SESSION) };
    };
    match action {
        BulkAction::Archive => update::check_listed(standing).map(|()| !standing.is(Place::Archived)),
        BulkAction::Unarchive => update::check_listed(standing).map(|()| !standing.is(Place::Active)),
        BulkAction::Trash => update::check_own(standing).map(|()| !standing.is(Place::Trash)),
        BulkAction::Restore => Ok(standing.is(Place::Trash)),
        BulkAction::Purge => update::check_own(standing).map(|()| true),
        BulkAction::MarkRead => Ok(standing.unread),
        BulkAction::MarkUnread => Ok(!standing.unread),
    }
}

/// Who is meant, each lineage once, and by which id. A list of ids keeps its order; a group comes as it is listed.
fn meant(
    db: &Connection,
    target: &BulkTarget,
    now: Millis,
) -> Result<Vec<(SessionId, Option<Standing>)>, StoreError> {
    let found = match target {
        BulkTarget::Ids { ids } => return named(db, ids),
        BulkTarget::Workspace { folder } => of_folder(db, folders::group(db, folder)?)?,
        BulkTarget::Swept { days } => sweep::swept_since(db, sweep::cutoff(now, *days)?)?,
        BulkTarget::SweptAt { at } => sweep::swept_at(db, *at)?,
    };
    Ok(found.into_iter().map(|standing| (standing.tip.clone(), Some(standing))).collect())
}

fn named(db: &Connection, ids: &[SessionId]) -> Result<Vec<(SessionId, Option<Standing>)>, StoreError> {
    let (mut unknown, mut known) = (HashSet::new(), HashSet::new());
    let mut found = lineages::find_all(db, ids)?;
    found.retain(|(id, standing)| match standing {
        Some(standing) => known.insert(standing.lineage),
        None => unknown.insert(id.clone()),
    });
    Ok(found)
}

fn of_folder(db: &Connection, group: folders::Group) -> Result<Vec<Standing>, StoreError> {
    let folder = match group {
        folders::Group::None => None,
        folders::Group::Folder(id) => Some(id),
        folders::Group::Unknown => return Ok(Vec::new()),
    };
    lineages::standings(
        db,
        "INDEXED BY lineages_folder WHERE l.place = 0 AND l.folder IS ?1 AND l.pin_rank IS NULL ORDER BY l.recency DESC",
        [folder],
    )
}

/// Gives pins back to those of these lineages that had one. From the top down: who meanwhile took a place stands behind
/// them all.
fn pin_again(db: &Connection, lineages: Vec<i64>, pins: &[PinPlace]) -> Result<(), StoreError> {
    let lineages: HashSet<i64> = lineages.into_iter().collect();
    let mut pins: Vec<&PinPlace> = pins.iter().collect();
    pins.sort_by_key(|pin| pin.rank);
    for pin in pins {
        match lineages::find(db, &pin.id) {
            Ok(standing) if lineages.contains(&standing.lineage) => {
                update::pin_at(db, standing.lineage, pin.rank)?;
            }
            Ok(_) | Err(StoreError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
