//! The one error shape that crosses IPC.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A code exists only when the UI acts on it; nobody matches the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The request does not fit the command: unknown field value, nothing to update, an unknown command.
    BadRequest,
    /// No such session, message or draft.
    NotFound,
    /// A title typed by the user is held by another session; the message names the holder.
    TitleTaken,
    /// A title of over 100 characters. It is refused, never cut.
    TitleTooLong,
    /// The gateway is not open yet (or its start failed): try again after `boot_changed`.
    NotReady,
    /// Another process owns this home.
    InUse,
    /// The store or its folder cannot be written.
    ReadOnly,
    /// No space left on the disk.
    DiskFull,
    /// The store is damaged.
    Damaged,
    /// The store was written by a newer Talaria (or Hermes, when importing).
    Newer,
    /// The file system cannot lock files.
    NoLocks,
    /// Another process holds a lock for too long.
    Busy,
    /// The file does not exist or cannot be read.
    Missing,
    /// The file is not of a kind that Talaria plays or shows.
    Unsupported,
    /// A picture too large to be shown; it may be opened elsewhere, copied and revealed.
    TooLarge,
    /// The file may not be opened: private, not named in the session, or a dangerous path.
    Blocked,
    /// The file lives on another computer.
    Remote,
    /// The user cancelled.
    Cancelled,
    /// A fault of ours; the log has the chain.
    Internal,
}

/// An error as the UI sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct IpcError {
    /// What the UI decides on.
    pub code: ErrorCode,
    /// Words a person can act on: what happened, then what to do.
    pub message: String,
    /// Whether the same request may succeed later without a change.
    pub retryable: bool,
}

impl IpcError {
    /// An error that the same request will meet again.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: false }
    }

    /// An error that may pass by itself.
    pub fn retryable(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), retryable: true }
    }

    /// The request does not fit.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::BadRequest, message)
    }

    /// A fault of ours.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::Internal, message)
    }
}

impl std::fmt::Display for IpcError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for IpcError {}
