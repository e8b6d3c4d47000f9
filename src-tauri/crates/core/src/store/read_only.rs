//! The store opened for reading only: damaged, newer than this version, or in a place that cannot be written. Nothing is
//! written in the home then, and every write is refused in words.
//!
//! What is whole is read where it is. Of a damaged file a view is made elsewhere, with all that reads in it, so that the
//! ordinary lists, pages and searches work over it and none is empty because of one broken page.

use super::error::StoreError;
use super::file::{self, CopyFolder};
use super::lock::OwnerLock;
use super::open::{self, Limits};
use super::readers::Readers;
use super::recover::{self, Run};
use super::writer::Writer;
use super::{Shared, Store, folders, home, list, messages, migrate};
use crate::clock::Clock;
use rusqlite::{Connection, OpenFlags};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use talaria_wire::{ErrorCode, IpcError, StoreTrouble};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// A damaged file up to this size is brought into the view whole; of a larger one the sessions are, and messages are
/// read where they are, row by row around the damage.
const WHOLE_VIEW_BYTES: u64 = 64 * 1024 * 1024;

/// Lines of a check that are passed on.
const FOUND: usize = 20;

/// What is read, and where.
struct View {
    readers: Readers,
    copy: Option<CopyFolder>,
    /// Lines of a check.
    found: Vec<String>,
    /// Listed sessions, and of how many, where it is known that they are not all.
    readable: Option<(i64, i64)>,
}

impl Store {
    /// Opens what can be read of a home whose store did not open because of `why`. Without a lock when none can be
    /// taken. Blocks.
    ///
    /// Errors: `why`, or what stands in the way of reading.
    pub fn open_for_reading(
        home: &Path,
        lock: Option<OwnerLock>,
        clock: Arc<dyn Clock>,
        why: StoreError,
    ) -> Result<Self, StoreError> {
        let path = home.join(home::STORE_FILE);
        if !path.is_file() || file::size(&path) == 0 {
            return Err(why);
        }
        let (view, why) = match why {
            StoreError::Damaged { .. } => (damaged(&path, WHOLE_VIEW_BYTES), why),
            StoreError::Newer { .. }
            | StoreError::ReadOnly { .. }
            | StoreError::DiskFull { .. }
            | StoreError::NoLocks { .. } => match in_place(&path, clock.now()) {
                // Damage is worse than what was in the way first.
                Err(found @ StoreError::Damaged { .. }) => (damaged(&path, WHOLE_VIEW_BYTES), found),
                Err(found @ StoreError::Newer { .. }) => (Err(found), why),
                opened => (opened, why),
            },
            other => return Err(other),
        };
        let view = match view {
            Ok(view) => view,
            Err(error) => {
                tracing::warn!(%error, "the store cannot be read either");
                return Err(why);
            }
        };
        let trouble = trouble(&path, why, view.found, view.readable);
        Ok(Self(Arc::new(Shared {
            path,
            clock,
            scan_budget: Limits::default().scan,
            // Nothing is deleted or archived by itself here, whatever the clock says.
            clock_jump_days: None,
            search_is_broken: false,
            readers: view.readers,
            writer: None,
            trouble: Some(trouble),
            damage: watch::Sender::new(None),
            searching: tokio::sync::Mutex::new(()),
            _copy: view.copy,
            lock: Mutex::new(lock),
        })))
    }

    /// Why the store is open for reading only; `None`: it is open whole.
    pub fn trouble(&self) -> Option<&StoreTrouble> {
        self.0.trouble.as_ref()
    }

    /// The first damage that a read or a write meets, in the words of the error.
    pub fn damage(&self) -> watch::Receiver<Option<String>> {
        self.0.damage.subscribe()
    }

    /// The home's lock, where this store has it: for who goes on with the home when this is closed.
    pub fn owner_lock(&self) -> Option<OwnerLock> {
        self.0.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
    }

    pub(super) fn writer(&self) -> Result<&Writer, StoreError> {
        let code = self.trouble().map_or(ErrorCode::Damaged, |trouble| trouble.code);
        // What was found damaged is not written any more, from the moment on that it was met.
        let whole = self.0.damage.borrow().is_none();
        self.0.writer.as_ref().filter(|_| whole).ok_or(StoreError::ForReading { code })
    }

    pub(super) fn note(&self, error: &StoreError) {
        if let StoreError::Damaged { detail, .. } = error {
            self.0.damage.send_if_modified(|met| {
                let first = met.is_none();
                met.get_or_insert_with(|| detail.clone());
                first
            });
        }
    }
}

/// Whether a recovery may help somebody whose store did not open at all: something of it reads.
pub fn recoverable(home: &Path, why: ErrorCode) -> bool {
    why == ErrorCode::Damaged && recover::anything_reads(&home.join(home::STORE_FILE))
}

fn connect(path: &Path, query: &str) -> Result<Connection, StoreError> {
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(file::uri(path, query), flags)?;
    // A connection is lazy: only a read tells whether there can be one.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(db)
}

/// Where to read the file and how, without writing: as it is when it has no log, with its log where that can be shared,
/// else a copy of both.
fn place(path: &Path) -> Result<(PathBuf, &'static str, Option<CopyFolder>), StoreError> {
    if !file::has_log(path) {
        return Ok((path.to_owned(), "mode=ro&immutable=1", None));
    }
    match connect(path, "mode=ro") {
        Err(StoreError::Sql(error)) if cannot_share(&error) => {
            let copy = copied(path)?;
            Ok((copy.file(), "mode=ro", Some(copy)))
        }
        _ => Ok((path.to_owned(), "mode=ro", None)),
    }
}

fn cannot_share(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    let code = error.sqlite_error_code();
    file::needs_the_folder(error)
        || matches!(code, Some(Sqlite::SystemIoFailure | Sqlite::FileLockingProtocolFailed))
}

fn copied(path: &Path) -> Result<CopyFolder, StoreError> {
    let copy = CopyFolder::of(path).map_err(|e| StoreError::io(&std::env::temp_dir(), e))?;
    let copy = copy.ok_or_else(|| StoreError::Busy { path: path.to_owned() })?;
    // The copy is ours: a write that broke off is taken back there.
    Connection::open(copy.file())?.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(copy)
}

/// A file that is whole, read where it is. An older schema is brought up to date in a copy.
fn in_place(path: &Path, now: talaria_wire::Millis) -> Result<View, StoreError> {
    let view = || -> Result<View, StoreError> {
        let (mut at, mut query, mut copy) = place(path)?;
        let db = connect(&at, query)?;
        let mut found = open::found_by_quick_check(&db, path, open::CHECKED_BYTES)?.into_iter();
        if let Some(detail) = found.find(|line| !open::is_of_search(line)) {
            return Err(StoreError::Damaged { path: path.to_owned(), detail });
        }
        if matches!(migrate::version(&db, path), Ok(version) if version < migrate::SCHEMA) {
            drop(db);
            let newer = copied(path)?;
            migrate::migrate(&mut Connection::open(newer.file())?, &newer.file())?;
            (at, query, copy) = (newer.file(), "mode=ro", Some(newer));
        }
        probe(&connect(&at, query)?, now)?;
        let readers = Readers::open(path, || connect(&at, query))?;
        Ok(View { readers, copy, found: Vec::new(), readable: None })
    };
    view().map_err(|error| error.at(path))
}

/// Runs what the window asks first: a newer file may have other tables.
fn probe(db: &Connection, now: talaria_wire::Millis) -> Result<(), StoreError> {
    let listed = list::session_list(db, &Default::default(), now, std::time::Duration::ZERO)?;
    folders::workspace_list(db, &Default::default())?;
    if let Some(row) = listed.rows.into_iter().next() {
        let request = talaria_wire::MessagePageRequest {
            session_id: row.id,
            anchor: talaria_wire::PageAnchor::End,
            limit: 1,
        };
        messages::message_page(db, &request, now, false)?;
    }
    Ok(())
}

/// All that reads of a damaged file, in a folder of its own; of one over `whole_to` bytes the messages are left where
/// they are.
fn damaged(path: &Path, whole_to: u64) -> Result<View, StoreError> {
    let io = |e| StoreError::io(&std::env::temp_dir(), e);
    let copy = CopyFolder::new().map_err(io)?;
    let (cancel, mut nothing) = (CancellationToken::new(), |_| {});
    let mut run = Run { cancel: &cancel, progress: &mut nothing };
    let there =
        place(path).ok().and_then(|(at, query, copy)| Some((connect(&at, query).ok()?, at, query, copy)));
    let newer = there
        .as_ref()
        .is_some_and(|(db, ..)| matches!(migrate::version(db, path), Err(StoreError::Newer { .. })));
    if newer {
        return Err(StoreError::Broken("A damaged store of a newer version is not taken apart."));
    }
    // Its messages are left where they are only when SQLite can read anything there.
    let large = there.filter(|(_, _, _, copy)| copy.is_none() && file::size(path) > whole_to);
    let salvaged = recover::salvage(path, &copy.file(), large.is_none(), &mut run)?;
    let mut found = Vec::new();
    if let Ok((at, query, _copy)) = place(path) {
        match connect(&at, query).and_then(|db| open::found_by_quick_check(&db, path, open::CHECKED_BYTES)) {
            Ok(lines) => found.extend(lines),
            Err(error) => found.push(error.to_string()),
        }
    }
    let readers = Readers::open(path, || {
        let db = connect(&copy.file(), "mode=ro")?;
        if let Some((_, at, query, _)) = &large {
            db.execute("ATTACH ?1 AS damaged", [file::uri(at, query)])?;
        }
        Ok(db)
    })?;
    // What lost its row and came back by its sessions is no loss; a sub-agent's that did is listed beyond what was.
    let listed = salvaged.listed.map_or(salvaged.sessions, |listed| listed.max(salvaged.sessions));
    Ok(View { readers, copy: Some(copy), found, readable: Some((salvaged.sessions, listed)) })
}

/// What the user is told.
fn trouble(
    path: &Path,
    why: StoreError,
    mut found: Vec<String>,
    readable: Option<(i64, i64)>,
) -> StoreTrouble {
    if let (StoreError::Damaged { detail, .. }, true) = (&why, found.is_empty()) {
        found = detail.lines().map(str::to_owned).collect();
    }
    let error = IpcError::from(why);
    let (title, message) = match error.code {
        ErrorCode::Newer => ("This store was written by a newer Talaria", READ_NEWER),
        ErrorCode::ReadOnly => ("The data folder cannot be written", READ_UNWRITABLE),
        ErrorCode::DiskFull => ("The disk is full", READ_FULL),
        ErrorCode::NoLocks => ("The data folder cannot be locked", READ_UNLOCKED),
        _ => ("The session store is damaged", READ_DAMAGED),
    };
    found.truncate(FOUND);
    StoreTrouble {
        code: error.code,
        title: title.to_owned(),
        message: message.to_owned(),
        path: path.display().to_string(),
        bytes: file::size(path),
        found,
        readable: readable.map(|(readable, _)| readable),
        total: readable.map(|(_, total)| total),
        recoverable: error.code == ErrorCode::Damaged,
    }
}

const READ_DAMAGED: &str = "You can read and export what is listed. Nothing new is saved until the store is recovered: \
    that reads everything it can into a new file, and the damaged one is kept beside it.";
const READ_NEWER: &str = "You can read and export your sessions. Nothing new is saved until Talaria is updated; the \
    store stays as it is.";
const READ_UNWRITABLE: &str = "You can read and export your sessions. Nothing new is saved until writing is allowed \
    there. Allow it, then try again.";
const READ_FULL: &str = "You can read and export your sessions. Nothing new is saved until some space is free on the \
    disk. Free some, then try again.";
const READ_UNLOCKED: &str = "Two programs at once could damage the store there, so it is open for reading only. Nothing \
    new is saved until the data folder is on a local disk (TALARIA_HOME).";

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, SeekFrom, Write};
    use talaria_wire::{MessagePageRequest, PageAnchor};

    const ROWS: &str = "
        INSERT INTO lineages (place, archived, recency, created_at, last_active, message_count, row_count, open, tip,
          source) VALUES (0, 0, 1, 1, 1, 400, 400, 0, 's', 'talaria');
        INSERT INTO sessions (id, lineage, position, relation, source, started_at)
          VALUES ('s', 1, 0, 'root', 'talaria', 1);
        INSERT INTO messages (seq, lineage, session, place, role, id, created_at, text)
          WITH RECURSIVE n(x) AS (SELECT 0 UNION ALL SELECT x + 1 FROM n WHERE x < 399)
          SELECT x, 1, 1, x, 'user', 'm' || x, 1, hex(zeroblob(100)) FROM n;";

    #[tokio::test]
    async fn of_a_large_damaged_store_messages_are_read_where_they_are_around_the_damage() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join(home::STORE_FILE);
        let mut db = Connection::open(&path).expect("a file");
        migrate::migrate(&mut db, &path).expect("a schema");
        db.execute_batch(ROWS).expect("rows");
        let leaf =
            "SELECT pageno, ncell FROM dbstat WHERE name = 'messages' AND pagetype = 'leaf' LIMIT 1 OFFSET 5";
        let (page, on_it): (u32, u32) =
            db.query_row(leaf, [], |row| Ok((row.get(0)?, row.get(1)?))).expect("a page of messages");
        drop(db);
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).expect("the file");
        file.seek(SeekFrom::Start(u64::from(page - 1) * 4096)).expect("the page");
        file.write_all(&[0xa5; 4096]).expect("overwritten");
        drop(file);

        let view = damaged(&path, 0).expect("a view");
        assert_eq!(view.readable, Some((1, 1)));
        let read = |around: bool| {
            let request = MessagePageRequest {
                session_id: "s".into(),
                anchor: PageAnchor::From { index: 0 },
                limit: 500,
            };
            view.readers.run(move |db| messages::message_page(db, &request, 1, around))
        };
        let error = read(false).await.expect_err("the damage is met");
        assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
        assert_eq!(read(true).await.expect("what reads").messages.len(), 400 - on_it as usize);
    }
}
