//! One attempt to start: each step is logged before it is made, so the log's last line names the one that failed.

use super::log::BootLog;
use super::{BootConfig, Ready};
use crate::gateway::Embedded;
use crate::owner::{Door, Owner};
use crate::store::{OwnerLock, Store};
use std::sync::Arc;
use talaria_wire::IpcError;

/// Locks, opens and migrates; also tells whether the home holds no session yet. From the lock on, other processes are
/// heard.
pub async fn attempt(
    config: &BootConfig,
    owner: &Arc<dyn Owner>,
    log: &BootLog,
) -> Result<(Ready, bool), IpcError> {
    let now = || config.clock.now();
    log.add(now(), "lock", &config.home.join("owner.lock").display().to_string());
    let (home, owner) = (config.home.clone(), Arc::clone(owner));
    let locked = blocking(move || OwnerLock::acquire(&home).map(|lock| (lock, Door::open(&home, owner))));
    let (lock, door) = locked.await.inspect_err(|e| log.fail(now(), e))?;

    log.add(now(), "open", &config.home.display().to_string());
    let (home, clock) = (config.home.clone(), Arc::clone(&config.clock));
    let store =
        blocking(move || Store::open(&home, lock, clock)).await.inspect_err(|e| log.fail(now(), e))?;

    log.add(now(), "read", "sessions");
    let first_start = store.is_empty().await.map_err(IpcError::from).inspect_err(|e| log.fail(now(), e))?;
    log.add(now(), "ready", "");
    let gateway = Arc::new(Embedded::new(store.clone()));
    Ok((Ready { gateway, store, door: door.map(Arc::new) }, first_start))
}

async fn blocking<T, E>(work: impl FnOnce() -> Result<T, E> + Send + 'static) -> Result<T, IpcError>
where
    T: Send + 'static,
    E: Into<IpcError> + Send + 'static,
{
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result.map_err(Into::into),
        Err(_) => Err(IpcError::internal("The start broke off. The log names the place.")),
    }
}
