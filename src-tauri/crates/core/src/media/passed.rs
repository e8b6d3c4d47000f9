//! What the checks of an open file found, bound to the state of the file in which they found it. Pure; asked by `open`.
//!
//! A request opens its file anew and asks the handle for its facts and its place. When these are those of the last full
//! check, so are its answers: which file, where it lies, how it is named and linked, what it begins with.

use super::handle::Facts;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use talaria_wire::MediaKind;

/// How long the answers stand. What no fact of the file tells shows at the next full check: a folder that has become
/// private by a link, a disk that keeps no time of change (FAT).
const STANDS: Duration = Duration::from_secs(10);

/// A file that passed all checks. Clones share it.
#[derive(Clone, Debug)]
pub struct Passed(Arc<Found>);

#[derive(Debug)]
struct Found {
    facts: Facts,
    path: PathBuf,
    name: String,
    kind: MediaKind,
    mime: String,
    until: Instant,
}

/// When a check began, before anything was asked for: by the clock of the files, and by one that is never set.
#[derive(Clone, Copy, Debug)]
pub struct Began(pub SystemTime, pub Instant);

impl Began {
    /// Now.
    pub fn now() -> Self {
        Self(SystemTime::now(), Instant::now())
    }
}

impl Passed {
    /// `None` when the file's times would not tell its next change: then everything is asked again.
    pub fn new(
        facts: &Facts,
        path: &Path,
        name: &str,
        kind: MediaKind,
        mime: &str,
        began: Began,
    ) -> Option<Self> {
        facts.tell_next_change(began.0).then(|| {
            Self(Arc::new(Found {
                facts: facts.clone(),
                path: path.to_owned(),
                name: name.to_owned(),
                kind,
                mime: mime.to_owned(),
                until: began.1 + STANDS,
            }))
        })
    }

    /// Whether both come from one check.
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Whether it is too old to be built upon.
    pub fn is_over(&self, now: Instant) -> bool {
        now >= self.0.until
    }

    /// Name, kind and Content-Type, if a handle with these facts at this place is the same file in the same state.
    pub fn still(&self, facts: &Facts, path: &Path) -> Option<(String, MediaKind, String)> {
        let found = &*self.0;
        (found.facts == *facts && found.path == path)
            .then(|| (found.name.clone(), found.kind, found.mime.clone()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::handle::FileId;
    use super::*;
    use std::time::UNIX_EPOCH;

    const CHANGED: u64 = 1_000;

    fn facts() -> Facts {
        Facts {
            id: FileId { device: 1, inode: 2 },
            regular: true,
            size: 3,
            modified: Some(UNIX_EPOCH + Duration::from_secs(CHANGED)),
            links: 1,
            changed: Some(i128::from(CHANGED) * 1_000_000_000),
        }
    }

    fn passed(facts: &Facts, after: Duration) -> Option<Passed> {
        let began = Began(UNIX_EPOCH + Duration::from_secs(CHANGED) + after, Instant::now());
        Passed::new(facts, Path::new("/f/a.mp4"), "a.mp4", MediaKind::Video, "video/mp4", began)
    }

    #[test]
    fn the_same_file_in_the_same_state_at_the_same_place_has_passed() {
        let passed = passed(&facts(), Duration::from_secs(60)).expect("it has settled");
        let found = passed.still(&facts(), Path::new("/f/a.mp4"));
        assert_eq!(found, Some(("a.mp4".to_owned(), MediaKind::Video, "video/mp4".to_owned())));
    }

    #[test]
    fn any_other_fact_or_place_must_be_checked() {
        let passed = passed(&facts(), Duration::from_secs(60)).expect("it has settled");
        for change in [
            (|facts| facts.id.device = 9) as fn(&mut Facts),
            |facts| facts.id.inode = 9,
            |facts| facts.regular = false,
            |facts| facts.size = 9,
            |facts| facts.modified = None,
            |facts| facts.links = 2,
            |facts| facts.changed = facts.changed.map(|time| time + 1),
        ] {
            let mut other = facts();
            change(&mut other);
            assert_eq!(passed.still(&other, Path::new("/f/a.mp4")), None, "{other:?}");
        }
        assert_eq!(passed.still(&facts(), Path::new("/f/.ssh/a.mp4")), None);
    }

    #[test]
    fn a_file_whose_next_change_its_times_would_not_tell_is_checked_each_time() {
        assert!(passed(&facts(), Duration::ZERO).is_none());
        assert!(passed(&Facts { changed: None, ..facts() }, Duration::from_secs(60)).is_none());
    }

    #[test]
    fn everything_is_asked_again_after_a_while_whatever_the_facts_say() {
        let passed = passed(&facts(), Duration::from_secs(60)).expect("it has settled");
        let began = passed.0.until - STANDS;
        assert!(!passed.is_over(began) && !passed.is_over(passed.0.until - Duration::from_nanos(1)));
        assert!(passed.is_over(passed.0.until));
    }
}
