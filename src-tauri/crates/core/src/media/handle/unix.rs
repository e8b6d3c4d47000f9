//! Linux, macOS and their like.

use super::{Facts, FileId};
use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Opens for reading: never follows a symlink in the last part, never waits (a pipe without a writer), never inherited.
pub fn open_plain(path: &Path) -> io::Result<File> {
    // std adds O_CLOEXEC.
    OpenOptions::new().read(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)
}

/// [`open_plain`] for a path that is real, as [`real_path`] gives it: fails unless the file lies at that very path, with no
/// symlink on the way. On Linux the system sees to it (openat2, since 5.6): to ask a fresh handle for its place costs twice
/// as much as to open it (measured).
#[cfg(target_os = "linux")]
pub fn open_in_place(path: &Path) -> io::Result<File> {
    use std::os::fd::FromRawFd;
    use std::os::unix::ffi::OsStrExt;
    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the structure holds nothing but numbers, for which zero is a value ("man 2 openat2": what is not known must be
    // zero).
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (libc::O_RDONLY | libc::O_CLOEXEC | libc::O_NOFOLLOW | libc::O_NONBLOCK) as u64;
    how.resolve = libc::RESOLVE_NO_SYMLINKS;
    // SAFETY: the path ends in a NUL, the structure has the length that is given; both outlive the call.
    let opened = unsafe {
        libc::syscall(libc::SYS_openat2, libc::AT_FDCWD, path.as_ptr(), &raw const how, size_of_val(&how))
    };
    if opened < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the call succeeded, so this is an open descriptor that nobody else has.
    Ok(unsafe { File::from_raw_fd(opened as libc::c_int) })
}

/// [`open_plain`] for a path that is real, as [`real_path`] gives it: fails unless the file lies at that very path.
#[cfg(not(target_os = "linux"))]
pub fn open_in_place(path: &Path) -> io::Result<File> {
    let file = open_plain(path)?;
    match real_path(&file, path)? == path {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

impl FileId {
    fn of_metadata(metadata: &Metadata) -> Self {
        Self { device: metadata.dev(), inode: metadata.ino() }
    }

    /// The identity of the file a path leads to, symlinks followed.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        std::fs::metadata(path).map(|metadata| Self::of_metadata(&metadata))
    }
}

impl Facts {
    /// fstat of the handle.
    pub fn of(file: &File) -> io::Result<Self> {
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
#[cfg(any(target_os = "linux", target_os = "android"))]
pub fn real_path(file: &File, _opened_as: &Path) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Where the open file lies now, after all symlinks and renames.
#[cfg(target_vendor = "apple")]
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

/// Where the open file lies: these systems cannot name a handle, so the path is resolved once more. The caller compares
/// the file there with the handle.
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub fn real_path(_file: &File, opened_as: &Path) -> io::Result<PathBuf> {
    opened_as.canonicalize()
}
