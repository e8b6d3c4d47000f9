//! A file on its way: written beside its target, and in its place only when it is whole and on the disk.

use super::error::ExportError;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Bytes of the target's name that the name on the way keeps; systems allow 255 in all.
const KEPT: usize = 200;

/// Dropped before [`Part::finish`], it is gone.
pub(super) struct Part {
    file: BufWriter<File>,
    path: PathBuf,
    target: PathBuf,
    bytes: u64,
    whole: bool,
}

impl Part {
    /// A new file in the folder of `target`; one that is there, by whomever, is left alone.
    pub(super) fn beside(target: &Path) -> Result<Self, ExportError> {
        let fault = |source| ExportError::file(target, source);
        if target.is_dir() {
            return Err(fault(ErrorKind::IsADirectory.into()));
        }
        let name = target.file_name().ok_or_else(|| fault(ErrorKind::InvalidInput.into()))?.to_string_lossy();
        let name = &name[..name.floor_char_boundary(KEPT)];
        for n in 1_u32.. {
            let path = target.with_file_name(match n {
                1 => format!("{name}.part"),
                n => format!("{name}.{n}.part"),
            });
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    let (file, target) = (BufWriter::new(file), target.to_owned());
                    return Ok(Self { file, path, target, bytes: 0, whole: false });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fault(error)),
            }
        }
        unreachable!("there are fewer files than numbers")
    }

    pub(super) fn write(&mut self, text: &str) -> Result<(), ExportError> {
        self.file.write_all(text.as_bytes()).map_err(|e| ExportError::file(&self.target, e))?;
        self.bytes += text.len() as u64;
        Ok(())
    }

    /// Puts the file in its place. Answers its length in bytes.
    pub(super) fn finish(mut self) -> Result<u64, ExportError> {
        let mut place = || {
            self.file.flush()?;
            // First the bytes, then the name: a power cut leaves the old file or the new one.
            self.file.get_ref().sync_all()?;
            std::fs::rename(&self.path, &self.target)
        };
        place().map_err(|e| ExportError::file(&self.target, e))?;
        self.whole = true;
        // Best effort: not every system opens a folder.
        if let Some(folder) = self.target.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(self.bytes)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if !self.whole {
            // Nobody is left to tell; the name says what it is.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
