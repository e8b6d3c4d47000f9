//! Recovers what reads of a damaged store: page by page, past SQLite, into a new file of this version's schema.
//!
//! The damaged file is only read. The new one takes its name at the very end, when it was checked and is on disk; until
//! then, and when anything goes wrong or is cancelled, everything is as it was. The damaged file stays beside it under a
//! name of its own. Callers: `store` (a view for reading), `boot` (the recovery that the user asked for).

mod fill;
mod image;
mod mend;
mod record;
mod shape;
mod swap;
mod tree;

use super::error::StoreError;
use super::{counts, home, migrate, open};
use image::Image;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::time::Instant;
use talaria_wire::{Millis, RecoveredTable, RecoveryProgress, RecoveryReport};
use tokio_util::sync::CancellationToken;

/// How a recovery is watched and stopped.
pub struct Run<'a> {
    pub cancel: &'a CancellationToken,
    pub progress: &'a mut dyn FnMut(RecoveryProgress),
}

/// What reads, in a new file that nobody knows of yet.
pub(super) struct Salvaged {
    pub tables: Vec<RecoveredTable>,
    /// Listed sessions, and messages that a reader sees.
    pub sessions: i64,
    pub messages: i64,
    /// Sessions that lack messages.
    pub incomplete: i64,
    /// How many sessions were listed, where an index still tells it.
    pub listed: Option<i64>,
}

/// Reads the store at `from` into a new file at `to`. `messages`: those too, with the search index.
///
/// Errors: `Cancelled`, `Damaged` (nothing of it reads), `DiskFull`, `ReadOnly`, `Io`.
pub(super) fn salvage(
    from: &Path,
    to: &Path,
    messages: bool,
    run: &mut Run<'_>,
) -> Result<Salvaged, StoreError> {
    let mut image = Image::open(from).map_err(|e| StoreError::io(from, e))?;
    open::make_private(to)?;
    let mut salvaged = || -> Result<Salvaged, StoreError> {
        let mut db = Connection::open(to)?;
        // Nobody else knows the file, and it is thrown away when this breaks off; so it needs no journal.
        db.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536;")?;
        migrate::migrate(&mut db, to)?;
        db.execute_batch("PRAGMA foreign_keys = OFF")?;
        let mut tables = fill::fill(&mut image, &db, |table| messages || table != "messages", run)?;
        let missing = if messages { fill::missing(&db)? } else { fill::Missing::default() };
        if let Some(table) = tables.iter_mut().find(|table| table.table == "messages") {
            table.lost = table.lost.max(missing.messages);
        }
        let listed = fill::listed(&mut image);
        if tables.iter().all(|table| table.rows == 0) {
            let detail = "nothing in it can be read".to_owned();
            return Err(StoreError::Damaged { path: from.to_owned(), detail });
        }
        mend::mend(&db, messages)?;
        let counted = counts::all(&db)?;
        let shown =
            db.query_row("SELECT count(*) FROM messages WHERE place IS NOT NULL", [], |row| row.get(0))?;
        let broken: i64 =
            db.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?;
        let check: String = db.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        if broken != 0 || check != "ok" {
            return Err(StoreError::Broken(
                "What was recovered does not hold together. Nothing was changed.",
            ));
        }
        if !messages {
            // Read where they are: the names are looked up there when they are not here.
            db.execute_batch("DROP VIEW message_words; DROP TABLE message_search; DROP TABLE messages;")?;
        }
        db.close().map_err(|(_, error)| error)?;
        let sessions = counted.active + counted.archived + counted.trash;
        Ok(Salvaged { tables, sessions, messages: shown, incomplete: missing.sessions, listed })
    };
    salvaged().map_err(|error| error.at(to))
}

/// Whether there is a row of anything in the file's first pages.
pub(super) fn anything_reads(path: &Path) -> bool {
    const LOOKED_AT: u32 = 10_000;
    let Ok(mut image) = Image::open(path) else { return false };
    (2..=image.pages().min(LOOKED_AT)).any(|number| {
        image.page(number).is_some_and(|page| tree::is_table_leaf(&page, number))
            && !tree::rows(&mut image, number).0.is_empty()
    })
}

/// A new file with all that reads of a store, beside it and not in its place yet. Gone when it is dropped.
pub struct Recovered {
    path: PathBuf,
    part: PathBuf,
    salvaged: Salvaged,
    started: Instant,
}

impl Recovered {
    /// Reads the store of a home into a new file beside it. The caller holds the owner lock, and nobody writes. Blocks.
    ///
    /// Errors: `Cancelled`, `Damaged` (nothing of it reads), `DiskFull`, `ReadOnly`, `Io`. Everything is as it was then.
    pub fn make(home: &Path, run: &mut Run<'_>) -> Result<Self, StoreError> {
        let started = Instant::now();
        let path = home.join(home::STORE_FILE);
        let part = swap::part(&path);
        swap::clear(&part)?;
        match salvage(&path, &part, true, run) {
            Ok(salvaged) => Ok(Self { path, part, salvaged, started }),
            Err(error) => {
                discard(&part);
                Err(error)
            }
        }
    }

    /// Puts the new file in the store's place and keeps the damaged one beside it. Nobody may have the store open.
    ///
    /// Errors: `DiskFull`, `ReadOnly`, `Io`. Everything is as it was then.
    pub fn put_in_place(self, now: Millis) -> Result<RecoveryReport, StoreError> {
        let kept = swap::swap(&self.path, &self.part, now)?;
        Ok(RecoveryReport {
            tables: self.salvaged.tables.clone(),
            sessions: self.salvaged.sessions,
            messages: self.salvaged.messages,
            incomplete: self.salvaged.incomplete,
            kept: kept.display().to_string(),
            elapsed_ms: self.started.elapsed().as_millis() as i64,
        })
    }
}

impl Drop for Recovered {
    fn drop(&mut self) {
        discard(&self.part);
    }
}

/// Puts right what a recovery of this store has left behind when its process ended.
pub(super) fn settle(path: &Path) -> Result<(), StoreError> {
    discard(&swap::part(path));
    swap::settle(path)
}

fn discard(part: &Path) {
    if let Err(error) = swap::clear(part) {
        tracing::warn!(%error, "a recovery that broke off left its file behind");
    }
}
