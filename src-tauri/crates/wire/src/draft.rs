//! Drafts: text not yet sent. One per session, or one per unsaved window.

use crate::SessionId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `draft_get`: the draft of a session, or (absent) of the calling window's unsaved session.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct DraftGetRequest {
    pub session_id: Option<SessionId>,
}

/// `draft_set`: `""` removes it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct DraftSetRequest {
    pub session_id: Option<SessionId>,
    pub text: String,
    /// The folder of an unsaved session.
    pub folder: Option<String>,
}

/// A draft; empty text when there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Draft {
    pub text: String,
    pub folder: Option<String>,
}
