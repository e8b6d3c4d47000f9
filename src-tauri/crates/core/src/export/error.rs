//! Why an export ended, and the words a person reads about it.

use crate::store::{StoreError, words};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use talaria_wire::{ErrorCode, IpcError};

/// A failed export. No half file is left.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("cancelled")]
    Cancelled,
    /// The session, or the list, could not be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{path}: {source}")]
    File { path: PathBuf, source: std::io::Error },
    /// The folder is the one that the store is in.
    #[error("{path} is the data folder")]
    DataFolder { path: PathBuf },
    /// A fault of ours.
    #[error("the export broke off")]
    Broken,
}

impl ExportError {
    pub(super) fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_owned(), source }
    }
}

impl From<ExportError> for IpcError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Cancelled => Self::new(ErrorCode::Cancelled, "The export was cancelled."),
            ExportError::Store(error) => error.into(),
            ExportError::File { path, source } => file(&path, &source),
            ExportError::DataFolder { path } => Self::bad_request(format!(
                "Talaria keeps its own files in {}. Choose another folder.",
                path.display()
            )),
            ExportError::Broken => Self::internal("The export broke off. The log says where."),
        }
    }
}

fn file(path: &Path, source: &std::io::Error) -> IpcError {
    let path = path.display();
    match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => IpcError::retryable(
            ErrorCode::DiskFull,
            format!(
                "No space is left for {path}. No half file was left. Free some space, or choose another disk."
            ),
        ),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => IpcError::retryable(
            ErrorCode::ReadOnly,
            format!("{path} cannot be written. Choose another folder, or allow writing there."),
        ),
        ErrorKind::NotFound | ErrorKind::NotADirectory => IpcError::retryable(
            ErrorCode::Missing,
            format!("The folder of {path} is not there. Choose another folder."),
        ),
        ErrorKind::IsADirectory => {
            IpcError::retryable(ErrorCode::ReadOnly, format!("{path} is a folder. Choose another name."))
        }
        _ => IpcError::retryable(
            ErrorCode::Internal,
            format!("{path} could not be written ({}). Choose another place.", words(source)),
        ),
    }
}
