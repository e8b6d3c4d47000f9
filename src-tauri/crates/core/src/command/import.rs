//! Importing while the window stays usable: one at a time, with progress to every window and a way to stop it.

use super::App;
use crate::import::{self, ImportError};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

/// Progress is drawn, not counted: ten a second is enough, whatever the size of the store.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// The one import that may run, and how the last one ended.
#[derive(Clone, Default)]
pub struct Imports(Arc<Mutex<Run>>);

#[derive(Default)]
struct Run {
    status: ImportStatus,
    cancel: CancellationToken,
}

impl Imports {
    /// Asks the running import to stop after the session at hand.
    pub fn cancel(&self) {
        self.lock().cancel.cancel();
    }

    fn status(&self) -> ImportStatus {
        self.lock().status.clone()
    }

    /// Starts a run; `None` when one is on its way.
    fn begin(&self) -> Option<CancellationToken> {
        let mut run = self.lock();
        if matches!(run.status, ImportStatus::Running { .. }) {
            return None;
        }
        run.status = ImportStatus::Running { progress: ImportProgress { done: 0, total: 0, current: None } };
        run.cancel = CancellationToken::new();
        Some(run.cancel.clone())
    }

    fn set(&self, status: ImportStatus) {
        self.lock().status = status;
    }

    fn lock(&self) -> MutexGuard<'_, Run> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn import_probe(
    app: &App,
    _: &ClientId,
    request: ImportRequest,
) -> Result<ImportProbe, IpcError> {
    Ok(import::probe(&chosen(app, request)).await?)
}

pub(super) async fn import_start(
    app: &App,
    _: &ClientId,
    request: ImportRequest,
) -> Result<ImportStatus, IpcError> {
    let store = app.boot.ready()?.store;
    let path = chosen(app, request);
    if let Some(cancel) = app.imports.begin() {
        let app = app.clone();
        tokio::spawn(async move {
            let progress = teller(app.clone());
            // A task of its own: however it ends, the end is said and another import can begin.
            let run = tokio::spawn(async move { import::run(&store, &path, cancel, progress).await });
            let status = match run.await.unwrap_or(Err(ImportError::Broken)) {
                Ok(report) => ImportStatus::Done { report },
                Err(error) => ImportStatus::Failed { error: error.into() },
            };
            app.imports.set(status.clone());
            app.sinks.send_to_all(AppEvent::ImportChanged { status });
            app.sinks.send_to_all(AppEvent::SessionsChanged { ids: Vec::new() });
        });
    }
    Ok(app.imports.status())
}

/// Keeps the status of the run, and tells the windows from time to time.
fn teller(app: App) -> impl FnMut(ImportProgress) + Send + 'static {
    let mut told: Option<Instant> = None;
    move |progress| {
        let status = ImportStatus::Running { progress };
        app.imports.set(status.clone());
        if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            told = Some(Instant::now());
            app.sinks.send_to_all(AppEvent::ImportChanged { status });
        }
    }
}

pub(super) async fn import_status(app: &App, _: &ClientId, _: Empty) -> Result<ImportStatus, IpcError> {
    Ok(app.imports.status())
}

pub(super) async fn import_cancel(app: &App, _: &ClientId, _: Empty) -> Result<ImportStatus, IpcError> {
    app.imports.cancel();
    Ok(app.imports.status())
}

fn chosen(app: &App, request: ImportRequest) -> PathBuf {
    request.path.map_or_else(|| app.import_from.clone(), PathBuf::from)
}
