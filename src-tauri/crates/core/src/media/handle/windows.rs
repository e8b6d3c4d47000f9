//! Windows.

use super::{Facts, FileId};
use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::OpenOptionsExt;
use std::os::windows::io::AsRawHandle;
use std::path::{Path, PathBuf};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, FILE_FLAG_OPEN_REPARSE_POINT,
    FILE_NAME_NORMALIZED, FILE_TYPE_DISK, GetFileInformationByHandle, GetFileType, GetFinalPathNameByHandleW,
    VOLUME_NAME_DOS,
};

/// Opens for reading, a symlink or junction as itself and never as its target.
pub fn open_plain(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(FILE_FLAG_OPEN_REPARSE_POINT).open(path)
}

/// [`open_plain`] for a path that is real, as [`real_path`] gives it: fails unless the file lies at that very path.
pub fn open_in_place(path: &Path) -> io::Result<File> {
    let file = open_plain(path)?;
    match real_path(&file, path)? == path {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

fn information(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    let mut information = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: the handle is open because `file` is borrowed; the structure is writable and outlives the call.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &mut information) } == 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(information)
}

impl FileId {
    fn of_information(information: &BY_HANDLE_FILE_INFORMATION) -> Self {
        Self {
            device: u64::from(information.dwVolumeSerialNumber),
            inode: u64::from(information.nFileIndexHigh) << 32 | u64::from(information.nFileIndexLow),
        }
    }

    /// The identity of the file a path leads to, symlinks followed.
    pub fn of_path(path: &Path) -> io::Result<Self> {
        // No access is asked for: only the identity is looked at. The flag lets a folder be opened too.
        let file = OpenOptions::new().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
        information(&file).map(|information| Self::of_information(&information))
    }
}

impl Facts {
    /// The facts of the handle.
    pub fn of(file: &File) -> io::Result<Self> {
        let (metadata, information) = (file.metadata()?, information(file)?);
        // SAFETY: the handle is open because `file` is borrowed.
        let on_disk = unsafe { GetFileType(file.as_raw_handle()) } == FILE_TYPE_DISK;
        Ok(Self {
            id: FileId::of_information(&information),
            regular: on_disk && metadata.is_file(),
            size: metadata.len(),
            modified: metadata.modified().ok(),
            links: u64::from(information.nNumberOfLinks),
            // Windows has a change time only below the API of std; without it the links are compared on every open.
            changed: None,
        })
    }
}

/// Where the open file lies now, after all symlinks and renames, in the form that `canonicalize` gives.
pub fn real_path(file: &File, _opened_as: &Path) -> io::Result<PathBuf> {
    // The longest path of the system, in UTF-16 units.
    let mut buffer = vec![0_u16; 32_768];
    let capacity = u32::try_from(buffer.len()).expect("a constant under 2^32");
    // SAFETY: the handle is open because `file` is borrowed; the buffer is writable for `capacity` units and outlives
    // the call.
    let length = unsafe {
        GetFinalPathNameByHandleW(
            file.as_raw_handle(),
            buffer.as_mut_ptr(),
            capacity,
            FILE_NAME_NORMALIZED | VOLUME_NAME_DOS,
        )
    };
    match length {
        0 => Err(io::Error::last_os_error()),
        length if length >= capacity => Err(io::ErrorKind::InvalidFilename.into()),
        length => Ok(PathBuf::from(OsString::from_wide(&buffer[..length as usize]))),
    }
}
