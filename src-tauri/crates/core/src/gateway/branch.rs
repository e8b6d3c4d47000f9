//! The git branch of a folder, read from `.git` without starting git: a draft in a folder shows it at once.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path, PathBuf, Prefix};

/// `HEAD` and a worktree's `.git` file are one line; anything longer is not ours to read.
const MOST: u64 = 4096;

/// The branch checked out in `folder` or the nearest folder above it. `None` without git, with a detached head, or
/// when anything on the way cannot be read: a failed look-up changes nothing.
pub fn of(folder: &Path) -> Option<String> {
    if !folder.is_absolute() || !is_local(folder) {
        return None;
    }
    let git = folder.ancestors().map(|above| above.join(".git")).find(|git| git.exists())?;
    let head = read(&git_folder(&git)?.join("HEAD"))?;
    head.trim().strip_prefix("ref: refs/heads/").map(str::to_owned).filter(|name| !name.is_empty())
}

/// `.git` itself, or the folder that the `.git` file of a linked worktree or submodule names.
fn git_folder(git: &Path) -> Option<PathBuf> {
    if git.is_dir() {
        return Some(git.to_owned());
    }
    let named = PathBuf::from(read(git)?.trim().strip_prefix("gitdir: ")?);
    let named = if named.is_absolute() { named } else { git.parent()?.join(named) };
    Some(named).filter(|named| is_local(named))
}

/// Whether a look at the path stays on this computer. The folder may come from somebody else's store, and on Windows the
/// mere look at `\\host\share` sends the user's password hash to that host.
fn is_local(path: &Path) -> bool {
    match path.components().next() {
        Some(Component::Prefix(prefix)) => matches!(prefix.kind(), Prefix::Disk(_) | Prefix::VerbatimDisk(_)),
        _ => true,
    }
}

fn read(path: &Path) -> Option<String> {
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    File::open(path).ok()?.take(MOST).read_to_string(&mut text).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_folder_deep_in_a_checkout_has_the_checkouts_branch() {
        let root = tempfile::tempdir().unwrap();
        let deep = root.path().join("a/b");
        fs::create_dir_all(&deep).unwrap();
        fs::create_dir(root.path().join(".git")).unwrap();
        fs::write(root.path().join(".git/HEAD"), "ref: refs/heads/fix/seek-past-end\n").unwrap();
        assert_eq!(of(&deep).as_deref(), Some("fix/seek-past-end"));
    }

    #[test]
    fn a_linked_worktree_names_its_own_branch() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("main/.git/worktrees/side")).unwrap();
        fs::write(root.path().join("main/.git/worktrees/side/HEAD"), "ref: refs/heads/side\n").unwrap();
        fs::create_dir(root.path().join("side")).unwrap();
        fs::write(root.path().join("side/.git"), "gitdir: ../main/.git/worktrees/side\n").unwrap();
        assert_eq!(of(&root.path().join("side")).as_deref(), Some("side"));
    }

    #[test]
    fn no_git_a_detached_head_or_a_relative_folder_have_no_branch() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join(".git")).unwrap();
        fs::write(root.path().join(".git/HEAD"), "0123456789abcdef0123456789abcdef01234567\n").unwrap();
        assert_eq!(of(root.path()), None);
        assert_eq!(of(&root.path().join("missing")), None);
        assert_eq!(of(Path::new("relative")), None);
    }
}
