//! A file that a message named, open for whoever reads it here: a copy for the user, the name and place of what another
//! program is to open. No grant: no address leads to it.

use super::Media;
use super::error::MediaError;
use super::handle::{FileId, ReadAt};
use super::open::{Checked, open_of_any_size};
use super::path::{self, PathStyle};
use std::fs::{File, Permissions};
use std::io;
use std::path::{Path, PathBuf};
use talaria_wire::MediaKind;

/// Open, and past all checks of this module.
#[derive(Debug)]
pub struct Source {
    file: File,
    id: FileId,
    /// Bytes, when it was opened.
    pub size: u64,
    /// Where it lies.
    pub path: PathBuf,
    /// Its name for people.
    pub name: String,
    /// Audio, video or picture.
    pub kind: MediaKind,
}

impl Media {
    /// Opens the file that a message's text names. Blocks on the disk.
    ///
    /// The caller has made sure that a complete tag of that session named it. A picture too large to be shown is given.
    ///
    /// # Errors
    /// See [`MediaError`]. Nothing is looked up on the disk when the text itself is refused.
    pub fn source(&self, path_text: &str) -> Result<Source, MediaError> {
        let path = path::resolve_text(path_text, &self.0.user_home, PathStyle::HOST)?;
        let Checked { file, facts, path, name, kind, .. } = open_of_any_size(&path, &self.0.checks)?;
        Ok(Source { file, id: facts.id, size: facts.size, path, name, kind })
    }
}

impl Source {
    /// Fills the buffer from `offset`.
    ///
    /// # Errors
    /// `UnexpectedEof` when the file ends before: it shrank.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        self.file.read_exact_at(buffer, offset)
    }

    /// Who may read it, now.
    ///
    /// # Errors
    /// The system's.
    pub fn permissions(&self) -> io::Result<Permissions> {
        Ok(self.file.metadata()?.permissions())
    }

    /// Whether `path` leads to this very file, by whatever name.
    pub fn is_at(&self, path: &Path) -> bool {
        FileId::of_path(path).is_ok_and(|there| there == self.id)
    }
}
