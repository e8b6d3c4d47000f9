//! What the system says about an open file: the few facts that differ from system to system.
//!
//! Every question goes to the handle, not to the path: between two looks at a path it can become another file.

use std::fs::{File, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A file's identity on this computer: device and inode (volume and index on Windows).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId {
    /// Device or volume.
    pub device: u64,
    /// Inode or file index.
    pub inode: u64,
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

/// Opens for reading: never follows a symlink in the last part, never waits (a pipe without a writer), never inherited.
#[cfg(unix)]
pub fn open_plain(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    // std adds O_CLOEXEC.
    std::fs::OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

#[cfg(unix)]
impl FileId {
    fn of_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// The identity of the file a path leads to, symlinks followed.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| Self::of_metadata(&metadata))
    }
}

#[cfg(unix)]
impl Facts {
    /// fstat of the handle.
    pub fn of(file: &File) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = file.metadata()?;
        Ok(Self {
            id: FileId::of_metadata(&metadata),
            regular: metadata.is_file(),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            links: metadata.nlink(),
            changed: Some(i128::from(metadata.ctime()) * 1_000_000_000 + i128::from(metadata.ctime_nsec())),
        })
    }
}

/// Where the open file lies now, after all symlinks and renames.
#[cfg(target_os = "linux")]
pub fn real_path(file: &File, _opened_as: &Path) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Where the open file lies now, after all symlinks and renames.
#[cfg(target_os = "macos")]
pub fn real_path(file: &File, _opened_as: &Path) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStringExt;
    let mut buffer = vec![0_u8; libc::PATH_MAX as usize];
    // SAFETY: F_GETPATH writes at most PATH_MAX bytes with a NUL into the buffer, which has that length and outlives
    // the call; the descriptor is open because `file` is borrowed.
    if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GETPATH, buffer.as_mut_ptr()) } == -1 {
        return Err(io::Error::last_os_error());
    }
    buffer.truncate(buffer.iter().position(|byte| *byte == 0).unwrap_or(buffer.len()));
    Ok(PathBuf::from(std::ffi::OsString::from_vec(buffer)))
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
