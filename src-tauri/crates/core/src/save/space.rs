//! How much room there is, where the system tells.

use std::path::Path;

/// Bytes that this user may still write on the disk of `folder`. `None`: the system does not say.
#[cfg(unix)]
pub(super) fn free(folder: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;
    let folder = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    let mut said = std::mem::MaybeUninit::<libc::statvfs>::uninit();
    // SAFETY: the path ends in a NUL and `said` has room for the structure; both outlive the call.
    if unsafe { libc::statvfs(folder.as_ptr(), said.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call succeeded, so it has written the structure.
    let said = unsafe { said.assume_init() };
    #[allow(clippy::unnecessary_cast, reason = "the fields are narrower on some systems")]
    let (blocks, free, block) = (said.f_blocks as u64, said.f_bavail as u64, said.f_frsize as u64);
    // A file system that knows no size of its own says 0 of everything.
    (blocks > 0).then(|| free.saturating_mul(block))
}

/// Bytes that this user may still write on the disk of `folder`. `None`: the system does not say.
#[cfg(windows)]
pub(super) fn free(folder: &Path) -> Option<u64> {
    use std::os::windows::ffi::OsStrExt;
    use windows_sys::Win32::Storage::FileSystem::GetDiskFreeSpaceExW;
    let folder: Vec<u16> = folder.as_os_str().encode_wide().chain([0]).collect();
    let mut free = 0_u64;
    // SAFETY: the path ends in a NUL and `free` is writable; both outlive the call. The others may be null
    // ("GetDiskFreeSpaceExW").
    let told = unsafe {
        GetDiskFreeSpaceExW(folder.as_ptr(), &mut free, std::ptr::null_mut(), std::ptr::null_mut())
    };
    (told != 0).then_some(free)
}
