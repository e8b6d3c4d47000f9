//! What can go wrong in an import, and the words for it.

use crate::store::{self, StoreError};
use std::path::PathBuf;
use talaria_wire::{ErrorCode, IpcError};

/// A failed import. What was brought in before stays; the Hermes store is never written.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("{path} does not exist")]
    Missing { path: PathBuf },
    #[error("{path} is not a Hermes store")]
    NotHermes { path: PathBuf },
    #[error("{path} has Hermes schema {found}, this version knows up to {known}")]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{path} is damaged: {detail}")]
    Damaged { path: PathBuf, detail: String },
    #[error("{path} is locked")]
    Busy { path: PathBuf },
    #[error("{path} may not be read")]
    Forbidden { path: PathBuf },
    /// No room for the private copy that a store in an unwritable folder is read from.
    #[error("no space left for a copy of {path}")]
    NoRoom { path: PathBuf },
    /// A copy of it was never whole: it changed each time.
    #[error("{path} is written all the time")]
    Restless { path: PathBuf },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: {source}")]
    Sql { path: PathBuf, source: rusqlite::Error },
    #[error("reading broke off")]
    Broken,
    /// Our own store refused.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ImportError {
    /// Sorts what SQLite said about a file.
    pub(super) fn sql(path: &std::path::Path, source: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode as Sqlite;
        let path = path.to_owned();
        match source.sqlite_error_code() {
            Some(Sqlite::NotADatabase) => Self::NotHermes { path },
            Some(Sqlite::DatabaseCorrupt) => Self::Damaged { path, detail: source.to_string() },
            Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => Self::Busy { path },
            _ => Self::Sql { path, source },
        }
    }

    /// Sorts what the file system said about a file.
    pub(super) fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind as Kind;
        let path = path.to_owned();
        match source.kind() {
            // Below a file there is nothing.
            Kind::NotFound | Kind::NotADirectory => Self::Missing { path },
            Kind::PermissionDenied => Self::Forbidden { path },
            Kind::StorageFull | Kind::QuotaExceeded => Self::NoRoom { path },
            _ => Self::Io { path, source },
        }
    }
}

impl From<ImportError> for IpcError {
    fn from(error: ImportError) -> Self {
        use ImportError as E;
        match error {
            E::Missing { path } => Self::new(
                ErrorCode::Missing,
                format!("There is no file {}. Choose the state.db of your Hermes folder.", path.display()),
            ),
            E::NotHermes { path } => Self::new(
                ErrorCode::Unsupported,
                format!(
                    "{} is not a Hermes store. Choose the state.db of your Hermes folder.",
                    path.display()
                ),
            ),
            E::Newer { path, found, known } => Self::new(
                ErrorCode::Newer,
                format!(
                    "{} was written by a newer Hermes (schema {found}; Talaria knows {known}). Nothing was read. Update Talaria.",
                    path.display()
                ),
            ),
            E::Damaged { path, detail } => Self::new(
                ErrorCode::Damaged,
                format!(
                    "The Hermes store {} is damaged ({detail}). What was brought in before that stays.",
                    path.display()
                ),
            ),
            E::Busy { path } => Self::retryable(
                ErrorCode::Busy,
                format!("Another program holds {}. Try again.", path.display()),
            ),
            E::Forbidden { path } => Self::retryable(
                ErrorCode::Missing,
                format!("{} may not be read. Allow reading it, then try again.", path.display()),
            ),
            E::NoRoom { path } => Self::retryable(
                ErrorCode::DiskFull,
                format!(
                    "No space is left for a copy of {}. Nothing was brought in. Free some space, then try again.",
                    path.display()
                ),
            ),
            E::Restless { path } => Self::retryable(
                ErrorCode::Busy,
                format!(
                    "{} is being written all the time. Close Hermes for a moment, then try again.",
                    path.display()
                ),
            ),
            E::Io { path, source } => Self::retryable(
                ErrorCode::Missing,
                format!(
                    "{} cannot be read ({}). Check the disk that it is on, then try again.",
                    path.display(),
                    store::words(&source)
                ),
            ),
            E::Sql { path, source } => Self::retryable(
                ErrorCode::Missing,
                format!(
                    "{} cannot be read ({source}). Check the disk that it is on, then try again.",
                    path.display()
                ),
            ),
            E::Broken => Self::internal("The import broke off; the log says where. Try again."),
            E::Store(error) => error.into(),
        }
    }
}
