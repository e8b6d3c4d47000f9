//! Hard links to private files: the same bytes under an innocent name.
//!
//! A file with one link cannot be such a link, so this walk happens only for files with several.

use super::handle::FileId;
use super::private::{PrivatePlaces, is_private_name};
use std::collections::HashSet;
use std::path::Path;

/// How many entries are looked at before the walk gives up and calls the file private.
const MAX_ENTRIES: usize = 200_000;
/// How deep it goes below a private folder.
const MAX_DEPTH: usize = 32;

/// Whether `file` is also a file of a private folder, or a private name directly in the home.
///
/// A walk that cannot finish within its bounds answers yes: nothing is opened on a guess.
pub fn is_linked_from(places: &PrivatePlaces, file: FileId) -> bool {
    any(places, &mut |id| id == file)
}

/// All files that [`is_linked_from`] compares with, for many questions; `None` when the walk cannot finish within its
/// bounds.
pub fn private_files(places: &PrivatePlaces) -> Option<HashSet<FileId>> {
    let mut files = HashSet::new();
    let unfinished = any(places, &mut |id| {
        files.insert(id);
        false
    });
    (!unfinished).then_some(files)
}

/// Whether `is` holds for one of the private files, or the walk cannot finish.
fn any(places: &PrivatePlaces, is: &mut dyn FnMut(FileId) -> bool) -> bool {
    let mut walk = Walk { is, entries: 0 };
    let attachments = places.attachments();
    walk.home_names(places.home())
        || places.folders().iter().any(|folder| walk.folder(folder, &attachments, MAX_DEPTH))
}

struct Walk<'a> {
    is: &'a mut dyn FnMut(FileId) -> bool,
    entries: usize,
}

impl Walk<'_> {
    fn home_names(&mut self, home: &Path) -> bool {
        let Ok(entries) = std::fs::read_dir(home) else { return false };
        entries.flatten().any(|entry| {
            is_private_name(&entry.file_name().to_string_lossy())
                && FileId::of_path(&entry.path()).is_ok_and(&mut *self.is)
        })
    }

    fn folder(&mut self, folder: &Path, except: &Path, depth: usize) -> bool {
        if folder == except {
            return false;
        }
        // A folder that is not there, or that we may not read, holds nothing that we could leak.
        let Ok(entries) = std::fs::read_dir(folder) else { return false };
        for entry in entries.flatten() {
            self.entries += 1;
            if self.entries > MAX_ENTRIES || depth == 0 {
                return true;
            }
            let Ok(kind) = entry.file_type() else { continue };
            // A symlink is compared by its target (`.aws/credentials` may point elsewhere), but never followed as a
            // folder: it could lead round in a circle.
            let found = if kind.is_dir() {
                self.folder(&entry.path(), except, depth - 1)
            } else {
                FileId::of_path(&entry.path()).is_ok_and(&mut *self.is)
            };
            if found {
                return true;
            }
        }
        false
    }
}
