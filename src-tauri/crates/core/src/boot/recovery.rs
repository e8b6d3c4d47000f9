//! The recovery of a damaged store, between two openings of it: the start holds still meanwhile.

use super::Boot;
use crate::store::OwnerLock;
use crate::store::recover::{Recovered, Run};
use std::sync::PoisonError;
use talaria_wire::{ErrorCode, IpcError, RecoveryProgress, RecoveryReport};
use tokio_util::sync::CancellationToken;

impl Boot {
    /// Recovers what reads into a new file, puts it in the place of the store, and has it opened. What can be read stays
    /// readable until then. Cancelled or failed, everything is as it was.
    ///
    /// # Errors
    /// `bad_request` when there is nothing to recover; else what the store or the lock says.
    pub async fn recover(
        &self,
        cancel: CancellationToken,
        mut progress: impl FnMut(RecoveryProgress) + Send + 'static,
    ) -> Result<RecoveryReport, IpcError> {
        let turn = self.turn.lock().await;
        if !self.can_recover() {
            return Err(IpcError::bad_request("The store is not damaged. There is nothing to recover."));
        }
        let open = self.ready.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let held = open.as_ref().and_then(|open| open.store.owner_lock());
        let home = self.home.clone();
        let made = tokio::task::spawn_blocking(move || {
            let lock = held.map_or_else(|| OwnerLock::acquire(&home), Ok)?;
            let mut run = Run { cancel: &cancel, progress: &mut progress };
            Ok((Recovered::make(&home, &mut run)?, lock))
        });
        let ended = match made.await.unwrap_or_else(|_| Err(broke_off())) {
            Ok((recovered, _lock)) => {
                // Nobody may have the file open when it changes its name.
                if let Some(open) = self.take() {
                    open.store.close().await;
                }
                let now = self.clock.now();
                let placed = tokio::task::spawn_blocking(move || recovered.put_in_place(now)).await;
                placed.map_err(|_| broke_off()).and_then(|placed| placed.map_err(IpcError::from))
            }
            Err(error) => Err(error),
        };
        drop(turn);
        if self.ready().is_err() {
            // Whoever hears of the end finds the store open again.
            let mut status = self.watch();
            status.borrow_and_update();
            self.retry();
            // Only fails when the app ends.
            let _ = status.changed().await;
        }
        ended
    }

    fn can_recover(&self) -> bool {
        let status = self.status();
        status.trouble.is_some_and(|trouble| trouble.recoverable)
            || status.failure.is_some_and(|failure| failure.recoverable)
    }
}

fn broke_off() -> IpcError {
    IpcError::new(
        ErrorCode::Internal,
        "The recovery broke off. Everything is as it was; the log names the place.",
    )
}
