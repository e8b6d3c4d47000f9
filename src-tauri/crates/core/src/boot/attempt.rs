//! One attempt to start: each step is logged before it is made, so the log's last line names the one that failed.

use super::log::BootLog;
use super::{BootConfig, Opening, Ready};
use crate::agent::tools::LocalTools;
use crate::gateway::live::Around;
use crate::gateway::{Connected, Embedded};
use crate::owner::{Door, Owner};
use crate::store::home::STORE_FILE;
use crate::store::{KnownJump, Limits, OwnerLock, Store, StoreError};
use std::sync::Arc;
use talaria_wire::IpcError;

/// Locks, opens and migrates; also tells whether the home holds no session yet. From the lock on, other processes are
/// heard. A store that cannot be opened whole is opened for reading only, when anything of it reads.
pub async fn attempt(
    config: &BootConfig,
    owner: &Arc<dyn Owner>,
    around: &Around,
    opening: &Opening,
    jump: &KnownJump,
    log: &BootLog,
) -> Result<(Ready, bool), IpcError> {
    let now = || config.clock.now();
    log.add(now(), "lock", &config.home.join("owner.lock").display().to_string());
    let (home, answers) = (config.home.clone(), Arc::clone(owner));
    let locked = blocking(move || OwnerLock::acquire(&home).map(|lock| (lock, Door::open(&home, answers))));
    let (lock, mut door) = match locked.await? {
        Ok((lock, door)) => (Ok(lock), door),
        Err(error) => (Err(error), None),
    };
    log.add(now(), "open", &config.home.display().to_string());
    let (home, clock) = (config.home.clone(), Arc::clone(&config.clock));
    let held = lock.as_ref().ok().cloned();
    let opened = match (lock, opening) {
        (Err(error @ StoreError::InUse { .. }), _) => Err(error),
        (_, Opening::Damaged(detail)) => {
            Err(StoreError::Damaged { path: home.join(STORE_FILE), detail: detail.clone() })
        }
        (Err(error), _) => Err(error),
        (Ok(lock), Opening::Whole | Opening::Checked) => {
            let checked = if *opening == Opening::Checked { u64::MAX } else { config.limits.checked };
            let (limits, jump) = (Limits { checked, ..config.limits }, jump.clone());
            blocking(move || Store::open_again(&home, lock, clock, limits, &jump)).await?
        }
    };
    let store = match opened {
        Ok(store) => store,
        Err(why) => {
            let opened = read_only(config, log, held, why).await;
            let store = opened.map_err(IpcError::from).inspect_err(|e| log.fail(now(), e))?;
            if store.owner_lock().is_some() && door.is_none() {
                // A folder that cannot be written has its lock only now; the socket may lie elsewhere.
                let (home, answers) = (config.home.clone(), Arc::clone(owner));
                door = blocking(move || Door::open(&home, answers)).await?;
            }
            store
        }
    };
    let first_start = match store.trouble() {
        Some(_) => false,
        None => {
            log.add(now(), "read", "sessions");
            store.is_empty().await.map_err(IpcError::from).inspect_err(|e| log.fail(now(), e))?
        }
    };
    log.add(now(), "ready", "");
    let (home, around_it) = (config.home.clone(), around.clone());
    let tools = blocking(move || LocalTools::new(around_it.user_home, &home, around_it.environment)).await?;
    let models = Arc::new(Connected::new(store.clone(), around.endpoints.clone()));
    let gateway = Arc::new(Embedded::new(store.clone(), around.clone(), models, tools));
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
