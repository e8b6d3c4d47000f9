//! Where the listener left the audio and video of a lineage. Lost, it costs a search by ear and nothing else: it is bounded,
//! and no other table knows of it.

use super::error::StoreError;
use super::lineages;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::{MediaPositionRequest, Millis, SessionId};

/// How many a lineage keeps; the one left longest ago goes first.
const MOST_OF_ONE: i64 = 500;
/// How many there are in all.
const MOST: i64 = 10_000;
/// Bytes of a target. No system opens a longer path (PATH_MAX is 4096 on Linux, the longest of the three).
const LONGEST: usize = 4096;
/// Ten years, in milliseconds: no file plays longer.
const LAST: f64 = 10.0 * 365.0 * 86_400_000.0;

/// Seconds from its start; 0 when nothing is kept.
pub(super) fn position(db: &Connection, id: &SessionId, target: &str) -> Result<f64, StoreError> {
    let lineage = lineages::find(db, id)?.lineage;
    let at: Option<i64> = db
        .prepare_cached("SELECT at_ms FROM positions WHERE lineage = ?1 AND target = ?2")?
        .query_row((lineage, target), |row| row.get(0))
        .optional()?;
    Ok(at.unwrap_or(0) as f64 / 1000.0)
}

/// Keeps the place, or forgets it at 0. Errors: `NotFound`, `BadRequest` for a target that nothing can be.
pub(super) fn position_set(
    db: &Connection,
    request: &MediaPositionRequest,
    now: Millis,
) -> Result<(), StoreError> {
    let lineage = lineages::find(db, &request.session_id)?.lineage;
    let target = request.path.as_str();
    if target.is_empty() || target.len() > LONGEST {
        return Err(StoreError::bad("This is not the path of a file."));
    }
    let at = milliseconds(request.seconds);
    if at == 0 {
        db.prepare_cached("DELETE FROM positions WHERE lineage = ?1 AND target = ?2")?
            .execute((lineage, target))?;
        return Ok(());
    }
    db.prepare_cached(
        "INSERT INTO positions VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT DO UPDATE SET at_ms = excluded.at_ms, heard_at = excluded.heard_at",
    )?
    .execute((lineage, target, at, now))?;
    db.prepare_cached(
        "DELETE FROM positions WHERE lineage = ?1 AND target IN \
         (SELECT target FROM positions WHERE lineage = ?1 ORDER BY heard_at DESC, target LIMIT -1 OFFSET ?2)",
    )?
    .execute((lineage, MOST_OF_ONE))?;
    db.prepare_cached(
        "DELETE FROM positions WHERE (lineage, target) IN \
         (SELECT lineage, target FROM positions ORDER BY heard_at DESC LIMIT -1 OFFSET ?1)",
    )?
    .execute([MOST])?;
    Ok(())
}

/// Whole milliseconds from 0 to [`LAST`]; what is no number is 0.
fn milliseconds(seconds: f64) -> i64 {
    // A float that is no number becomes 0 (Rust reference, "Numeric cast").
    (seconds * 1000.0).clamp(0.0, LAST).round() as i64
}

#[cfg(test)]
mod tests {
    use super::milliseconds;

    #[test]
    fn a_place_is_a_number_of_milliseconds_whatever_is_sent() {
        for (seconds, expected) in [
            (12.3456, 12_346),
            (0.0004, 0),
            (-1.0, 0),
            (f64::NAN, 0),
            (f64::NEG_INFINITY, 0),
            (f64::INFINITY, 315_360_000_000),
            (1e300, 315_360_000_000),
        ] {
            assert_eq!(milliseconds(seconds), expected, "{seconds}");
        }
    }
}
