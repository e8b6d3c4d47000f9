//! What the system says about an open file: the few facts that differ from system to system.
//!
//! Every question goes to the handle, not to the path: between two looks at a path it can become another file.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{open_plain, real_path};
#[cfg(windows)]
pub use windows::{open_plain, real_path};

use std::fs::File;
use std::io;
use std::time::SystemTime;

/// A file's identity on this computer: device and inode (volume and index on Windows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device or volume.
    pub device: u64,
    /// Inode or file index.
    pub inode: u64,
}

impl FileId {
    /// One number for it: FNV-1a of both. Two files have the same by chance once in 2^64.
    pub fn number(self) -> u64 {
        let bytes = self.device.to_be_bytes().into_iter().chain(self.inode.to_be_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }
}

/// The facts about an open file.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Which file it is.
    pub id: FileId,
    /// Whether it is a regular file.
    pub regular: bool,
    /// Bytes.
    pub size: u64,
    /// Time of the last write, when the system knows it.
    pub modified: Option<SystemTime>,
    /// Names of the file.
    pub links: u64,
    /// Time of the last change of the file or its number of names, in ns; `None` where the system has none.
    pub changed: Option<i128>,
}

/// Reads at a place without moving a shared cursor, so that parallel ranges of one file never disturb each other.
pub trait ReadAt: Send + Sync {
    /// Reads up to `buffer.len()` bytes from `offset`; 0 means the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Fills the buffer, or says `UnexpectedEof` when the file ends before: it shrank.
    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            match self.read_at(buffer, offset) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => {
                    buffer = &mut buffer[count..];
                    offset += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl ReadAt for File {
    #[cfg(unix)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, buffer, offset)
    }

    #[cfg(windows)]
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, buffer, offset)
    }
}
