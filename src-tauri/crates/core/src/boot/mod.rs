//! The start of the gateway: take the owner lock, open the store, migrate, and say at each step how it stands.
//!
//! A start that fails is told with its cause and its log, and is tried again below until it works. This module knows
//! no window: it publishes a [`BootStatus`], and `command` hands out the open gateway.

mod attempt;
mod log;

use crate::clock::Clock;
use crate::gateway::Gateway;
use crate::owner::{Door, Owner};
use crate::store::Store;
use attempt::attempt;
use log::BootLog;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use talaria_wire::{BootFailure, BootPhase, BootStatus, ErrorCode, IpcError};
use tokio::sync::{Notify, watch};

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
}

impl Boot {
    /// Begins to start, on the current tokio runtime. `owner` answers other processes once the home is this one's.
    pub fn start(config: BootConfig, owner: Arc<dyn Owner>) -> Self {
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
        let ready = Arc::new(Mutex::new(None));
        let retry = Arc::new(Notify::new());
        tokio::spawn(run(config, owner, publish, Arc::clone(&ready), Arc::clone(&retry)));
        Self { status, ready, retry }
    }

    /// How the start stands now.
    pub fn status(&self) -> BootStatus {
        self.status.borrow().clone()
    }

    /// Changes of the status, the present one first.
    pub fn watch(&self) -> watch::Receiver<BootStatus> {
        self.status.clone()
    }

    /// Tries again now. Without effect unless the last attempt failed.
    pub fn retry(&self) {
        if self.status.borrow().phase == BootPhase::Failed {
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

async fn run(
    config: BootConfig,
    owner: Arc<dyn Owner>,
    publish: watch::Sender<BootStatus>,
    ready: Arc<Mutex<Option<Ready>>>,
    retry: Arc<Notify>,
) {
    let log = BootLog::new(config.clock.now());
    let fail = |error: IpcError, retry_after: Duration| {
        tracing::warn!(code = ?error.code, message = %error.message, "start failed");
        let failure = BootFailure {
            code: error.code,
            title: title(error.code).to_owned(),
            message: error.message,
            log: log.lines(),
            retry_at: config.clock.now() + retry_after.as_millis() as i64,
            recoverable: false,
        };
        publish.send_modify(|status| {
            status.phase = BootPhase::Failed;
            status.failure = Some(failure);
        });
    };
    loop {
        let mut attempt = pin!(attempt(&config, &owner, &log));
        let ended = match tokio::time::timeout(config.slow_after, &mut attempt).await {
            Ok(ended) => ended,
            Err(_) => {
                let error = slow(&config.home);
                log.fail(config.clock.now(), &error);
                fail(error, Duration::ZERO);
                // What hangs in the system cannot be called back, so the same attempt is waited for.
                tokio::select! {
                    ended = &mut attempt => ended,
                    () = publish.closed() => return,
                }
            }
        };
        match ended {
            Ok((opened, first_start)) => {
                *ready.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
                publish.send_modify(|status| {
                    status.phase = BootPhase::Ready;
                    status.failure = None;
                    status.first_start = first_start;
                });
                return;
            }
            Err(error) => fail(error, config.retry_after),
        }
        tokio::select! {
            () = tokio::time::sleep(config.retry_after) => {}
            () = retry.notified() => {}
            // Every handle is gone: the app ended.
            () = publish.closed() => return,
        }
    }
}

/// The disk has not answered, and may yet.
fn slow(home: &Path) -> IpcError {
    IpcError::retryable(
        ErrorCode::NotReady,
        format!(
            "The data folder {} has not answered yet. Talaria goes on waiting and opens by itself. Check the disk that \
             the folder is on.",
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
        ErrorCode::NotReady => "The disk does not answer",
        _ => "The store did not open",
    }
}
