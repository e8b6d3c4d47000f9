//! One attempt to start: each step is logged before it is made, so the log's last line names the one that failed.

use super::log::BootLog;
use super::{BootConfig, Ready};
use crate::gateway::Embedded;
use crate::owner::{Door, Owner};
use crate::store::{OwnerLock, Store, StoreError};
use std::sync::Arc;
use talaria_wire::IpcError;

/// Locks, opens and migrates; also tells whether the home holds no session yet. From the lock on, other processes are
/// heard. A store that cannot be opened whole is opened for reading only, when anything of it reads.
pub async fn attempt(
    config: &BootConfig,
    owner: &Arc<dyn Owner>,
    log: &BootLog,
) -> Result<(Ready, bool), IpcError> {
    let now = || config.clock.now();
    log.add(now(), "lock", &config.home.join("owner.lock").display().to_string());
    let (home, owner) = (config.home.clone(), Arc::clone(owner));
    let locked = blocking(move || OwnerLock::acquire(&home).map(|lock| (lock, Door::open(&home, owner))));
    let (lock, door) = match locked.await? {
        Ok((lock, door)) => (Ok(lock), door),
        Err(error) => (Err(error), None),
    };
    log.add(now(), "open", &config.home.display().to_string());
    let (home, clock) = (config.home.clone(), Arc::clone(&config.clock));
    let held = lock.as_ref().ok().cloned();
    let opened = match lock {
        Ok(lock) => blocking(move || Store::open(&home, lock, clock)).await?,
        Err(error) => Err(error),
    };
    let store = match opened {
        Ok(store) => store,
        Err(why) => read_only(config, log, held, why)
            .await
            .map_err(IpcError::from)
            .inspect_err(|e| log.fail(now(), e))?,
    };
    let first_start = match store.trouble() {
        Some(_) => false,
        None => {
            log.add(now(), "read", "sessions");
            store.is_empty().await.map_err(IpcError::from).inspect_err(|e| log.fail(now(), e))?
        }
    };
    log.add(now(), "ready", "");
    let gateway = Arc::new(Embedded::new(store.clone()));
    Ok((Ready { gateway, store, door: door.map(Arc::new) }, first_start))
}

/// What can be read of a store that does not open, with the lock where there is one.
async fn read_only(
    config: &BootConfig,
    log: &BootLog,
    held: Option<OwnerLock>,
    why: StoreError,
) -> Result<Store, StoreError> {
    log.add(config.clock.now(), "read", &why.to_string());
    let (home, clock) = (config.home.clone(), Arc::clone(&config.clock));
    let opened = blocking(move || {
        let lock = match held {
            Some(lock) => Some(lock),
            None if matches!(why, StoreError::InUse { .. }) => None,
            None => OwnerLock::acquire_for_reading(&home)?,
        };
        Store::open_for_reading(&home, lock, clock, why)
    });
    opened.await.unwrap_or(Err(StoreError::Broken("The start broke off. The log names the place.")))
}

/// The outer error: the work itself broke off.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, IpcError> {
    let broken = |_| IpcError::internal("The start broke off. The log names the place.");
    tokio::task::spawn_blocking(work).await.map_err(broken)
}
