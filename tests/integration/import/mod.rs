//! Importing real Hermes files: the sample that a real backend made, and small ones made by hand.

mod again;
mod hand_made;
mod reading;
mod sample;

use app_tests::home::TempHome;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use talaria_core::import::{self, ImportError};
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

/// A copy of the sample in a folder of its own.
pub(crate) struct Hermes {
    folder: tempfile::TempDir,
}

impl Hermes {
    fn sample() -> Self {
        let folder = tempfile::tempdir().expect("a temp folder");
        let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/hermes-sample/state.db");
        std::fs::copy(sample, folder.path().join("state.db")).expect("a copy of the sample");
        Self { folder }
    }

    /// The sample's tables without a row.
    pub(crate) fn empty() -> Self {
        let hermes = Self::sample();
        hermes
            .db()
            .execute_batch(
                "PRAGMA foreign_keys = OFF; DELETE FROM messages; DELETE FROM sessions; DELETE FROM async_delegations;",
            )
            .expect("no rows");
        hermes
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("state.db")
    }

    /// A connection that writes as Hermes does.
    pub(crate) fn db(&self) -> Connection {
        let db = Connection::open(self.path()).expect("the Hermes file");
        // Many small writes by hand; none of them has to survive a power cut.
        db.execute_batch("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF").expect("pragmas");
        db
    }

    /// A session row that started at second `at` of 2026-11-30, 20:00 UTC or so.
    pub(crate) fn session(&self, id: &str, at: i64, parent: Option<&str>, end_reason: Option<&str>) {
        self.db()
            .execute(
                "INSERT INTO sessions (id, source, started_at, ended_at, parent_session_id, end_reason, title) \
                 VALUES (?1, 'cli', ?2, ?3, ?4, ?5, ?6)",
                (id, START + at, end_reason.map(|_| START + at + 1), parent, end_reason, format!("Title {id}")),
            )
            .expect("a session row");
    }

    pub(crate) fn message(&self, session: &str, role: &str, text: &str, at: i64) {
        self.db()
            .execute(
                "INSERT INTO messages (session_id, role, content, timestamp) VALUES (?1, ?2, ?3, ?4)",
                (session, role, text, START + at),
            )
            .expect("a message row");
    }
}

/// Seconds since 1970.
const START: i64 = 1_796_070_000;

pub(crate) async fn imported(home: &TempHome, path: &Path) -> ImportReport {
    import::run(&home.store, path, CancellationToken::new(), |_| {}).await.expect("an import")
}

async fn refused(path: &Path) -> ImportError {
    let home = TempHome::new();
    import::run(&home.store, path, CancellationToken::new(), |_| {}).await.map(drop).expect_err("refused")
}

async fn rows(home: &TempHome, archived: ArchivedFilter, min_messages: i64) -> SessionListResponse {
    let request = SessionListRequest { limit: 500, archived, min_messages, ..SessionListRequest::default() };
    home.store.session_list(request).await.expect("a list")
}

pub(crate) async fn row(home: &TempHome, title: &str) -> SessionRow {
    let all = rows(home, ArchivedFilter::Include, 0).await.rows;
    all.into_iter()
        .find(|row| row.title.as_deref() == Some(title))
        .unwrap_or_else(|| panic!("no row {title}"))
}

async fn transcript(home: &TempHome, id: &SessionId) -> MessagePageResponse {
    let anchor = PageAnchor::From { index: 0 };
    let request = MessagePageRequest { session_id: id.clone(), anchor, limit: 500 };
    home.store.message_page(request).await.expect("a transcript")
}

fn texts(page: &MessagePageResponse) -> Vec<&str> {
    page.messages.iter().map(|message| message.text.as_str()).collect()
}
