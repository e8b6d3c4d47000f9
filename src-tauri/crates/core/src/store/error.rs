//! What can go wrong in the store, and the words a person reads about it.

use std::path::{Path, PathBuf};
use talaria_wire::{ErrorCode, IpcError};

/// A failed store call. Nothing was changed: every write is one transaction.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another process holds the home. `pid` is what it wrote into the lock, when that can be read.
    #[error("in use by {}", process(.pid))]
    InUse { pid: Option<u32> },
    #[error("{0}")]
    NotFound(&'static str),
    #[error("{0}")]
    BadRequest(String),
    /// `holder` is the title, as stored, of the session that has it.
    #[error("the title is held by \"{holder}\"")]
    TitleTaken { holder: String, archived: bool },
    #[error("a title of {length} characters")]
    TitleTooLong { length: usize },
    #[error("{path} cannot be written")]
    ReadOnly { path: PathBuf },
    #[error("no space left for {path}")]
    DiskFull { path: PathBuf },
    #[error("{path} is damaged: {detail}")]
    Damaged { path: PathBuf, detail: String },
    #[error("{path} has schema {found}, this version knows up to {known}")]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{path} is locked")]
    Busy { path: PathBuf },
    /// The file system cannot lock files at all.
    #[error("{path} cannot be locked: {source}")]
    NoLocks { path: PathBuf, source: std::io::Error },
    /// Where the data folder should be, or a folder above it, stands something else.
    #[error("{path} is not a folder")]
    NotAFolder { home: PathBuf, path: PathBuf },
    /// Where a file of the store should be stands a folder.
    #[error("{path} is a folder")]
    NotAFile { path: PathBuf },
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: std::io::Error },
    /// The store is open for reading only, for the reason that the code names.
    #[error("open for reading only")]
    ForReading { code: ErrorCode },
    /// The user stopped it; nothing was changed.
    #[error("cancelled")]
    Cancelled,
    /// The store was closed, or a job of it broke.
    #[error("{0}")]
    Broken(&'static str),
    #[error("SQLite: {0}")]
    Sql(#[from] rusqlite::Error),
}

/// Whether a value is none that this store ever wrote: no UTF-8, no JSON, of another kind than its column.
fn is_garbage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::Utf8Error(..) | E::FromSqlConversionFailure(..) | E::InvalidColumnType(..) => true,
        // SQLite has no code for it.
        E::SqliteFailure(_, Some(words)) => words == "malformed JSON",
        _ => false,
    }
}

fn process(pid: &Option<u32>) -> String {
    pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}"))
}

impl StoreError {
    /// No session with that id.
    pub(crate) const NO_SESSION: Self = Self::NotFound("This session is not here any more.");

    /// A request that does not fit, in words.
    pub(crate) fn bad(words: impl Into<String>) -> Self {
        Self::BadRequest(words.into())
    }

    /// Names the file in what SQLite said, so that the words can.
    pub(crate) fn at(self, path: &Path) -> Self {
        use rusqlite::ErrorCode as Sqlite;
        let Self::Sql(error) = self else { return self };
        let path = path.to_owned();
        if is_garbage(&error) {
            return Self::Damaged { path, detail: error.to_string() };
        }
        match error.sqlite_error_code() {
            Some(Sqlite::DiskFull) => Self::DiskFull { path },
            Some(Sqlite::ReadOnly | Sqlite::PermissionDenied | Sqlite::CannotOpen) => Self::ReadOnly { path },
            Some(Sqlite::DatabaseBusy | Sqlite::DatabaseLocked) => Self::Busy { path },
            Some(Sqlite::DatabaseCorrupt | Sqlite::NotADatabase) => {
                Self::Damaged { path, detail: error.to_string() }
            }
            _ => Self::Sql(error),
        }
    }

    /// Sorts an error of the file system.
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        use std::io::ErrorKind as Kind;
        let path = path.to_owned();
        match source.kind() {
            Kind::PermissionDenied | Kind::ReadOnlyFilesystem => Self::ReadOnly { path },
            Kind::StorageFull | Kind::QuotaExceeded => Self::DiskFull { path },
            Kind::IsADirectory => Self::NotAFile { path },
            _ => Self::Io { path, source },
        }
    }
}

impl From<StoreError> for IpcError {
    fn from(error: StoreError) -> Self {
        use StoreError as E;
        match error {
            E::InUse { ref pid } => {
                let who = process(pid);
                Self::retryable(
                    ErrorCode::InUse,
                    format!("The data folder is in use by {who}. Close the other Talaria, then try again."),
                )
            }
            E::NotFound(words) => Self::new(ErrorCode::NotFound, words),
            E::BadRequest(words) => Self::new(ErrorCode::BadRequest, words),
            E::TitleTaken { holder, archived } => {
                let place = if archived { "An archived session" } else { "Another session" };
                Self::new(
                    ErrorCode::TitleTaken,
                    format!("{place} is already named \"{holder}\". Choose another title."),
                )
            }
            E::TitleTooLong { length } => Self::new(
                ErrorCode::TitleTooLong,
                format!(
                    "The title has {length} characters; at most {} are allowed. Shorten it.",
                    super::titles::MAX_CHARS
                ),
            ),
            E::ReadOnly { path } => Self::retryable(
                ErrorCode::ReadOnly,
                format!(
                    "{} cannot be written. Nothing was changed. Allow writing there, then try again.",
                    path.display()
                ),
            ),
            E::DiskFull { path } => Self::retryable(
                ErrorCode::DiskFull,
                format!(
                    "No space is left on the disk of {}. Nothing was changed. Free some space, then try again.",
                    path.display()
                ),
            ),
            E::Damaged { path, detail } => Self::new(
                ErrorCode::Damaged,
                format!(
                    "The store {} is damaged ({detail}). It was left as it is. Copy the file before you try anything with it.",
                    path.display()
                ),
            ),
            E::Newer { path, found, known } => Self::new(
                ErrorCode::Newer,
                format!(
                    "The store {} was written by a newer Talaria (schema {found}; this one knows {known}). It was left as it is. Update Talaria to open it.",
                    path.display()
                ),
            ),
            E::Busy { path } => Self::retryable(
                ErrorCode::Busy,
                format!("Another program holds {}. Nothing was changed. Try again.", path.display()),
            ),
            // Not "cannot be written": it can, but two programs at once would damage it.
            E::NoLocks { path, source } => Self::new(
                ErrorCode::NoLocks,
                format!(
                    "Files in {} cannot be locked ({}). Move the data folder to a local disk (TALARIA_HOME).",
                    path.display(),
                    words(&source)
                ),
            ),
            E::NotAFolder { home, path } => Self::retryable(ErrorCode::ReadOnly, blocked_home(&home, &path)),
            E::NotAFile { path } => Self::retryable(
                ErrorCode::ReadOnly,
                format!(
                    "{} is a folder, and Talaria keeps a file there. Move the folder away, then try again.",
                    path.display()
                ),
            ),
            E::Io { path, source } => Self::retryable(
                ErrorCode::Internal,
                format!(
                    "{} cannot be used ({}). Check the disk that it is on, then try again.",
                    path.display(),
                    words(&source)
                ),
            ),
            E::ForReading { code } => Self::new(code, for_reading(code)),
            E::Cancelled => Self::new(ErrorCode::Cancelled, "Cancelled. Everything is as it was."),
            E::Broken(words) => Self::internal(words),
            E::Sql(error) => Self::internal(format!("The store refused a request: {error}.")),
        }
    }
}

/// Why nothing is written, and until when.
fn for_reading(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::Newer => {
            "The store was written by a newer Talaria and is open for reading only. Nothing new is saved until \
             Talaria is updated."
        }
        ErrorCode::ReadOnly => {
            "The store cannot be written and is open for reading only. Nothing new is saved until writing is allowed \
             in the data folder."
        }
        ErrorCode::DiskFull => {
            "The disk is full and the store is open for reading only. Nothing new is saved until some space is free."
        }
        ErrorCode::NoLocks => {
            "The data folder's disk cannot lock files, so the store is open for reading only. Nothing new is saved \
             until the data folder is on a local disk."
        }
        _ => {
            "The store is damaged and open for reading only. Nothing new is saved until it is recovered or another \
             copy is in its place."
        }
    }
}

/// Why there is no data folder, and what to do.
fn blocked_home(home: &Path, path: &Path) -> String {
    let what = if path.is_symlink() { "a link that leads to no folder" } else { "a file" };
    let said = if home == path {
        format!("The data folder {} is {what}.", home.display())
    } else {
        format!("The data folder {} cannot be made: {} is {what}.", home.display(), path.display())
    };
    format!("{said} Move it away, or name another data folder with TALARIA_HOME, then try again.")
}

/// The system's own words, without the number behind them.
pub(crate) fn words(source: &std::io::Error) -> String {
    let words = source.to_string();
    match words.find(" (os error ") {
        Some(number) => words[..number].to_owned(),
        None => words,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_system_says_is_told_without_its_number() {
        let home = Path::new("/home/u/talaria");
        // 5 and 24: an input/output error, too many open files.
        for number in [5, 24] {
            let source = || std::io::Error::from_raw_os_error(number);
            for error in
                [StoreError::io(home, source()), StoreError::NoLocks { path: home.into(), source: source() }]
            {
                let said = IpcError::from(error).message;
                assert!(said.contains("/home/u/talaria") && !said.contains("os error"), "{said}");
            }
        }
        assert_eq!(words(&std::io::Error::other("the disk is gone")), "the disk is gone");
    }
}
