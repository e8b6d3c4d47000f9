//! The turns of live sessions: how one begins, runs beside everything else, and ends.

use super::approver::Asker;
use super::ledger::{Book, Owner};
use super::models::ModelInUse;
use super::registry::{Registry, Running};
use super::{Live, view};
use crate::agent::driver::{self, HowEnded, Opening, Ports, Setup, TurnEnd};
use crate::agent::ports::{Ledger, Model, ToolPlace};
use crate::agent::title;
use crate::store::LineageKey;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::sync::Arc;
use talaria_wire::*;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// What a turn starts with.
pub(super) struct Starting {
    /// The user's own command instead of a request to the model.
    pub command: Option<String>,
    pub model: Option<ModelInUse>,
}

/// The turn's own ends of what the registry holds of it.
pub(super) struct Begun {
    stop: CancellationToken,
    steer: mpsc::UnboundedReceiver<String>,
}

/// What runs.
enum Work {
    Turn(Starting),
    Summary { model: ModelInUse, focus: Option<String> },
}

impl Live {
    /// Notes that a turn begins. Errors: `NotReady` while the app ends, `NotFound` when the session ended meanwhile.
    pub(super) fn reserve(
        &self,
        registry: &mut Registry,
        id: &LiveId,
        lineage: LineageKey,
    ) -> Result<Begun, IpcError> {
        if registry.ended {
            return Err(IpcError::retryable(ErrorCode::NotReady, "Talaria is closing."));
        }
        let gone = || IpcError::new(ErrorCode::NotFound, "This session is not open any more.");
        let held = registry.held.get_mut(id).ok_or_else(gone)?;
        let (stop, done) = (CancellationToken::new(), CancellationToken::new());
        let (steer, steered) = mpsc::unbounded_channel();
        held.lineage = Some(lineage);
        held.turn = Some(Running { stop: stop.clone(), done, steer });
        if held.closing {
            // Its window closed in this moment.
            stop.cancel();
        }
        Ok(Begun { stop, steer: steered })
    }

    /// Runs a turn that [`Live::reserve`] has begun.
    pub(super) fn start(&self, id: LiveId, session: SessionId, begun: Begun, starting: Starting) {
        self.spawn(id, session, begun, Work::Turn(starting));
    }

    /// Sums the session up; it goes on in a child. Answers when it has begun. Errors: `NotFound`; `BadRequest` while a
    /// turn is under way, without a model or for a draft.
    pub async fn compress(
        &self,
        client: &ClientId,
        request: SessionCompressRequest,
    ) -> Result<Empty, IpcError> {
        let SessionCompressRequest { live_id, focus } = request;
        let (gate, session, starting) = self.at_rest(client, &live_id).await?;
        let model = starting.model.ok_or_else(|| IpcError::internal("A summary needs a model."))?;
        let lineage = self.store().lineage_of(&session).await?;
        let begun = {
            let mut registry = self.registry();
            let begun = self.reserve(&mut registry, &live_id, lineage)?;
            let state = LiveState::Compressing;
            let compressing = LiveChange::State { state, since: Some(self.now()) };
            registry.change(&self.0.around.sinks, &live_id, compressing);
            begun
        };
        self.tell_lists(session.clone());
        self.spawn(live_id, session, begun, Work::Summary { model, focus });
        drop(gate);
        Ok(Empty {})
    }

    fn spawn(&self, id: LiveId, session: SessionId, begun: Begun, work: Work) {
        let live = self.clone();
        self.0.turns.spawn(async move {
            let run = AssertUnwindSafe(live.run(&id, &session, begun, work)).catch_unwind();
            let end = run.await.unwrap_or_else(|_| broke_off());
            live.ended(&id, &session, end).await;
        });
    }

    async fn run(&self, id: &LiveId, session: &SessionId, begun: Begun, work: Work) -> TurnEnd {
        let (folder, usage, since) = {
            let registry = self.registry();
            let Some(held) = registry.held.get(id) else { return stopped() };
            (held.folder.clone(), held.view.usage, held.view.since)
        };
        let (command, model, summary) = match work {
            Work::Turn(Starting { command, model }) => (command, model, None),
            Work::Summary { model, focus } => (None, Some(model), Some(focus)),
        };
        let ports = self.ports(id, session, model.clone());
        let context_max = model.as_ref().and_then(|model| model.context_length);
        let name = model.as_ref().map(|model| model.name.clone()).unwrap_or_default();
        let setup = Setup {
            opening: command.map_or(Opening::Ask, Opening::Command),
            since: since.unwrap_or_else(|| self.now()),
            place: ToolPlace { folder: folder.map(PathBuf::from), session: session.clone() },
            model: name.clone(),
            usage: Usage { context_max, ..usage },
            cost_limit: model.as_ref().and_then(|model| model.cost_limit),
        };
        if let Some(focus) = summary {
            return driver::compress(ports, setup, focus, begun.stop).await;
        }
        let (ledger, asked) = (Arc::clone(&ports.ledger), ports.model.clone());
        let end = driver::run(ports, setup, begun.steer, begun.stop).await;
        if end.how == HowEnded::Done {
            self.name(session.clone(), asked.map(|model| (model, name)), ledger);
        }
        end
    }

    /// Gives the session a title beside everything else, when it has none.
    fn name(&self, session: SessionId, model: Option<(Arc<dyn Model>, String)>, ledger: Arc<dyn Ledger>) {
        let live = self.clone();
        self.0.turns.spawn(async move {
            let row = live.store().session_get(SessionRef { id: session }).await;
            if !row.is_ok_and(|row| row.title.is_none()) {
                return;
            }
            let model = model.as_ref().map(|(model, name)| (&**model, name.as_str()));
            if let Err(error) = title::name(model, &*ledger, live.0.closing.clone()).await {
                tracing::warn!(%error, "a session stays without a title");
            }
        });
    }

    fn ports(&self, id: &LiveId, session: &SessionId, model: Option<ModelInUse>) -> Ports {
        let own = || (self.clone(), id.clone());
        let ((book, book_id), (owner, owner_id), (asker, asker_id)) = (own(), own(), own());
        Ports {
            model: model.as_ref().map(|model| Arc::clone(&model.model)),
            tools: Arc::new(self.0.tools.clone()),
            ledger: Arc::new(Book { live: book, id: book_id, session: session.clone(), model }),
            audience: Arc::new(Owner { live: owner, id: owner_id }),
            approver: Arc::new(Asker { live: asker, id: asker_id }),
            clock: Arc::clone(&self.0.around.clock),
        }
    }

    /// The turn is over: what is left of it goes, and what waited for its end is sent.
    async fn ended(&self, id: &LiveId, session: &SessionId, end: TurnEnd) {
        let Some(gate) = self.registry().held.get(id).map(|held| Arc::clone(&held.gate)) else { return };
        let entered = gate.lock().await;
        let unread = !self.registry().is_shown(id);
        let total = self.store().turn_end(session, unread).await.unwrap_or_else(|error| {
            // The next opening closes it.
            tracing::warn!(%error, "the end of a turn was not stored");
            0
        });
        if let Some(leftover) = end.leftover {
            let queued = self.registry().held.get(id).and_then(|held| held.view.queued.clone());
            let queued = queued.map_or(leftover.clone(), |queued| format!("{leftover}\n\n{queued}"));
            self.registry().held.entry(id.clone()).and_modify(|held| held.steered.clear());
            if let Err(error) = self.set_queue(id, session, Some(queued)).await {
                tracing::warn!(%error, "a message for the ended turn is in the draft at the next start");
            }
        }
        let (done, tip) = {
            let mut registry = self.registry();
            let sinks = &self.0.around.sinks;
            if let Some(problem) = end.problem {
                registry.change(sinks, id, LiveChange::Problem { problem: Some(problem) });
            }
            let rest = registry.held.get(id).map(|held| view::to_rest(&held.view, total)).unwrap_or_default();
            rest.into_iter().for_each(|change| registry.change(sinks, id, change));
            let done = registry.held.get_mut(id).and_then(|held| {
                held.asked.clear();
                held.used_at = tokio::time::Instant::now();
                held.turn.take()
            });
            (done, registry.session(id))
        };
        self.tell_lists(tip.unwrap_or_else(|| session.clone()));
        if end.how == HowEnded::Done {
            self.send_queued(id).await;
        }
        drop(entered);
        if let Some(turn) = done {
            turn.done.cancel();
        }
    }
}

fn stopped() -> TurnEnd {
    TurnEnd { how: HowEnded::Stopped, problem: None, leftover: None }
}

/// The turn's own task panicked; the panic's words may hold a message's text and are not passed on.
fn broke_off() -> TurnEnd {
    let problem = TurnProblem {
        title: "The turn broke off".to_owned(),
        message: "This is a fault of Talaria's; the log says where. What was stored is kept.".to_owned(),
        retryable: true,
        settings: false,
    };
    TurnEnd { how: HowEnded::Failed, problem: Some(problem), leftover: None }
}
