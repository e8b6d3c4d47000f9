//! What the title search and the list's filter read of a lineage: title, preview and folder, in lower case.
//!
//! Every write of the store keeps it. A row that another program wrote or changed has none, or an old one: those are
//! found by comparing, and written anew.

use super::Store;
use super::error::StoreError;
use super::lineages::{HEAD, read_head, refresh_head};
use super::text;
use super::writer::Durability;
use rusqlite::Connection;

/// Rows compared in one read, and at most written in one transaction: some ten milliseconds.
const BATCH: i64 = 500;

impl Store {
    /// Makes every head equal its row, in short transactions; answers how many did not.
    pub(super) async fn refresh_heads(&self) -> Result<usize, StoreError> {
        let (mut from, mut refreshed) = (i64::MIN, 0);
        while let (Some(last), stale) = self.read(move |db| stale(db, from)).await? {
            if !stale.is_empty() {
                refreshed += stale.len();
                self.write(Durability::Normal, move |db| refresh_stale(db, from)).await?;
            }
            from = last;
        }
        Ok(refreshed)
    }
}

/// How many heads are not what their rows say.
pub(super) fn differences(db: &Connection) -> Result<usize, StoreError> {
    let (mut from, mut found) = (i64::MIN, 0);
    while let (Some(last), stale) = stale(db, from)? {
        found += stale.len();
        from = last;
    }
    Ok(found)
}

/// Of the next lineages behind `from`: the last one (`None`: there are no more), and those whose head differs.
fn stale(db: &Connection, from: i64) -> Result<(Option<i64>, Vec<i64>), StoreError> {
    let sql = format!("SELECT l.id, l.head, {HEAD} WHERE l.id > ?1 ORDER BY l.id LIMIT {BATCH}");
    let mut statement = db.prepare_cached(&sql)?;
    let mut rows = statement.query([from])?;
    let (mut last, mut stale) = (None, Vec::new());
    while let Some(row) = rows.next()? {
        let id = row.get(0)?;
        if text::read(row, 1)?.unwrap_or_default() != read_head(row, 2)? {
            stale.push(id);
        }
        last = Some(id);
    }
    Ok((last, stale))
}

/// Looks again, because a row may have changed or gone since.
fn refresh_stale(db: &Connection, from: i64) -> Result<(), StoreError> {
    stale(db, from)?.1.into_iter().try_for_each(|lineage| refresh_head(db, lineage))
}
