//! Asking the owner. A question waits for the owning client alone; what was allowed before is not asked again.

use super::Live;
use super::registry::random_id;
use crate::agent::approval::Remembered;
use crate::agent::ports::Approver;
use async_trait::async_trait;
use std::path::Path;
use std::time::Duration;
use talaria_wire::*;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// How long a question waits in which somebody could have answered (security.md, "Approvals").
pub const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// Between two looks at whether somebody could.
const STEP: Duration = Duration::from_secs(1);

/// Counts the time in which the owner was there. Pure.
struct Patience(Duration);

impl Patience {
    fn new(within: Duration) -> Self {
        Self(within)
    }

    /// A step has passed; `there`: the owner was attached.
    fn is_over(&mut self, there: bool) -> bool {
        self.0 = self.0.saturating_sub(if there { STEP } else { Duration::ZERO });
        self.0.is_zero()
    }
}

/// Asks for one live session.
pub(super) struct Asker {
    pub live: Live,
    pub id: LiveId,
}

#[async_trait]
impl Approver for Asker {
    async fn ask(
        &self,
        call: &ToolCall,
        text: String,
        always: bool,
        stop: CancellationToken,
    ) -> ApprovalChoice {
        if self.is_allowed(&call.name, &text).await {
            return ApprovalChoice::Once;
        }
        let (answer, answered) = oneshot::channel();
        let Some(asked) = self.begin(call, &text, always, answer) else { return ApprovalChoice::Deny };
        let choice = tokio::select! {
            choice = answered => choice.unwrap_or(ApprovalChoice::Deny),
            () = stop.cancelled() => ApprovalChoice::Deny,
            () = self.patience() => ApprovalChoice::Deny,
        };
        self.end(&asked);
        self.remember(call, &text, choice, always).await;
        choice
    }
}

impl Asker {
    async fn is_allowed(&self, tool: &str, text: &str) -> bool {
        let folder = {
            let registry = self.live.registry();
            let Some(held) = registry.held.get(&self.id) else { return false };
            // Without a working folder everything is asked.
            let Some(folder) = held.folder.clone() else { return false };
            if held.memory.allows(tool, text, Some(Path::new(&folder))) {
                return true;
            }
            folder
        };
        // What cannot be looked up was not allowed.
        self.live.store().is_allowed(&folder, tool, text).await.unwrap_or(false)
    }

    /// Puts the question; `None`: nobody is left to answer it.
    fn begin(
        &self,
        call: &ToolCall,
        text: &str,
        always: bool,
        answer: oneshot::Sender<ApprovalChoice>,
    ) -> Option<ApprovalId> {
        let now = self.live.now();
        let (asked, session) = {
            let mut registry = self.live.registry();
            let held = registry.held.get_mut(&self.id).filter(|held| !held.closing)?;
            let approval = Approval {
                id: ApprovalId(random_id()),
                call_id: call.id.clone(),
                tool: call.name.clone(),
                text: text.to_owned(),
                folder: held.folder.clone(),
                always: always && held.folder.is_some(),
                asked_at: now,
            };
            let asked = approval.id.clone();
            held.asked.insert(asked.clone(), answer);
            registry.change(&self.live.0.around.sinks, &self.id, LiveChange::Asked { approval });
            (asked, registry.session(&self.id))
        };
        session.into_iter().for_each(|session| self.live.tell_lists(session));
        Some(asked)
    }

    /// The question is answered, or nobody needs its answer any more.
    fn end(&self, asked: &ApprovalId) {
        let session = {
            let mut registry = self.live.registry();
            if let Some(held) = registry.held.get_mut(&self.id) {
                held.asked.remove(asked);
            }
            let answered = LiveChange::Answered { approval_id: asked.clone() };
            registry.change(&self.live.0.around.sinks, &self.id, answered);
            registry.session(&self.id)
        };
        session.into_iter().for_each(|session| self.live.tell_lists(session));
    }

    /// Ends when the owner could have answered for long enough.
    async fn patience(&self) {
        let around = &self.live.0.around;
        let mut patience = Patience::new(around.answer_within);
        loop {
            tokio::time::sleep(STEP).await;
            let client = self.live.registry().held.get(&self.id).map(|held| held.client.clone());
            if patience.is_over(client.is_some_and(|client| around.sinks.is_attached(&client))) {
                return;
            }
        }
    }

    /// Exactly this tool, text and folder; "always" only where it was offered.
    async fn remember(&self, call: &ToolCall, text: &str, choice: ApprovalChoice, always: bool) {
        let lasting = {
            let mut registry = self.live.registry();
            let Some(held) = registry.held.get_mut(&self.id) else { return };
            let folder = held.folder.as_deref().map(Path::new);
            held.memory.answered(choice, always, &call.name, text, folder)
        };
        let Some(Remembered { tool, text, workspace }) = lasting else { return };
        if let Err(error) = self.live.store().allow(&workspace, &tool, &text).await {
            tracing::warn!(%error, "what was always allowed will be asked again");
        }
    }
}

impl Live {
    /// The owner's answer, once. Errors: `NotFound` when the question is another client's, answered or over.
    pub fn respond(&self, client: &ClientId, request: &ApprovalRespondRequest) -> Result<Empty, IpcError> {
        let mut registry = self.registry();
        let own = registry.held.values_mut().filter(|held| held.client == *client);
        let answer = own.into_iter().find_map(|held| held.asked.remove(&request.approval_id));
        match answer.map(|answer| answer.send(request.choice)) {
            Some(Ok(())) => Ok(Empty {}),
            _ => Err(IpcError::new(
                ErrorCode::NotFound,
                "This question is over: it was answered, or its time ran out.",
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_in_which_the_window_was_there_counts() {
        let mut patience = Patience::new(Duration::from_secs(3));
        let over: Vec<bool> =
            [true, false, false, true, false, true].map(|there| patience.is_over(there)).to_vec();
        assert_eq!(over, [false, false, false, false, false, true]);
    }
}
