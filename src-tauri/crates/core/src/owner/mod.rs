//! One owner of a home: how who holds the owner lock is asked for something by another process of the same user.
//!
//! The owner listens on a socket named after its home (`place`) and answers one request a connection (`talk`): come
//! forward, or bring in a file. What is done is the [`Owner`]'s, which is passed in: this module knows no window, no
//! store and no import. `boot` listens while it has the lock; the shell and `talariactl` ask. Windows has no such
//! socket: there nobody listens and nobody answers, and the words "in use by process N" are all.

#[cfg(unix)]
mod ask;
#[cfg(unix)]
mod listen;
#[cfg(not(unix))]
mod nobody;
#[cfg(unix)]
mod place;
#[cfg(unix)]
mod talk;

#[cfg(unix)]
pub use ask::{ask_front, ask_import};
#[cfg(unix)]
pub use listen::Door;
#[cfg(not(unix))]
pub use nobody::{Door, ask_front, ask_import};

use async_trait::async_trait;
use std::path::PathBuf;
use std::time::Duration;
use talaria_wire::{ImportProgress, ImportReport, IpcError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// So long an owner has for its first word; after it nobody is there (sessions.md, "Store").
pub const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// What an owner does for other processes.
#[async_trait]
pub trait Owner: Send + Sync + 'static {
    /// Shows the window in front of all others. `false`: there is none (any more).
    fn front(&self) -> bool;

    /// Brings in the file, and answers when that has ended. `progress` may be full: then a step is left out. Once
    /// `cancel` is set the report is what came in until then.
    ///
    /// # Errors
    /// `busy` while another import runs, `not_ready` before the store is open; else the import's own.
    async fn import(
        &self,
        path: PathBuf,
        progress: mpsc::Sender<ImportProgress>,
        cancel: CancellationToken,
    ) -> Result<ImportReport, IpcError>;
}
