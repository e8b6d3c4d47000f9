//! Live sessions: what a client that has a session open is told, and what it may ask. Names follow Hermes' protocol
//! where it has one (`session.create`, `prompt.submit`, ...).

use crate::{Approval, ApprovalId, LiveId, MessageId, Millis, ModelChoice, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a live session is doing. Approvals that wait are in [`LiveSession::approvals`]; the turn goes on meanwhile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum LiveState {
    #[default]
    Idle,
    /// A turn is under way.
    Running,
    /// Stop was asked for; the turn is ending.
    Stopping,
    /// The model writes the summary of a compression.
    Compressing,
}

/// How far a tool call is that has no stored result yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum CallState {
    /// The model is still writing it.
    Written,
    /// It waits for an approval.
    Waiting,
    Running,
}

/// A tool call under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct LiveCall {
    pub call_id: String,
    pub name: String,
    /// As the model wrote them; cut at 4 KiB while they are being written.
    pub arguments: String,
    pub state: CallState,
    pub started_at: Option<Millis>,
    /// The last 16 KiB of its output.
    pub output: String,
}

/// Why the last turn did not come to its end, in words; gone with the next prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct TurnProblem {
    pub title: String,
    pub message: String,
    /// Retry may help.
    pub retryable: bool,
    /// Settings > Model is where it is mended.
    pub settings: bool,
}

/// What a session has used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Usage {
    /// Of all requests.
    pub input_tokens: i64,
    pub output_tokens: i64,
    /// Requests to the model.
    pub calls: i64,
    /// Tokens of the last request and its answer.
    pub context_used: i64,
    /// The model's context, when known.
    pub context_max: Option<i64>,
    /// In the currency of the prices that the user set; absent without prices.
    pub cost: Option<f64>,
}

/// A live session, whole. `rev` grows with every [`LiveChange`]; a change with another number than the next one means:
/// ask `live_get`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct LiveSession {
    pub live_id: LiveId,
    /// The tip of its lineage; absent: a draft, nothing is stored.
    pub session_id: Option<SessionId>,
    pub rev: u64,
    pub state: LiveState,
    /// When the turn under way began.
    pub since: Option<Millis>,
    /// The user's prompt that waits for the end of the turn.
    pub queued: Option<String>,
    /// The answer that is being written: what is not stored yet.
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<LiveCall>,
    pub approvals: Vec<Approval>,
    pub problem: Option<TurnProblem>,
    pub usage: Usage,
    /// The session's own choice; absent: the one of the settings.
    pub model: Option<ModelChoice>,
    /// The turn waits before it asks the model again ("Retrying in 4 s").
    pub waiting: Option<String>,
}

/// One change of a live session, small enough for an event. Rows are read by `message_page`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "change")]
pub enum LiveChange {
    State {
        state: LiveState,
        since: Option<Millis>,
    },
    /// The answer grew.
    Text {
        append: String,
    },
    Reasoning {
        append: String,
    },
    /// The transcript grew or changed on disk: text and reasoning of the answer under way, and the calls that have their
    /// results now, are in it.
    Stored {
        session_id: SessionId,
        /// Readable rows of the lineage.
        total: i64,
        /// Calls that are no longer under way.
        ended: Vec<String>,
        /// The answer under way was stored: its text starts over.
        answer: bool,
    },
    Call {
        call: LiveCall,
    },
    Output {
        call_id: String,
        append: String,
    },
    Queued {
        text: Option<String>,
    },
    Asked {
        approval: Approval,
    },
    /// An approval was answered, ran out of time, or its turn ended.
    Answered {
        approval_id: ApprovalId,
    },
    Problem {
        problem: Option<TurnProblem>,
    },
    Usage {
        usage: Usage,
    },
    Model {
        model: Option<ModelChoice>,
    },
    Waiting {
        words: Option<String>,
    },
    /// Too much for an event: ask `live_get`.
    Refetch,
}

/// Names a live session of the calling client.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct LiveRef {
    pub live_id: LiveId,
}

/// `session_create`: a live draft. Nothing is stored.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct SessionCreateRequest {
    /// The working folder; absent: none.
    pub folder: Option<String>,
    pub model: Option<ModelChoice>,
}

/// `session_resume`: opens a stored session in the calling client (on its tip).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "place")]
#[allow(clippy::large_enum_variant, reason = "an answer is made once and sent at once")]
pub enum SessionResumeResponse {
    Here {
        live: LiveSession,
    },
    /// Another client has it; that one was brought to the front and told. `session_activate` takes it here.
    Elsewhere,
}

/// `session_close`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SessionCloseResponse {
    /// False: it was not open.
    pub closed: bool,
}

/// What becomes of a prompt while a turn is under way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum BusyMode {
    /// After the turn. A second one is added to the first with a blank line.
    #[default]
    Queue,
    /// Into the turn, with the next request to the model.
    Steer,
}

/// `prompt_submit`. Stored before it is answered.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct PromptSubmitRequest {
    pub live_id: LiveId,
    pub text: String,
    /// The user message that this one replaces, with everything after it (edit and resend). Only while idle.
    #[serde(default)]
    pub replace: Option<MessageId>,
    #[serde(default)]
    pub busy: BusyMode,
}

/// What became of the prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum PromptStatus {
    Streaming,
    Queued,
    Steered,
}

/// `prompt_submit` and `session_retry`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct PromptSubmitResponse {
    pub status: PromptStatus,
    /// The stored session: new, when the live one was a draft.
    pub session_id: SessionId,
}

/// `queue_set`: the queued prompt as it is to be; `""` removes it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct QueueSetRequest {
    pub live_id: LiveId,
    pub text: String,
}

/// `session_undo`: takes the last prompt and everything after it away.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SessionUndoResponse {
    /// Rows that went.
    pub removed: i64,
    /// The prompt's text, for the composer.
    pub text: String,
}

/// `session_compress`: the model sums the session up; it goes on in a child session. Ends by events.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionCompressRequest {
    pub live_id: LiveId,
    /// What the summary should keep above all.
    #[serde(default)]
    pub focus: Option<String>,
}

/// `session_model`: the session's own model; absent: the one of the settings.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionModelRequest {
    pub live_id: LiveId,
    #[serde(default)]
    pub model: Option<ModelChoice>,
}

/// `running_list`: what runs in all windows, before the app quits.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct RunningListResponse {
    /// Titles of the sessions with a turn under way.
    pub sessions: Vec<String>,
}
