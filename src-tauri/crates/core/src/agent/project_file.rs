//! Reads the workspace's `AGENTS.md`. A folder is hostile: the file may be a link to a private one, a pipe, or endless. So
//! only a regular Markdown file that really lies in the folder is read, and of it a bounded beginning.

use std::fs::{File, OpenOptions};
use std::io::Read;
use std::path::Path;

/// Bytes that are read.
const MOST: u64 = 32 * 1024;

/// The text; `None`: there is no such file, or it is not one of the folder's own. Blocks on the disk.
pub(super) fn read(folder: &Path) -> Option<String> {
    let folder = folder.canonicalize().ok()?;
    let path = folder.join("AGENTS.md").canonicalize().ok()?;
    let is_markdown = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("md"));
    if !is_markdown || !path.starts_with(&folder) {
        return None;
    }
    let file = open(&path).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(MOST + 1).read_to_end(&mut bytes).ok()?;
    let cut = bytes.len() as u64 > MOST;
    bytes.truncate(MOST as usize);
    let mut text = String::from_utf8_lossy(&bytes).into_owned();
    if cut {
        text.truncate(text.trim_end_matches(char::REPLACEMENT_CHARACTER).len());
        text.push_str("\n(The file goes on; this is its beginning.)");
    }
    Some(text)
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // A pipe put there since is not waited for, a link not followed.
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOFOLLOW).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_beginning_of_a_long_file_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(read(folder.path()), None);
        fs::write(folder.path().join("AGENTS.md"), "Use tabs.").expect("written");
        assert_eq!(read(folder.path()).as_deref(), Some("Use tabs."));
        fs::write(folder.path().join("AGENTS.md"), format!("x{}", "é".repeat(20_000))).expect("written");
        let text = read(folder.path()).expect("read");
        assert!(text.starts_with("xé") && text.ends_with("this is its beginning.)"));
        assert!(text.len() < MOST as usize + 100 && !text.contains('\u{fffd}'));
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_folder_secrets_and_pipes_are_not_read() {
        use std::os::unix::fs::symlink;
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("private.md"), "secret").expect("written");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(".env"), "secret").expect("written");
        fs::write(folder.path().join("CLAUDE.md"), "shared").expect("written");
        let agents = folder.path().join("AGENTS.md");
        for (target, expected) in [
            (outside.path().join("private.md"), None),
            (folder.path().join(".env"), None),
            (folder.path().join("CLAUDE.md"), Some("shared")),
        ] {
            symlink(target, &agents).expect("linked");
            assert_eq!(read(folder.path()).as_deref(), expected);
            fs::remove_file(&agents).expect("removed");
        }
        let pipe = std::ffi::CString::new(agents.to_str().expect("a path of letters")).expect("no NUL");
        // SAFETY: `pipe` is a NUL-terminated path that lives for the call.
        assert_eq!(unsafe { libc::mkfifo(pipe.as_ptr(), 0o600) }, 0);
        assert_eq!(read(folder.path()), None, "a pipe without a writer does not block");
    }
}
