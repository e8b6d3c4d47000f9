//! The automatic archive: takes what had no activity for so many days, and leaves alone what is still in use.
//!
//! What it took is marked with the time of the run until the user archives it by hand, so that a run can be undone and a
//! longer limit can give back. What the user brings back has 0 there: it is not taken a second time. In the trash the mark stays, and nothing is given back from there.

use super::error::StoreError;
use super::lineages::{self, Standing};
use super::meta::{self, DAY, Elapsed};
use super::settings::{self, MOST_DAYS};
use rusqlite::Connection;
use talaria_wire::{Millis, SessionId, SweepPreview};

/// Rows that a preview shows.
const SAMPLE: usize = 5;

/// Why a run is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepCause {
    /// Its time has come. Not done when the clock jumped: a wrong one must not empty the list.
    Due,
    /// The user has just set the limit, with the preview in view.
    Asked,
}

/// What a run did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swept {
    /// Over 0.
    pub count: i64,
    pub days: u32,
    /// Names the run; no other has it.
    pub at: Millis,
}

/// Active for the last time at ?1 or before.
const OLD: &str = "l.place = 0 AND l.last_active <= ?1";
/// In no use, and not brought back by the user before: ?2 is a JSON list of the sessions that windows show. A stored session is at rest, so none is running.
const UNUSED: &str = "l.swept_at IS NULL AND l.pin_rank IS NULL AND l.unread = 0 \
    AND NOT EXISTS (SELECT 1 FROM drafts d WHERE d.lineage = l.id) \
    AND l.id NOT IN (SELECT s.lineage FROM sessions s WHERE s.id IN (SELECT value FROM json_each(?2)))";

/// The latest activity that is `days` old.
///
/// Errors: `BadRequest` for 0 and for more than ten years.
pub(super) fn cutoff(now: Millis, days: u32) -> Result<Millis, StoreError> {
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(StoreError::bad(format!("The number of days is from 1 to {MOST_DAYS}.")));
    }
    Ok(now.saturating_sub(Millis::from(days) * DAY))
}

/// A run with the limit of the settings. `None`: it is off, nothing was old enough, or the clock jumped (`trusted` is
/// whether it had not when the store was opened).
pub(super) fn sweep(
    db: &Connection,
    cause: SweepCause,
    trusted: bool,
    shown: &[SessionId],
    now: Millis,
) -> Result<Option<Swept>, StoreError> {
    if cause == SweepCause::Due && !(meta::note_run(db, now)? == Elapsed::Usual && trusted) {
        return Ok(None);
    }
    let days = settings::settings_get(db)?.archive_after_days;
    if days == 0 {
        return Ok(None);
    }
    // Two runs in one millisecond, or after the clock went back, still have a name each.
    let at: Millis = db.query_row(
        "SELECT max(?1, ifnull(max(swept_at), 0) + 1) FROM lineages WHERE swept_at > 0",
        [now],
        |r| r.get(0),
    )?;
    let taken = db.execute(
        &format!("UPDATE lineages AS l SET place = 1, archived = 1, swept_at = ?3 WHERE {OLD} AND {UNUSED}"),
        (cutoff(now, days)?, json(shown), at),
    )?;
    Ok((taken > 0).then_some(Swept { count: taken as i64, days, at }))
}

/// What a run with this limit would do now.
pub(super) fn preview(
    db: &Connection,
    days: u32,
    shown: &[SessionId],
    now: Millis,
) -> Result<SweepPreview, StoreError> {
    let cutoff = cutoff(now, days)?;
    let shown = json(shown);
    let count = format!("SELECT count(*), ifnull(sum({UNUSED}), 0) FROM lineages l WHERE {OLD}");
    let (old, archives): (i64, i64) =
        db.query_row(&count, (cutoff, &shown), |row| Ok((row.get(0)?, row.get(1)?)))?;
    let first =
        format!("WHERE {OLD} AND {UNUSED} ORDER BY l.last_active DESC, l.recency DESC LIMIT {SAMPLE}");
    let sample = lineages::select(db, &first, (cutoff, &shown), now)?;
    let restorable =
        "SELECT count(*) FROM lineages l WHERE l.place = 1 AND l.swept_at IS NOT NULL AND l.last_active > ?1";
    Ok(SweepPreview {
        archives,
        sample: sample.into_iter().map(|listed| listed.row).collect(),
        kept: old - archives,
        restorable: db.query_row(restorable, [cutoff], |row| row.get(0))?,
    })
}

/// What it took although it was active after `cutoff`: under a shorter limit.
pub(super) fn swept_since(db: &Connection, cutoff: Millis) -> Result<Vec<Standing>, StoreError> {
    let condition =
        "WHERE l.place = 1 AND l.swept_at IS NOT NULL AND l.last_active > ?1 ORDER BY l.recency DESC";
    lineages::standings(db, condition, [cutoff])
}

/// What one run took.
pub(super) fn swept_at(db: &Connection, at: Millis) -> Result<Vec<Standing>, StoreError> {
    lineages::standings(db, "WHERE l.place = 1 AND l.swept_at = ?1 ORDER BY l.recency DESC", [at])
}

fn json(ids: &[SessionId]) -> String {
    serde_json::to_string(ids).expect("ids are plain text")
}
