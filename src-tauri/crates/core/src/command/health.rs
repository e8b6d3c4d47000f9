//! The health check: one at a time, and a way to stop it.

use super::App;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

/// The check that runs, and what the last whole one found.
#[derive(Clone, Default)]
pub struct Checks(Arc<Mutex<Check>>);

#[derive(Default)]
struct Check {
    running: Option<CancellationToken>,
    last: Option<HealthReport>,
}

impl Checks {
    /// Asks the running check to stop.
    pub fn cancel(&self) {
        if let Some(running) = &self.lock().running {
            running.cancel();
        }
    }

    /// What the last check that was not cancelled found.
    pub fn last(&self) -> Option<HealthReport> {
        self.lock().last.clone()
    }

    fn begin(&self) -> Result<CancellationToken, IpcError> {
        let mut check = self.lock();
        if check.running.is_some() {
            return Err(IpcError::new(ErrorCode::Busy, "A check is running. Wait for it, or cancel it."));
        }
        Ok(check.running.insert(CancellationToken::new()).clone())
    }

    fn end(&self, report: Option<&HealthReport>) {
        let mut check = self.lock();
        check.running = None;
        if let Some(report) = report.filter(|report| !report.cancelled) {
            check.last = Some(report.clone());
        }
    }

    fn lock(&self) -> MutexGuard<'_, Check> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn health_check(app: &App, _: &ClientId, _: Empty) -> Result<HealthReport, IpcError> {
    let store = app.boot.ready()?.store;
    let cancel = app.checks.begin()?;
    let checks = app.checks.clone();
    // Tasks of their own: however the check ends, and whether or not anybody still waits, another one can begin.
    let ended = tokio::spawn(async move {
        let checked = tokio::spawn(async move { store.health_check(&cancel).await });
        let report = match checked.await {
            Ok(report) => report.map_err(IpcError::from),
            Err(_) => Err(broke_off()),
        };
        checks.end(report.as_ref().ok());
        report
    });
    ended.await.unwrap_or_else(|_| Err(broke_off()))
}

fn broke_off() -> IpcError {
    IpcError::internal("The check broke off. Try again.")
}

pub(super) async fn health_cancel(app: &App, _: &ClientId, _: Empty) -> Result<Empty, IpcError> {
    app.checks.cancel();
    Ok(Empty {})
}
