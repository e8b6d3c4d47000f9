//! A home of its own for each test: a temp folder, a clock that is set by hand, an open store.

use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use talaria_core::clock::ManualClock;
use talaria_core::store::home::STORE_FILE;
use talaria_core::store::{Limits, OwnerLock, Store, StoreError};
use talaria_wire::Millis;
use tempfile::TempDir;

/// 2026-11-30, noon UTC.
pub const NOON: Millis = 1_796_040_000_000;
/// Milliseconds.
pub const DAY: Millis = 24 * 60 * 60 * 1000;

/// The folder goes when this is dropped; keep it as long as the store.
pub struct TempHome {
    folder: TempDir,
    /// The store's clock.
    pub clock: ManualClock,
    /// Open, and holding the owner lock.
    pub store: Store,
}

impl TempHome {
    /// A new store at [`NOON`].
    pub fn new() -> Self {
        Self::with_scan_budget(Duration::from_secs(3600))
    }

    /// A new store that reads for short words only this long.
    pub fn with_scan_budget(budget: Duration) -> Self {
        let folder = tempfile::tempdir().expect("a temp folder");
        let clock = ManualClock::at(NOON);
        let store = open(folder.path(), &clock, budget).expect("a new store");
        Self { folder, clock, store }
    }

    /// The data folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The store's file.
    pub fn file(&self) -> PathBuf {
        self.path().join(STORE_FILE)
    }

    /// Closes the store and opens it again, as a restart does.
    pub async fn reopened(self) -> Self {
        let Self { folder, clock, store } = self;
        store.close().await;
        let store = open(folder.path(), &clock, Duration::from_secs(3600)).expect("the store opens again");
        Self { folder, clock, store }
    }

    /// Closes the store, keeps the folder.
    pub async fn closed(self) -> TempDir {
        self.store.close().await;
        self.folder
    }

    /// A connection past the store, for what a test has to see or break in the file itself.
    pub fn raw(&self) -> Connection {
        Connection::open(self.file()).expect("the store's file")
    }
}

impl Default for TempHome {
    fn default() -> Self {
        Self::new()
    }
}

/// Opens the store of a folder.
pub fn open(home: &Path, clock: &ManualClock, budget: Duration) -> Result<Store, StoreError> {
    let lock = OwnerLock::acquire(home)?;
    Store::open_with(home, lock, Arc::new(clock.clone()), Limits { scan: budget, ..Limits::default() })
}
