//! Opening the store: the file made private, brought up to date and checked, its log, its connections.

use super::error::StoreError;
use super::lock::OwnerLock;
use super::readers::Readers;
use super::writer::Writer;
use super::{Shared, Store, file, home, live, meta, migrate, recover, trash};
use crate::clock::Clock;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;
use talaria_wire::Millis;
use tokio::sync::watch;

/// How far a store may go.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How long reading for words of one or two letters may take.
    pub scan: Duration,
    /// How many pages of 4 KiB the file may have. At its bound the store answers as on a full disk.
    pub pages: Option<u32>,
    /// A file of up to so many bytes is checked whole when it is opened.
    pub checked: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { scan: Duration::from_millis(150), pages: None, checked: CHECKED_BYTES }
    }
}

/// Checked in some ten milliseconds.
pub(super) const CHECKED_BYTES: u64 = 32 * 1024 * 1024;

/// A jump of the clock that any opening in the life of this process has found: it holds until the process ends, since an
/// opening anew is no next run. Clones are one and the same.
#[derive(Clone, Debug, Default)]
pub struct KnownJump(Arc<OnceLock<i64>>);

impl KnownJump {
    /// By how many days the clock had moved.
    pub fn days(&self) -> Option<i64> {
        self.0.get().copied()
    }
}

/// What the writer may keep in memory, in KiB.
const WRITER_CACHE_KIB: i64 = 64 * 1024;

impl Store {
    /// Opens the store of a home, making the file (mode 0600) and bringing it up to date. Empties what the trash has
    /// kept for 30 days. Blocks.
    ///
    /// Errors: `ReadOnly`, `DiskFull`, `Damaged`, `Newer`, `Busy`, `Io`; the file is as it was then.
    pub fn open(home: &Path, lock: OwnerLock, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        Self::open_with(home, lock, clock, Limits::default())
    }

    /// [`Store::open`] with other limits.
    pub fn open_with(
        home: &Path,
        lock: OwnerLock,
        clock: Arc<dyn Clock>,
        limits: Limits,
    ) -> Result<Self, StoreError> {
        Self::open_again(home, lock, clock, limits, &KnownJump::default())
    }

    /// [`Store::open_with`] by a process that may have had it open before: `jump` is what it knows of the clock.
    pub fn open_again(
        home: &Path,
        lock: OwnerLock,
        clock: Arc<dyn Clock>,
        limits: Limits,
        jump: &KnownJump,
    ) -> Result<Self, StoreError> {
        let path = home.join(home::STORE_FILE);
        // First of all: a store that a recovery was about to change stands under other names.
        recover::settle(&path)?;
        make_private(&path)?;
        let now = clock.now();
        let opened = || -> Result<(Opened, Readers), StoreError> {
            let opened = open_writer(&path, now, limits.checked, jump)?;
            if let Some(pages) = limits.pages {
                opened.db.pragma_update(None, "max_page_count", pages)?;
            }
            let readers = Readers::open(&path, || {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                Ok(Connection::open_with_flags(&path, flags)?)
            })?;
            Ok((opened, readers))
        };
        let (opened, readers) = opened().map_err(|e| e.at(&path))?;
        let writer = Writer::start(opened.db, &path)?;
        Ok(Self(Arc::new(Shared {
            path,
            clock,
            scan_budget: limits.scan,
            clock_jump_days: opened.clock_jump_days,
            search_is_broken: opened.search_is_broken,
            readers,
            writer: Some(writer),
            trouble: None,
            damage: watch::Sender::new(None),
            searching: tokio::sync::Mutex::new(()),
            _copy: None,
            lock: Mutex::new(Some(lock)),
        })))
    }
}

/// The writing connection, and what only the moment of opening knows.
struct Opened {
    db: Connection,
    clock_jump_days: Option<i64>,
    search_is_broken: bool,
}

/// Settings that every connection has.
pub(super) fn configure(db: &Connection) -> Result<(), StoreError> {
    db.busy_timeout(Duration::from_secs(5))?;
    db.set_prepared_statement_cache_capacity(64);
    // Cells are checked as they are read: damage becomes an error, not an empty answer.
    db.execute_batch("PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;")?;
    Ok(())
}

fn open_writer(path: &Path, now: Millis, whole_to: u64, jump: &KnownJump) -> Result<Opened, StoreError> {
    // Before anything that writes into the file or beside it. Without a log it can be looked at as it lies.
    let looked =
        if file::has_log(path) { None } else { Some(checked(&file::as_it_lies(path)?, path, whole_to)?) };
    let (mut db, search_is_broken) = match with_log(path, looked, whole_to) {
        Err(StoreError::Sql(error)) if refuses_log(&error) => {
            tracing::warn!(%error, "no write-ahead log on this file system: a rollback journal is used");
            without_log(path, looked, whole_to)?
        }
        opened => opened?,
    };
    db.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)?;
    // An import's transaction touches many pages of the search index: without room it writes them over and over.
    db.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    migrate::migrate(&mut db, path)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    // Immediate, as all that writes: a read that turns into a write gets no wait when another connection writes.
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let elapsed = match (meta::note_run(&tx, now)?, jump.days()) {
        // Known before it is committed: whatever fails from here on, the next opening finds the new time noted.
        (meta::Elapsed::Jump(days), _) => meta::Elapsed::Jump(*jump.0.get_or_init(|| days)),
        (_, Some(days)) => meta::Elapsed::Jump(days),
        (elapsed, None) => elapsed,
    };
    trash::expire(&tx, elapsed, now)?;
    live::turns::settle(&tx, now)?;
    tx.commit()?;
    let clock_jump_days = match elapsed {
        meta::Elapsed::Jump(days) => Some(days),
        meta::Elapsed::Unknown | meta::Elapsed::Usual => None,
    };
    Ok(Opened { db, clock_jump_days, search_is_broken })
}

/// Refuses a file that must not be written. Answers whether its search index is to be made anew.
fn checked(db: &Connection, path: &Path, whole_to: u64) -> Result<bool, StoreError> {
    migrate::check(db, path)?;
    let found = found_by_quick_check(db, path, whole_to)?;
    let (of_search, of_file): (Vec<_>, Vec<_>) = found.into_iter().partition(|line| is_of_search(line));
    match of_file.into_iter().next() {
        Some(detail) => Err(StoreError::Damaged { path: path.to_owned(), detail }),
        None => Ok(!of_search.is_empty()),
    }
}

/// A connection that may write, before anything was written. `looked`: the file was checked already.
fn connected(
    path: &Path,
    first: &str,
    looked: Option<bool>,
    whole_to: u64,
) -> Result<(Connection, bool), StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(path, flags)?;
    configure(&db)?;
    db.execute_batch(first)?;
    // A file that is refused keeps its log as it is, for whoever can read it.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    let search_is_broken = looked.map_or_else(|| checked(&db, path, whole_to), Ok)?;
    if db.is_readonly("main")? {
        return Err(StoreError::ReadOnly { path: path.to_owned() });
    }
    Ok((db, search_is_broken))
}

/// With a write-ahead log, so that reading and writing do not wait for one another.
fn with_log(path: &Path, looked: Option<bool>, whole_to: u64) -> Result<(Connection, bool), StoreError> {
    let (db, search_is_broken) = connected(path, "", looked, whole_to)?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    // Only a read tells whether the log can be shared.
    db.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok((db, search_is_broken))
}

/// With a rollback journal, which is slower and as safe, where memory cannot be shared (some network file systems).
fn without_log(path: &Path, looked: Option<bool>, whole_to: u64) -> Result<(Connection, bool), StoreError> {
    // Alone with the file, SQLite shares nothing while it brings in what a log still holds.
    let (db, search_is_broken) = connected(path, "PRAGMA locking_mode = EXCLUSIVE", looked, whole_to)?;
    db.execute_batch(
        "PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema;",
    )?;
    Ok((db, search_is_broken))
}

fn refuses_log(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as Sqlite;
    matches!(
        error.sqlite_error_code(),
        Some(Sqlite::SystemIoFailure | Sqlite::CannotOpen | Sqlite::FileLockingProtocolFailed)
    )
}

/// What a check of the whole file finds; nothing for a file of over `whole_to` bytes.
pub(super) fn found_by_quick_check(
    db: &Connection,
    path: &Path,
    whole_to: u64,
) -> Result<Vec<String>, StoreError> {
    if !std::fs::metadata(path).is_ok_and(|file| file.len() <= whole_to) {
        return Ok(Vec::new());
    }
    found_by(db, "PRAGMA quick_check(20)")
}

/// What a check finds, a line each; nothing when all is well.
pub(super) fn found_by(db: &Connection, check: &str) -> Result<Vec<String>, StoreError> {
    let said = || -> Result<Vec<String>, rusqlite::Error> {
        let mut statement = db.prepare(check)?;
        statement.query_map([], |row| row.get(0))?.collect()
    };
    let said = match said() {
        // The search index can be so broken that the check of everything ends there; the tables are checked one by one.
        Err(error) if is_of_index(&error) && !check.contains(SEARCH) => {
            let mut found = vec![format!("FTS5 table: {error}")];
            for table in tables(db)? {
                found.extend(found_by(db, &format!("PRAGMA quick_check({table})"))?);
            }
            return Ok(found);
        }
        Err(error) if is_of_index(&error) => vec![format!("FTS5 table: {error}")],
        said => said?,
    };
    let lines = said.iter().flat_map(|text| text.lines()).map(str::trim);
    Ok(lines
        .filter(|line| !line.is_empty() && *line != "ok" && !line.starts_with("***"))
        .map(str::to_owned)
        .collect())
}

/// The search index's table.
const SEARCH: &str = "message_search";

/// Whether the error is the search index's own: its pages read, and what is on them does not fit together.
pub(super) fn is_of_index(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| error.extended_code == rusqlite::ffi::SQLITE_CORRUPT_VTAB)
}

fn tables(db: &Connection) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')";
    let mut statement = db.prepare(sql)?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<Result<_, _>>()?)
}

/// Whether a check's line is about the search index alone, which is made anew from the rows.
pub(super) fn is_of_search(line: &str) -> bool {
    line.contains("FTS5 table") || line.starts_with("fts5: ")
}

/// Makes the file before SQLite does, so that it is the user's alone from its first byte on; the files SQLite puts
/// beside it take over its mode.
pub(super) fn make_private(path: &Path) -> Result<(), StoreError> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|e| StoreError::io(path, e))?;
    tighten(&file).map_err(|e| StoreError::io(path, e))
}

/// A file that was copied here may be readable by others.
#[cfg(unix)]
fn tighten(file: &std::fs::File) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    if file.metadata()?.permissions().mode() & 0o077 == 0 {
        return Ok(());
    }
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

// A user's own folder there is closed to others already.
#[cfg(not(unix))]
fn tighten(_: &std::fs::File) -> std::io::Result<()> {
    Ok(())
}
