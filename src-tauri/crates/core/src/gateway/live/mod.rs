//! Live sessions of the embedded gateway: who has which open, and the turns in them.
//!
//! A live session lasts from its opening to its end (notifications.md, "Words"); what it writes is in the store before it
//! is acknowledged. It knows a window as an opaque client only. `gateway` calls it, nobody else.

mod approver;
mod changes;
mod ledger;
mod life;
mod models;
mod prompts;
mod registry;
mod turn;
mod view;

pub use approver::ANSWER_WITHIN;
pub use models::{ModelInUse, Models};

use crate::agent::model::Endpoints;
use crate::agent::tools::LocalTools;
use crate::clock::Clock;
use crate::notify::Sinks;
use crate::store::Store;
use registry::{Held, Registry};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use talaria_wire::*;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Ends a live session in which nothing runs or waits and that its window does not show (notifications.md, "Words").
pub const IDLE_AFTER: Duration = Duration::from_secs(30 * 60);

/// How long the end of the app waits for turns to stop and be stored.
const END_AFTER: Duration = Duration::from_secs(5);

/// Brings a client's window to the front; `false`: it has none.
pub type Show = Arc<dyn Fn(&ClientId) -> bool + Send + Sync>;

/// What is around a gateway: it outlives every store that is opened.
#[derive(Clone)]
pub struct Around {
    pub sinks: Sinks,
    pub show: Show,
    pub clock: Arc<dyn Clock>,
    /// [`IDLE_AFTER`].
    pub idle_after: Duration,
    /// [`ANSWER_WITHIN`].
    pub answer_within: Duration,
    /// The user's home folder.
    pub user_home: PathBuf,
    /// The environment that the app was started with; tools get it cleaned.
    pub environment: Vec<(OsString, OsString)>,
    /// Where models are asked.
    pub endpoints: Endpoints,
}

/// The live sessions over one store. Cheap to clone.
#[derive(Clone)]
pub struct Live(Arc<Shared>);

struct Shared {
    store: Store,
    around: Around,
    models: Arc<dyn Models>,
    tools: LocalTools,
    registry: Mutex<Registry>,
    turns: TaskTracker,
    /// The app ends.
    closing: CancellationToken,
}

impl Live {
    /// No session is live yet.
    pub fn new(store: Store, around: Around, models: Arc<dyn Models>, tools: LocalTools) -> Self {
        let idle_after = around.idle_after;
        let shared = Shared {
            store,
            around,
            models,
            tools,
            registry: Mutex::default(),
            turns: TaskTracker::new(),
            closing: CancellationToken::new(),
        };
        let live = Self(Arc::new(shared));
        tokio::spawn(life::end_idle(Arc::downgrade(&live.0), idle_after));
        live
    }

    fn registry(&self) -> MutexGuard<'_, Registry> {
        // A panic leaves the map as it was before the change or behind it; both are valid.
        self.0.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn store(&self) -> &Store {
        &self.0.store
    }

    fn now(&self) -> Millis {
        self.0.around.clock.now()
    }

    /// Makes a change of a session and tells its owner.
    fn change(&self, id: &LiveId, change: LiveChange) {
        self.registry().change(&self.0.around.sinks, id, change);
    }

    /// Tells every window that the rows of the session in the lists are to be read again. Ids only: what is in a session
    /// is its owner's.
    fn tell_lists(&self, session: SessionId) {
        self.0.around.sinks.send_to_all(AppEvent::SessionsChanged { ids: vec![session] });
    }

    /// What the registry knows of rows: whether a turn runs, and how many approvals wait.
    pub fn mark<'a>(&self, rows: impl IntoIterator<Item = &'a mut SessionRow>) {
        let registry = self.registry();
        if registry.held.is_empty() {
            return;
        }
        for row in rows {
            let held = registry.held.values().find(|held| held.view.session_id.as_ref() == Some(&row.id));
            row.running = held.is_some_and(|held| !held.is_idle());
            row.approvals = held.map_or(0, |held| held.view.approvals.len() as u32);
        }
    }

    /// The window shows this session; nobody needs to tell it that something ended there.
    pub async fn shows(&self, client: &ClientId, id: Option<&SessionId>) {
        let lineage = match id {
            Some(id) => self.store().lineage_of(id).await.ok(),
            None => None,
        };
        let mut registry = self.registry();
        match lineage {
            Some(lineage) => registry.shown.insert(client.clone(), lineage),
            None => registry.shown.remove(client),
        };
    }

    /// The session as it is now. Errors: `NotFound`.
    pub fn get(&self, client: &ClientId, id: &LiveId) -> Result<LiveSession, IpcError> {
        Ok(self.registry().own(client, id)?.view.clone())
    }

    /// Titles of the sessions in which something runs.
    pub async fn running(&self) -> Result<RunningListResponse, IpcError> {
        let running: Vec<SessionId> = self
            .registry()
            .held
            .values()
            .filter(|held| !held.is_idle())
            .filter_map(|held| held.view.session_id.clone())
            .collect();
        let mut sessions = Vec::with_capacity(running.len());
        for id in running {
            let row = self.store().session_get(SessionRef { id }).await?;
            sessions.push(row.title.or(row.preview).unwrap_or_else(|| "Untitled session".to_owned()));
        }
        Ok(RunningListResponse { sessions })
    }

    /// Stops every turn and waits until what came of them is stored, at most 5 s.
    pub async fn close(&self) {
        let sessions: Vec<SessionId> = {
            let mut registry = self.registry();
            registry.ended = true;
            for held in registry.held.values_mut() {
                held.closing = true;
                if let Some(turn) = &held.turn {
                    turn.stop.cancel();
                }
            }
            registry
                .held
                .values()
                .filter(|held| waits(held))
                .filter_map(|h| h.view.session_id.clone())
                .collect()
        };
        self.0.closing.cancel();
        self.0.turns.close();
        if tokio::time::timeout(END_AFTER, self.0.turns.wait()).await.is_err() {
            // The next opening finds them open and says so in their transcripts.
            tracing::warn!("a turn did not stop in time");
        }
        for session in sessions {
            self.keep_as_draft(&session).await;
        }
        self.registry().held.clear();
    }

    /// What was queued becomes the draft. When that fails, the next opening does it.
    async fn keep_as_draft(&self, session: &SessionId) {
        if let Err(error) = self.store().waiting_to_draft(session).await {
            tracing::warn!(%error, "a queued message is not in the draft yet");
        }
    }
}

/// Whether the session has words that are not sent.
fn waits(held: &Held) -> bool {
    held.view.queued.is_some() || !held.steered.is_empty()
}
