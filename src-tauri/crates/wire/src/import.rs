//! Bringing in a Hermes store.

use crate::SessionCounts;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `import_probe` and `import_start`: which file. Absent: `$HERMES_HOME/state.db`, else `~/.hermes/state.db`.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    pub path: Option<String>,
}

/// What a store holds, before anything is read in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportProbe {
    pub path: String,
    pub schema: i64,
    /// Session rows and message rows of the file.
    pub sessions: i64,
    pub messages: i64,
    pub archived: i64,
    /// Size of the file and its -wal.
    pub bytes: u64,
}

/// Where a running import stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportProgress {
    pub done: i64,
    pub total: i64,
    /// The title of the session at hand.
    pub current: Option<String>,
}

/// A session that was not brought in, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportSkip {
    pub origin_id: String,
    pub title: Option<String>,
    /// One of:
    /// - `deleted here`: deleted for good in Talaria, so it never comes back.
    /// - `continued here`: Talaria has messages of its own behind it, so news of the other store would not fit.
    /// - `differs from what is here`: the file no longer holds messages that are here, or groups its sessions
    ///   otherwise. An import only adds, so what is here stays as it is.
    /// - `damaged row: ...`: the file does not give it, and why.
    pub reason: String,
}

/// The end of an import. Session figures count rows of the Hermes file unless they say lineages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ImportReport {
    pub path: String,
    /// Rows in the file.
    pub source_sessions: i64,
    pub source_messages: i64,
    /// Rows brought in by this run.
    pub sessions: i64,
    pub messages: i64,
    /// New listed rows: what the sidebar and the archive gained.
    pub listed: i64,
    /// Compression lineages of more than one stored session, or compressed in place.
    pub lineages: i64,
    pub branches: i64,
    /// Delegate children: kept, not listed.
    pub delegate_children: i64,
    pub notices: i64,
    pub tool_calls: i64,
    pub archived: i64,
    /// Listed rows without a readable message.
    pub empty: i64,
    /// Rows kept for the model but not shown (copies made by compression, undone messages).
    pub unshown_messages: i64,
    /// Sessions of the file that were here already, and were left alone.
    pub unchanged: i64,
    pub skipped: Vec<ImportSkip>,
    pub before: SessionCounts,
    pub after: SessionCounts,
    pub cancelled: bool,
    pub elapsed_ms: i64,
}

/// `import_status`, and the payload of `import_changed`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "state")]
#[expect(
    clippy::large_enum_variant,
    reason = "one value at a time, on its way to a page; a Box would save nothing"
)]
pub enum ImportStatus {
    #[default]
    Idle,
    Running {
        progress: ImportProgress,
    },
    Done {
        report: ImportReport,
    },
    Failed {
        error: crate::IpcError,
    },
}
