//! Whether what lies at a path can only have come from the user or from root: asked before code is loaded from it, and
//! before a list of code is kept there.
//!
//! The rule, for the file and every folder above it, links resolved:
//! - It belongs to us, to root, or to the owner of the program that runs: he could as well have changed the program
//!   (root runs what a user has built).
//! - Nobody else may write to it. A group may when it is our own primary one, for many systems give every user a group of
//!   that name and make new folders writable for it.
//! - In a folder with the sticky bit (`/tmp`) everybody may make new names, but only the owner of an entry may remove or
//!   rename it (unlink(2), EPERM): what is there already and passes the first two rules cannot be put in place of by others.
//!   So such a folder may be writable for all; a file of the kind cannot.
//!
//! Never opens anything. Called by `media_transport` alone.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

const STICKY: u32 = 0o1000;
const GROUP_WRITES: u32 = 0o020;
const OTHERS_WRITE: u32 = 0o002;

/// What the rule needs to know of a file or folder.
#[derive(Clone, Copy, Debug)]
struct Entry {
    is_folder: bool,
    owner: u32,
    group: u32,
    /// Its bits, those of the kind may be among them.
    mode: u32,
}

/// Who runs this.
#[derive(Clone, Copy, Debug)]
struct Me {
    user: u32,
    group: u32,
    /// Who owns the program.
    program: u32,
}

impl Me {
    fn now() -> Self {
        // SAFETY: both take nothing, change nothing and cannot fail.
        let (user, group) = unsafe { (libc::geteuid(), libc::getegid()) };
        // Without a program to be found nobody is trusted beside us and root.
        let program = std::env::current_exe().and_then(fs::metadata).map_or(user, |found| found.uid());
        Self { user, group, program }
    }
}

/// Whether the file or folder at `path`, a full path without links, can only have come from the user or from root.
///
/// # Errors
/// In words, the first thing from the root on that somebody else has in his hands, or that cannot be looked at.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    let me = Me::now();
    let mut steps: Vec<&Path> = path.ancestors().collect();
    steps.reverse();
    for step in steps {
        let found = fs::symlink_metadata(step)
            .map_err(|error| format!("{} cannot be looked at ({error})", step.display()))?;
        let entry =
            Entry { is_folder: found.is_dir(), owner: found.uid(), group: found.gid(), mode: found.mode() };
        if let Some(fault) = fault(entry, me) {
            return Err(format!("{} {fault}", step.display()));
        }
    }
    Ok(())
}

/// As [`check`], for a folder of the user's own that nobody else may even look into.
///
/// # Errors
/// As those of [`check`]; it is none or open to others.
pub(crate) fn check_own_folder(path: &Path) -> Result<(), String> {
    check(path)?;
    let found = fs::symlink_metadata(path).map_err(|error| error.to_string())?;
    match found.is_dir() && found.uid() == Me::now().user && found.mode() & 0o077 == 0 {
        true => Ok(()),
        false => Err(format!("{} is open to other users", path.display())),
    }
}

/// What speaks against an entry.
fn fault(entry: Entry, me: Me) -> Option<&'static str> {
    let may = |bits| entry.mode & bits != 0;
    if ![0, me.user, me.program].contains(&entry.owner) {
        Some("belongs to another user")
    } else if entry.is_folder && may(STICKY) {
        None
    } else if may(OTHERS_WRITE) {
        Some("can be written by every user")
    } else if may(GROUP_WRITES) && entry.group != me.group {
        Some("can be written by a group of users")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn only_what_the_user_or_root_alone_can_write_is_trusted() {
        let me = Me { user: 1000, group: 1000, program: 1000 };
        let folder = |owner, group, mode| fault(Entry { is_folder: true, owner, group, mode }, me);
        let file = |owner, group, mode| fault(Entry { is_folder: false, owner, group, mode }, me);
        let (foreign, all, some) = (
            Some("belongs to another user"),
            Some("can be written by every user"),
            Some("can be written by a group of users"),
        );
        for (mode, says) in [(0o755, None), (0o777, all), (0o775, some), (0o1777, None)] {
            assert_eq!(folder(0, 0, mode), says, "{mode:o}");
        }
        // A checkout under the umask 002, in the user's own group; and one for a group of people.
        assert_eq!((folder(1000, 1000, 0o2775), file(1000, 1000, 0o664)), (None, None));
        assert_eq!((folder(1000, 50, 0o2775), file(1000, 50, 0o664)), (some, some));
        assert_eq!((folder(1000, 1000, 0o777), file(1000, 1000, 0o1666)), (all, all));
        for mode in [0o700, 0o1777] {
            assert_eq!((folder(1001, 1000, mode), file(1001, 1000, mode)), (foreign, foreign));
        }
        // For root, nobody but root and whoever owns the program.
        let of_user = Entry { is_folder: true, owner: 1000, group: 1000, mode: 0o755 };
        assert_eq!(fault(of_user, Me { user: 0, group: 0, program: 0 }), foreign);
        assert_eq!(fault(of_user, Me { user: 0, group: 0, program: 1000 }), None);
        assert_eq!(fault(of_user, Me { user: 0, group: 0, program: 1001 }), foreign);
    }

    #[test]
    fn every_folder_above_is_looked_at_and_the_words_name_the_one_that_is_open() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (open, file) = (root.join("open"), root.join("open/below/file"));
        fs::create_dir_all(open.join("below")).unwrap();
        fs::write(&file, "").unwrap();
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        for path in [&*open, &open.join("below")] {
            set(path, 0o755);
        }
        set(&file, 0o644);
        assert_eq!(check(&file), Ok(()));
        set(&open, 0o757);
        assert_eq!(check(&file), Err(format!("{} can be written by every user", open.display())));
        set(&open, 0o1757);
        assert_eq!(check(&file), Ok(()));
        set(&file, 0o646);
        assert_eq!(check(&file), Err(format!("{} can be written by every user", file.display())));
        assert!(check(&root.join("gone")).unwrap_err().contains("cannot be looked at"));
        // The rule is for paths without links: everybody may write to one, by its bits.
        symlink(&open, root.join("link")).unwrap();
        assert!(check(&root.join("link/below")).is_err());
    }
}
