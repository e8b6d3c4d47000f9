//! Opens a file that another program may be writing, without leaving a trace where that is possible.
//!
//! A folder that can be written: read-only, with Hermes' own log, so that all it has committed is seen. A folder that
//! cannot: SQLite is unable to share the log there (measured), so the file is taken as it is when there is no log, and
//! copied away with its log when there is one.

use super::super::error::ImportError;
use crate::store::file::{CopyFolder, has_log, needs_the_folder, uri};
use rusqlite::{Connection, OpenFlags};
use std::path::Path;
use std::time::Duration;

/// A connection in its read transaction, and the copy it reads, if it is one.
pub(super) struct Source {
    // First: closed before the copy under it goes.
    db: Connection,
    _copy: Option<CopyFolder>,
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
        if !has_log(path) {
            return Ok(Self { db: connect(path, "mode=ro&immutable=1").map_err(sort)?, _copy: None });
        }
        let copy = CopyFolder::of(path)
            .map_err(|e| ImportError::io(path, e))?
            .ok_or_else(|| ImportError::Restless { path: path.to_owned() })?;
        let db = connect(&copy.file(), "mode=ro").map_err(sort)?;
        Ok(Self { db, _copy: Some(copy) })
    }
}

fn connect(path: &Path, query: &str) -> rusqlite::Result<Connection> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(uri(path, query), flags)?;
    db.busy_timeout(Duration::from_secs(5))?;
    // A foreign file may carry views and triggers; nothing of it is trusted to run.
    db.execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; BEGIN;")?;
    // The transaction begins with its first read.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(db)
}
