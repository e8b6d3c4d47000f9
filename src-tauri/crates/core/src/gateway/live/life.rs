//! The life of a live session: create, resume, activate (move), close; the end of a client, of idleness, of its lineage.

use super::registry::{Held, random_id};
use super::{Live, Shared, view, waits};
use crate::store::LineageKey;
use crate::store::live::Opened;
use std::sync::Weak;
use std::time::Duration;
use talaria_wire::*;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Between two looks for idle sessions, at most.
const LOOK_EVERY: Duration = Duration::from_secs(60);

impl Live {
    /// A live draft: nothing is stored. An unused one of the same window ends.
    pub fn create(&self, client: &ClientId, request: SessionCreateRequest) -> LiveSession {
        let id = LiveId(random_id());
        let view = view::at_rest(id.clone(), None, Usage::default(), request.model);
        let folder = request.folder.filter(|folder| !folder.is_empty());
        let mut registry = self.registry();
        registry.held.retain(|_, held| held.lineage.is_some() || held.client != *client || !held.is_idle());
        registry.held.insert(id, Held::new(client.clone(), None, view.clone(), folder));
        view
    }

    /// Opens a stored session on its tip, or brings the window to the front that has it. Errors: `NotFound`,
    /// `BadRequest` (in the trash, a sub-agent's).
    pub async fn resume(&self, client: &ClientId, id: &SessionId) -> Result<SessionResumeResponse, IpcError> {
        let opened = self.store().live_open(id).await?;
        let (owner, session_id) = {
            let mut registry = self.registry();
            match registry.of_lineage(opened.lineage) {
                Some(held) if held.client == *client || held.closing => {
                    return Ok(SessionResumeResponse::Here { live: take(held, client) });
                }
                Some(held) => (held.client.clone(), opened.tip.clone()),
                None => {
                    let live = open(&mut registry.held, client, opened);
                    return Ok(SessionResumeResponse::Here { live });
                }
            }
        };
        if (self.0.around.show)(&owner) {
            self.0.around.sinks.send_to(&owner, AppEvent::SessionWanted { session_id });
            return Ok(SessionResumeResponse::Elsewhere);
        }
        // It has no window any more.
        Ok(SessionResumeResponse::Here { live: self.activate(client, id).await? })
    }

    /// Opens a stored session here, wherever it is open: its turn, queue and approvals come along. The last that the
    /// window hears that had it is `SessionMoved`; the numbers of the changes go on.
    pub async fn activate(&self, client: &ClientId, id: &SessionId) -> Result<LiveSession, IpcError> {
        let opened = self.store().live_open(id).await?;
        let mut registry = self.registry();
        let Some(held) = registry.of_lineage(opened.lineage) else {
            return Ok(open(&mut registry.held, client, opened));
        };
        if held.client != *client {
            let moved = AppEvent::SessionMoved { live_id: held.view.live_id.clone(), session_id: opened.tip };
            self.0.around.sinks.send_to(&held.client, moved);
        }
        Ok(take(held, client))
    }

    /// Ends a live session: a turn under way is stopped and stored. The stored session stays.
    pub async fn close_session(&self, client: &ClientId, id: &LiveId) -> SessionCloseResponse {
        let done = {
            let mut registry = self.registry();
            match registry.own(client, id) {
                Ok(held) => begin_end(held),
                Err(_) => return SessionCloseResponse { closed: false },
            }
        };
        self.finish_end(id, done).await;
        SessionCloseResponse { closed: true }
    }

    /// A client's window is gone: its sessions end, each with its turn.
    pub fn client_gone(&self, client: &ClientId) {
        let ending: Vec<(LiveId, Option<CancellationToken>)> = {
            let mut registry = self.registry();
            registry.shown.remove(client);
            let own = registry.held.iter_mut().filter(|(_, held)| held.client == *client && !held.closing);
            own.map(|(id, held)| (id.clone(), begin_end(held))).collect()
        };
        for (id, done) in ending {
            let live = self.clone();
            self.0.turns.spawn(async move { live.finish_end(&id, done).await });
        }
    }

    /// The lineages of these sessions are about to be deleted: what is live of them ends first.
    pub async fn end_of(&self, ids: &[SessionId]) {
        for id in ids {
            // Not here: then nothing is live of it.
            let Ok(lineage) = self.store().lineage_of(id).await else { continue };
            self.end_lineage(lineage).await;
        }
    }

    async fn end_lineage(&self, lineage: LineageKey) {
        let ending = {
            let mut registry = self.registry();
            registry.of_lineage(lineage).map(|held| (held.view.live_id.clone(), begin_end(held)))
        };
        if let Some((id, done)) = ending {
            self.finish_end(&id, done).await;
        }
    }

    /// Waits for the turn, then forgets the session, unless somebody took it over meanwhile.
    async fn finish_end(&self, id: &LiveId, done: Option<CancellationToken>) {
        if let Some(done) = done {
            done.cancelled().await;
        }
        let ended = {
            let mut registry = self.registry();
            match registry.held.get(id) {
                Some(held) if held.closing && held.turn.is_none() => registry.held.remove(id),
                _ => None,
            }
        };
        if let Some(held) = ended.filter(waits)
            && let Some(session) = &held.view.session_id
        {
            self.keep_as_draft(session).await;
        }
    }

    /// Ends what nobody has used for so long.
    async fn end_unused(&self, idle_after: Duration) {
        let now = Instant::now();
        let idle: Vec<LiveId> = {
            let mut registry = self.registry();
            let unused: Vec<LiveId> = registry
                .held
                .iter()
                .filter(|(_, held)| is_at_rest(held) && now - held.used_at >= idle_after)
                .map(|(id, _)| id.clone())
                .collect();
            let unseen: Vec<LiveId> = unused.into_iter().filter(|id| !registry.is_shown(id)).collect();
            for id in &unseen {
                registry.held.entry(id.clone()).and_modify(|held| held.closing = true);
            }
            unseen
        };
        for id in idle {
            self.finish_end(&id, None).await;
        }
    }
}

/// Looks for unused sessions until the registry is gone.
pub(super) async fn end_idle(live: Weak<Shared>, idle_after: Duration) {
    loop {
        tokio::time::sleep(LOOK_EVERY.min(idle_after)).await;
        let Some(shared) = live.upgrade() else { return };
        Live(shared).end_unused(idle_after).await;
    }
}

/// Nothing runs or waits in it, and no command is about to change that.
fn is_at_rest(held: &Held) -> bool {
    held.is_idle() && !waits(held) && held.gate.try_lock().is_ok()
}

/// A new live session at rest.
fn open(
    held: &mut std::collections::HashMap<LiveId, Held>,
    client: &ClientId,
    opened: Opened,
) -> LiveSession {
    let id = LiveId(random_id());
    let view = view::at_rest(id.clone(), Some(opened.tip), opened.usage, opened.choice);
    held.insert(id, Held::new(client.clone(), Some(opened.lineage), view.clone(), opened.folder));
    view
}

/// The session is this client's from now on.
fn take(held: &mut Held, client: &ClientId) -> LiveSession {
    held.client = client.clone();
    held.closing = false;
    held.used_at = Instant::now();
    held.view.clone()
}

/// Stops the turn; answers what tells its end.
fn begin_end(held: &mut Held) -> Option<CancellationToken> {
    held.closing = true;
    held.turn.as_ref().map(|turn| {
        turn.stop.cancel();
        turn.done.clone()
    })
}
