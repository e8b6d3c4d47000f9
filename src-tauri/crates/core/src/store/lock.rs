//! The owner lock: one process has a home at a time.
//!
//! The lock is the file system's, so it ends with the process however that ends. The pid inside is only for words.

use super::error::StoreError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;

const FILE: &str = "owner.lock";

/// Held for life by whoever writes in the home. Clones are one lock: the last one gives the home free.
#[derive(Clone, Debug)]
pub struct OwnerLock(
    #[expect(dead_code, reason = "held, never read: dropping it gives the home free")] Arc<File>,
);

impl OwnerLock {
    /// Takes the home, making the folder (mode 0700) when it is not there. Does not wait.
    ///
    /// Errors: `InUse` while another process has it, `NotAFolder`, `NotAFile`, `ReadOnly`, `DiskFull`, `NoLocks`, `Io`.
    pub fn acquire(home: &Path) -> Result<Self, StoreError> {
        super::home::create(home)?;
        let path = home.join(FILE);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(|e| StoreError::io(&path, e))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::InUse { pid: holder(&mut file) }),
            Err(TryLockError::Error(source)) => return Err(StoreError::NoLocks { path, source }),
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            file.rewind()?;
            writeln!(file, "{}", std::process::id())
        };
        write(&mut file).map_err(|e| StoreError::io(&path, e))?;
        Ok(Self(Arc::new(file)))
    }

    /// Takes the home as far as that is possible without writing in it. `None`: its lock cannot be taken, and then
    /// nobody can have it either.
    ///
    /// Errors: `InUse`.
    pub fn acquire_for_reading(home: &Path) -> Result<Option<Self>, StoreError> {
        let Ok(mut file) = File::open(home.join(FILE)) else { return Ok(None) };
        match file.try_lock() {
            Ok(()) => Ok(Some(Self(Arc::new(file)))),
            Err(TryLockError::WouldBlock) => Err(StoreError::InUse { pid: holder(&mut file) }),
            Err(TryLockError::Error(_)) => Ok(None),
        }
    }
}

// On Windows the lock also hides the text; then nobody is named.
fn holder(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}
