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

/// Counts anew what is kept. Answers whether it was wrong.
pub(super) fn recount(db: &Connection) -> Result<bool, StoreError> {
    if hold(db)? {
        return Ok(false);
    }
    db.execute_batch(
        "DELETE FROM tallies;
         INSERT INTO tallies SELECT place, ifnull(folder, 0), pin_rank IS NOT NULL, message_count = 0, count(*)
           FROM lineages GROUP BY 1, 2, 3, 4;",
    )?;
    Ok(true)
}

/// A lineage's own counts, from its rows.
const COUNTED: &str =
    "(SELECT count(*) FROM messages m WHERE m.lineage = lineages.id AND m.place IS NOT NULL)";
const DIVIDERS: &str = "(SELECT count(*) FROM messages m WHERE m.lineage = lineages.id AND m.place IS NOT NULL \
    AND m.role = 'summary')";

/// How many lineages have a wrong number of messages.
pub(super) fn wrong_lineages(db: &Connection) -> Result<i64, StoreError> {
    let wrong = format!("row_count <> {COUNTED} OR message_count <> row_count - {DIVIDERS}");
    Ok(db.query_row(&format!("SELECT count(*) FROM lineages WHERE {wrong}"), [], |row| row.get(0))?)
}

/// Counts the messages of each lineage anew.
pub(super) fn recount_lineages(db: &Connection) -> Result<(), StoreError> {
    db.execute_batch(&format!(
        "UPDATE lineages SET row_count = {COUNTED} WHERE row_count <> {COUNTED};
         UPDATE lineages SET message_count = row_count - {DIVIDERS} WHERE message_count <> row_count - {DIVIDERS};"
    ))?;
    Ok(())
}
