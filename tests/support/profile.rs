//! A data folder filled before the app starts, the way a user's would be: by an import.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;
use talaria_core::clock::SystemClock;
use talaria_core::import;
use talaria_core::store::{OwnerLock, Store};
use talaria_wire::ImportReport;

/// Reads the Hermes store `file` into `home`, and lets the home go again.
///
/// # Errors
/// What the lock, the store or the import says, in words.
pub async fn import_into(home: &Path, file: &Path) -> Result<ImportReport, Box<dyn Error + Send + Sync>> {
    let lock = OwnerLock::acquire(home)?;
    let store = Store::open(home, lock, Arc::new(SystemClock))?;
    let report = import::run(&store, file, Default::default(), |_| {}).await;
    store.close().await;
    Ok(report?)
}
