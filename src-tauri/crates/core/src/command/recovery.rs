//! "Recover what reads": one at a time, with progress to every window and a way to stop it.

use super::App;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

/// Progress is drawn, not counted: ten a second is enough.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// The one recovery that may run, and how the last one ended.
#[derive(Clone, Default)]
pub struct Recoveries(Arc<Mutex<Recovery>>);

#[derive(Default)]
struct Recovery {
    status: RecoveryStatus,
    cancel: CancellationToken,
}

impl Recoveries {
    /// Asks the running recovery to stop; everything stays as it was.
    pub fn cancel(&self) {
        self.lock().cancel.cancel();
    }

    fn status(&self) -> RecoveryStatus {
        self.lock().status.clone()
    }

    /// Starts a recovery; `None` when one is on its way.
    fn begin(&self) -> Option<CancellationToken> {
        let mut recovery = self.lock();
        if matches!(recovery.status, RecoveryStatus::Running { .. }) {
            return None;
        }
        recovery.status = RecoveryStatus::Running { progress: RecoveryProgress::default() };
        recovery.cancel = CancellationToken::new();
        Some(recovery.cancel.clone())
    }

    fn set(&self, status: RecoveryStatus) {
        self.lock().status = status;
    }

    fn lock(&self) -> MutexGuard<'_, Recovery> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn recovery_start(app: &App, _: &ClientId, _: Empty) -> Result<RecoveryStatus, IpcError> {
    if let Some(cancel) = app.recoveries.begin() {
        let app = app.clone();
        tokio::spawn(async move {
            let (boot, progress) = (app.boot.clone(), teller(app.clone()));
            // A task of its own: however it ends, the end is said and another one can begin.
            let recovery = tokio::spawn(async move { boot.recover(cancel, progress).await });
            let status = match recovery.await {
                Ok(Ok(report)) => RecoveryStatus::Done { report },
                Ok(Err(error)) => RecoveryStatus::Failed { error },
                Err(_) => RecoveryStatus::Failed { error: IpcError::internal("The recovery broke off.") },
            };
            app.recoveries.set(status.clone());
            app.sinks.send_to_all(AppEvent::RecoveryChanged { status });
            app.sinks.send_to_all(AppEvent::SessionsChanged { ids: Vec::new() });
        });
    }
    Ok(app.recoveries.status())
}

/// Keeps the status of the recovery, and tells the windows from time to time.
fn teller(app: App) -> impl FnMut(RecoveryProgress) + Send + 'static {
    let mut told: Option<Instant> = None;
    move |progress| {
        let status = RecoveryStatus::Running { progress };
        app.recoveries.set(status.clone());
        if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            told = Some(Instant::now());
            app.sinks.send_to_all(AppEvent::RecoveryChanged { status });
        }
    }
}

pub(super) async fn recovery_status(app: &App, _: &ClientId, _: Empty) -> Result<RecoveryStatus, IpcError> {
    Ok(app.recoveries.status())
}

pub(super) async fn recovery_cancel(app: &App, _: &ClientId, _: Empty) -> Result<RecoveryStatus, IpcError> {
    app.recoveries.cancel();
    Ok(app.recoveries.status())
}
