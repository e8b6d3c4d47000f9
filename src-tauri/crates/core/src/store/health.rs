//! The health check: the real queries, and everything that is kept beside the rows compared with the rows.
//!
//! What is only derived (counts, the search index, the log's size) is put right at once. The rows themselves are never
//! touched: what is wrong with them is said.

use super::error::StoreError;
use super::writer::Durability;
use super::{Store, counts, file, heads, list, meta, open, search, search_index};
use rusqlite::Connection;
use std::time::Duration;
use talaria_wire::{
    ArchivedFilter, HealthItem, HealthReport, HealthState, SessionCounts, SessionListRequest,
    TrashListRequest,
};
use tokio_util::sync::CancellationToken;

/// The log is kept under this (sessions.md, "Store").
pub(super) const LOG_BYTES: u64 = 64 * 1024 * 1024;

/// Lines of a check that are told.
const TOLD: usize = 3;

impl Store {
    /// Checks everything, and puts right what is derived. A cancelled check says so and holds what it had found.
    ///
    /// Errors: none of what it checks; only that the store is closed.
    pub async fn health_check(&self, cancel: &CancellationToken) -> Result<HealthReport, StoreError> {
        let mut report = HealthReport { checked_at: self.now(), ..HealthReport::default() };
        for name in ["File", "Foreign keys", "Counts", "Lists", "Search", "Clock", "Log"] {
            if cancel.is_cancelled() {
                report.cancelled = true;
                break;
            }
            let checked = match name {
                "File" => self.check_file(cancel).await,
                "Foreign keys" => self.check_foreign_keys(cancel).await,
                "Counts" => self.check_counts(cancel).await,
                "Lists" => self.check_lists(cancel).await,
                "Search" => self.check_search(cancel).await,
                "Clock" => self.check_clock().await,
                _ => self.check_log().await,
            };
            let (state, words) = match checked {
                Err(StoreError::Cancelled) => {
                    report.cancelled = true;
                    break;
                }
                Err(error @ StoreError::Broken(_)) => return Err(error),
                Err(error) => (HealthState::Bad, talaria_wire::IpcError::from(error).message),
                Ok(said) => said,
            };
            report.items.push(HealthItem { name: name.to_owned(), state, words });
        }
        Ok(report)
    }

    /// A read that ends at once when the check is cancelled.
    async fn examine<T: Send + 'static>(
        &self,
        cancel: &CancellationToken,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (give, taken) = tokio::sync::oneshot::channel();
        let examined = self.read(move |db| {
            // Nobody waits for it when the check is over already.
            let _ = give.send(db.get_interrupt_handle());
            work(db)
        });
        let interrupt = async {
            let handle = taken.await;
            cancel.cancelled().await;
            if let Ok(handle) = handle {
                handle.interrupt();
            }
            std::future::pending::<()>().await;
        };
        let ended = tokio::select! {
            ended = examined => ended,
            () = interrupt => return Err(StoreError::Cancelled),
        };
        match ended {
            Err(_) if cancel.is_cancelled() => Err(StoreError::Cancelled),
            ended => ended,
        }
    }

    async fn check_file(&self, cancel: &CancellationToken) -> Checked {
        if let Some(trouble) = self.trouble().filter(|trouble| trouble.recoverable) {
            return Ok((HealthState::Bad, told(&trouble.title, &trouble.found)));
        }
        let check = |db: &Connection| open::found_by(db, "PRAGMA integrity_check(100)");
        let mut found = self.examine(cancel, check).await?;
        found.retain(|line| !open::is_of_search(line));
        Ok(match found.as_slice() {
            [] => (HealthState::Good, "Every page of the file reads and fits the others.".to_owned()),
            found => (HealthState::Bad, told("The file is damaged", found)),
        })
    }

    async fn check_foreign_keys(&self, cancel: &CancellationToken) -> Checked {
        let check = |db: &Connection| -> Result<i64, StoreError> {
            Ok(db.query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |row| row.get(0))?)
        };
        Ok(match self.examine(cancel, check).await? {
            0 => (HealthState::Good, "Every message has its session, every session its row.".to_owned()),
            n => (HealthState::Bad, format!("{n} rows belong to rows that are not there.")),
        })
    }

    async fn check_counts(&self, cancel: &CancellationToken) -> Checked {
        let wrong = self.examine(cancel, |db| Ok((!counts::hold(db)?, counts::wrong_lineages(db)?))).await?;
        match wrong {
            (false, 0) => Ok((HealthState::Good, "The kept counts equal a count of the rows.".to_owned())),
            (_, sessions) => {
                self.write(Durability::Normal, |db| {
                    counts::recount_lineages(db)?;
                    counts::recount(db)
                })
                .await?;
                let what = if sessions == 0 {
                    "The counts of the lists were wrong and were counted anew.".to_owned()
                } else {
                    format!("The counts of {sessions} sessions were wrong and were counted anew.")
                };
                Ok((HealthState::Repaired, what))
            }
        }
    }

    async fn check_lists(&self, cancel: &CancellationToken) -> Checked {
        let (now, stop) = (self.now(), cancel.clone());
        let (shown, kept) =
            self.examine(cancel, move |db| Ok((walked(db, now, &stop)?, counts::all(db)?))).await?;
        let rows = shown.active + shown.archived + shown.trash;
        let equal = (shown.active, shown.archived, shown.trash) == (kept.active, kept.archived, kept.trash);
        Ok(if equal {
            (HealthState::Good, format!("The lists show all {rows} sessions."))
        } else {
            let total = kept.active + kept.archived + kept.trash;
            (HealthState::Bad, format!("The lists show {rows} of {total} sessions."))
        })
    }

    async fn check_search(&self, cancel: &CancellationToken) -> Checked {
        let check = |db: &Connection| {
            Ok((search_index::is_broken(db)?, search_index::differences(db)?, heads::differences(db)?))
        };
        let (broken, messages, titles) = self.examine(cancel, check).await?;
        if titles > 0 {
            self.refresh_heads().await?;
        }
        if broken || messages > 0 {
            self.rebuild_search_index(broken).await?;
        }
        // The entries may be all there and hold other words.
        let finds = |db: &Connection| search::finds_the_newest(db);
        let misses = !self.examine(cancel, finds).await?;
        if misses {
            self.rebuild_search_index(true).await?;
            if !self.examine(cancel, finds).await? {
                let words = "A search for a word of the newest session does not find it.";
                return Ok((HealthState::Bad, words.to_owned()));
            }
        }
        let mut mended = Vec::new();
        if broken {
            mended.push("The search index did not hold together and was made anew.".to_owned());
        } else if messages > 0 {
            mended.push(format!("{messages} messages were missing or too many in the search; mended."));
        }
        if titles > 0 {
            mended.push(format!("Title or folder of {titles} sessions could not be found; mended."));
        }
        if misses {
            mended.push(
                "A search for a word of the newest session did not find it; the index was made anew."
                    .to_owned(),
            );
        }
        Ok(match mended.is_empty() {
            true => (HealthState::Good, "Every message can be found.".to_owned()),
            false => (HealthState::Repaired, mended.join(" ")),
        })
    }

    async fn check_clock(&self) -> Checked {
        let now = self.now();
        let last = self.read(meta::last_run).await?;
        Ok(match (last, self.clock_jump_days()) {
            (Some(last), _) if last > now => (
                HealthState::Bad,
                "The store was last used at a time that has not come yet. Check the clock.".to_owned(),
            ),
            (_, Some(days)) => {
                let words = format!(
                    "The clock had moved by {days} days at this start, so nothing was deleted by itself."
                );
                (HealthState::Good, words)
            }
            _ => (HealthState::Good, "The clock goes on from the last use.".to_owned()),
        })
    }

    async fn check_log(&self) -> Checked {
        let mode = |db: &Connection| -> Result<String, StoreError> {
            Ok(db.pragma_query_value(None, "journal_mode", |row| row.get(0))?)
        };
        if self.trouble().is_none() && self.read(mode).await? != "wal" {
            let words =
                "The file system refuses a write-ahead log; a slower journal is used, which is as safe.";
            return Ok((HealthState::Good, words.to_owned()));
        }
        let size = || std::fs::metadata(file::beside(self.path(), "-wal")).map_or(0, |log| log.len());
        let before = size();
        if before <= LOG_BYTES {
            return Ok((HealthState::Good, format!("The log has {} of at most 64 MB.", before / 1_000_000)));
        }
        self.writer()?.empty_log().await?;
        Ok(if size() <= LOG_BYTES {
            (HealthState::Repaired, format!("The log had {} MB and was emptied.", before / 1_000_000))
        } else {
            (HealthState::Bad, format!("The log has {} MB and another program holds it.", size() / 1_000_000))
        })
    }
}

type Checked = Result<(HealthState, String), StoreError>;

/// What is true, and the first lines of a check.
fn told(title: &str, found: &[String]) -> String {
    let lines = found.iter().take(TOLD).map(String::as_str).collect::<Vec<_>>().join("; ");
    let more = if found.len() > TOLD { format!(" and {} more", found.len() - TOLD) } else { String::new() };
    if lines.is_empty() { format!("{title}.") } else { format!("{title}: {lines}{more}.") }
}

/// How many rows each list shows when it is paged through to its end, by the queries that the window uses.
fn walked(
    db: &Connection,
    now: talaria_wire::Millis,
    cancel: &CancellationToken,
) -> Result<SessionCounts, StoreError> {
    let pages = |next: &dyn Fn(Option<String>) -> Result<talaria_wire::SessionListResponse, StoreError>| {
        let (mut rows, mut cursor) = (0, None);
        loop {
            if cancel.is_cancelled() {
                return Err(StoreError::Cancelled);
            }
            let page = next(cursor)?;
            rows += page.rows.len() as i64;
            cursor = page.next_cursor;
            if cursor.is_none() {
                return Ok(rows);
            }
        }
    };
    let list = |archived: ArchivedFilter, cursor: Option<String>| {
        let request = SessionListRequest { limit: 500, cursor, archived, ..SessionListRequest::default() };
        list::session_list(db, &request, now, Duration::ZERO)
    };
    Ok(SessionCounts {
        active: pages(&|cursor| list(ArchivedFilter::Exclude, cursor))?,
        archived: pages(&|cursor| list(ArchivedFilter::Only, cursor))?,
        trash: pages(&|cursor| list::trash_list(db, &TrashListRequest { limit: 500, cursor }, now))?,
        ..SessionCounts::default()
    })
}
