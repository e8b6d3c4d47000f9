//! Hard links to private files: the same bytes under an innocent name.
//!
//! A file with one link cannot be such a link, so a walk over the private folders happens only for files with several. A
//! file that it found to be none of them is remembered for a while, as long as its time of change stays: another link
//! changes it.

use super::handle::{Facts, FileId};
use super::passed::Began;
use super::private::{PrivatePlaces, is_private_name};
use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How many entries are looked at before the walk gives up.
const MAX_ENTRIES: usize = 200_000;
/// How deep it goes below a private folder.
const MAX_DEPTH: usize = 32;
/// How many files are remembered.
const MAX_KNOWN: usize = 1024;
/// For how long. A folder with another name of the file can be moved into a private one without changing the file.
const KNOWN: Duration = Duration::from_secs(300);

/// What was found about a file's other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linked {
    /// None of them is private.
    Nowhere,
    /// One lies in a private folder, or has a private name directly in the home.
    FromPrivate,
    /// The private folders hold more than a walk looks at.
    Unknown,
}

/// The files that were found to be linked from nowhere private.
#[derive(Debug, Default)]
pub struct Links {
    known: Mutex<HashMap<FileId, Known>>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    /// The file's time of change then, in ns.
    changed: i128,
    until: Instant,
}

impl Links {
    /// Whether one of the file's names is private. `began`: before the facts were asked for. May read many folders.
    pub fn of(&self, facts: &Facts, places: &PrivatePlaces, began: Began) -> Linked {
        if facts.links <= 1 || self.knows(facts, began.1) {
            return Linked::Nowhere;
        }
        let linked = Walk { is: &mut |id| id == facts.id, left: MAX_ENTRIES }.all(places);
        if linked == Linked::Nowhere {
            self.learn(facts, began);
        }
        linked
    }

    fn knows(&self, facts: &Facts, now: Instant) -> bool {
        let known = self.known().get(&facts.id).copied();
        known.is_some_and(|known| facts.changed == Some(known.changed) && now < known.until)
    }

    fn learn(&self, facts: &Facts, began: Began) {
        let Some(changed) = facts.changed.filter(|_| facts.tell_next_change(began.0)) else { return };
        let mut known = self.known();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        known.insert(facts.id, Known { changed, until: began.1 + KNOWN });
    }

    fn known(&self) -> MutexGuard<'_, HashMap<FileId, Known>> {
        self.known.lock().expect("no thread panics while it holds the known files")
    }
}

/// All files that [`Links::of`] compares with, for many questions; `None` when the walk cannot finish.
pub fn private_files(places: &PrivatePlaces) -> Option<HashSet<FileId>> {
    let mut files = HashSet::new();
    let gather = &mut |id| {
        files.insert(id);
        false
    };
    let linked = Walk { is: gather, left: MAX_ENTRIES }.all(places);
    (linked == Linked::Nowhere).then_some(files)
}

/// Stops with the first name that decides.
struct Walk<'a> {
    /// Whether it is the file that is sought.
    is: &'a mut dyn FnMut(FileId) -> bool,
    /// Entries that may still be looked at.
    left: usize,
}

impl Walk<'_> {
    fn all(&mut self, places: &PrivatePlaces) -> Linked {
        let attachments = places.attachments();
        if self.home_names(places.home()) {
            return Linked::FromPrivate;
        }
        let folders = places.folders();
        first_hit(folders.iter().map(|folder| self.folder(folder, &attachments, MAX_DEPTH)))
    }

    fn home_names(&mut self, home: &Path) -> bool {
        let Ok(entries) = std::fs::read_dir(home) else { return false };
        entries.flatten().any(|entry| {
            is_private_name(&entry.file_name().to_string_lossy())
                && FileId::of_path(&entry.path()).is_ok_and(|id| (self.is)(id))
        })
    }

    fn folder(&mut self, folder: &Path, except: &Path, depth: usize) -> Linked {
        if folder == except {
            return Linked::Nowhere;
        }
        // A folder that is not there, or that we may not read, holds nothing that we could leak.
        let Ok(entries) = std::fs::read_dir(folder) else { return Linked::Nowhere };
        first_hit(entries.flatten().map(|entry| {
            if self.left == 0 || depth == 0 {
                return Linked::Unknown;
            }
            self.left -= 1;
            let Ok(kind) = entry.file_type() else { return Linked::Nowhere };
            // A symlink is compared by its target (`.aws/credentials` may point elsewhere), but never followed as a
            // folder: it could lead round in a circle.
            if kind.is_dir() {
                return self.folder(&entry.path(), except, depth - 1);
            }
            match FileId::of_path(&entry.path()).is_ok_and(|id| (self.is)(id)) {
                true => Linked::FromPrivate,
                false => Linked::Nowhere,
            }
        }))
    }
}

fn first_hit(mut found: impl Iterator<Item = Linked>) -> Linked {
    found.find(|linked| *linked != Linked::Nowhere).unwrap_or(Linked::Nowhere)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::time::SystemTime;

    /// A home with a file of two names, none of them private.
    struct Home(tempfile::TempDir);

    impl Home {
        fn new() -> Self {
            let home = tempfile::tempdir().expect("a folder");
            fs::create_dir(home.path().join(".ssh")).expect("a folder");
            fs::write(home.path().join("a.mp3"), "").expect("a file");
            fs::hard_link(home.path().join("a.mp3"), home.path().join("b.mp3")).expect("a second name");
            Self(home)
        }

        fn places(&self) -> PrivatePlaces {
            let home = self.0.path().canonicalize().expect("a real path");
            PrivatePlaces::new(home.clone(), home.join("data"), |_| None)
        }

        fn facts(&self) -> Facts {
            Facts::of(&fs::File::open(self.0.path().join("a.mp3")).expect("it opens")).expect("facts")
        }

        /// The private folder takes the second name over: nothing of the file itself changes but its time, if at all.
        fn make_private(&self) {
            fs::rename(self.0.path().join("b.mp3"), self.0.path().join(".ssh/b")).expect("renamed");
        }
    }

    /// Long after the file's last change.
    fn later() -> Began {
        Began(SystemTime::now() + Duration::from_secs(60), Instant::now())
    }

    #[test]
    fn a_file_that_was_found_clear_is_not_looked_for_again_as_long_as_it_is_unchanged() {
        let (home, links, began) = (Home::new(), Links::default(), later());
        let facts = home.facts();
        assert_eq!(links.of(&facts, &home.places(), began), Linked::Nowhere);
        home.make_private();
        // With the facts of before: what is known is not looked for.
        assert_eq!(links.of(&facts, &home.places(), began), Linked::Nowhere);
        let changed = Facts { changed: facts.changed.map(|time| time + 1), ..facts.clone() };
        assert_eq!(links.of(&changed, &home.places(), began), Linked::FromPrivate);
        let expired = Began(began.0, began.1 + KNOWN);
        assert_eq!(links.of(&facts, &home.places(), expired), Linked::FromPrivate);
    }

    #[test]
    fn a_file_that_has_just_changed_is_looked_for_each_time() {
        let (home, links) = (Home::new(), Links::default());
        let facts = home.facts();
        let began = Began(SystemTime::now(), Instant::now());
        assert_eq!(links.of(&facts, &home.places(), began), Linked::Nowhere);
        home.make_private();
        assert_eq!(links.of(&facts, &home.places(), began), Linked::FromPrivate);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        let (home, links) = (Home::new(), Links::default());
        for inode in 0..=MAX_KNOWN as u64 {
            let id = FileId { device: u64::MAX, inode };
            assert_eq!(links.of(&Facts { id, ..home.facts() }, &home.places(), later()), Linked::Nowhere);
            assert!(links.known().len() <= MAX_KNOWN);
        }
    }

    #[test]
    fn a_walk_that_is_cut_off_does_not_say_that_nothing_is_there() {
        let home = Home::new();
        for number in 0..3 {
            fs::write(home.0.path().join(".ssh").join(number.to_string()), "").expect("a file");
        }
        let sought = home.facts().id;
        let walk = |left| Walk { is: &mut |id| id == sought, left }.all(&home.places());
        assert_eq!((walk(3), walk(2)), (Linked::Nowhere, Linked::Unknown));
        let deep = (0..=MAX_DEPTH).fold(home.0.path().join(".ssh"), |folder, _| folder.join("d"));
        fs::create_dir_all(deep).expect("folders");
        assert_eq!(walk(MAX_ENTRIES), Linked::Unknown);
    }
}
