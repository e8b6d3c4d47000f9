//! Lineages on their way into the store, as an import builds them.

use talaria_wire::{MessageId, MessageRole, Millis, Notice, SessionId, ToolCall};

/// The end of the year 9999: a later time is a broken clock.
pub const LATEST: Millis = 253_402_300_799_999;

/// A lineage as it is to be stored.
#[derive(Clone, Debug)]
pub struct NewLineage {
    /// Cut when too long, numbered when it is taken.
    pub title: Option<String>,
    pub kind: LineageKind,
    pub created_at: Millis,
    pub last_active: Millis,
    /// Oldest first; never empty.
    pub sessions: Vec<NewSession>,
    /// In reading order.
    pub messages: Vec<NewMessage>,
}

/// Where a lineage starts out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineageKind {
    Active,
    Archived,
    /// Not listed. Goes with its owner, named by any session of it that is here already.
    Delegate {
        owner: SessionId,
    },
}

/// How a session came from its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    Root,
    Continuation,
    Branch,
    Delegate,
}

impl Relation {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Continuation => "continuation",
            Self::Branch => "branch",
            Self::Delegate => "delegate",
        }
    }
}

/// One session of a lineage.
#[derive(Clone, Debug)]
pub struct NewSession {
    pub id: SessionId,
    pub relation: Relation,
    pub parent: Option<SessionId>,
    pub source: String,
    pub model: Option<String>,
    pub folder: Option<String>,
    pub git_branch: Option<String>,
    pub started_at: Millis,
    pub ended_at: Option<Millis>,
    pub end_reason: Option<String>,
    /// Its id in the store it comes from, and what that store holds of it: another mark means there is more.
    pub origin: Option<Origin>,
}

/// Where a session came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub id: String,
    pub mark: String,
}

/// One message of a lineage.
#[derive(Clone, Debug)]
pub struct NewMessage {
    pub id: MessageId,
    /// Index into the lineage's sessions.
    pub session: usize,
    pub role: MessageRole,
    /// `false`: kept for the model, not shown, counted or found.
    pub shown: bool,
    /// Taken back, or nothing of the conversation: the model is not told of it either.
    pub undone: bool,
    pub text: String,
    pub created_at: Millis,
    pub tool_calls: Vec<ToolCall>,
    pub call_id: Option<String>,
    pub tool_name: Option<String>,
    pub notice: Option<Notice>,
    pub reasoning: Option<String>,
    pub finish_reason: Option<String>,
    /// Its number in the store it comes from.
    pub origin_seq: Option<i64>,
}
