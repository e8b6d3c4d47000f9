//! The outside of a turn, in memory: a model that answers from a script, tools that do as they are named, a ledger, an
//! audience, a user.

use crate::agent::ports::*;
use async_trait::async_trait;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use talaria_wire::{
    ApprovalChoice, CallState, ErrorCode, IpcError, LiveChange, MessageRole, SessionId, ToolCall, Usage,
};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

/// One answer of the model.
pub(super) enum Reply {
    Pieces(Vec<ModelPiece>),
    Fails(Vec<ModelPiece>, ModelError),
    /// Says this, then nothing more until it is stopped.
    Hangs(Vec<ModelPiece>),
    Panics,
}

#[derive(Default)]
pub(super) struct World {
    pub(super) replies: Mutex<VecDeque<Reply>>,
    pub(super) requests: Mutex<Vec<ModelRequest>>,
    pub(super) rows: Mutex<Vec<ContextMessage>>,
    /// Finish reasons of the answers, in order.
    pub(super) finished: Mutex<Vec<String>>,
    pub(super) partial: Mutex<Option<String>>,
    pub(super) title: Mutex<Option<String>>,
    pub(super) usage: Mutex<Usage>,
    pub(super) told: Mutex<Vec<LiveChange>>,
    /// What the user answers to every question; `None`: not yet.
    pub(super) choice: Mutex<Option<ApprovalChoice>>,
    answered: Notify,
    pub(super) places: Mutex<Vec<SessionId>>,
    /// Something changed: look again.
    pub(super) changed: Notify,
    pub(super) refuses_results: Mutex<bool>,
}

impl World {
    pub(super) fn with(replies: Vec<Reply>) -> Arc<Self> {
        let world = Self { replies: Mutex::new(replies.into()), ..Self::default() };
        world.push(MessageRole::User, "prompt");
        Arc::new(world)
    }

    pub(super) fn push(&self, role: MessageRole, text: &str) {
        let row = ContextMessage { role, text: text.into(), calls: Vec::new(), call_id: None };
        self.rows.lock().expect("not poisoned").push(row);
        self.changed.notify_one();
    }

    /// Waits until something holds.
    pub(super) async fn until(&self, holds: impl Fn(&Self) -> bool) {
        let waiting = async {
            while !holds(self) {
                self.changed.notified().await;
            }
        };
        tokio::time::timeout(std::time::Duration::from_secs(60), waiting)
            .await
            .expect("it comes in a minute");
    }

    pub(super) fn allow(&self) {
        *self.choice.lock().expect("not poisoned") = Some(ApprovalChoice::Once);
        self.answered.notify_one();
    }

    pub(super) fn texts(&self) -> Vec<(MessageRole, String)> {
        let rows = self.rows.lock().expect("not poisoned");
        rows.iter().map(|row| (row.role, row.text.clone())).collect()
    }

    pub(super) fn told_call(&self, name: &str, state: CallState) -> bool {
        let told = self.told.lock().expect("not poisoned");
        told.iter().any(
            |change| matches!(change, LiveChange::Call { call } if call.name == name && call.state == state),
        )
    }

    /// The text that the audience was told.
    pub(super) fn heard(&self) -> String {
        let told = self.told.lock().expect("not poisoned");
        let text = |change: &LiveChange| match change {
            LiveChange::Text { append } => Some(append.clone()),
            _ => None,
        };
        told.iter().filter_map(text).collect()
    }
}

#[async_trait]
impl Model for World {
    async fn answer(
        &self,
        request: ModelRequest,
        pieces: mpsc::Sender<ModelPiece>,
        stop: CancellationToken,
    ) -> Result<(), ModelError> {
        self.requests.lock().expect("not poisoned").push(request);
        let reply = self.replies.lock().expect("not poisoned").pop_front().expect("a scripted answer");
        let (said, end) = match reply {
            Reply::Pieces(said) => (said, Some(Ok(()))),
            Reply::Fails(said, error) => (said, Some(Err(error))),
            Reply::Hangs(said) => (said, None),
            Reply::Panics => panic!("as scripted"),
        };
        for piece in said {
            pieces.send(piece).await.expect("somebody listens");
        }
        match end {
            Some(end) => end,
            None => {
                stop.cancelled().await;
                let message = "Stopped.".into();
                Err(ModelError { kind: ModelErrorKind::Cancelled, message, retry_after: None })
            }
        }
    }
}

#[async_trait]
impl Tools for World {
    fn specs(&self, _: &ToolPlace) -> Vec<ToolSpec> {
        let names = ["terminal", "read_file", "panic", "hang"];
        let spec = |name| ToolSpec { name, description: "", parameters: serde_json::json!({}) };
        names.into_iter().map(spec).collect()
    }

    fn judge(&self, place: &ToolPlace, call: &ToolCall) -> Judgement {
        self.places.lock().expect("not poisoned").push(place.session.clone());
        match &*call.name {
            "terminal" => Judgement::Ask { text: call.arguments.clone(), always: false },
            _ => Judgement::Free,
        }
    }

    async fn run(
        &self,
        _: &ToolPlace,
        call: &ToolCall,
        output: mpsc::Sender<String>,
        stop: CancellationToken,
    ) -> ToolOutcome {
        output.send(format!("{} says", call.name)).await.expect("somebody listens");
        match &*call.name {
            "panic" => panic!("as scripted"),
            "hang" => stop.cancelled().await,
            _ => {}
        }
        ToolOutcome { text: format!("{} done", call.name), failed: false, change: None }
    }
}

#[async_trait]
impl Ledger for World {
    async fn context(&self) -> Result<Vec<ContextMessage>, IpcError> {
        Ok(self.rows.lock().expect("not poisoned").clone())
    }

    async fn answer(&self, row: AnswerRow) -> Result<(), IpcError> {
        self.finished.lock().expect("not poisoned").push(row.finish_reason);
        self.push(MessageRole::Assistant, &row.text);
        self.rows.lock().expect("not poisoned").last_mut().expect("just pushed").calls = row.calls;
        Ok(())
    }

    async fn result(&self, row: ResultRow) -> Result<(), IpcError> {
        if *self.refuses_results.lock().expect("not poisoned") {
            return Err(IpcError::new(ErrorCode::DiskFull, "No space is left."));
        }
        self.push(MessageRole::Tool, &row.outcome.text);
        self.rows.lock().expect("not poisoned").last_mut().expect("just pushed").call_id = Some(row.call_id);
        Ok(())
    }

    async fn partial(&self, text: &str, _: &str) -> Result<(), IpcError> {
        *self.partial.lock().expect("not poisoned") = Some(text.to_owned());
        self.changed.notify_one();
        Ok(())
    }

    async fn steered(&self, text: &str) -> Result<(), IpcError> {
        self.push(MessageRole::User, text);
        Ok(())
    }

    async fn used(&self, input: i64, output: i64) -> Result<Usage, IpcError> {
        let mut usage = self.usage.lock().expect("not poisoned");
        usage.input_tokens += input;
        usage.output_tokens += output;
        usage.calls += 1;
        usage.context_used = input + output;
        Ok(*usage)
    }

    async fn rotate(&self, summary: &str, keep: usize) -> Result<SessionId, IpcError> {
        let mut rows = self.rows.lock().expect("not poisoned");
        let from = rows.len() - keep;
        rows.drain(..from);
        let text = summary.to_owned();
        rows.insert(0, ContextMessage { role: MessageRole::Summary, text, calls: Vec::new(), call_id: None });
        Ok("child".into())
    }

    async fn title(&self, title: &str) -> Result<(), IpcError> {
        self.title.lock().expect("not poisoned").get_or_insert(title.to_owned());
        Ok(())
    }
}

impl Audience for World {
    fn tell(&self, change: LiveChange) {
        self.told.lock().expect("not poisoned").push(change);
        self.changed.notify_one();
    }
}

#[async_trait]
impl Approver for World {
    async fn ask(&self, _: &ToolCall, _: String, _: bool, stop: CancellationToken) -> ApprovalChoice {
        let answered = async {
            loop {
                if let Some(choice) = *self.choice.lock().expect("not poisoned") {
                    return choice;
                }
                self.answered.notified().await;
            }
        };
        tokio::select! {
            choice = answered => choice,
            () = stop.cancelled() => ApprovalChoice::Deny,
        }
    }
}
