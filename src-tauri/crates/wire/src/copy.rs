//! Sessions made from sessions, and files made from them.

use crate::{IpcError, MessageId, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `session_branch`: a new session with the messages up to and with this one. Absent: with all. Answers its row. The
/// title is the old one with a number.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionBranchRequest {
    pub id: SessionId,
    #[serde(default)]
    pub message_id: Option<MessageId>,
}

/// What an export writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum ExportFormat {
    /// For reading: what a reader sees.
    Markdown,
    /// One object: the session and all its messages.
    Json,
    /// A line a message, the session's line first.
    Jsonl,
}

impl ExportFormat {
    /// The file name's ending.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
        }
    }
}

/// `export_start`: asks where to (the host's own dialog; the page never names a path), then writes in the background.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// Absent: every active and archived session, a file each, into a folder.
    #[serde(default)]
    pub id: Option<SessionId>,
    pub format: ExportFormat,
}

/// How far it is: messages of one session, or sessions of all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportProgress {
    pub done: i64,
    pub total: i64,
}

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ExportReport {
    /// The file, or the folder.
    pub path: String,
    pub sessions: i64,
    pub messages: i64,
    pub bytes: u64,
    /// Sessions that could not be read, in words; at most 20 are named.
    pub skipped: Vec<String>,
}

/// `export_status`, and the payload of `export_changed`. A cancelled export leaves no half file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum ExportStatus {
    /// Nothing runs: not asked for, the dialog was closed, or cancelled.
    #[default]
    Idle,
    Running {
        progress: ExportProgress,
    },
    Done {
        report: ExportReport,
    },
    Failed {
        error: IpcError,
    },
}
