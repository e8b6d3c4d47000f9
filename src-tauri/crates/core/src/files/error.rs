//! Why a file could not be written, and the words a person reads about it.

use crate::store::words;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use talaria_wire::{ErrorCode, IpcError};

/// A file that did not come to be. No half of it is left.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// What the system says of it.
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    /// The folder is the one that the store is in, or below it.
    #[error("{path} is the data folder")]
    DataFolder { path: PathBuf },
    /// A device, a pipe or a socket is there.
    #[error("{path} is no file")]
    NotAFile { path: PathBuf },
}

impl FileError {
    /// What the system says of a path.
    pub fn of(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }
}

impl From<FileError> for IpcError {
    fn from(error: FileError) -> Self {
        match error {
            FileError::Io { path, source } => said(&path, &source),
            FileError::DataFolder { path } => Self::bad_request(format!(
                "Talaria keeps its own files in {}. Choose another folder.",
                path.display()
            )),
            FileError::NotAFile { path } => {
                Self::bad_request(format!("{} is a device, not a file. Choose another name.", path.display()))
            }
        }
    }
}

fn said(path: &Path, source: &std::io::Error) -> IpcError {
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
