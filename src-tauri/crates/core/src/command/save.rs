//! Copies of media while the window stays usable: several at once, each told to the window that asked for it, with a way
//! to stop it.
//!
//! Where to is asked by the host, with the system's own dialog; a page names no path. A window that loads anew or closes
//! does not end its copies: the user asked for the file. The page that is there then hears of them. The app's end does.

use super::media::source_of;
use super::{App, off_thread};
use crate::files::name;
use crate::save::{self, SaveError};
use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use talaria_wire::*;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Progress is drawn, not counted: ten a second is enough, whatever the disk does.
const TELL_EVERY: Duration = Duration::from_millis(100);

/// Finished copies that can still be shown in their folder; the oldest goes first.
const MOST_FINISHED: usize = 64;

/// The copies on their way.
#[derive(Clone, Default)]
pub struct Saves(Arc<Inner>);

#[derive(Default)]
struct Inner {
    running: watch::Sender<HashMap<String, Running>>,
    /// Ends them all, and whatever begins later.
    end: CancellationToken,
    finished: Mutex<VecDeque<Finished>>,
}

struct Finished {
    id: String,
    client: ClientId,
    path: PathBuf,
}

struct Running {
    client: ClientId,
    cancel: CancellationToken,
}

impl Saves {
    /// Stops all, and waits until their half files are gone.
    pub async fn end(&self) {
        self.0.end.cancel();
        let mut running = self.0.running.subscribe();
        // Fails only when there are none any more.
        let _ = running.wait_for(HashMap::is_empty).await;
    }

    fn begin(&self, client: &ClientId) -> (String, CancellationToken) {
        let (id, cancel) = (Uuid::new_v4().simple().to_string(), self.0.end.child_token());
        let running = Running { client: client.clone(), cancel: cancel.clone() };
        self.0.running.send_modify(|all| drop(all.insert(id.clone(), running)));
        (id, cancel)
    }

    fn ended(&self, id: &str) {
        self.0.running.send_modify(|all| drop(all.remove(id)));
    }

    fn finished(&self, id: String, client: ClientId, path: PathBuf) {
        let mut all = self.0.finished.lock().expect("no thread panics while it holds the list");
        if all.len() == MOST_FINISHED {
            all.pop_front();
        }
        all.push_back(Finished { id, client, path });
    }

    /// Where a copy of this window went.
    fn path_of(&self, client: &ClientId, id: &str) -> Option<PathBuf> {
        let all = self.0.finished.lock().expect("no thread panics while it holds the list");
        let found = all.iter().find(|one| one.id == id && one.client == *client)?;
        Some(found.path.clone())
    }

    /// An id is known to the window that asked; another's changes nothing.
    fn cancel(&self, client: &ClientId, id: &str) {
        if let Some(running) = self.0.running.borrow().get(id).filter(|running| running.client == *client) {
            running.cancel.cancel();
        }
    }
}

/// What the host's dialog suggests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// A name that every system takes, with the file's ending.
    pub name: String,
    /// Which of the user's folders it belongs in.
    pub kind: MediaKind,
}

impl App {
    /// What to suggest for the copy of a file; it passes all checks now.
    ///
    /// # Errors
    /// Those of `media_open`.
    pub async fn save_suggestion(&self, request: &MediaSaveRequest) -> Result<Suggestion, IpcError> {
        let source = source_of(self, &request.session_id, &request.path).await?;
        Ok(Suggestion { name: name::of_file(&source.name), kind: source.kind })
    }

    /// Starts the copy to the file that the user chose in the host's dialog. All checks are repeated.
    ///
    /// # Errors
    /// Those of `media_open`. What goes wrong later is told by events.
    pub async fn save_to(
        &self,
        client: &ClientId,
        request: &MediaSaveRequest,
        target: PathBuf,
    ) -> Result<MediaSaveResponse, IpcError> {
        let store = self.boot.ready()?.store.path().to_owned();
        let source = source_of(self, &request.session_id, &request.path).await?;
        let (id, cancel) = self.saves.begin(client);
        let mut tell = teller(self.clone(), client.clone(), id.clone(), source.size);
        let run =
            tokio::task::spawn_blocking(move || save::copy(&source, &target, &store, &cancel, &mut tell));
        let (app, client, ended) = (self.clone(), client.clone(), id.clone());
        tokio::spawn(async move {
            let status = match run.await.unwrap_or(Err(SaveError::Broken)) {
                Ok(path) => {
                    app.saves.finished(ended.clone(), client.clone(), path.clone());
                    SaveStatus::Done { path: path.display().to_string() }
                }
                Err(SaveError::Cancelled) => SaveStatus::Cancelled,
                Err(error) => SaveStatus::Failed { error: error.into() },
            };
            app.sinks.send_to(&client, AppEvent::SaveChanged { id: ended.clone(), status });
            app.saves.ended(&ended);
        });
        Ok(MediaSaveResponse { id: Some(id) })
    }

    /// Where a finished copy of this window is, for `save_reveal`.
    ///
    /// # Errors
    /// `missing` when it is not there any more; `not_found` for an id that is none of this window's.
    pub async fn saved_to_reveal(&self, client: &ClientId, request: SaveRef) -> Result<PathBuf, IpcError> {
        let path = self.saves.path_of(client, &request.id).ok_or_else(|| {
            IpcError::new(ErrorCode::NotFound, "Talaria does not know any more where this copy is.")
        })?;
        off_thread(move || match path.try_exists() {
            Ok(true) => Ok(path),
            _ => Err(IpcError::new(ErrorCode::Missing, "The copy is not there any more.")),
        })
        .await?
    }
}

/// Tells the window from time to time.
fn teller(app: App, client: ClientId, id: String, total: u64) -> impl FnMut(u64) + Send + 'static {
    let mut told: Option<Instant> = None;
    move |done| {
        if told.is_none_or(|at| at.elapsed() >= TELL_EVERY) {
            told = Some(Instant::now());
            let status = SaveStatus::Running { done, total };
            app.sinks.send_to(&client, AppEvent::SaveChanged { id: id.clone(), status });
        }
    }
}

pub(super) async fn save_cancel(app: &App, client: &ClientId, request: SaveRef) -> Result<Empty, IpcError> {
    app.saves.cancel(client, &request.id);
    Ok(Empty {})
}
