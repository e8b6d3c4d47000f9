//! `write_file`: a file's whole content, put in place when it is whole on the disk. The file's rights stay; missing folders
//! are made.

use super::answer::{done, failed};
use super::arguments::LONGEST_CONTENT;
use super::{diff, read_file};
use crate::agent::ports::{ChangedFile, ToolOutcome};
use crate::files::Part;
use crate::media::PrivatePlaces;
use serde_json::json;
use std::io::{ErrorKind, Read};
use std::path::Path;
use talaria_wire::IpcError;

/// Writes `content` to the real path (`place::real`: no link in it). `store`: the store's file, in whose folder nothing is
/// written. Blocks on the disk.
pub(super) fn write_file(real: &Path, content: &str, places: &PrivatePlaces, store: &Path) -> ToolOutcome {
    match write(real, content, places, store) {
        Ok(outcome) => outcome,
        Err(words) => failed(words),
    }
}

fn write(real: &Path, content: &str, places: &PrivatePlaces, store: &Path) -> Result<ToolOutcome, String> {
    if places.contains(real) {
        return Err(format!("{} is a private place of the user. No tool may write there.", real.display()));
    }
    let before = content_of(real, places)?;
    let answer = json!({ "path": real.to_string_lossy(), "bytes_written": content.len(), "created": before.is_none() });
    let mut outcome = done(answer);
    if before.as_deref() == Some(content.as_bytes()) {
        return Ok(outcome);
    }
    let folder = real.parent().ok_or_else(|| format!("{} is a folder.", real.display()))?;
    std::fs::create_dir_all(folder)
        .map_err(|error| format!("The folder {} could not be made: {error}.", folder.display()))?;
    put(real, content.as_bytes(), store)?;
    let diff = diff::unified(&real.to_string_lossy(), before.as_deref(), content);
    outcome.change =
        Some(ChangedFile { path: real.to_owned(), before, after: content.as_bytes().to_vec(), diff });
    Ok(outcome)
}

/// The file's bytes; `None` when there is none.
///
/// # Errors
/// Words: it is no file, private, or longer than what can be put back.
pub(super) fn content_of(real: &Path, places: &PrivatePlaces) -> Result<Option<Vec<u8>>, String> {
    match real.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        Ok(found) if found.is_symlink() => {
            return Err(format!("{} has become a link. Nothing was written.", real.display()));
        }
        _ => {}
    }
    let mut bytes = Vec::new();
    let file = read_file::open(real, places)?;
    file.take(LONGEST_CONTENT as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("{} could not be read: {error}.", real.display()))?;
    if bytes.len() > LONGEST_CONTENT {
        return Err(format!(
            "{} is longer than {LONGEST_CONTENT} bytes, so its old state could not be kept for an undo. Nothing was written.",
            real.display()
        ));
    }
    Ok(Some(bytes))
}

/// The bytes in place of what is there.
///
/// # Errors
/// Words; what was there still is.
pub(super) fn put(real: &Path, bytes: &[u8], store: &Path) -> Result<(), String> {
    let put = || {
        let mut part = Part::beside(real, store, None)?;
        part.write(bytes)?;
        part.finish()
    };
    put().map(|_| ()).map_err(|error| IpcError::from(error).message)
}
