//! Why an export ended, and the words a person reads about it.

use crate::files::FileError;
use crate::store::StoreError;
use talaria_wire::{ErrorCode, IpcError};

/// A failed export. No half file is left.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("cancelled")]
    Cancelled,
    /// The session, or the list, could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    File(#[from] FileError),
    /// A fault of ours.
    #[error("the export broke off")]
    Broken,
}

impl From<ExportError> for IpcError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Cancelled => Self::new(ErrorCode::Cancelled, "The export was cancelled."),
            ExportError::Store(error) => error.into(),
            ExportError::File(error) => error.into(),
            ExportError::Broken => Self::internal("The export broke off. The log says where."),
        }
    }
}
