//! The start of the gateway: take the owner lock, open the store, migrate, and say at each step how it stands.
//!
//! A start that fails is told with its cause and its log, and is tried again below until it works. A store that is open
//! for reading only is said so, and is opened anew when somebody asks or when it was recovered. One that turns out to be
//! damaged while it is open is closed and opened for reading only. This module knows no window: it publishes a [`BootStatus`], and `command` hands out the open gateway.

mod attempt;
mod log;
mod recovery;

use crate::clock::Clock;
use crate::gateway::Gateway;
use crate::gateway::live::Around;
use crate::owner::{Door, Owner};
use crate::store::{self, KnownJump, Limits, Store};
use attempt::attempt;
use log::BootLog;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use talaria_wire::{BootFailure, BootPhase, BootStatus, ErrorCode, IpcError};
use tokio::sync::{Mutex as Turn, Notify, watch};

/// Between two attempts. Cheap attempts (a lock, an open), so a fixed, short wait serves the person in front best.
pub const RETRY_AFTER: Duration = Duration::from_secs(5);

/// How long a start may take before it is said to have failed (ui.md, "Boot failure": within 20 s).
pub const SLOW_AFTER: Duration = Duration::from_secs(15);

/// What the start needs to know.
pub struct BootConfig {
    /// The data folder.
    pub home: PathBuf,
    pub clock: Arc<dyn Clock>,
    /// Shown in words: `linux`, `macos`, `windows`.
    pub platform: &'static str,
    pub version: &'static str,
    /// Loop the connecting overlay (debug builds only; the shell decides).
    pub preview: bool,
    /// This run draws without graphics acceleration, because the last one showed nothing.
    pub safe_graphics: bool,
    /// After so long without an answer of the disk the failure is said, while the attempt goes on: [`SLOW_AFTER`].
    pub slow_after: Duration,
    /// A failed attempt is made again by itself after so long: [`RETRY_AFTER`].
    pub retry_after: Duration,
    /// How far the store may go.
    pub limits: Limits,
}

/// How the store is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Opening {
    Whole,
    /// Whole, when a check of all of it finds nothing: damage was met in it before.
    Checked,
    /// For reading only, for the damage that it was found to have while it was open.
    Damaged(String),
}

impl Opening {
    /// Somebody asks for another try.
    fn asked(&mut self) {
        if matches!(self, Self::Damaged(_)) {
            *self = Self::Checked;
        }
    }
}

/// What is there once the start has succeeded.
#[derive(Clone)]
pub struct Ready {
    /// This home's own store: drafts, settings, imports.
    pub store: Store,
    /// Where the sessions are.
    pub gateway: Arc<dyn Gateway>,
    /// By which other processes of the user are heard, for as long as the lock is held.
    pub door: Option<Arc<Door>>,
}

/// The start, running in the background. Cheap to clone.
#[derive(Clone)]
pub struct Boot {
    status: watch::Receiver<BootStatus>,
    ready: Arc<Mutex<Option<Ready>>>,
    retry: Arc<Notify>,
    /// Held by whoever has the home's files at hand: an attempt, or a recovery.
    turn: Arc<Turn<()>>,
    home: Arc<Path>,
    clock: Arc<dyn Clock>,
}

impl Boot {
    /// Begins to start, on the current tokio runtime. `owner` answers other processes once the home is this one's.
    /// `around` is what live sessions have around them.
    pub fn start(config: BootConfig, owner: Arc<dyn Owner>, around: Around) -> Self {
        let (publish, status) = watch::channel(BootStatus {
            phase: BootPhase::Connecting,
            failure: None,
            home: config.home.display().to_string(),
            trouble: None,
            clock_jump_days: None,
            safe_graphics: config.safe_graphics,
            first_start: false,
            preview: config.preview,
            platform: config.platform.to_owned(),
            version: config.version.to_owned(),
        });
        let boot = Self {
            status,
            ready: Arc::default(),
            retry: Arc::default(),
            turn: Arc::default(),
            home: config.home.clone().into(),
            clock: Arc::clone(&config.clock),
        };
        let (ready, turn) = (Arc::clone(&boot.ready), Arc::clone(&boot.turn));
        let start = Start { config, owner, around, publish, ready, turn, jump: KnownJump::default() };
        tokio::spawn(start.run(Arc::clone(&boot.retry)));
        boot
    }

    /// How the start stands now.
    pub fn status(&self) -> BootStatus {
        self.status.borrow().clone()
    }

    /// Changes of the status, the present one first.
    pub fn watch(&self) -> watch::Receiver<BootStatus> {
        self.status.clone()
    }

    /// Tries again now. Without effect unless the last attempt failed or left the store open for reading only.
    pub fn retry(&self) {
        let again = {
            let status = self.status.borrow();
            status.phase == BootPhase::Failed || status.trouble.is_some()
        };
        if again {
            self.retry.notify_one();
        }
    }

    /// The open gateway, or `not_ready` with what stands in the way.
    pub fn ready(&self) -> Result<Ready, IpcError> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).clone().ok_or_else(|| {
            let words = match &self.status.borrow().failure {
                Some(failure) => format!("{}. {}", failure.title, failure.message),
                None => "Talaria is still opening its store. Try again in a moment.".to_owned(),
            };
            IpcError::retryable(ErrorCode::NotReady, words)
        })
    }

    /// Where the open gateway will be found; a handle that keeps neither it nor the start alive.
    pub fn slot(&self) -> Weak<Mutex<Option<Ready>>> {
        Arc::downgrade(&self.ready)
    }

    /// Takes the gateway away, for the end of the app: the store's last handle is the caller's.
    pub fn take(&self) -> Option<Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What the start works with, on its own task.
struct Start {
    config: BootConfig,
    owner: Arc<dyn Owner>,
    around: Around,
    publish: watch::Sender<BootStatus>,
    ready: Arc<Mutex<Option<Ready>>>,
    turn: Arc<Turn<()>>,
    jump: KnownJump,
}

impl Start {
    /// Attempts until one succeeds; then waits until the store is to be opened anew.
    async fn run(self, retry: Arc<Notify>) {
        let log = BootLog::new(self.config.clock.now());
        let mut opening = Opening::Whole;
        loop {
            let opened = {
                let _turn = self.turn.lock().await;
                self.close().await;
                let Some(ended) = self.attempt(&opening, &log).await else { return };
                ended.inspect_err(|error| self.fail(&log, error.clone(), self.config.retry_after)).ok()
            };
            match opened {
                Some(store) => {
                    if store.trouble().is_none() {
                        opening = Opening::Whole;
                    }
                    let mut watched = pin!(self.watch(store));
                    loop {
                        tokio::select! {
                            // A click that came late, when the store is open whole already, asks for nothing.
                            () = retry.notified() => if self.publish.borrow().trouble.is_some() {
                                opening.asked();
                                break;
                            },
                            met = &mut watched => match met {
                                Some(detail) => {
                                    opening = Opening::Damaged(detail);
                                    break;
                                }
                                None => return,
                            },
                        }
                    }
                }
                None => tokio::select! {
                    () = tokio::time::sleep(self.config.retry_after) => {}
                    () = retry.notified() => opening.asked(),
                    // Every handle is gone: the app ended.
                    () = self.publish.closed() => return,
                },
            }
        }
    }

    /// One attempt, made known when it succeeds. `None`: the app ended meanwhile.
    async fn attempt(&self, opening: &Opening, log: &BootLog) -> Option<Result<Store, IpcError>> {
        let mut attempt = pin!(attempt(&self.config, &self.owner, &self.around, opening, &self.jump, log));
        let ended = match tokio::time::timeout(self.config.slow_after, &mut attempt).await {
            Ok(ended) => ended,
            Err(_) => {
                let error = slow(&self.config.home);
                log.fail(self.config.clock.now(), &error);
                self.fail(log, error, Duration::ZERO);
                // What hangs in the system cannot be called back, so the same attempt is waited for.
                tokio::select! {
                    ended = &mut attempt => ended,
                    () = self.publish.closed() => return None,
                }
            }
        };
        Some(ended.map(|(opened, first_start)| self.open(opened, first_start)))
    }

    fn open(&self, opened: Ready, first_start: bool) -> Store {
        let store = opened.store.clone();
        *self.ready.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        let trouble = store.trouble().cloned();
        if let Some(trouble) = &trouble {
            tracing::warn!(code = ?trouble.code, "the store is open for reading only");
        }
        self.publish.send_modify(|status| {
            status.phase = BootPhase::Ready;
            status.failure = None;
            status.trouble = trouble;
            status.clock_jump_days = self.jump.days();
            status.first_start = first_start;
        });
        store
    }

    /// The open store has nothing to do but to follow: its search index is looked at. Answers damage that shows only
    /// now, for which it is to be opened for reading only; `None`: the app ended.
    async fn watch(&self, store: Store) -> Option<String> {
        let mut damage = store.damage();
        let told = async {
            // Of a damaged store all is shown that reads, and a newer one is not taken apart.
            let told = |code| matches!(code, ErrorCode::Damaged | ErrorCode::Newer);
            if !store.trouble().is_some_and(|trouble| told(trouble.code))
                && let Ok(met) = damage.wait_for(Option::is_some).await
            {
                return met.clone().unwrap_or_default();
            }
            std::future::pending().await
        };
        let kept = async {
            if let Err(error) = store.search_index_kept().await {
                tracing::warn!(%error, "the search index could not be compared with the messages");
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            detail = told => {
                tracing::error!(%detail, "the open store is damaged");
                Some(detail)
            }
            () = kept => None,
            () = self.publish.closed() => None,
        }
    }

    /// Closes what an earlier attempt opened.
    async fn close(&self) {
        let open = self.ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(open) = open {
            open.gateway.close().await;
            open.store.close().await;
        }
    }

    fn fail(&self, log: &BootLog, mut error: IpcError, retry_after: Duration) {
        tracing::warn!(code = ?error.code, message = %error.message, "start failed");
        let recoverable = store::recoverable(&self.config.home, error.code);
        let file = self.config.home.join(store::home::STORE_FILE);
        if let (ErrorCode::Damaged, Some(copy)) = (error.code, store::newest_copy(&file)) {
            error.message.push_str(&format!(" A copy from before the last update is {}.", copy.display()));
        }
        let failure = BootFailure {
            code: error.code,
            title: title(error.code).to_owned(),
            message: error.message,
            log: log.lines(),
            retry_at: self.config.clock.now() + retry_after.as_millis() as i64,
            recoverable,
        };
        self.publish.send_modify(|status| {
            status.phase = BootPhase::Failed;
            status.failure = Some(failure);
            status.trouble = None;
        });
    }
}

/// The disk has not answered, and may yet.
fn slow(home: &Path) -> IpcError {
    IpcError::retryable(
        ErrorCode::NotReady,
        format!(
            "The data folder {} has not answered yet. Talaria goes on and opens by itself. A damaged store takes a while \
             to be read; if it is not that, check the disk that the folder is on.",
            home.display()
        ),
    )
}

/// What is true, in a few words; the message says why and what to do.
fn title(code: ErrorCode) -> &'static str {
    match code {
        ErrorCode::InUse => "The store is in use",
        ErrorCode::Damaged => "The store is damaged",
        ErrorCode::Newer => "This store is newer than Talaria can read",
        ErrorCode::ReadOnly => "The data folder cannot be written",
        ErrorCode::DiskFull => "The disk is full",
        ErrorCode::Busy => "The store is locked",
        ErrorCode::NotReady => "The start takes long",
        _ => "The store did not open",
    }
}
