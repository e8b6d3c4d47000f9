//! Approvals: a question to the owner of a session before a tool does something.

use crate::{ApprovalId, Millis, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A question that waits for its answer. Only the owning client has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Approval {
    pub id: ApprovalId,
    pub call_id: String,
    pub tool: String,
    /// What it would do: the whole command, or the path with the content. Control and bidi characters are as they came;
    /// the card makes them visible.
    pub text: String,
    /// The working folder, when there is one.
    pub folder: Option<String>,
    /// "Always" may be offered: the command is a single one and the session has a folder.
    pub always: bool,
    pub asked_at: Millis,
}

/// The four answers. "Session" and "Always" remember exactly this tool, text and workspace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalChoice {
    Once,
    Session,
    Always,
    Deny,
}

/// `approval_respond`: once, by the owning client; else `not_found`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct ApprovalRespondRequest {
    pub approval_id: ApprovalId,
    pub choice: ApprovalChoice,
}

/// `change_undo`: puts the file back as it was before a `write_file` of this session, when nobody changed it since.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct ChangeUndoRequest {
    pub session_id: SessionId,
    pub call_id: String,
}
