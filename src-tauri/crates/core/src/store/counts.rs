//! Kept counts. Triggers keep them in the transaction of every write, so they always add up.

use super::error::StoreError;
use super::lineages::Place;
use rusqlite::Connection;
use talaria_wire::SessionCounts;

/// The counts of the whole store; `hidden` depends on the list and stays 0.
pub(super) fn all(db: &Connection) -> Result<SessionCounts, StoreError> {
    let mut counts = SessionCounts::default();
    let mut statement =
        db.prepare_cached("SELECT place, pinned, sum(n) FROM tallies GROUP BY place, pinned")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (place, pinned, n): (i64, bool, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        match place {
            p if p == Place::Active as i64 => {
                counts.active += n;
                counts.pinned += if pinned { n } else { 0 };
            }
            p if p == Place::Archived as i64 => counts.archived += n,
            p if p == Place::Trash as i64 => counts.trash += n,
            _ => {}
        }
    }
    Ok(counts)
}

/// Whether what is kept equals what is there: the kept number of lineages against a count of them, for each group.
pub(super) fn hold(db: &Connection) -> Result<bool, StoreError> {
    let wrong: i64 = db.query_row(
        "SELECT count(*) FROM (SELECT place, ifnull(folder, 0) AS folder, pin_rank IS NOT NULL AS pinned, \
           message_count = 0 AS empty, count(*) AS n FROM lineages GROUP BY 1, 2, 3, 4) real \
         FULL JOIN (SELECT * FROM tallies WHERE n <> 0) kept USING (place, folder, pinned, empty) \
         WHERE real.n IS NOT kept.n",
        [],
        |row| row.get(0),
    )?;
    Ok(wrong == 0)
}
