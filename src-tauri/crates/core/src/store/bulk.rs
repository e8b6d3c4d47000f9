//! `session_bulk`: one action on many sessions, in the caller's transaction. What one session refuses leaves the others
//! done; what the disk refuses leaves nothing done.

use super::error::StoreError;
use super::lineages::{self, Place, Standing};
use super::{folders, sweep, trash, update};
use rusqlite::Connection;
use std::collections::{HashMap, HashSet};
use talaria_wire::{
    BulkAction, BulkRefusal, BulkTarget, Millis, PinPlace, SessionBulkRequest, SessionBulkResponse, SessionId,
};

/// A session that is meant, and the id it was meant by.
type Meant = (SessionId, Result<Standing, StoreError>);

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
    let mut changed = Vec::new();
    for (id, meant) in meant(db, &request.target, now)? {
        let acted = meant.and_then(|standing| Ok((act(db, &standing, request.action, now)?, standing)));
        match acted {
            Ok((true, standing)) => changed.push(standing),
            Ok((false, _)) => {}
            Err(StoreError::NotFound(_)) if deletes(request.action) => {}
            Err(error @ (StoreError::NotFound(_) | StoreError::BadRequest(_))) => {
                answer.refused.push(BulkRefusal { id, error: error.into() });
            }
            Err(error) => return Err(error),
        }
    }
    match request.action {
        BulkAction::Purge => trash::purge(db, changed.iter().map(|s| s.lineage).collect(), now)?,
        BulkAction::Unarchive | BulkAction::Restore => pin_again(db, &changed, pins)?,
        BulkAction::Archive | BulkAction::Trash => {
            let pin = |standing: &Standing| Some((standing.tip.clone(), standing.pin_rank?));
            answer.pins = changed.iter().filter_map(pin).map(|(id, rank)| PinPlace { id, rank }).collect();
        }
        BulkAction::MarkRead | BulkAction::MarkUnread => {}
    }
    answer.done = changed.into_iter().map(|standing| standing.tip).collect();
    Ok(answer)
}

/// Each lineage once. A list of ids keeps its order; a group comes as it is listed.
fn meant(db: &Connection, target: &BulkTarget, now: Millis) -> Result<Vec<Meant>, StoreError> {
    let found = match target {
        BulkTarget::Ids { ids } => return named(db, ids),
        BulkTarget::Workspace { folder } => of_folder(db, folders::group(db, folder)?)?,
        BulkTarget::Swept { days } => sweep::swept_since(db, sweep::cutoff(now, *days)?)?,
        BulkTarget::SweptAt { at } => sweep::swept_at(db, *at)?,
    };
    Ok(found.into_iter().map(|standing| (standing.tip.clone(), Ok(standing))).collect())
}

fn named(db: &Connection, ids: &[SessionId]) -> Result<Vec<Meant>, StoreError> {
    let (mut asked, mut lineages) = (HashSet::new(), HashSet::new());
    let mut found = Vec::with_capacity(ids.len());
    for id in ids.iter().filter(|id| asked.insert(*id)) {
        match lineages::find(db, id) {
            Ok(standing) if !lineages.insert(standing.lineage) => {}
            Err(error @ StoreError::NotFound(_)) => found.push((id.clone(), Err(error))),
            standing => found.push((id.clone(), Ok(standing?))),
        }
    }
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

/// What is done to one session. Answers whether that changed it. A purge is only allowed here, and done for all at once.
fn act(db: &Connection, standing: &Standing, action: BulkAction, now: Millis) -> Result<bool, StoreError> {
    match action {
        BulkAction::Archive | BulkAction::Unarchive => {
            update::check_listed(standing)?;
            let place = if action == BulkAction::Archive { Place::Archived } else { Place::Active };
            // Also when it is there already: what the user put there is no longer the automatic archive's.
            update::set_place(db, standing.lineage, place)?;
            Ok(!standing.is(place))
        }
        BulkAction::Trash => {
            update::check_own(standing)?;
            trash::trash(db, standing, now)
        }
        BulkAction::Restore => trash::restore(db, standing),
        BulkAction::Purge => update::check_own(standing).map(|()| true),
        BulkAction::MarkRead | BulkAction::MarkUnread => {
            let unread = action == BulkAction::MarkUnread;
            update::set_unread(db, standing.lineage, unread)?;
            Ok(standing.unread != unread)
        }
    }
}

/// For these, a session that is gone already is as wanted.
fn deletes(action: BulkAction) -> bool {
    matches!(action, BulkAction::Trash | BulkAction::Purge)
}

/// Pins those of the changed that are active now. From the top down: who meanwhile took a place moves behind them all.
fn pin_again(db: &Connection, changed: &[Standing], pins: &[PinPlace]) -> Result<(), StoreError> {
    if pins.is_empty() {
        return Ok(());
    }
    // Unarchived ones are active; restored ones where they were before the trash.
    let active: HashMap<i64, bool> =
        changed.iter().map(|s| (s.lineage, s.is(Place::Archived) || !s.archived)).collect();
    let mut pins: Vec<&PinPlace> = pins.iter().collect();
    pins.sort_by_key(|pin| pin.rank);
    for pin in pins {
        match lineages::find(db, &pin.id) {
            Ok(standing) if active.get(&standing.lineage) == Some(&true) => {
                update::pin_at(db, standing.lineage, pin.rank)?;
            }
            Ok(_) | Err(StoreError::NotFound(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
