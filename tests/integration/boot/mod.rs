//! The start of the app over stores in trouble: what is said, what goes on working, and how it ends well.

mod trouble;

use app_tests::home::NOON;
use app_tests::host;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use talaria_core::clock::ManualClock;
use talaria_core::command::{App, dispatch};
use talaria_core::store::Limits;
use talaria_core::store::home::STORE_FILE;
use talaria_wire::{AppEvent, BootStatus, ClientId, IpcError};
use tempfile::TempDir;

const DEADLINE: Duration = Duration::from_secs(60);

/// The whole core on a home; attempts come only when they are asked for.
struct Host {
    app: App,
    folder: TempDir,
}

impl Host {
    fn start(folder: TempDir, now: i64) -> Self {
        Self::start_with(folder, now, Limits::default())
    }

    fn start_with(folder: TempDir, now: i64, limits: Limits) -> Self {
        let mut config = host::config(folder.path(), Arc::new(ManualClock::at(now)));
        config.boot.retry_after = Duration::from_secs(3600);
        config.boot.limits = limits;
        config.facts = vec![("System".to_owned(), "A system".to_owned())];
        Self { app: App::start(config, host::door(folder.path())), folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join(STORE_FILE)
    }

    async fn until(&self, reached: impl Fn(&BootStatus) -> bool) -> BootStatus {
        let mut status = self.app.boot.watch();
        let status = tokio::time::timeout(DEADLINE, status.wait_for(|now| reached(now))).await;
        status.expect("it comes in time").expect("the start goes on").clone()
    }

    /// Tries again, and answers how the start stands when the store was opened anew.
    async fn retried(&self) -> BootStatus {
        let mut status = self.app.boot.watch();
        status.borrow_and_update();
        self.ok("boot_retry", json!({})).await;
        tokio::time::timeout(DEADLINE, status.changed()).await.expect("in time").expect("the start goes on");
        status.borrow().clone()
    }

    async fn call(&self, name: &str, body: Value) -> Result<Value, IpcError> {
        dispatch(&self.app, &ClientId::from("main"), name, body).await
    }

    async fn ok(&self, name: &str, body: Value) -> Value {
        self.call(name, body).await.unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn events(&self) -> Arc<Mutex<Vec<AppEvent>>> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let copy = Arc::clone(&seen);
        self.app.sinks.attach("main".into(), Box::new(move |event| copy.lock().unwrap().push(event.event)));
        seen
    }

    /// Waits for the end of the recovery.
    async fn recovery_end(&self) -> Value {
        let ended = async {
            loop {
                let status = self.ok("recovery_status", json!({})).await;
                if status["state"] != "running" {
                    return status;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(DEADLINE, ended).await.expect("the recovery ends")
    }
}

/// Closed again, so that another process could have it.
async fn closed(host: Host) -> TempDir {
    host.app.close().await;
    host.folder
}

fn exists(folder: &Path, begins: &str) -> bool {
    let mut files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name());
    files.any(|name| name.to_string_lossy().starts_with(begins))
}

/// A home with sessions, closed.
async fn seeded(sessions: usize) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    app_tests::seed::seed(folder.path(), sessions, 4).await;
    folder
}

const DAY: i64 = 86_400_000;
const NOW: i64 = NOON;
