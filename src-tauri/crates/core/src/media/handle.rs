//! What the system says about an open file: the few facts that differ from system to system.
//!
//! Every question goes to the handle, not to the path: between two looks at a path it can become another file.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub use unix::{open_in_place, open_plain, real_path};
#[cfg(windows)]
pub use windows::{open_in_place, open_plain, real_path};

use std::fs::File;
use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How old the last change must be for its time to tell it from the next one. Times go by the ticks of a clock: of the
/// kernel's, up to 10 ms (ext4, XFS, Btrfs on Linux before 6.13), or of the disk's, 2 s (FAT). A second change in the same
/// tick leaves them as they are.
const TICK: Duration = Duration::from_secs(3);

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
#[derive(Clone, Debug, PartialEq, Eq)]
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

impl Facts {
    /// Whether any later change shows in these facts, which were asked for at `asked` or after it. Not when the file has
    /// just been changed, was so in the future, or the system has no time of change.
    pub fn tell_next_change(&self, asked: SystemTime) -> bool {
        let asked = asked.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as i128);
        self.changed.is_some_and(|changed| changed + TICK.as_nanos() as i128 <= asked)
    }
}

/// Reads at a place without moving a shared cursor, so that parallel ranges of one file never disturb each other.
pub trait ReadAt: Send + Sync {
    /// Reads up to `buffer.len()` bytes from `offset`; 0 means the end of the file.
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize>;

    /// Reads until the buffer is full or the file ends: how many bytes.
    fn read_up_to(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.read_at(&mut buffer[filled..], offset + filled as u64) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }

    /// Fills the buffer, or says `UnexpectedEof` when the file ends before: it shrank.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        match self.read_up_to(buffer, offset)? == buffer.len() {
            true => Ok(()),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_from_the_next_one_when_a_tick_has_passed() {
        let at = |nanoseconds: i128| Facts {
            id: FileId { device: 1, inode: 2 },
            regular: true,
            size: 3,
            modified: None,
            links: 1,
            changed: Some(nanoseconds),
        };
        let asked = UNIX_EPOCH + Duration::from_secs(1000);
        let tick = TICK.as_nanos() as i128;
        assert!(at(1_000_000_000_000 - tick).tell_next_change(asked));
        for late in [1_000_000_000_001 - tick, 1_000_000_000_000, 2_000_000_000_000, i128::from(i64::MAX)] {
            assert!(!at(late).tell_next_change(asked), "{late}");
        }
        assert!(!Facts { changed: None, ..at(0) }.tell_next_change(asked));
    }
}
