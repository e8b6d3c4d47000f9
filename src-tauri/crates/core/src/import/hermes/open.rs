//! Opens a file that another program may be writing, without leaving a trace where that is possible.
//!
//! A folder that can be written: read-only, with Hermes' own log, so that all it has committed is seen. A folder that
//! cannot: SQLite is unable to share the log there (measured), so the file is taken as it is when there is no log, and
//! copied away with its log when there is one.

use super::super::error::ImportError;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How often a copy is tried while the file keeps changing.
const COPIES: usize = 5;

/// A connection in its read transaction, and the copy it reads, if it is one.
pub(super) struct Source {
    // First: closed before the copy under it goes.
    db: Connection,
    _copy: Option<Copy>,
}

impl Source {
    pub(super) fn db(&self) -> &Connection {
        &self.db
    }

    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let file = std::fs::metadata(path).map_err(|e| ImportError::io(path, e))?;
        if !file.is_file() {
            return Err(ImportError::NotHermes { path: path.to_owned() });
        }
        // A file that may not be read is said so by the system's own words.
        std::fs::File::open(path).map_err(|e| ImportError::io(path, e))?;
        match connect(path, "mode=ro") {
            Ok(db) => Ok(Self { db, _copy: None }),
            Err(error) if needs_the_folder(&error) => Self::without_the_folder(path),
            Err(error) => Err(ImportError::sql(path, error)),
        }
    }

    fn without_the_folder(path: &Path) -> Result<Self, ImportError> {
        let sort = |e| ImportError::sql(path, e);
        if length(&wal(path)) == 0 {
            return Ok(Self { db: connect(path, "mode=ro&immutable=1").map_err(sort)?, _copy: None });
        }
        let copy = Copy::of(path)
            .map_err(|e| ImportError::io(path, e))?
            .ok_or_else(|| ImportError::Restless { path: path.to_owned() })?;
        let db = connect(&copy.file(), "mode=ro").map_err(sort)?;
        Ok(Self { db, _copy: Some(copy) })
    }
}

fn connect(path: &Path, query: &str) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(format!("file:{}?{query}", escaped(path)), flags)?;
    db.busy_timeout(Duration::from_secs(5))?;
    // A foreign file may carry views and triggers; nothing of it is trusted to run.
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; BEGIN;")?;
    // The transaction begins with its first read.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(db)
}

fn needs_the_folder(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    matches!(
        error.sqlite_error_code(),
        Some(Sqlite::ReadOnly | Sqlite::CannotOpen | Sqlite::PermissionDenied)
    )
}

/// A path inside a `file:` URI (sqlite.org/uri.html): `%`, `?` and `#` would end it.
fn escaped(path: &Path) -> String {
    let text = path.to_string_lossy();
    let text = if cfg!(windows) { format!("/{}", text.replace('\\', "/")) } else { text.into_owned() };
    text.replace('%', "%25").replace('?', "%3f").replace('#', "%23")
}

fn wal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |file| file.len())
}

/// The size of a store and its log.
pub(super) fn size(path: &Path) -> u64 {
    length(path) + length(&wal(path))
}

/// A private copy of a file and its log, removed when dropped.
struct Copy(PathBuf);

impl Copy {
    /// `None`: the file changed during each try.
    fn of(path: &Path) -> std::io::Result<Option<Self>> {
        let folder = std::env::temp_dir().join(format!("talaria-import-{}", uuid::Uuid::new_v4()));
        let mut builder = std::fs::DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder)?;
        let copy = Self(folder);
        for _ in 0..COPIES {
            let before = stamp(path);
            std::fs::copy(path, copy.file())?;
            match std::fs::copy(wal(path), wal(&copy.file())) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            if stamp(path) == before {
                return Ok(Some(copy));
            }
        }
        Ok(None)
    }

    fn file(&self) -> PathBuf {
        self.0.join("state.db")
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.0) {
            tracing::warn!(folder = %self.0.display(), %error, "the copy of the Hermes store stays behind");
        }
    }
}

/// Changes when the file or its log is written.
fn stamp(path: &Path) -> [Option<(u64, std::time::SystemTime)>; 2] {
    [path.to_owned(), wal(path)]
        .map(|path| std::fs::metadata(path).ok().and_then(|file| Some((file.len(), file.modified().ok()?))))
}
