//! Names of exported files: what a person would call them.

use crate::files::{FileError, name};
use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use talaria_wire::{ExportFormat, Millis, SessionRow};
use time::OffsetDateTime;

/// The name for a session's file, with its ending.
pub fn of(row: &SessionRow, format: ExportFormat) -> String {
    name::numbered(&stem(row), 1, format.extension())
}

/// The name without an ending: the title, else the preview, else the day. Never empty.
pub fn stem(row: &SessionRow) -> String {
    let texts = [row.title.as_deref(), row.preview.as_deref()];
    let named = texts.into_iter().flatten().find_map(name::stem);
    named.unwrap_or_else(|| format!("Session {}", day(row.created_at)))
}

/// The UTC day, `2026-11-30`.
pub(super) fn day(at: Millis) -> String {
    let day = OffsetDateTime::from_unix_timestamp(at.div_euclid(1000)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    day.date().to_string()
}

/// Names in one folder, none of them twice and none that is there already.
pub(super) struct Names<'a> {
    folder: &'a Path,
    /// The last number of each name.
    given: HashMap<String, u32>,
}

impl<'a> Names<'a> {
    pub(super) fn of(folder: &'a Path) -> Self {
        Self { folder, given: HashMap::new() }
    }

    /// A path that is free. Errors: when the folder cannot be looked into.
    pub(super) fn free(&mut self, row: &SessionRow, format: ExportFormat) -> Result<PathBuf, FileError> {
        let stem = stem(row);
        let n = self.given.entry(stem.to_lowercase()).or_insert(0);
        loop {
            *n += 1;
            let path = self.folder.join(name::numbered(&stem, *n, format.extension()));
            // Asked of the disk: only it knows which letters it takes for the same.
            match path.symlink_metadata() {
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(path),
                Err(error) => return Err(FileError::of(&path, error)),
            }
        }
    }
}
