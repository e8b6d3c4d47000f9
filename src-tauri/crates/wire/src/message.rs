//! Messages as the transcript shows them.

use crate::{MediaTag, MessageId, Millis, SessionId, SessionRow};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a transcript row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum MessageRole {
    User,
    Assistant,
    /// The result of one tool call.
    Tool,
    /// Background work of this session ended or said something.
    Notice,
    /// The summary that a compression left: drawn as a divider, not counted.
    Summary,
    /// A system text stored with the session.
    System,
}

/// A call the assistant asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    /// The arguments as the model wrote them: JSON text, not always valid.
    pub arguments: String,
}

/// What a tool row adds to its text (the text is the output).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ToolResult {
    pub call_id: Option<String>,
    pub name: String,
    /// The arguments of the call it answers, when that call is in the same lineage.
    pub arguments: Option<String>,
    pub state: ToolState,
    pub duration_ms: Option<i64>,
    /// What a `write_file` of this store changed.
    pub change: Option<FileChange>,
}

/// A file that the agent changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct FileChange {
    pub path: String,
    /// Unified; cut at 64 KiB.
    pub diff: String,
    /// The user took it back.
    pub undone: bool,
}

/// How a tool call ended, as far as its result says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    Done,
    Failed,
    Denied,
}

/// What kind of news a notice brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    Completion,
    WatchMatch,
    WatchDisabled,
    Delegation,
    Notice,
}

/// A notice, taken apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct Notice {
    pub kind: NoticeKind,
    /// The process or delegation it tells of.
    pub source_id: Option<String>,
    /// `exit 0`, `exit 101`, `killed`, `done`, `error`, `READY matched`: the words of the state chip.
    pub state: String,
    /// Whether the chip is drawn as a failure.
    pub failed: bool,
    /// The command line, or the goal of the sub-agent.
    pub command: Option<String>,
    /// The last lines of the output, or the sub-agent's summary.
    pub output: String,
    /// The session of the sub-agent, when it is in this store.
    pub child_session_id: Option<SessionId>,
}

/// One row of the transcript.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MessageRow {
    pub id: MessageId,
    /// Place in the lineage among the rows a reader sees, from 0, without holes.
    pub index: i64,
    pub role: MessageRole,
    pub text: String,
    pub created_at: Millis,
    /// Assistant rows: the calls it made.
    pub tool_calls: Vec<ToolCall>,
    /// Tool rows.
    pub tool: Option<ToolResult>,
    /// Notice rows.
    pub notice: Option<Notice>,
    /// User and assistant rows: the `MEDIA:` tags in `text`, in order.
    pub media: Vec<MediaTag>,
    /// The model's own thinking, when it was stored.
    pub reasoning: Option<String>,
    /// `stop`, `length`, `interrupted`, ... as the model or the app recorded it.
    pub finish_reason: Option<String>,
}

/// Where a page of messages lies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "at")]
pub enum PageAnchor {
    /// The newest rows.
    End,
    /// The rows just before this index.
    Before { index: i64 },
    /// This index and the rows after it.
    From { index: i64 },
    /// Rows around this message, for a search hit.
    Message { id: MessageId },
}

/// `message_page`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct MessagePageRequest {
    pub session_id: SessionId,
    pub anchor: PageAnchor,
    /// 1 to 500; 0 means 100.
    #[serde(default)]
    pub limit: u32,
}

/// A page, oldest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MessagePageResponse {
    /// The session's list row (its id is the tip, also when an ancestor was asked for).
    pub session: SessionRow,
    pub messages: Vec<MessageRow>,
    /// How many rows the whole transcript has, dividers included: the virtual list's length.
    pub total: i64,
}
