//! The store: one SQLite file in the data folder, and everything that is written in it.
//!
//! All SQL of Talaria's own file lives here. One thread writes, a few connections read; a write is answered after its
//! commit. The store knows no window and no event, and never starts work by itself. Whoever opens it holds the
//! [`OwnerLock`] first. Callers: `import`, `gateway`, `talariactl`.

mod branch;
mod bulk;
mod counts;
mod drafts;
mod error;
pub(crate) mod file;
mod find;
mod folders;
mod heads;
mod health;
pub mod home;
mod incoming;
mod lineages;
mod list;
pub mod live;
mod lock;
mod messages;
mod meta;
mod migrate;
mod model_settings;
mod open;
mod page;
mod positions;
mod put;
mod query;
mod read_only;
mod readers;
pub mod recover;
mod search;
mod search_index;
mod settings;
mod snippet;
mod sweep;
mod text;
mod titles;
mod tombstones;
mod tool_state;
mod trash;
mod update;
mod words;
mod writer;

pub use error::StoreError;
pub(crate) use error::words;
pub use incoming::{LATEST, LineageKind, NewLineage, NewMessage, NewSession, Origin, Relation};
pub use live::LineageKey;
pub use lock::OwnerLock;
pub use migrate::{SCHEMA, newest_copy};
pub use open::{KnownJump, Limits};
pub use put::{Known, Put};
pub use read_only::recoverable;
pub use sweep::{SweepCause, Swept};
pub(crate) use text::{is_unseen, one_line};

use crate::clock::Clock;
use readers::Readers;
use rusqlite::Connection;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use talaria_wire::*;
use tokio::sync::watch;
use writer::{Durability, Writer};

/// A handle to the open store; clones share it. The last one closes it.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    scan_budget: Duration,
    /// By how many days the clock had moved when the store was opened; over seven.
    clock_jump_days: Option<i64>,
    /// The check at opening found the search index not to hold together.
    search_is_broken: bool,
    readers: Readers,
    // Before the lock: the writer has ended when the home is given free. None: open for reading only.
    writer: Option<Writer>,
    trouble: Option<StoreTrouble>,
    /// What a read or a write met of damage, the first of it.
    damage: watch::Sender<Option<String>>,
    /// Held by whoever compares or rebuilds the search index.
    searching: tokio::sync::Mutex<()>,
    /// What the readers read when it is a copy. After them: they close it first.
    _copy: Option<file::CopyFolder>,
    lock: Mutex<Option<OwnerLock>>,
}

impl Store {
    /// The store's file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// By how many days (over 7, forward or back) the clock had moved since the last run when the store was opened. While
    /// it is set, nothing is deleted or archived by itself.
    pub fn clock_jump_days(&self) -> Option<i64> {
        self.0.clock_jump_days
    }

    fn now(&self) -> Millis {
        self.0.clock.now()
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.0.readers.run(work).await.inspect_err(|error| self.note(error))
    }

    async fn write<T: Send + 'static>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.writer()?.run(durability, move |tx| work(tx)).await.inspect_err(|error| self.note(error))
    }

    /// A page of the list. Errors: `BadRequest` for a strange cursor or an over-long query.
    pub async fn session_list(&self, r: SessionListRequest) -> Result<SessionListResponse, StoreError> {
        let (now, budget) = (self.now(), self.0.scan_budget);
        self.search(move |db| list::session_list(db, &r, now, budget)).await
    }

    /// One row, by any id of its lineage. Errors: `NotFound`.
    pub async fn session_get(&self, r: SessionRef) -> Result<SessionRow, StoreError> {
        let now = self.now();
        self.read(move |db| Ok(lineages::get(db, lineages::find(db, &r.id)?.lineage, now)?.row)).await
    }

    /// Title and archive flag. Errors, in this order: `NotFound`, `BadRequest` (nothing given; in the trash; a
    /// sub-agent's), `TitleTooLong`, `TitleTaken`.
    pub async fn session_update(&self, r: SessionUpdateRequest) -> Result<SessionUpdateResponse, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| update::session_update(db, &r, now)).await
    }

    /// Pins or unpins. Errors: `NotFound`, `BadRequest` when it is not in the active list.
    pub async fn session_pin(&self, r: SessionPinRequest) -> Result<SessionRow, StoreError> {
        let now = self.now();
        self.write(Durability::Normal, move |db| update::session_pin(db, &r, now)).await
    }

    /// The unread mark. Errors: `NotFound`.
    pub async fn session_mark(&self, r: SessionMarkRequest) -> Result<SessionRow, StoreError> {
        let now = self.now();
        self.write(Durability::Normal, move |db| update::session_mark(db, &r, now)).await
    }

    /// To the trash, or for good. What is gone already is not an error.
    pub async fn session_delete(&self, r: SessionDeleteRequest) -> Result<SessionDeleteResponse, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| trash::session_delete(db, &r, now)).await
    }

    /// Out of the trash, to where it was. Not in the trash: nothing changes. Errors: `NotFound`.
    pub async fn session_restore(&self, r: SessionRestoreRequest) -> Result<SessionRow, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| trash::session_restore(db, &r, now)).await
    }

    /// One action on many, in one transaction. Errors: `BadRequest` for days or a place that cannot be; what a single
    /// session says against it is in the answer.
    pub async fn session_bulk(&self, r: SessionBulkRequest) -> Result<SessionBulkResponse, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| bulk::session_bulk(db, &r, now)).await
    }

    /// A run of the automatic archive with the limit of the settings; leaves `shown` alone. `None`: it took nothing.
    pub async fn sweep(&self, cause: SweepCause, shown: Vec<SessionId>) -> Result<Option<Swept>, StoreError> {
        let (now, trusted) = (self.now(), self.0.clock_jump_days.is_none());
        self.write(Durability::Full, move |db| sweep::sweep(db, cause, trusted, &shown, now)).await
    }

    /// Empties what the trash has kept for 30 days; answers how many went. Nothing while the clock is not trusted.
    pub async fn trash_expire(&self) -> Result<usize, StoreError> {
        let now = self.now();
        if self.0.clock_jump_days.is_some() {
            return Ok(0);
        }
        self.write(Durability::Full, move |db| trash::expire(db, meta::elapsed(db, now)?, now)).await
    }

    /// What such a run would do. Errors: `BadRequest` for days that cannot be.
    pub async fn sweep_preview(
        &self,
        r: SweepPreviewRequest,
        shown: Vec<SessionId>,
    ) -> Result<SweepPreview, StoreError> {
        let now = self.now();
        self.read(move |db| sweep::preview(db, r.days, &shown, now)).await
    }

    /// A new session with the messages up to and with one, or with all. Errors: `NotFound`, `BadRequest` for one in the
    /// trash.
    pub async fn session_branch(&self, r: SessionBranchRequest) -> Result<SessionRow, StoreError> {
        let now = self.now();
        self.write(Durability::Full, move |db| branch::session_branch(db, &r, now)).await
    }

    /// Titles, then text. Errors: `BadRequest` for a strange cursor or an over-long query.
    pub async fn session_search(&self, r: SearchRequest) -> Result<SearchResponse, StoreError> {
        let (now, budget) = (self.now(), self.0.scan_budget);
        self.search(move |db| search::session_search(db, &r, now, budget)).await
    }

    /// The trash, newest deletion first.
    pub async fn trash_list(&self, r: TrashListRequest) -> Result<SessionListResponse, StoreError> {
        let now = self.now();
        self.read(move |db| list::trash_list(db, &r, now)).await
    }

    /// The groups of the active list.
    pub async fn workspace_list(&self, r: WorkspaceListRequest) -> Result<WorkspaceListResponse, StoreError> {
        self.read(move |db| folders::workspace_list(db, &r)).await
    }

    /// A page of a transcript; `media` of its rows is left empty. Errors: `NotFound`.
    pub async fn message_page(&self, r: MessagePageRequest) -> Result<MessagePageResponse, StoreError> {
        let now = self.now();
        let around = self.trouble().is_some();
        self.read(move |db| messages::message_page(db, &r, now, around)).await
    }

    /// Where a text occurs in a transcript. Errors: `NotFound`, `BadRequest` for an over-long query.
    pub async fn message_find(&self, r: MessageFindRequest) -> Result<MessageFindResponse, StoreError> {
        self.read(move |db| find::message_find(db, &r)).await
    }

    /// A draft, empty when there is none. Errors: `NotFound` for an unknown session.
    pub async fn draft_get(&self, client: &ClientId, r: DraftGetRequest) -> Result<Draft, StoreError> {
        let client = client.clone();
        self.read(move |db| drafts::draft_get(db, &client, &r)).await
    }

    /// Stores or removes a draft. Errors: `NotFound` for an unknown session.
    pub async fn draft_set(&self, client: &ClientId, r: DraftSetRequest) -> Result<Empty, StoreError> {
        let client = client.clone();
        self.write(Durability::Normal, move |db| drafts::draft_set(db, &client, &r)).await?;
        Ok(Empty {})
    }

    /// Where the listener left what a tag of the session names, in seconds; 0 when nothing is kept. Errors: `NotFound`.
    pub async fn position(&self, id: &SessionId, target: &str) -> Result<f64, StoreError> {
        let (id, target) = (id.clone(), target.to_owned());
        self.read(move |db| positions::position(db, &id, &target)).await
    }

    /// Keeps the place, or forgets it at 0. Errors: `NotFound`, `BadRequest` for a target that nothing can be.
    pub async fn position_set(&self, r: MediaPositionRequest) -> Result<(), StoreError> {
        let now = self.now();
        self.write(Durability::Normal, move |db| positions::position_set(db, &r, now)).await
    }

    /// All settings; the defaults where a store that is open for reading only has none that read.
    pub async fn settings_get(&self) -> Result<Settings, StoreError> {
        match self.read(settings::settings_get).await {
            Err(_) if self.trouble().is_some() => Ok(Settings::default()),
            settings => settings,
        }
    }

    /// Stores the given fields; answers all.
    pub async fn settings_update(&self, patch: SettingsPatch) -> Result<Settings, StoreError> {
        self.write(Durability::Normal, move |db| settings::settings_update(db, &patch)).await
    }

    /// The settings of the model; the defaults where a store that is open for reading only has none that read.
    pub async fn model_settings(&self) -> Result<ModelSettings, StoreError> {
        match self.read(model_settings::get).await {
            Err(_) if self.trouble().is_some() => Ok(ModelSettings::default()),
            settings => settings,
        }
    }

    /// Stores the settings of the model as a whole. The caller has checked them.
    pub async fn model_settings_set(&self, settings: ModelSettings) -> Result<(), StoreError> {
        self.write(Durability::Full, move |db| model_settings::set(db, &settings)).await
    }

    /// Whether the store has never held a session, or holds none any more: in no place, also not in the trash.
    pub async fn is_empty(&self) -> Result<bool, StoreError> {
        self.read(|db| Ok(db.query_row("SELECT NOT EXISTS (SELECT 1 FROM lineages)", [], |row| row.get(0))?))
            .await
    }

    /// The visible user and assistant texts of the lineage that hold `needle` and a media tag. Exact letters.
    pub async fn texts_naming(&self, id: &SessionId, needle: &str) -> Result<Vec<String>, StoreError> {
        let (id, needle) = (id.clone(), needle.to_owned());
        self.read(move |db| messages::texts_naming(db, &id, &needle)).await
    }

    /// The visible user and assistant texts of the lineage that hold `needle`. Exact letters.
    pub async fn texts_holding(&self, id: &SessionId, needle: &str) -> Result<Vec<String>, StoreError> {
        let (id, needle) = (id.clone(), needle.to_owned());
        self.read(move |db| messages::texts_holding(db, &id, &needle)).await
    }

    /// The titles of the newest sessions in any place, the trash too, at most `most`.
    pub async fn newest_titles(&self, most: u32) -> Result<Vec<String>, StoreError> {
        self.read(move |db| titles::newest(db, most)).await
    }

    /// The kept counts, `hidden` apart.
    pub async fn counts(&self) -> Result<SessionCounts, StoreError> {
        self.read(counts::all).await
    }

    /// Whether the kept counts equal a count of the rows: the health check's question.
    pub async fn counts_hold(&self) -> Result<bool, StoreError> {
        self.read(counts::hold).await
    }

    /// Every imported session that is here, by its origin id.
    pub async fn known_origins(&self) -> Result<HashMap<String, Known>, StoreError> {
        self.read(put::known).await
    }

    /// Stores a lineage whole, or what is new of it.
    pub async fn lineage_put(&self, new: Arc<NewLineage>) -> Result<Put, StoreError> {
        self.write(Durability::Normal, move |db| put::put(db, &new)).await
    }

    /// Stores many lineages in one transaction; answers in their order.
    pub async fn lineages_put(&self, new: Vec<Arc<NewLineage>>) -> Result<Vec<Put>, StoreError> {
        self.write(Durability::Normal, move |db| new.iter().map(|new| put::put(db, new)).collect()).await
    }

    /// Everything acknowledged so far survives a power cut, too, once this is answered. Also empties the log, which a
    /// long import has filled.
    pub async fn settle(&self) -> Result<(), StoreError> {
        let now = self.now();
        // The log is synced as a whole, so one small write carries all before it.
        self.write(Durability::Full, move |db| meta::note_running(db, now)).await?;
        self.writer()?.empty_log().await
    }

    /// Finishes what is queued, tidies the file and gives the home free. Other clones fail from then on.
    pub async fn close(self) {
        let now = self.now();
        // Closing twice is calm; then there is nothing to note.
        let _ = self.write(Durability::Normal, move |db| meta::note_running(db, now)).await;
        self.0.readers.close().await;
        let damaged = self.0.damage.borrow().is_some();
        if let Some(writer) = self.0.writer.as_ref().filter(|_| damaged) {
            // Closed before: then it is as it was left.
            let _ = writer.leave_file().await;
        }
        let shared = Arc::clone(&self.0);
        // Joining a thread blocks.
        let _ = tokio::task::spawn_blocking(move || shared.writer.as_ref().map(Writer::stop)).await;
        self.0.lock.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).take();
    }
}
