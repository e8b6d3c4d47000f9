//! Importing while the window stays usable: one at a time, with progress to every window and a way to stop it.

use super::App;
use crate::import::{self, ImportError};
use crate::notify::Sinks;
use crate::store::Store;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use talaria_wire::*;
use tokio::task::JoinHandle;
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

/// An import that has begun; it goes on when this is dropped.
pub(super) struct Started {
    /// Stops it after the session at hand.
    pub cancel: CancellationToken,
    /// How it ended: `Done` or `Failed`.
    pub end: JoinHandle<ImportStatus>,
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

    /// Brings the file in, in the background: every window hears of it, and `also` hears each step. `None` when an import
    /// is on its way.
    pub(super) fn start(
        &self,
        sinks: &Sinks,
        store: Store,
        path: PathBuf,
        mut also: impl FnMut(&ImportProgress) + Send + 'static,
    ) -> Option<Started> {
        let cancel = self.begin()?;
        let (imports, sinks, stop) = (self.clone(), sinks.clone(), cancel.clone());
        let end = tokio::spawn(async move {
            let mut tell = imports.teller(sinks.clone());
            let progress = move |step: ImportProgress| {
                also(&step);
                tell(step);
            };
            // A task of its own: however it ends, the end is said and another import can begin.
            let run = tokio::spawn(async move { import::run(&store, &path, stop, progress).await });
            let status = match run.await.unwrap_or(Err(ImportError::Broken)) {
                Ok(report) => ImportStatus::Done { report },
                Err(error) => ImportStatus::Failed { error: error.into() },
            };
            imports.set(status.clone());
            sinks.send_to_all(AppEvent::ImportChanged { status: status.clone() });
            sinks.send_to_all(AppEvent::SessionsChanged { ids: Vec::new() });
            status
        });
        Some(Started { cancel, end })
    }

    /// Keeps the status of the run, and tells the windows from time to time.
    fn teller(&self, sinks: Sinks) -> impl FnMut(ImportProgress) + Send + 'static {
        let (imports, mut told) = (self.clone(), None::<Instant>);
        move |progress| {
            let status = ImportStatus::Running { progress };
            imports.set(status.clone());
            if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
                told = Some(Instant::now());
                sinks.send_to_all(AppEvent::ImportChanged { status });
            }
        }
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
    // One that is on its way is what the caller wants to see, too.
    drop(app.imports.start(&app.sinks, store, chosen(app, request), |_| {}));
    Ok(app.imports.status())
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
