//! What runs beside the driver's loop: requests, waiting, judging, questions, tools, summaries. Each says one last event,
//! whatever happens to it; a panic becomes a failure of that one thing.

use super::Driver;
use crate::agent::ports::{Judgement, ModelError, ModelErrorKind, ModelRequest, ToolOutcome};
use crate::agent::relay::relay;
use crate::agent::turn::{Event, Ticket};
use crate::agent::{compress, context, instructions};
use futures_util::FutureExt;
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use talaria_wire::{ApprovalChoice, Millis, ToolCall};
use tokio::sync::mpsc;
use tokio::time::Instant;

/// A tool that was stopped has this long to end (TERM, 5 s, KILL); then it is not waited for.
const GRACE: Duration = Duration::from_secs(10);

impl Driver {
    /// Starts a task; `fault` is said when it panics.
    fn begin(&mut self, task: impl Future<Output = Event> + Send + 'static, fault: Event) -> Option<Event> {
        let say = self.say.clone();
        self.tasks.spawn(async move {
            let event = AssertUnwindSafe(task).catch_unwind().await.unwrap_or(fault);
            tell(say, event).await;
        });
        None
    }

    pub(super) fn ask(&mut self, ticket: Ticket) -> Option<Event> {
        let Some(client) = self.ports.model.clone() else {
            return Some(Event::Failed { ticket, error: no_model() });
        };
        let (ports, say, cancel) = (self.ports.clone(), self.say.clone(), self.cancel.clone());
        let (model, tools) = (self.model.clone(), self.specs.clone());
        let now = ports.clock.now();
        let instructions = instructions::instructions(&self.place, &tools, self.project.as_deref(), now);
        let task = async move {
            let rows = match ports.ledger.context().await {
                Ok(rows) => rows,
                Err(error) => return Event::NotStored { ticket, error },
            };
            let messages = context::build(instructions, rows);
            let (tokens, call_ids) = (context::tokens(&messages), context::call_ids(&messages));
            tell(say.clone(), Event::Built { ticket, tokens, call_ids }).await;
            let request = ModelRequest { model, messages, tools, max_tokens: None };
            let (pieces, coming) = mpsc::channel(64);
            let answer = client.answer(request, pieces, cancel);
            let answered = relay(answer, coming, |piece| tell(say.clone(), Event::Piece { ticket, piece }));
            match answered.await {
                Ok(()) => Event::Answered { ticket },
                Err(error) => Event::Failed { ticket, error },
            }
        };
        let error = ModelError {
            kind: ModelErrorKind::Refused,
            message: "A fault in Talaria ended the request. The log has more.".into(),
            retry_after: None,
        };
        self.begin(task, Event::Failed { ticket, error })
    }

    pub(super) fn wait(&mut self, ticket: Ticket, ms: Millis) -> Option<Event> {
        let time = Duration::from_millis(ms.try_into().unwrap_or(0));
        let task = async move {
            tokio::time::sleep(time).await;
            Event::Waited { ticket }
        };
        self.begin(task, Event::Waited { ticket })
    }

    pub(super) fn judge(&mut self, ticket: Ticket, call: ToolCall) -> Option<Event> {
        let (tools, place) = (self.ports.tools.clone(), self.place.clone());
        let judging = tokio::task::spawn_blocking(move || tools.judge(&place, &call));
        let fault =
            || Judgement::Refuse { words: "A fault in Talaria: the call could not be judged.".into() };
        let task = async move {
            let judgement = judging.await.unwrap_or_else(|_| fault());
            Event::Judged { ticket, judgement }
        };
        self.begin(task, Event::Judged { ticket, judgement: fault() })
    }

    pub(super) fn approve(
        &mut self,
        ticket: Ticket,
        call: ToolCall,
        text: String,
        always: bool,
    ) -> Option<Event> {
        let (approver, cancel) = (self.ports.approver.clone(), self.cancel.clone());
        let task = async move {
            let choice = approver.ask(&call, text, always, cancel).await;
            Event::Approved { ticket, choice }
        };
        self.begin(task, Event::Approved { ticket, choice: ApprovalChoice::Deny })
    }

    pub(super) fn run(&mut self, ticket: Ticket, call: ToolCall) -> Option<Event> {
        let (tools, place) = (self.ports.tools.clone(), self.place.clone());
        let (say, cancel) = (self.say.clone(), self.cancel.clone());
        let task = async move {
            let began = Instant::now();
            let (output, coming) = mpsc::channel(16);
            let running = tools.run(&place, &call, output, cancel.clone());
            let running = relay(running, coming, |text| tell(say.clone(), Event::Output { ticket, text }));
            let late = async {
                cancel.cancelled().await;
                tokio::time::sleep(GRACE).await;
            };
            let outcome = tokio::select! {
                outcome = running => outcome,
                () = late => fault("It did not end when it was stopped."),
            };
            let duration_ms = began.elapsed().as_millis().try_into().unwrap_or(Millis::MAX);
            Event::Ran { ticket, outcome, duration_ms }
        };
        let outcome = fault("A fault in Talaria ended the tool.");
        self.begin(task, Event::Ran { ticket, outcome, duration_ms: 0 })
    }

    pub(super) fn compress(&mut self, ticket: Ticket) -> Option<Event> {
        let Some(client) = self.ports.model.clone() else {
            return Some(Event::NotCompressed { ticket, words: no_model().message });
        };
        let (ledger, cancel) = (self.ports.ledger.clone(), self.cancel.clone());
        let wish = compress::Wish { model: self.model.clone(), context_max: self.context_max, focus: None };
        let task = async move {
            match compress::run(&*client, &*ledger, wish, cancel).await {
                Ok(session) => Event::Compressed { ticket, session },
                Err(words) => Event::NotCompressed { ticket, words },
            }
        };
        let words = "A fault in Talaria ended it. The log has more.".to_owned();
        self.begin(task, Event::NotCompressed { ticket, words })
    }
}

pub(super) fn no_model() -> ModelError {
    ModelError {
        kind: ModelErrorKind::NoModel,
        message: "No model is connected. Connect one in Settings > Model.".to_owned(),
        retry_after: None,
    }
}

async fn tell(say: mpsc::Sender<Event>, event: Event) {
    // Fails when the turn is over: then nobody wants to hear it.
    let _ = say.send(event).await;
}

fn fault(words: &str) -> ToolOutcome {
    ToolOutcome { text: serde_json::json!({ "error": words }).to_string(), failed: true, change: None }
}
