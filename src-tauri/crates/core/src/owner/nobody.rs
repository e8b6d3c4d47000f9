//! Where there is no socket of this kind: nobody listens, nobody answers.

use super::Owner;
use std::path::Path;
use std::sync::Arc;
use talaria_wire::{ImportProgress, ImportReport, IpcError};
use tokio_util::sync::CancellationToken;

/// Nothing to open here.
pub struct Door;

impl Door {
    /// Always `None`.
    pub fn open(_: &Path, _: Arc<dyn Owner>) -> Option<Self> {
        None
    }
}

/// Always `false`: nobody came forward.
pub async fn ask_front(_: &Path) -> bool {
    false
}

/// Always `None`: nobody took the file.
pub async fn ask_import(
    _: &Path,
    _: &Path,
    _: CancellationToken,
    _: impl FnMut(ImportProgress),
) -> Option<Result<ImportReport, IpcError>> {
    None
}
