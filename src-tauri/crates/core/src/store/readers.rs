//! A few read-only connections. Each read is one short transaction, so it sees one state and never holds up the log.

use super::error::StoreError;
use rusqlite::Connection;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tokio::sync::Semaphore;

const READERS: usize = 3;
/// What each may keep in memory, in KiB: what a search reads of 10,000 sessions, so that the next one finds it there.
const CACHE_KIB: i64 = 8 * 1024;

/// Cheap to clone; the connections are shared.
#[derive(Clone)]
pub(super) struct Readers {
    path: PathBuf,
    idle: Arc<Mutex<Vec<Connection>>>,
    turns: Arc<Semaphore>,
}

impl Readers {
    /// Connections made by `connect`. `path` is named when one of them fails later.
    pub(super) fn open(
        path: &Path,
        connect: impl Fn() -> Result<Connection, StoreError>,
    ) -> Result<Self, StoreError> {
        let open = || -> Result<Connection, StoreError> {
            let db = connect()?;
            super::open::configure(&db)?;
            db.pragma_update(None, "cache_size", -CACHE_KIB)?;
            Ok(db)
        };
        let idle = (0..READERS).map(|_| open()).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            path: path.to_owned(),
            idle: Arc::new(Mutex::new(idle)),
            turns: Arc::new(Semaphore::new(READERS)),
        })
    }

    /// Runs `work` on a thread for blocking work, in a read transaction.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = self.turns.clone().acquire_owned().await;
        let turn = turn.map_err(|_| StoreError::Broken("The store is closed."))?;
        let readers = self.clone();
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let taken = readers.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).pop();
            let mut db = taken.ok_or(StoreError::Broken("The store is closed."))?;
            // A broken read must not take its connection with it.
            let result = catch_unwind(AssertUnwindSafe(|| read(&mut db, work)))
                .unwrap_or(Err(StoreError::Broken("A read broke off; the log says where.")));
            readers.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push(db);
            result.map_err(|e| e.at(&readers.path))
        })
        .await
        .unwrap_or(Err(StoreError::Broken("A read broke off; the log says where.")))
    }

    /// Waits for the reads under way, then closes the connections; later reads fail.
    pub(super) async fn close(&self) {
        // Only fails when it was closed before.
        let _all = self.turns.acquire_many(READERS as u32).await;
        self.turns.close();
        self.idle.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clear();
    }
}

fn read<T>(
    db: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    let tx = db.transaction()?;
    work(&tx)
}
