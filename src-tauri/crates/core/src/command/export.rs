//! Exporting while the window stays usable: one at a time, with progress to every window and a way to stop it.
//!
//! Where to is asked by the host, with the system's own dialog; a page names no path.

use super::App;
use crate::export::{self, ExportError, file_name};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use talaria_wire::*;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// Progress is drawn, not counted: ten a second is enough, whatever the size of the store.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// The one export that may run, and how the last one ended.
#[derive(Clone, Default)]
pub struct Exports(Arc<Run>);

#[derive(Default)]
struct Run {
    status: watch::Sender<ExportStatus>,
    cancel: Mutex<CancellationToken>,
}

impl Exports {
    /// Stops the running export, and waits until its half file is gone.
    pub async fn end(&self) {
        self.cancel().cancel();
        let mut status = self.0.status.subscribe();
        // Fails only when there is no status any more.
        let _ = status.wait_for(|status| !is_running(status)).await;
    }

    fn status(&self) -> ExportStatus {
        self.0.status.borrow().clone()
    }

    /// Starts a run; `None` when one is on its way.
    fn begin(&self) -> Option<CancellationToken> {
        let mut cancel = self.cancel();
        let begun = self.0.status.send_if_modified(|status| {
            let free = !is_running(status);
            if free {
                *status = ExportStatus::Running { progress: ExportProgress::default() };
            }
            free
        });
        begun.then(|| {
            *cancel = CancellationToken::new();
            cancel.clone()
        })
    }

    fn set(&self, status: ExportStatus) {
        self.0.status.send_replace(status);
    }

    fn cancel(&self) -> MutexGuard<'_, CancellationToken> {
        self.0.cancel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_running(status: &ExportStatus) -> bool {
    matches!(status, ExportStatus::Running { .. })
}

impl App {
    /// The export that is on its way, if one is: there is nothing to ask the user then.
    pub fn export_running(&self) -> Option<ExportStatus> {
        Some(self.exports.status()).filter(is_running)
    }

    /// The name that the host's dialog suggests for one session's file.
    ///
    /// # Errors
    /// `not_found`, `not_ready`, or what the store says.
    pub async fn export_name(&self, id: SessionId, format: ExportFormat) -> Result<String, IpcError> {
        let row = self.boot.ready()?.gateway.session_get(SessionRef { id }).await?;
        Ok(file_name::of(&row, format))
    }

    /// Starts the export to the file (or, of all sessions, into a new folder in the one) that the user chose in the host's
    /// dialog.
    /// While another one runs, nothing is started.
    ///
    /// # Errors
    /// `not_ready`.
    pub fn export_to(&self, request: ExportRequest, target: PathBuf) -> Result<ExportStatus, IpcError> {
        let store = self.boot.ready()?.store;
        if let Some(cancel) = self.exports.begin() {
            let app = self.clone();
            let tell = teller(app.clone());
            let runtime = Handle::current();
            // On a thread of its own, because it writes files; however it ends, the end is said.
            let now = self.clock.now();
            let run = tokio::task::spawn_blocking(move || {
                runtime.block_on(async move {
                    let Some(id) = &request.id else {
                        let folder = export::folder::make(&target, now)?;
                        let ended = export::all(&store, request.format, &folder, &cancel, tell).await;
                        export::folder::discard_empty(&folder);
                        return ended;
                    };
                    export::session(&store, id, request.format, &target, &cancel, tell).await
                })
            });
            tokio::spawn(async move {
                let status = match run.await.unwrap_or(Err(ExportError::Broken)) {
                    Ok(report) => ExportStatus::Done { report },
                    Err(ExportError::Cancelled) => ExportStatus::Idle,
                    Err(error) => ExportStatus::Failed { error: error.into() },
                };
                app.exports.set(status.clone());
                app.sinks.send_to_all(AppEvent::ExportChanged { status });
            });
        }
        Ok(self.exports.status())
    }
}

/// Keeps the status of the run, and tells the windows from time to time.
fn teller(app: App) -> impl FnMut(ExportProgress) + Send + 'static {
    let mut told: Option<Instant> = None;
    move |progress| {
        let status = ExportStatus::Running { progress };
        app.exports.set(status.clone());
        if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            told = Some(Instant::now());
            app.sinks.send_to_all(AppEvent::ExportChanged { status });
        }
    }
}

pub(super) async fn export_status(app: &App, _: &ClientId, _: Empty) -> Result<ExportStatus, IpcError> {
    Ok(app.exports.status())
}

pub(super) async fn export_cancel(app: &App, _: &ClientId, _: Empty) -> Result<ExportStatus, IpcError> {
    app.exports.cancel().cancel();
    Ok(app.exports.status())
}
