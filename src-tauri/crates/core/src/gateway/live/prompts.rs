//! What the user says into a live session: a prompt, its queue, another try, taking back. Everything is on disk before it
//! is acknowledged. What begins or ends a turn goes through the session's gate, one at a time.

use super::Live;
use super::turn::Starting;
use crate::agent::bang::command_of;
use crate::gateway::branch;
use crate::store::LineageKey;
use crate::store::live::{NewPrompt, PromptAt, Prompted, Retry};
use std::path::PathBuf;
use talaria_wire::*;
use tokio::sync::OwnedMutexGuard;

/// Between two texts that are sent as one.
const BETWEEN: &str = "\n\n";

/// What a command has to know of a session before it decides.
struct Standing {
    session: Option<SessionId>,
    state: LiveState,
    queued: Option<String>,
    folder: Option<String>,
    choice: Option<ModelChoice>,
    broke: bool,
}

/// A prompt, and where it comes from.
struct Said {
    text: String,
    replace: Option<MessageId>,
    queued: bool,
}

impl Live {
    /// Sends, queues or steers. Errors: `NotFound`, `BadRequest`, and what the store says.
    pub async fn submit(
        &self,
        client: &ClientId,
        request: PromptSubmitRequest,
    ) -> Result<PromptSubmitResponse, IpcError> {
        if request.text.trim().is_empty() {
            return Err(IpcError::bad_request("There is nothing to send."));
        }
        let (gate, standing) = self.enter(client, &request.live_id).await?;
        match (standing.state, &standing.session) {
            (LiveState::Idle, _) => {
                let said = Said { text: request.text, replace: request.replace, queued: false };
                let prompted = self.send(client, &request.live_id, &standing, said).await?;
                drop(gate);
                Ok(PromptSubmitResponse { status: PromptStatus::Streaming, session_id: prompted.session })
            }
            (_, _) if request.replace.is_some() => {
                Err(IpcError::bad_request("A turn is under way. Stop it first, then edit the message."))
            }
            (LiveState::Running, Some(session)) if request.busy == BusyMode::Steer => {
                self.steer(&request.live_id, session, &standing, request.text).await
            }
            (_, Some(session)) => {
                let queued = match &standing.queued {
                    Some(before) => format!("{before}{BETWEEN}{}", request.text),
                    None => request.text,
                };
                self.set_queue(&request.live_id, session, Some(queued)).await?;
                Ok(PromptSubmitResponse { status: PromptStatus::Queued, session_id: session.clone() })
            }
            (_, None) => Err(IpcError::internal("A draft has no turn.")),
        }
    }

    /// The queued prompt as it is to be. Errors: `NotFound`; `BadRequest` for a draft.
    pub async fn queue_set(&self, client: &ClientId, request: QueueSetRequest) -> Result<Empty, IpcError> {
        let (gate, standing) = self.enter(client, &request.live_id).await?;
        let session = standing.session.as_ref().ok_or_else(nothing_yet)?;
        let queued = Some(request.text).filter(|text| !text.trim().is_empty());
        self.set_queue(&request.live_id, session, queued).await?;
        drop(gate);
        Ok(Empty {})
    }

    /// Lets the model answer again. Errors: `NotFound`; `BadRequest` while a turn is under way, or with nothing to try.
    pub async fn retry(&self, client: &ClientId, id: &LiveId) -> Result<PromptSubmitResponse, IpcError> {
        let (gate, standing) = self.enter(client, id).await?;
        let session = idle(&standing)?;
        let last = self.store().last_prompt(session).await?;
        let starting = self.starting(last.as_deref().unwrap_or_default(), standing.choice.as_ref()).await?;
        let how = match (&starting.command, standing.broke) {
            (Some(_), _) => Retry::Whole,
            (None, true) => Retry::GoOn,
            (None, false) => Retry::AsItEnded,
        };
        let prompted = self.store().prompt_retry(session, how).await?;
        let lineage = self.store().lineage_of(&prompted.session).await?;
        let session_id = prompted.session.clone();
        self.begin(id, lineage, prompted, starting)?;
        drop(gate);
        Ok(PromptSubmitResponse { status: PromptStatus::Streaming, session_id })
    }

    /// Takes the last prompt and all behind it back. Errors: as [`Live::retry`].
    pub async fn undo(&self, client: &ClientId, id: &LiveId) -> Result<SessionUndoResponse, IpcError> {
        let (gate, standing) = self.enter(client, id).await?;
        let undone = self.store().prompt_undo(idle(&standing)?).await?;
        self.change(id, LiveChange::Problem { problem: None });
        let session_id = undone.session.clone();
        self.change(
            id,
            LiveChange::Stored { session_id, total: undone.total, ended: Vec::new(), answer: false },
        );
        self.tell_lists(undone.session);
        drop(gate);
        Ok(SessionUndoResponse { removed: undone.removed, text: undone.text })
    }

    /// The session's own model, from the next turn on. Errors: `NotFound`.
    pub async fn set_model(
        &self,
        client: &ClientId,
        request: SessionModelRequest,
    ) -> Result<LiveSession, IpcError> {
        let (gate, standing) = self.enter(client, &request.live_id).await?;
        if let Some(session) = &standing.session {
            self.store().choice_set(session, request.model.clone()).await?;
        }
        self.change(&request.live_id, LiveChange::Model { model: request.model });
        drop(gate);
        self.get(client, &request.live_id)
    }

    /// Asks the turn to end. The queue stays. Errors: `NotFound`.
    pub fn interrupt(&self, client: &ClientId, id: &LiveId) -> Result<Empty, IpcError> {
        let mut registry = self.registry();
        let held = registry.own(client, id)?;
        if let Some(turn) = &held.turn {
            turn.stop.cancel();
            let since = held.view.since;
            let state = LiveState::Stopping;
            registry.change(&self.0.around.sinks, id, LiveChange::State { state, since });
        }
        Ok(Empty {})
    }

    /// Sends what is queued: a turn has come to its end. The caller holds the gate.
    pub(super) async fn send_queued(&self, id: &LiveId) {
        let ready = {
            let registry = self.registry();
            let held = registry.held.get(id).filter(|held| !held.closing && !registry.ended);
            held.and_then(|held| Some((held.client.clone(), held.view.queued.clone()?, standing(held))))
        };
        let Some((client, text, standing)) = ready else { return };
        match self.send(&client, id, &standing, Said { text, replace: None, queued: true }).await {
            Ok(_) => self.change(id, LiveChange::Queued { text: None }),
            Err(error) => {
                let problem = TurnProblem {
                    title: "The queued message was not sent".to_owned(),
                    message: error.message,
                    retryable: false,
                    settings: false,
                };
                self.change(id, LiveChange::Problem { problem: Some(problem) });
            }
        }
    }

    /// Stores a prompt and begins its turn. The caller holds the gate.
    async fn send(
        &self,
        client: &ClientId,
        id: &LiveId,
        standing: &Standing,
        said: Said,
    ) -> Result<Prompted, IpcError> {
        let Said { text, replace, queued } = said;
        let starting = self.starting(&text, standing.choice.as_ref()).await?;
        let at = match &standing.session {
            Some(session) => PromptAt::Tip { id: session.clone(), replace },
            None => {
                let folder = standing.folder.clone();
                let git_branch = git_branch(folder.clone()).await;
                PromptAt::New { client: client.clone(), folder, git_branch, choice: standing.choice.clone() }
            }
        };
        let model = starting.model.as_ref().map(|model| model.name.clone());
        let prompted = self.store().prompt_put(NewPrompt { at, text, model, queued }).await?;
        let lineage = self.store().lineage_of(&prompted.session).await?;
        self.begin(id, lineage, prompted.clone(), starting)?;
        Ok(prompted)
    }

    /// What answers: the model, or, for a command of the user's own, none.
    async fn starting(&self, text: &str, choice: Option<&ModelChoice>) -> Result<Starting, IpcError> {
        let command = command_of(text);
        let model = self.0.models.open(choice).await;
        match command {
            // A command needs no model; one that cannot be found is none.
            Some(command) => Ok(Starting { command: Some(command.to_owned()), model: model.ok().flatten() }),
            None => match model? {
                Some(model) => Ok(Starting { command: None, model: Some(model) }),
                None => Err(IpcError::bad_request(
                    "No model is connected. Choose one in Settings > Model. \"!\" before a command runs it without one.",
                )),
            },
        }
    }

    /// Marks the session as running and lets the turn go.
    fn begin(
        &self,
        id: &LiveId,
        lineage: LineageKey,
        prompted: Prompted,
        starting: Starting,
    ) -> Result<(), IpcError> {
        let sinks = &self.0.around.sinks;
        let turn = {
            let mut registry = self.registry();
            let had_problem = registry.held.get(id).is_some_and(|held| held.view.problem.is_some());
            let turn = self.reserve(&mut registry, id, lineage)?;
            if had_problem {
                registry.change(sinks, id, LiveChange::Problem { problem: None });
            }
            let (session_id, total) = (prompted.session.clone(), prompted.total);
            let stored = LiveChange::Stored { session_id, total, ended: Vec::new(), answer: false };
            registry.change(sinks, id, stored);
            let running = LiveChange::State { state: LiveState::Running, since: Some(self.now()) };
            registry.change(sinks, id, running);
            turn
        };
        self.tell_lists(prompted.session.clone());
        self.start(id.clone(), prompted.session, turn, starting);
        Ok(())
    }

    async fn steer(
        &self,
        id: &LiveId,
        session: &SessionId,
        standing: &Standing,
        text: String,
    ) -> Result<PromptSubmitResponse, IpcError> {
        let steered = {
            let registry = self.registry();
            let before = registry.held.get(id).map(|held| held.steered.clone()).unwrap_or_default();
            before.into_iter().chain([text.clone()]).collect::<Vec<_>>().join(BETWEEN)
        };
        let queued = standing.queued.clone().unwrap_or_default();
        self.store().waiting_set(session, queued, steered).await?;
        if let Some(held) = self.registry().held.get_mut(id) {
            held.steered.push(text.clone());
            if let Some(turn) = &held.turn {
                // A turn that ends in this moment hands it over as the next prompt.
                drop(turn.steer.send(text));
            }
        }
        Ok(PromptSubmitResponse { status: PromptStatus::Steered, session_id: session.clone() })
    }

    /// Keeps what is queued, on disk first.
    pub(super) async fn set_queue(
        &self,
        id: &LiveId,
        session: &SessionId,
        queued: Option<String>,
    ) -> Result<(), IpcError> {
        let steered = {
            let registry = self.registry();
            registry.held.get(id).map(|held| held.steered.join(BETWEEN)).unwrap_or_default()
        };
        self.store().waiting_set(session, queued.clone().unwrap_or_default(), steered).await?;
        self.change(id, LiveChange::Queued { text: queued });
        Ok(())
    }

    /// Waits for the session's gate, then says how it stands.
    async fn enter(
        &self,
        client: &ClientId,
        id: &LiveId,
    ) -> Result<(OwnedMutexGuard<()>, Standing), IpcError> {
        let gate = self.registry().own(client, id)?.gate.clone();
        let entered = gate.lock_owned().await;
        // Again: it may have moved or ended meanwhile.
        let standing = standing(self.registry().own(client, id)?);
        Ok((entered, standing))
    }

    /// The session at rest that a summary is to be made of. The caller keeps the gate.
    pub(super) async fn at_rest(
        &self,
        client: &ClientId,
        id: &LiveId,
    ) -> Result<(OwnedMutexGuard<()>, SessionId, Starting), IpcError> {
        let (gate, standing) = self.enter(client, id).await?;
        let session = idle(&standing)?.clone();
        let starting = self.starting("", standing.choice.as_ref()).await?;
        Ok((gate, session, starting))
    }
}

fn standing(held: &super::Held) -> Standing {
    Standing {
        session: held.view.session_id.clone(),
        state: held.view.state,
        queued: held.view.queued.clone(),
        folder: held.folder.clone(),
        choice: held.view.model.clone(),
        broke: held.view.problem.is_some(),
    }
}

/// The stored session, with no turn under way.
fn idle(standing: &Standing) -> Result<&SessionId, IpcError> {
    if standing.state != LiveState::Idle {
        return Err(IpcError::bad_request("A turn is under way. Stop it first."));
    }
    standing.session.as_ref().ok_or_else(nothing_yet)
}

fn nothing_yet() -> IpcError {
    IpcError::bad_request("Nothing was sent in this session yet.")
}

async fn git_branch(folder: Option<String>) -> Option<String> {
    let folder = PathBuf::from(folder?);
    tokio::task::spawn_blocking(move || branch::of(&folder)).await.ok().flatten()
}
