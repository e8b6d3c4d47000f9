//! What this app does for other processes of the user: it comes forward, and it takes over an import of `talariactl`,
//! which its windows see as their own.

use super::{ComeForward, Imports};
use crate::boot::Ready;
use crate::notify::Sinks;
use crate::owner::Owner;
use async_trait::async_trait;
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError, Weak};
use talaria_wire::*;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The app as other processes see it.
pub(super) struct Host {
    come_forward: ComeForward,
    imports: Imports,
    sinks: Sinks,
    /// Weak: the open gateway holds the door, which holds this.
    ready: OnceLock<Weak<Mutex<Option<Ready>>>>,
}

impl Host {
    pub(super) fn new(come_forward: ComeForward, imports: Imports, sinks: Sinks) -> Self {
        Self { come_forward, imports, sinks, ready: OnceLock::new() }
    }

    /// From now on imports are taken, as soon as the slot holds an open gateway.
    pub(super) fn serve(&self, slot: Weak<Mutex<Option<Ready>>>) {
        // A second slot would be another start; there is one.
        drop(self.ready.set(slot));
    }

    fn ready(&self) -> Option<Ready> {
        let slot = self.ready.get()?.upgrade()?;
        slot.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[async_trait]
impl Owner for Host {
    fn front(&self) -> bool {
        (self.come_forward)()
    }

    async fn import(
        &self,
        path: PathBuf,
        progress: mpsc::Sender<ImportProgress>,
        cancel: CancellationToken,
    ) -> Result<ImportReport, IpcError> {
        let Some(ready) = self.ready() else {
            let words = "Talaria is still opening its store. Try again in a moment.";
            return Err(IpcError::retryable(ErrorCode::NotReady, words));
        };
        // What does not fit is a step that nobody would have seen.
        let also = move |step: &ImportProgress| drop(progress.try_send(step.clone()));
        let Some(started) = self.imports.start(&self.sinks, ready.store, path, also) else {
            let words = "An import is running in Talaria. Wait for its end, then import again.";
            return Err(IpcError::retryable(ErrorCode::Busy, words));
        };
        let mut end = started.end;
        let ended = tokio::select! {
            ended = &mut end => ended,
            () = cancel.cancelled() => {
                started.cancel.cancel();
                end.await
            }
        };
        match ended {
            Ok(ImportStatus::Done { report }) => Ok(report),
            Ok(ImportStatus::Failed { error }) => Err(error),
            _ => Err(IpcError::internal("The import broke off. The log names the place.")),
        }
    }
}
