//! The one writer: a thread with a queue. A job is a transaction; it is answered after its commit.

use super::error::StoreError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Transaction, TransactionBehavior};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// What survives what, once a write was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Durability {
    /// The end of the process. A power cut may take the last moments, never the file.
    Normal,
    /// A power cut: for what the user was told is saved.
    Full,
}

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// The writer's end that callers hold. Dropping it lets the queue run empty and the thread end.
pub(super) struct Writer {
    path: PathBuf,
    queue: Mutex<Option<mpsc::Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Writer {
    pub(super) fn start(mut db: Connection, path: &Path) -> Result<Self, StoreError> {
        let (queue, jobs) = mpsc::channel::<Job>();
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || {
                for job in jobs {
                    job(&mut db);
                }
                if left(&db) {
                    return;
                }
                // Best effort: an unclean end is repaired from the log at the next open.
                let _ = db.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE);");
            })
            .map_err(|e| StoreError::io(path, e))?;
        Ok(Self { path: path.to_owned(), queue: Mutex::new(Some(queue)), thread: Mutex::new(Some(thread)) })
    }

    /// Runs `work` in a transaction of its own; an error rolls it back.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.on_thread(move |db| transact(db, durability, work)).await
    }

    /// Brings the log into the file and cuts it to nothing. Waits for reads under way; when they take too long the log
    /// stays for the next time.
    pub(super) async fn empty_log(&self) -> Result<(), StoreError> {
        self.on_thread(|db| Ok(db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE);")?)).await
    }

    /// Nothing is tidied at the end: a damaged file and its log stay as they are.
    pub(super) async fn leave_file(&self) -> Result<(), StoreError> {
        self.on_thread(|db| Ok(db.set_db_config(LEFT, true).map(|_| ())?)).await
    }

    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |db| {
            // A broken job must not take the writer with it; its transaction rolls back as it unwinds.
            let result = catch_unwind(AssertUnwindSafe(|| work(db)))
                .unwrap_or(Err(StoreError::Broken("A write broke off; the log says where.")));
            // The caller may have gone; what was written stays written.
            let _ = answer.send(result);
        });
        self.queue
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
            .as_ref()
            .and_then(|queue| queue.send(job).ok())
            .ok_or(StoreError::Broken("The store is closed."))?;
        answered.await.map_err(|_| StoreError::Broken("The store is closed."))?.map_err(|e| e.at(&self.path))
    }

    /// Lets the queue run empty, then waits for the thread. A second call has nothing to do.
    pub(super) fn stop(&self) {
        drop(self.queue.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take());
        let thread = self.thread.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
        if let Some(thread) = thread {
            // A panic outside a job cannot happen twice; there is nobody left to tell.
            let _ = thread.join();
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Set for a connection whose end must not write.
const LEFT: DbConfig = DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE;

fn left(db: &Connection) -> bool {
    db.db_config(LEFT).unwrap_or(false)
}

fn transact<T>(
    db: &mut Connection,
    durability: Durability,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    // Before BEGIN: SQLite refuses to change it inside a transaction (measured).
    let level = if durability == Durability::Full { "FULL" } else { "NORMAL" };
    db.pragma_update(None, "synchronous", level)?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&tx)?;
    tx.commit()?;
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_write_has_its_durability_before_its_transaction_begins() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("talaria.db");
        let db = Connection::open(&path).expect("a file");
        db.pragma_update(None, "journal_mode", "WAL").expect("a log");
        let writer = Writer::start(db, &path).expect("a thread");
        let level = |tx: &Transaction<'_>| -> Result<i64, StoreError> {
            // 1 is NORMAL, 2 is FULL (sqlite.org/pragma.html#pragma_synchronous).
            Ok(tx.pragma_query_value(None, "synchronous", |row| row.get(0))?)
        };
        for (durability, expected) in [(Durability::Full, 2), (Durability::Normal, 1), (Durability::Full, 2)]
        {
            assert_eq!(writer.run(durability, level).await.expect("a level"), expected);
        }
    }
}
