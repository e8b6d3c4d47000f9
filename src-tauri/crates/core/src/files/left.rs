//! Files on their way that a killed process left behind. The folder where somebody writes next is looked through before it;
//! no list of them is kept. Called by `export` and `save`.
//!
//! Removed is only what is surely ours and nobody's work any more: the ending that only [`Part`](super::Part) gives, a plain
//! file of this user, not locked by whoever writes it, and not written to for an hour.

use super::part::ENDING;
use std::fs::{self, File, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How long nobody has written to it. Where a disk has no locks, it alone says that nobody does.
const OLD: Duration = Duration::from_secs(60 * 60);

/// Removes them from `folder`, as far as the system lets us; nobody waits for the room they took.
pub fn remove_left_behind(folder: &Path) {
    let old = SystemTime::now() - OLD;
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let is_named = entry.file_name().as_encoded_bytes().ends_with(ENDING.as_bytes());
        // Of the entry itself: a link is none of ours.
        let is_left =
            is_named && entry.metadata().is_ok_and(|found| is_ours(&found) && is_older(&found, old));
        let path = entry.path();
        if is_left && File::open(&path).is_ok_and(|file| file.try_lock().is_ok()) {
            match fs::remove_file(&path) {
                Ok(()) => tracing::info!("a file that a killed process left on its way was removed"),
                Err(error) => tracing::debug!(%error, "a file that was left on its way stays"),
            }
        }
    }
}

fn is_older(found: &Metadata, than: SystemTime) -> bool {
    found.modified().is_ok_and(|modified| modified < than)
}

#[cfg(unix)]
fn is_ours(found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    // SAFETY: geteuid takes nothing, changes nothing and cannot fail.
    found.is_file() && found.uid() == unsafe { libc::geteuid() }
}

#[cfg(not(unix))]
fn is_ours(found: &Metadata) -> bool {
    found.is_file()
}
