//! Copies of media, to where the user wants them.

use crate::{IpcError, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `media_save`: asks where to (the host's own dialog; the page never names a path), then copies in the background.
/// Several may run at once. Errors: those of `media_open`, before the user is asked.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct MediaSaveRequest {
    pub session_id: SessionId,
    /// As the message's `MEDIA:` tag spells it, unquoted.
    pub path: String,
}

/// Which copy is on its way; none: the user closed the dialog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MediaSaveResponse {
    pub id: Option<String>,
}

/// `save_cancel`: stops a copy that this window asked for; nothing of it is left. One that has ended is left alone.
/// `save_reveal`: shows a finished one in the system's file manager. Errors of that: `missing`, `not_found`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct SaveRef {
    pub id: String,
}

/// How a copy goes on, or how it ended. The payload of `save_changed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum SaveStatus {
    /// Bytes.
    Running { done: u64, total: u64 },
    /// The new file is whole and in its place.
    Done { path: String },
    /// Nothing is left of it.
    Cancelled,
    /// Nothing is left of it, and what was there before still is.
    Failed { error: IpcError },
}
