//! What a turn needs from the outside, as traits: the model, the tools, the record on disk, the one who listens and the
//! one who is asked. The driver knows nothing else, so a test can stand in for each of them at its edge.

use async_trait::async_trait;
use serde_json::Value;
use std::path::PathBuf;
use talaria_wire::{ApprovalChoice, IpcError, LiveChange, MessageRole, Millis, SessionId, ToolCall, Usage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// A message as the model gets it. Roles and fields are those of OpenAI's chat completions.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextMessage {
    /// `User`, `Assistant`, `Tool`, `System`, `Summary` (of a compression) or `Notice`.
    pub role: MessageRole,
    pub text: String,
    /// Assistant: the calls it made.
    pub calls: Vec<ToolCall>,
    /// Tool: the call it answers.
    pub call_id: Option<String>,
}

/// A tool as the model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    pub model: String,
    /// First the instructions (role `System`).
    pub messages: Vec<ContextMessage>,
    pub tools: Vec<ToolSpec>,
    /// Tokens; absent: as the server likes.
    pub max_tokens: Option<i64>,
}

/// A piece of an answer, in the order in which it came.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelPiece {
    Text(String),
    Reasoning(String),
    /// A part of the tool call at `index`; `id` and `name` come with its first part.
    Call {
        index: usize,
        id: Option<String>,
        name: Option<String>,
        arguments: String,
    },
    /// Tokens of this request.
    Usage {
        input: i64,
        output: i64,
    },
    /// `stop`, `length`, `tool_calls`, `content_filter`, ...
    Finish(String),
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// In words for the user; the server's own words inside, cut and without a key.
    pub message: String,
    /// `Retry-After` of the server, in milliseconds.
    pub retry_after: Option<Millis>,
}

/// What kind of failure: whether asking again may help, and where it is mended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// No model is connected, or it has no such model.
    NoModel,
    /// 401, 403: the key.
    Key,
    /// 429.
    Busy,
    /// 5xx, no connection, no answer in time.
    Unreachable,
    /// The stream ended in the middle.
    Cut,
    /// The request is longer than the model's context.
    TooLong,
    /// Anything else the server refused, or an answer that is none.
    Refused,
    Cancelled,
}

/// The model's server.
#[async_trait]
pub trait Model: Send + Sync {
    /// Streams one answer into `pieces`. Asks once: retries are the turn's decision.
    ///
    /// # Errors
    /// See [`ModelErrorKind`]; pieces sent before stay valid.
    async fn answer(
        &self,
        request: ModelRequest,
        pieces: mpsc::Sender<ModelPiece>,
        stop: CancellationToken,
    ) -> Result<(), ModelError>;
}

/// Where a tool works.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolPlace {
    /// The session's working folder.
    pub folder: Option<PathBuf>,
    pub session: SessionId,
}

/// What the rules say of a call before it runs (security.md, "Approvals").
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    Free,
    /// The user is asked. `text` is what the card shows and what is remembered; `always`: may be remembered for good.
    Ask {
        text: String,
        always: bool,
    },
    /// Never, with the words for the model and the user.
    Refuse {
        words: String,
    },
}

/// How a call ended.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    /// What the model gets and the transcript shows.
    pub text: String,
    pub failed: bool,
    /// A file it changed, for the diff card and its undo.
    pub change: Option<ChangedFile>,
}

/// A file before and after a tool's write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: PathBuf,
    /// `None`: it did not exist.
    pub before: Option<Vec<u8>>,
    pub after: Vec<u8>,
    /// Unified, cut at 64 KiB.
    pub diff: String,
}

/// The tools.
#[async_trait]
pub trait Tools: Send + Sync {
    fn specs(&self, place: &ToolPlace) -> Vec<ToolSpec>;
    fn judge(&self, place: &ToolPlace, call: &ToolCall) -> Judgement;
    /// Runs an approved call; `output` gets what it prints while it runs. Ends soon after `stop`, with what it had.
    async fn run(
        &self,
        place: &ToolPlace,
        call: &ToolCall,
        output: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> ToolOutcome;
}

/// An assistant's row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnswerRow {
    pub text: String,
    pub reasoning: Option<String>,
    pub calls: Vec<ToolCall>,
    /// `stop`, `tool_calls`, `length`, `interrupted`, `cut`, ...
    pub finish_reason: String,
}

/// A tool's row.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRow {
    pub call_id: String,
    pub name: String,
    pub outcome: ToolOutcome,
    pub duration_ms: Millis,
}

/// The transcript on disk, of one turn. What it answered is there after a crash.
#[async_trait]
pub trait Ledger: Send + Sync {
    /// Every message of the tip, for the model, oldest first.
    async fn context(&self) -> Result<Vec<ContextMessage>, IpcError>;
    /// Takes the place of what [`Ledger::partial`] kept.
    async fn answer(&self, row: AnswerRow) -> Result<(), IpcError>;
    async fn result(&self, row: ResultRow) -> Result<(), IpcError>;
    /// What came of the answer so far; after a crash it becomes a row that says "interrupted". Cheap, at most twice a
    /// second.
    async fn partial(&self, text: &str, reasoning: &str) -> Result<(), IpcError>;
    /// A user text given in mid-turn.
    async fn steered(&self, text: &str) -> Result<(), IpcError>;
    /// Adds one request's tokens; answers the session's use so far.
    async fn used(&self, input: i64, output: i64) -> Result<Usage, IpcError>;
    /// Ends the stored session with `compression` and goes on in a child that begins with the summary and then holds the
    /// last `keep` messages of the context. Answers the child.
    async fn rotate(&self, summary: &str, keep: usize) -> Result<SessionId, IpcError>;
    /// Names a session without a title; does nothing when it has one.
    async fn title(&self, title: &str) -> Result<(), IpcError>;
}

/// Who owns the live session and asks for nothing else than its changes.
pub trait Audience: Send + Sync {
    fn tell(&self, change: LiveChange);
}

/// Who is asked. Answers `Deny` after 60 s in which somebody could have answered, and at once on `stop`.
#[async_trait]
pub trait Approver: Send + Sync {
    async fn ask(
        &self,
        call: &ToolCall,
        text: String,
        always: bool,
        stop: CancellationToken,
    ) -> ApprovalChoice;
}
