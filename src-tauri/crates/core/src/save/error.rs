//! Why a copy ended, and the words a person reads about it.

use crate::files::FileError;
use crate::store::words;
use talaria_wire::{ErrorCode, IpcError};

/// A failed copy. Nothing of it is left, and what was at its target still is.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    #[error("cancelled")]
    Cancelled,
    /// The target could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The target is the file itself, by whatever name.
    #[error("{name} onto itself")]
    Itself { name: String },
    /// The file became shorter than it was when it was opened.
    #[error("{name} became shorter")]
    Shrank { name: String },
    /// The file's disk does not give it any more.
    #[error("{name}: {source}")]
    Source { name: String, source: std::io::Error },
    /// A fault of ours.
    #[error("the copy broke off")]
    Broken,
}

impl From<SaveError> for IpcError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Cancelled => Self::new(ErrorCode::Cancelled, "Saving was cancelled."),
            SaveError::File(error) => error.into(),
            SaveError::Itself { name } => Self::bad_request(format!(
                "{name} is there already: this is the file itself. Choose another name."
            )),
            SaveError::Shrank { name } => Self::retryable(
                ErrorCode::Missing,
                format!(
                    "{name} became shorter while it was saved. Nothing was left of the copy. Save it again."
                ),
            ),
            SaveError::Source { name, source } => Self::retryable(
                ErrorCode::Missing,
                format!(
                    "{name} could not be read to its end ({}). Nothing was left of the copy. Save it again.",
                    words(&source)
                ),
            ),
            SaveError::Broken => Self::internal("Saving broke off. The log says where."),
        }
    }
}
