//! The live sessions of this run: who has which, and what it is doing. Nothing here waits.
//!
//! A lineage has at most one live session, and that one client. Every change goes through [`Registry::change`], in the
//! order of their numbers; it is sent to the owner in the same breath, so nobody hears them in another order.

use super::view;
use crate::agent::approval::Memory;
use crate::notify::Sinks;
use crate::store::LineageKey;
use std::collections::HashMap;
use std::sync::Arc;
use talaria_wire::*;
use tokio::sync::{Mutex as Gate, mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A turn under way.
pub(super) struct Running {
    pub stop: CancellationToken,
    /// Cancelled when the turn's last row is stored.
    pub done: CancellationToken,
    pub steer: mpsc::UnboundedSender<String>,
}

/// One live session.
pub(super) struct Held {
    pub client: ClientId,
    /// `None`: a draft.
    pub lineage: Option<LineageKey>,
    pub view: LiveSession,
    pub folder: Option<String>,
    /// What begins and ends turns takes its order from this.
    pub gate: Arc<Gate<()>>,
    pub turn: Option<Running>,
    /// Steered texts that the turn has not taken.
    pub steered: Vec<String>,
    pub asked: HashMap<ApprovalId, oneshot::Sender<ApprovalChoice>>,
    /// What was allowed for the life of this session.
    pub memory: Memory,
    /// Its client is gone: it ends with its turn.
    pub closing: bool,
    pub used_at: Instant,
}

impl Held {
    pub(super) fn new(
        client: ClientId,
        lineage: Option<LineageKey>,
        view: LiveSession,
        folder: Option<String>,
    ) -> Self {
        Self {
            client,
            lineage,
            view,
            folder,
            gate: Arc::default(),
            turn: None,
            steered: Vec::new(),
            asked: HashMap::new(),
            memory: Memory::default(),
            closing: false,
            used_at: Instant::now(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.view.state == LiveState::Idle
    }
}

/// All of them.
#[derive(Default)]
pub(super) struct Registry {
    pub held: HashMap<LiveId, Held>,
    /// What each window shows.
    pub shown: HashMap<ClientId, LineageKey>,
    /// The app ends: no turn begins.
    pub ended: bool,
}

impl Registry {
    pub(super) fn of_lineage(&mut self, lineage: LineageKey) -> Option<&mut Held> {
        self.held.values_mut().find(|held| held.lineage == Some(lineage))
    }

    /// The session, when it is this client's. Errors: `NotFound`, be it another client's or nobody's.
    pub(super) fn own(&mut self, client: &ClientId, id: &LiveId) -> Result<&mut Held, IpcError> {
        let held = self.held.get_mut(id).filter(|held| held.client == *client && !held.closing);
        let held = held.ok_or_else(|| {
            IpcError::new(
                ErrorCode::NotFound,
                "This session is not open in this window any more. Open it again.",
            )
        })?;
        held.used_at = Instant::now();
        Ok(held)
    }

    /// Makes a change and tells it to the owner. Nobody hears of a session that has ended.
    pub(super) fn change(&mut self, sinks: &Sinks, id: &LiveId, change: LiveChange) {
        let Some(held) = self.held.get_mut(id) else { return };
        view::apply(&mut held.view, &change);
        let event = AppEvent::LiveChanged { live_id: id.clone(), rev: held.view.rev, change };
        sinks.send_to(&held.client, event);
    }

    /// Whether the owner's window shows the session.
    pub(super) fn is_shown(&self, id: &LiveId) -> bool {
        let Some(held) = self.held.get(id) else { return false };
        !held.closing && held.lineage.is_some() && self.shown.get(&held.client) == held.lineage.as_ref()
    }

    /// The stored session at the tip.
    pub(super) fn session(&self, id: &LiveId) -> Option<SessionId> {
        self.held.get(id)?.view.session_id.clone()
    }
}

/// 128 random bits, never given twice.
pub(super) fn random_id() -> String {
    format!("{:032x}", rand::random::<u128>())
}
