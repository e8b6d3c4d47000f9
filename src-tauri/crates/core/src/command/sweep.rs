//! The automatic archive, and the end of the trash: when they run, what it leaves alone because a window shows it, and who is told.

use super::App;
use crate::store::SweepCause;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use talaria_wire::*;

/// Between two runs.
pub const SWEEP_EVERY: Duration = Duration::from_secs(60 * 60);

/// The session that each window shows.
#[derive(Clone, Default)]
pub(super) struct Shown(Arc<Mutex<HashMap<ClientId, SessionId>>>);

impl Shown {
    /// The window shows nothing any more.
    pub(super) fn forget(&self, client: &ClientId) {
        self.lock().remove(client);
    }

    pub(super) fn set(&self, client: &ClientId, id: SessionId) {
        self.lock().insert(client.clone(), id);
    }

    /// Notes that the client is about to show the session, unless one of the clients that count shows it: that one is
    /// the answer. One step, so that of two requests at once one finds the other.
    pub(super) fn claim(
        &self,
        client: &ClientId,
        id: &SessionId,
        counts: impl Fn(&ClientId) -> bool,
    ) -> Option<ClientId> {
        let mut shown = self.lock();
        let holder =
            shown.iter().find(|(other, its)| *its == id && counts(other)).map(|(other, _)| other.clone());
        if holder.is_none() {
            shown.insert(client.clone(), id.clone());
        }
        holder
    }

    fn all(&self) -> Vec<SessionId> {
        self.lock().values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, SessionId>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(super) async fn session_show(
    app: &App,
    client: &ClientId,
    request: SessionShowRequest,
) -> Result<Empty, IpcError> {
    // While the store opens nothing runs, so nothing asks what is shown.
    if let Ok(ready) = app.boot.ready() {
        ready.gateway.session_show(client, request.id.as_ref()).await;
    }
    match request.id {
        Some(id) => app.shown.set(client, id),
        None => app.shown.forget(client),
    }
    Ok(Empty {})
}

pub(super) async fn sweep_preview(
    app: &App,
    _: &ClientId,
    request: SweepPreviewRequest,
) -> Result<SweepPreview, IpcError> {
    Ok(app.boot.ready()?.store.sweep_preview(request, app.shown.all()).await?)
}

/// Runs once the store is open, and again and again after `every`. Each time only with a window there to hear of it:
/// nothing leaves the list unsaid.
pub(super) async fn keep(app: App, every: Duration) {
    let mut status = app.boot.watch();
    if status.wait_for(|now| now.phase == BootPhase::Ready).await.is_err() {
        return;
    }
    loop {
        app.sinks.attached().await;
        // First: the run notes the time that this one looks at.
        empty_trash(&app).await;
        run(&app, SweepCause::Due).await;
        tokio::time::sleep(every).await;
    }
}

/// An app that stays open for weeks keeps the promise of the trash, too.
async fn empty_trash(app: &App) {
    // Closed meanwhile: the app ends.
    let Ok(ready) = app.boot.ready() else { return };
    match ready.store.trash_expire().await {
        Ok(0) => {}
        Ok(count) => {
            tracing::info!(count, "emptied from the trash by age");
            app.sinks.send_to_all(AppEvent::SessionsChanged { ids: Vec::new() });
        }
        Err(error) => tracing::warn!(%error, "the trash was not emptied"),
    }
}

/// One run. What fails now is done by the next.
pub(super) async fn run(app: &App, cause: SweepCause) {
    // Closed meanwhile: the app ends.
    let Ok(ready) = app.boot.ready() else { return };
    match ready.store.sweep(cause, app.shown.all()).await {
        Ok(None) => {}
        Ok(Some(swept)) => {
            tracing::info!(count = swept.count, days = swept.days, "archived by age");
            let (count, days, at) = (swept.count, swept.days, swept.at);
            app.sinks.send_to_all(AppEvent::SessionsSwept { count, days, at });
            app.sinks.send_to_all(AppEvent::SessionsChanged { ids: Vec::new() });
        }
        Err(error) => tracing::warn!(%error, "the automatic archive did not run"),
    }
}
