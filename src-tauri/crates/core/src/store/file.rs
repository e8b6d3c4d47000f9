//! The files of a SQLite store, for whoever may only read them.

use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};

/// What SQLite keeps of a store's content outside of its file.
pub(super) const LOGS: [&str; 2] = ["-wal", "-journal"];

/// How often a copy is tried while the file keeps changing.
const COPIES: usize = 5;

/// A file that SQLite keeps beside a store: `-wal`, `-shm`, `-journal`.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The bytes of a store and its log.
pub(crate) fn size(path: &Path) -> u64 {
    length(path) + length(&beside(path, "-wal"))
}

/// Whether what lies beside the store belongs to its content: a log, or the journal of a write that broke off.
pub(crate) fn has_log(path: &Path) -> bool {
    LOGS.iter().any(|suffix| length(&beside(path, suffix)) != 0)
}

/// A connection to a file without a log, which makes no file and takes no lock.
pub(crate) fn as_it_lies(path: &Path) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri(path, "mode=ro&immutable=1"), flags)
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// A `file:` URI (sqlite.org/uri.html): `%`, `?` and `#` in a path would end it.
pub(crate) fn uri(path: &Path, query: &str) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { format!("/{}", text.replace('\\', "/")) } else { text.into_owned() };
    format!("file:{}?{query}", text.replace('%', "%25").replace('?', "%3f").replace('#', "%23"))
}

/// Whether SQLite needed to write beside the store only to read it, which happens where a log lies in a folder that
/// cannot be written (measured).
pub(crate) fn needs_the_folder(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    matches!(
        error.sqlite_error_code(),
        Some(Sqlite::ReadOnly | Sqlite::CannotOpen | Sqlite::PermissionDenied)
    )
}

/// A folder for copies that is the user's alone and goes when this is dropped.
pub(crate) struct CopyFolder(PathBuf);

impl CopyFolder {
    pub(crate) fn new() -> std::io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("talaria-copy-{}", uuid::Uuid::new_v4()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        Ok(Self(folder))
    }

    /// A copy of a store and its log. `None`: the file changed during each try.
    pub(crate) fn of(path: &Path) -> std::io::Result<Option<Self>> {
        let copy = Self::new()?;
        for _ in 0..COPIES {
            let before = stamp(path);
            std::fs::copy(path, copy.file())?;
            for suffix in LOGS {
                match std::fs::copy(beside(path, suffix), beside(&copy.file(), suffix)) {
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                    _ => {}
                }
            }
            if stamp(path) == before {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    }

    /// The copied store.
    pub(crate) fn file(&self) -> PathBuf {
        self.0.join("copy.db")
    }
}

impl Drop for CopyFolder {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "the copy of a store stays behind");
        }
    }
}

/// Changes when the file or its log is written.
fn stamp(path: &Path) -> [Option<(u64, std::time::SystemTime)>; 2] {
    [path.to_owned(), beside(path, "-wal")]
        .map(|path| std::fs::metadata(path).ok().and_then(|file| Some((file.len(), file.modified().ok()?))))
}
