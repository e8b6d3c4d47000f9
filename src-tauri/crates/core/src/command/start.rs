//! The start as the page sees it, and the event stream's bookkeeping.

use super::App;
use crate::notify::Sinks;
use talaria_wire::*;
use tokio::sync::watch;

pub(super) async fn boot_status(app: &App, _: &ClientId, _: Empty) -> Result<BootStatus, IpcError> {
    Ok(app.boot.status())
}

pub(super) async fn boot_retry(app: &App, _: &ClientId, _: Empty) -> Result<BootStatus, IpcError> {
    app.boot.retry();
    Ok(app.boot.status())
}

pub(super) async fn events_ack(
    app: &App,
    client: &ClientId,
    _: EventsAckRequest,
) -> Result<EventsAckResponse, IpcError> {
    Ok(EventsAckResponse { head: app.sinks.head(client) })
}

/// Tells every window each change of the start, until it is through.
pub(super) async fn tell(mut status: watch::Receiver<BootStatus>, sinks: Sinks) {
    while status.changed().await.is_ok() {
        let now = status.borrow_and_update().clone();
        sinks.send_to_all(AppEvent::BootChanged { status: now });
    }
}
