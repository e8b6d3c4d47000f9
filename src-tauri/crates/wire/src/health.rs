//! The store's health, its recovery, and what a person can pass on about it.

use crate::{ErrorCode, IpcError, Millis};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The store is open, but only for reading: what is wrong, and what can be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct StoreTrouble {
    /// `damaged`, `newer`, `read_only`, `disk_full` or `no_locks`.
    pub code: ErrorCode,
    /// What is true: "The session store is damaged".
    pub title: String,
    /// Why, and what to do.
    pub message: String,
    /// The store's file, and its size in bytes.
    pub path: String,
    pub bytes: u64,
    /// What the check found, in its words; at most 20 lines.
    pub found: Vec<String>,
    /// Listed sessions that can be read, of how many. Absent where that is not known.
    pub readable: Option<i64>,
    pub total: Option<i64>,
    /// "Recover what reads" can help.
    pub recoverable: bool,
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum HealthState {
    Good,
    /// It was wrong, and was put right.
    Repaired,
    Bad,
}

/// One check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct HealthItem {
    /// What was checked: "File", "Counts", "Search".
    pub name: String,
    pub state: HealthState,
    /// What was found, in words.
    pub words: String,
}

/// `health_check`: runs the real queries, compares the search index and the kept counts with the rows, and puts right
/// what can be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct HealthReport {
    pub items: Vec<HealthItem>,
    pub checked_at: Millis,
    pub cancelled: bool,
}

/// `about_get`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct About {
    pub version: String,
    pub schema: i64,
    /// The data folder and the bytes of all that is in it.
    pub home: String,
    pub home_bytes: u64,
    pub store_bytes: u64,
    /// Names and values of the host: system, web view, graphics.
    pub facts: Vec<(String, String)>,
}

/// `diagnostics_get`: text without tokens, keys, home paths and titles.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Diagnostics {
    pub text: String,
}

/// How far a recovery is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RecoveryProgress {
    /// The table at hand, in words: "messages".
    pub table: String,
    /// Rows read of it, of about how many.
    pub done: i64,
    pub total: i64,
}

/// One table of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RecoveredTable {
    pub table: String,
    pub rows: i64,
    /// Rows that did not read, as far as that can be told.
    pub lost: i64,
}

/// The end of a recovery.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RecoveryReport {
    pub tables: Vec<RecoveredTable>,
    /// Listed sessions and readable messages of the new store.
    pub sessions: i64,
    pub messages: i64,
    /// Sessions of it that lack messages.
    pub incomplete: i64,
    /// Where the damaged file is kept.
    pub kept: String,
    pub elapsed_ms: i64,
}

/// `recovery_status`, and the payload of `recovery_changed`. A cancelled one leaves everything as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum RecoveryStatus {
    #[default]
    Idle,
    Running {
        progress: RecoveryProgress,
    },
    Done {
        report: RecoveryReport,
    },
    Failed {
        error: IpcError,
    },
}
