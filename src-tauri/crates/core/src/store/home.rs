//! Where the data lives.

use super::error::StoreError;
use super::file;
use std::ffi::OsString;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// The store's file in a home.
pub const STORE_FILE: &str = "talaria.db";

/// The data folder: `TALARIA_HOME`, else the system's place for a user's data. `var` looks up the environment (passed
/// in, so that a test needs none). `None`: the environment names no home folder at all.
pub fn data_folder(var: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = set("TALARIA_HOME") {
        return Some(home);
    }
    if cfg!(windows) {
        return set("LOCALAPPDATA").map(|folder| folder.join("Talaria"));
    }
    if cfg!(target_os = "macos") {
        return set("HOME").map(|home| home.join("Library/Application Support/Talaria"));
    }
    // The XDG Base Directory specification: a relative path there is to be ignored.
    set("XDG_DATA_HOME")
        .filter(|folder| folder.is_absolute())
        .or_else(|| set("HOME").map(|home| home.join(".local/share")))
        .map(|folder| folder.join("talaria"))
}

/// Makes the folder and those above it; the folder itself is the user's alone (0700).
pub(super) fn create(home: &Path) -> Result<(), StoreError> {
    if home.is_dir() {
        return Ok(());
    }
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(home).map_err(|e| match not_a_folder(home) {
        Some(path) => StoreError::NotAFolder { home: home.to_owned(), path },
        None => StoreError::io(home, e),
    })
}

/// What stands in the way of the folder: it, or the first thing above it, when that is no folder.
fn not_a_folder(home: &Path) -> Option<PathBuf> {
    let first = home.ancestors().find(|path| std::fs::symlink_metadata(path).is_ok())?;
    (!first.is_dir()).then(|| first.to_owned())
}

/// The bytes of all files in the home, and those of the store and its log. Links are not followed.
pub fn sizes(home: &Path) -> (u64, u64) {
    (bytes_in(home), file::size(&home.join(STORE_FILE)))
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let bytes = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => bytes_in(&entry.path()),
        _ => std::fs::symlink_metadata(entry.path()).map_or(0, |file| file.len()),
    });
    bytes.sum()
}

/// The end of the log, at most `most` lines, oldest first; those of the day before too when today has few. A file that
/// does not read is left out.
pub fn log_lines(home: &Path, most: usize) -> Vec<String> {
    let files = std::fs::read_dir(home.join("logs")).into_iter().flatten().flatten().map(|file| file.path());
    // Their names hold the day.
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|extension| extension == "log")).collect();
    files.sort_unstable();
    let mut lines: Vec<String> = Vec::new();
    while let Some(text) = files.pop().filter(|_| lines.len() < most).map(|file| end_of(&file)) {
        let text = text.unwrap_or_default();
        let all: Vec<&str> = text.lines().collect();
        let missing = most - lines.len();
        lines.splice(..0, all[all.len().saturating_sub(missing)..].iter().map(|line| (*line).to_owned()));
    }
    lines
}

fn end_of(file: &Path) -> std::io::Result<String> {
    const BYTES: u64 = 256 * 1024;
    let mut file = File::open(file)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
    let mut bytes = Vec::new();
    file.take(BYTES).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(all(test, unix, not(target_os = "macos")))]
mod tests {
    use super::*;

    fn folder(variables: &[(&str, &str)]) -> Option<PathBuf> {
        data_folder(|name| variables.iter().find(|(n, _)| *n == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_own_variable_wins_and_the_system_decides_else() {
        let all = [("TALARIA_HOME", "here"), ("XDG_DATA_HOME", "/xdg"), ("HOME", "/home/u")];
        assert_eq!(folder(&all), Some("here".into()));
        assert_eq!(folder(&all[1..]), Some("/xdg/talaria".into()));
        assert_eq!(folder(&all[2..]), Some("/home/u/.local/share/talaria".into()));
        assert_eq!(folder(&[]), None);
    }

    #[test]
    fn empty_and_relative_values_count_as_unset() {
        let variables = [("TALARIA_HOME", ""), ("XDG_DATA_HOME", "data"), ("HOME", "/home/u")];
        assert_eq!(folder(&variables), Some("/home/u/.local/share/talaria".into()));
    }
}
