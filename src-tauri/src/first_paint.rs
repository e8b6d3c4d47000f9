//! Whether the window shows anything. With some graphics drivers WebKitGTK's window stays white for ever; a start that has
//! drawn nothing after [`PAINT_WITHIN`] leaves a mark, and the starts after it draw without graphics acceleration, until
//! a person takes that back (field report G8).
//!
//! Two empty files in the home: [`UNPAINTED`] is the mark, [`SAFE`] the choice that follows from it. Only Linux has the
//! trouble; elsewhere nothing is written.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A window that has shown nothing for so long counts as white.
const PAINT_WITHIN: Duration = Duration::from_secs(5);

/// The mark of a start that has shown nothing, until it does.
const UNPAINTED: &str = "unpainted";
/// Starts draw without acceleration while this file is there.
const SAFE: &str = "safe-graphics";

/// What this process sets for its own web view. A program that is started from here must not get them.
pub(crate) const SET_FOR_WEB_VIEW: &[&str] = &["WEBKIT_DISABLE_DMABUF_RENDERER"];

/// Decides how this start draws, and sets it for the web view. Answers whether that is without acceleration.
///
/// To be called on the first thread before there is a second, and before the window library starts.
pub(crate) fn prepare(home: &Path) -> bool {
    if !cfg!(target_os = "linux") || !draws_safely(home) {
        return false;
    }
    for name in SET_FOR_WEB_VIEW.iter().filter(|name| std::env::var_os(name).is_none()) {
        // SAFETY: the process has one thread here, so nobody reads the environment meanwhile.
        unsafe { std::env::set_var(name, "1") };
    }
    true
}

/// Whether the home says so: by the choice, or by the mark, which becomes the choice.
fn draws_safely(home: &Path) -> bool {
    if home.join(UNPAINTED).exists() {
        // A home that cannot be written keeps its mark instead, which says the same.
        if mark(&home.join(SAFE)).is_ok() {
            let _ = fs::remove_file(home.join(UNPAINTED));
        }
        return true;
    }
    home.join(SAFE).exists()
}

/// The wait for this start's first paint.
pub(crate) struct FirstPaint {
    home: PathBuf,
    /// Set with the first paint; held while the mark is written or removed, so that the two cannot cross.
    painted: Arc<Mutex<bool>>,
}

impl FirstPaint {
    pub(crate) fn new(home: &Path) -> Self {
        Self { home: home.to_owned(), painted: Arc::default() }
    }

    /// The window is about to open: it leaves the mark when it shows nothing for too long.
    pub(crate) fn expect(&self) {
        if !cfg!(target_os = "linux") {
            return;
        }
        tauri::async_runtime::spawn(self.mark_when_late(PAINT_WITHIN));
    }

    fn mark_when_late(&self, after: Duration) -> impl Future<Output = ()> + Send + use<> {
        let (path, painted) = (self.home.join(UNPAINTED), Arc::clone(&self.painted));
        async move {
            tokio::time::sleep(after).await;
            let painted = painted.lock().unwrap_or_else(PoisonError::into_inner);
            if !*painted {
                tracing::warn!("the window has shown nothing yet; the next start draws without acceleration");
                if let Err(error) = mark(&path) {
                    tracing::warn!(%error, "the next start will not know");
                }
            }
        }
    }

    /// The page has drawn a frame.
    pub(crate) fn painted(&self) {
        let mut painted = self.painted.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut *painted, true) {
            let _ = fs::remove_file(self.home.join(UNPAINTED));
        }
    }

    /// The next start draws with acceleration again.
    pub(crate) fn accelerate_again(&self) -> io::Result<()> {
        match fs::remove_file(self.home.join(SAFE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

/// An empty file for the user alone.
fn mark(path: &Path) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_showed_nothing_makes_the_next_ones_safe_until_that_is_taken_back() {
        let home = tempfile::tempdir().unwrap();
        assert!(!draws_safely(home.path()), "a home without marks");
        mark(&home.path().join(UNPAINTED)).unwrap();
        assert!(draws_safely(home.path()), "the start after");
        assert!(!home.path().join(UNPAINTED).exists(), "the mark is spent");
        assert!(draws_safely(home.path()), "and the one after that");
        let paint = FirstPaint::new(home.path());
        paint.accelerate_again().unwrap();
        assert!(!draws_safely(home.path()));
        paint.accelerate_again().expect("nothing to take back is no error");
    }

    #[test]
    fn a_paint_that_comes_late_takes_the_mark_away() {
        let home = tempfile::tempdir().unwrap();
        mark(&home.path().join(UNPAINTED)).unwrap();
        FirstPaint::new(home.path()).painted();
        assert!(!draws_safely(home.path()));
    }

    #[cfg(target_os = "linux")]
    #[tokio::test]
    async fn the_mark_is_left_by_a_start_without_a_paint_and_by_no_other() {
        let home = tempfile::tempdir().unwrap();
        let marked = || home.path().join(UNPAINTED).exists();
        for (painted, expected) in [(true, false), (false, true)] {
            let paint = FirstPaint::new(home.path());
            let waiting = paint.mark_when_late(Duration::ZERO);
            if painted {
                paint.painted();
            }
            waiting.await;
            assert_eq!(marked(), expected, "painted: {painted}");
        }
    }
}
