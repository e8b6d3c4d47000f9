//! Copies of media files to where the user wants them: read from the checked handle, piece by piece, into a file that takes
//! its place when it is whole. Knows no window and no grant; called by `command`.

mod error;
mod space;

pub use error::SaveError;

use crate::files::{FileError, Part, remove_left_behind};
use crate::media::Source;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Bytes read at a time, and between two looks at whether to stop.
const PIECE: usize = 1024 * 1024;

/// Copies as many bytes as the file had when it was opened; answers where they are. What is at `target` is replaced when
/// the copy is whole. Who may read it is as with the file that it replaces, else as with the source. `store` is the file
/// that no copy may come beside; `progress` hears of bytes. Blocks.
///
/// # Errors
/// See [`SaveError`].
pub fn copy(
    source: &Source,
    target: &Path,
    store: &Path,
    cancel: &CancellationToken,
    mut progress: impl FnMut(u64),
) -> Result<PathBuf, SaveError> {
    if source.is_at(target) {
        return Err(SaveError::Itself { name: source.name.clone() });
    }
    let original = source.permissions().map_err(|error| unread(source, error))?;
    let mut part = Part::beside(target, store, Some(original))?;
    // First, for the room they take.
    if let Some(folder) = part.folder() {
        remove_left_behind(folder);
    }
    if part.folder().and_then(space::free).is_some_and(|free| free < source.size) {
        return Err(FileError::of(target, ErrorKind::StorageFull.into()).into());
    }
    let mut piece = vec![0; PIECE];
    let mut done = 0;
    while done < source.size {
        progress(done);
        if cancel.is_cancelled() {
            return Err(SaveError::Cancelled);
        }
        let length = usize::try_from(source.size - done).map_or(PIECE, |left| left.min(PIECE));
        let piece = &mut piece[..length];
        source.read_exact_at(piece, done).map_err(|error| unread(source, error))?;
        part.write(piece)?;
        done += length as u64;
    }
    progress(done);
    if cancel.is_cancelled() {
        return Err(SaveError::Cancelled);
    }
    Ok(part.finish()?.path)
}

fn unread(source: &Source, error: std::io::Error) -> SaveError {
    let name = source.name.clone();
    match error.kind() {
        ErrorKind::UnexpectedEof => SaveError::Shrank { name },
        _ => SaveError::Source { name, source: error },
    }
}
