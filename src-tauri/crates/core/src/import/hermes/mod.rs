//! Reads a Hermes store, and never writes one. The only SQL about the foreign file is here.
//!
//! Columns that a file does not have read as NULL (older versions), columns it has beyond those asked for are ignored
//! (newer builds add some). One read transaction holds the whole import, so a Hermes that writes meanwhile changes
//! nothing in it.

mod open;
mod rows;
mod time;

pub(super) use rows::{ForeignMessage, ForeignSession};

use super::error::ImportError;
use open::Source;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use talaria_wire::ImportProbe;

/// The newest Hermes schema that this version knows (Hermes Agent 0.19.0).
pub(super) const SCHEMA: i64 = 22;

/// An open Hermes store, in one read transaction.
pub(super) struct HermesStore {
    path: PathBuf,
    source: Source,
    session_columns: rows::Columns,
    message_columns: rows::Columns,
}

impl HermesStore {
    /// Opens for reading. Errors: `Missing`, `NotHermes`, `Newer`, `Damaged`, `Busy`, `Io`.
    pub(super) fn open(path: &Path) -> Result<Self, ImportError> {
        let source = Source::open(path)?;
        let sort = |e| ImportError::sql(path, e);
        let db = source.db();
        let session_columns = rows::Columns::of(db, "sessions").map_err(sort)?;
        let message_columns = rows::Columns::of(db, "messages").map_err(sort)?;
        if !session_columns.has(&["id"]) || !message_columns.has(&["id", "session_id", "role", "content"]) {
            return Err(ImportError::NotHermes { path: path.to_owned() });
        }
        let store = Self { path: path.to_owned(), source, session_columns, message_columns };
        let found = store.schema()?;
        if found > SCHEMA {
            return Err(ImportError::Newer { path: store.path, found, known: SCHEMA });
        }
        Ok(store)
    }

    fn db(&self) -> &Connection {
        self.source.db()
    }

    fn sort(&self, error: rusqlite::Error) -> ImportError {
        ImportError::sql(&self.path, error)
    }

    /// 0 when the file does not say.
    fn schema(&self) -> Result<i64, ImportError> {
        let has: bool = self
            .db()
            .query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'schema_version'", [], |row| {
                row.get(0)
            })
            .map_err(|e| self.sort(e))?;
        if !has {
            return Ok(0);
        }
        self.db()
            .query_row("SELECT ifnull(max(version), 0) FROM schema_version", [], |row| row.get(0))
            .map_err(|e| self.sort(e))
    }

    /// What the file holds.
    pub(super) fn probe(&self) -> Result<ImportProbe, ImportError> {
        let count =
            |sql: &str| self.db().query_row(sql, [], |row| row.get::<_, i64>(0)).map_err(|e| self.sort(e));
        let archived = if self.session_columns.has(&["archived"]) {
            count("SELECT count(*) FROM sessions WHERE archived = 1")?
        } else {
            0
        };
        Ok(ImportProbe {
            path: self.path.display().to_string(),
            schema: self.schema()?,
            sessions: count("SELECT count(*) FROM sessions")?,
            messages: count("SELECT count(*) FROM messages")?,
            archived,
            bytes: crate::store::file::size(&self.path),
        })
    }

    /// Every session row, with a mark of its messages. The second list says which rows could not be read, and why.
    pub(super) fn sessions(&self) -> Result<(Vec<ForeignSession>, Vec<rows::Unread>), ImportError> {
        rows::sessions(self.db(), &self.session_columns, &self.message_columns).map_err(|e| self.sort(e))
    }

    /// The messages of a session in their order. The second list says which could not be read, and why.
    ///
    /// Errors: the words of SQLite, when the file is damaged there.
    pub(super) fn messages(&self, session: &str) -> Result<(Vec<ForeignMessage>, Vec<String>), String> {
        rows::messages(self.db(), &self.message_columns, session).map_err(|e| e.to_string())
    }
}
