//! The search index against the rows it is of: compared, and made anew when they differ.
//!
//! Triggers keep the two in step. What gets past them (a broken page, rows deleted by hand, a write cut off) is found
//! here: by a cheap look at each start, by a whole check on demand, and by a search that meets it.

use super::error::StoreError;
use super::open::{found_by, is_of_search};
use super::writer::Durability;
use super::{Readers, Store};
use rusqlite::Connection;
use std::sync::Arc;

/// Messages indexed in one transaction: some ten milliseconds, so that others can write in between.
const BATCH: i64 = 500;

impl Store {
    /// Makes the index follow the rows again when a cheap look says that it does not, and the heads, which are few enough
    /// to be compared one by one. For the start, in the background. Answers whether there was something to do.
    pub async fn search_index_kept(&self) -> Result<bool, StoreError> {
        if self.trouble().is_some() {
            return Ok(false);
        }
        let heads = self.refresh_heads().await?;
        if heads > 0 {
            tracing::info!(heads, "titles and folders of rows that another program wrote can be found");
        }
        let broken = self.0.search_is_broken;
        if !(broken || self.read(counts_differ).await?) {
            return Ok(heads > 0);
        }
        self.rebuild_search_index(broken).await?;
        Ok(true)
    }

    /// A read that may use the index. One that it does not hold together for makes it anew, then reads again.
    pub(super) async fn search<T: Send + 'static>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError> + Send + Sync + 'static,
    ) -> Result<T, StoreError> {
        let work = Arc::new(work);
        let first = Arc::clone(&work);
        // Not noted as damage of the file yet: the index is only derived.
        let answer = Readers::run(&self.0.readers, move |db| first(db)).await;
        let Err(StoreError::Damaged { detail, .. }) = &answer else { return answer };
        if self.trouble().is_some() || self.read(is_broken).await.is_ok_and(|broken| !broken) {
            return answer.inspect_err(|error| self.note(error));
        }
        tracing::warn!(%detail, "a search met a broken index");
        self.rebuild_search_index(true).await?;
        self.read(move |db| work(db)).await
    }

    /// Makes the index equal the rows, in short transactions. `whole`: nothing of what is there is kept.
    pub(super) async fn rebuild_search_index(&self, whole: bool) -> Result<(), StoreError> {
        let _alone = self.0.searching.lock().await;
        if whole {
            self.write(Durability::Normal, |db| {
                Ok(db.execute_batch("INSERT INTO message_search (message_search) VALUES ('delete-all')")?)
            })
            .await?;
        }
        self.write(Durability::Normal, drop_strangers).await?;
        let mut from = i64::MIN;
        let mut rows = 0;
        while let Some((last, added)) =
            self.write(Durability::Normal, move |db| add_missing(db, from)).await?
        {
            from = last;
            rows += added;
        }
        tracing::info!(rows, whole, "the search index follows the messages again");
        Ok(())
    }
}

/// The cheap look: as many entries as rows that a reader sees.
pub(super) fn counts_differ(db: &Connection) -> Result<bool, StoreError> {
    let sql = "SELECT (SELECT count(*) FROM message_search_docsize) <> \
               (SELECT count(*) FROM messages WHERE place IS NOT NULL)";
    Ok(db.query_row(sql, [], |row| row.get(0))?)
}

/// Entries without a row, and rows without an entry.
pub(super) fn differences(db: &Connection) -> Result<i64, StoreError> {
    let sql = "SELECT (SELECT count(*) FROM message_search_docsize d WHERE NOT EXISTS (SELECT 1 FROM messages m \
                 WHERE m.seq = d.id AND m.place IS NOT NULL)) + \
               (SELECT count(*) FROM messages m WHERE m.place IS NOT NULL AND NOT EXISTS (SELECT 1 \
                 FROM message_search_docsize d WHERE d.id = m.seq))";
    Ok(db.query_row(sql, [], |row| row.get(0))?)
}

/// Whether the index does not hold together in itself.
pub(super) fn is_broken(db: &Connection) -> Result<bool, StoreError> {
    Ok(found_by(db, "PRAGMA quick_check(message_search)")?.iter().any(|line| is_of_search(line)))
}

fn drop_strangers(db: &Connection) -> Result<(), StoreError> {
    db.execute(
        "DELETE FROM message_search WHERE rowid IN (SELECT d.id FROM message_search_docsize d WHERE NOT EXISTS \
         (SELECT 1 FROM messages m WHERE m.seq = d.id AND m.place IS NOT NULL))",
        [],
    )?;
    Ok(())
}

/// Adds what is missing of the next messages behind `from`; answers the last one looked at, `None` at the end.
fn add_missing(db: &Connection, from: i64) -> Result<Option<(i64, usize)>, StoreError> {
    let last: Option<i64> = db
        .prepare_cached(
            "SELECT max(seq) FROM (SELECT seq FROM messages WHERE seq > ?1 ORDER BY seq LIMIT ?2)",
        )?
        .query_row((from, BATCH), |row| row.get(0))?;
    let Some(last) = last else { return Ok(None) };
    let added = db
        .prepare_cached(
            "INSERT INTO message_search (rowid, text) SELECT seq, words FROM message_words WHERE seq > ?1 \
             AND seq <= ?2 AND place IS NOT NULL AND seq NOT IN (SELECT id FROM message_search_docsize)",
        )?
        .execute((from, last))?;
    Ok(Some((last, added)))
}
