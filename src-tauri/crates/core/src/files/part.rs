//! A file on its way: written beside its target, and in its place only when it is whole and on the disk. Who may read it is
//! decided by [`rights`](super::rights).

use super::error::FileError;
use super::rights::Rights;
use std::fs::{File, Permissions};
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Bytes of the target's name that the name on the way keeps; systems allow 255 in all.
const KEPT: usize = 200;

/// How a name on the way ends. Nobody else's does, so that what a killed process left is known again.
pub(super) const ENDING: &str = ".talaria.part";

/// Dropped before [`Part::finish`], it is gone.
pub struct Part {
    file: BufWriter<File>,
    path: PathBuf,
    target: PathBuf,
    rights: Rights,
    bytes: u64,
    whole: bool,
}

/// A file in its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Where.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

impl Part {
    /// A new file in the folder of `target`; one that is there, by whomever, is left alone. A target that is a link means
    /// the file it leads to, and itself where it leads nowhere. `store`: the store's file, in whose folder, and below it,
    /// nothing may be written. `original`: the rights of the file that this one copies; `None` when it copies none.
    ///
    /// # Errors
    /// What the system says; the data folder; what is there and no file.
    pub fn beside(target: &Path, store: &Path, original: Option<Permissions>) -> Result<Self, FileError> {
        let full = || std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
        let target = target.canonicalize().unwrap_or_else(|_| full());
        let fault = |source| FileError::of(&target, source);
        let replaced = target.metadata().ok();
        match &replaced {
            Some(there) if there.is_dir() => return Err(fault(ErrorKind::IsADirectory.into())),
            // In its place another file would stand where a program looks for the device.
            Some(there) if !there.is_file() => return Err(FileError::NotAFile { path: target }),
            _ => check_not_own(&target, store)?,
        }
        let rights = Rights::of(replaced, original);
        let name = target.file_name().ok_or_else(|| fault(ErrorKind::InvalidInput.into()))?.to_string_lossy();
        let name = &name[..name.floor_char_boundary(KEPT)];
        for n in 1_u32.. {
            let path = target.with_file_name(match n {
                1 => format!("{name}{ENDING}"),
                n => format!("{name}.{n}{ENDING}"),
            });
            match rights.on_the_way().create_new(true).open(&path) {
                Ok(file) => {
                    // It is being written, as long as this process lives. A disk without locks is written to all the same.
                    let _ = file.try_lock();
                    let file = BufWriter::new(file);
                    return Ok(Self { file, path, target, rights, bytes: 0, whole: false });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(fault(error)),
            }
        }
        unreachable!("there are fewer files than numbers")
    }

    /// The folder it is written in.
    pub fn folder(&self) -> Option<&Path> {
        self.path.parent()
    }

    /// Adds to the end.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        self.file.write_all(bytes).map_err(|e| FileError::of(&self.target, e))?;
        self.bytes += bytes.len() as u64;
        Ok(())
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    /// What the system says; what was there still is.
    pub fn finish(mut self) -> Result<Written, FileError> {
        let mut place = || {
            self.file.flush()?;
            self.rights.settle(self.file.get_ref());
            // First the bytes, then the name: a power cut leaves the old file or the new one.
            self.file.get_ref().sync_all()?;
            std::fs::rename(&self.path, &self.target)
        };
        place().map_err(|e| FileError::of(&self.target, e))?;
        self.whole = true;
        // Best effort: not every system opens a folder.
        if let Some(folder) = self.target.parent().and_then(|folder| File::open(folder).ok()) {
            let _ = folder.sync_all();
        }
        Ok(Written { path: self.target.clone(), bytes: self.bytes })
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

/// The data folder is Talaria's own, with all below it: a file there could take the place of the store's.
fn check_not_own(target: &Path, store: &Path) -> Result<(), FileError> {
    let folder = |file: &Path| file.parent().and_then(|folder| folder.canonicalize().ok());
    match (folder(target), folder(store)) {
        (Some(path), Some(own)) if path.starts_with(&own) => Err(FileError::DataFolder { path: own }),
        _ => Ok(()),
    }
}
