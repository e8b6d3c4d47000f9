//! What the store knows about itself: when the app last ran, and with it whether the clock can be trusted.

use super::error::StoreError;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::Millis;

/// Milliseconds.
pub(super) const DAY: Millis = 24 * 60 * 60 * 1000;
/// A clock that moved further than this since the last run is not trusted with deleting or archiving.
const JUMP: Millis = 7 * DAY;

/// How the clock stands to the last run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Elapsed {
    /// Nothing is known of a run before this one.
    Unknown,
    Usual,
    /// The clock moved by so many days, forward or back: over seven.
    Jump(i64),
}

/// When the app last ran, as far as it was noted.
pub(super) fn last_run(db: &Connection) -> Result<Option<Millis>, StoreError> {
    Ok(db.query_row("SELECT value FROM meta WHERE name = 'last_run'", [], |row| row.get(0)).optional()?)
}

/// How far the clock moved since the app last ran; notes nothing.
pub(super) fn elapsed(db: &Connection, now: Millis) -> Result<Elapsed, StoreError> {
    Ok(match last_run(db)?.map(|last| now.abs_diff(last)) {
        None => Elapsed::Unknown,
        Some(moved) if moved > JUMP.unsigned_abs() => Elapsed::Jump((moved / DAY.unsigned_abs()) as i64),
        Some(_) => Elapsed::Usual,
    })
}

/// Notes that the app runs, and answers how the clock stood to the run before.
pub(super) fn note_run(db: &Connection, now: Millis) -> Result<Elapsed, StoreError> {
    let elapsed = elapsed(db, now)?;
    set_last_run(db, now)?;
    Ok(elapsed)
}

/// Notes that the app still runs. Not when the clock jumped since: that is for the next [`note_run`] to find.
pub(super) fn note_running(db: &Connection, now: Millis) -> Result<(), StoreError> {
    match elapsed(db, now)? {
        Elapsed::Jump(_) => Ok(()),
        Elapsed::Unknown | Elapsed::Usual => set_last_run(db, now),
    }
}

fn set_last_run(db: &Connection, now: Millis) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO meta VALUES ('last_run', ?1) ON CONFLICT DO UPDATE SET value = excluded.value",
        [now],
    )?;
    Ok(())
}
