//! The folder that an export of all sessions makes for itself: thousands of files belong together, and a file dialog that
//! still watches the chosen folder is not woken by each of them (GTK's, seen: the window stood still for minutes).

use super::file_name;
use crate::files::FileError;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use talaria_wire::Millis;

/// Makes `Talaria sessions 2026-12-01` in `parent`, with a number when there is one already.
///
pub fn make(parent: &Path, now: Millis) -> Result<PathBuf, FileError> {
    let name = format!("Talaria sessions {}", file_name::day(now));
    let mut number = 1;
    loop {
        let folder = match number {
            1 => parent.join(&name),
            n => parent.join(format!("{name} ({n})")),
        };
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(FileError::of(&folder, error)),
        }
    }
}

/// Takes the folder away when nothing is in it.
pub fn discard_empty(folder: &Path) {
    // What holds files stays: they are whole sessions.
    let _ = std::fs::remove_dir(folder);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_export_has_a_folder_of_its_own_and_leaves_no_empty_one() {
        let parent = tempfile::tempdir().expect("a temp folder");
        let names: Vec<String> = (0..2)
            .map(|_| make(parent.path(), 1_796_104_800_000).expect("a folder"))
            .map(|folder| folder.file_name().expect("a name").to_string_lossy().into_owned())
            .collect();
        assert_eq!(names, ["Talaria sessions 2026-12-01", "Talaria sessions 2026-12-01 (2)"]);
        std::fs::write(parent.path().join(&names[1]).join("a.md"), "a").expect("a file");
        for name in &names {
            discard_empty(&parent.path().join(name));
        }
        assert!(!parent.path().join(&names[0]).exists());
        assert!(parent.path().join(&names[1]).exists());
    }
}
