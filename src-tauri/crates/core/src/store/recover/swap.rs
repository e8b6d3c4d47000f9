//! The change of files at the end of a recovery. The damaged one has its second name before the new one takes the first,
//! so at no moment is there a home without a store.

use crate::store::error::StoreError;
use crate::store::file::beside;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use talaria_wire::Millis;

/// The new file while it is being made.
pub(super) fn part(path: &Path) -> PathBuf {
    beside(path, ".recovered.part")
}

/// Removes what a recovery that broke off has left.
pub(super) fn clear(part: &Path) -> Result<(), StoreError> {
    for file in ["", "-journal", "-wal", "-shm"].map(|suffix| beside(part, suffix)) {
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(StoreError::io(&file, error));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Puts `part` in the place of `path`; answers where the damaged file is now.
pub(super) fn swap(path: &Path, part: &Path, now: Millis) -> Result<PathBuf, StoreError> {
    sync(part).map_err(|e| StoreError::io(part, e))?;
    let kept = free_name(path, now);
    let (log, kept_log) = (beside(path, "-wal"), beside(&kept, "-wal"));
    std::fs::hard_link(path, &kept)
        // A file system without second names: for a moment there is only the kept one.
        .or_else(|_| std::fs::rename(path, &kept))
        .map_err(|e| StoreError::io(&kept, e))?;
    let moved = move_log(&log, &kept_log).and_then(|()| std::fs::rename(part, path));
    if let Err(error) = moved {
        // Back to how it was, as far as the file system lets us; the kept name stays where it is the only one.
        let _ = std::fs::rename(&kept_log, &log);
        let _ = if path.exists() { std::fs::remove_file(&kept) } else { std::fs::rename(&kept, path) };
        return Err(StoreError::io(path, error));
    }
    // It only shares the log among connections; the log is gone from here.
    let _ = std::fs::remove_file(beside(path, "-shm"));
    if let Some(folder) = path.parent() {
        // A folder cannot be synced everywhere; the renames are ordered without it, too.
        let _ = sync(folder);
    }
    Ok(kept)
}

fn move_log(log: &Path, kept: &Path) -> io::Result<()> {
    match std::fs::rename(log, kept) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

fn sync(path: &Path) -> io::Result<()> {
    // Windows syncs only what is open for writing.
    File::options().read(true).write(path.is_file()).open(path)?.sync_all()
}

/// `talaria.damaged-20261130T120000Z.db`, with a number behind the time when that is taken.
fn free_name(path: &Path, now: Millis) -> PathBuf {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let name = |suffix: &str| path.with_file_name(format!("{stem}.damaged-{}{suffix}.db", stamp(now)));
    let first = name("");
    if !first.exists() {
        return first;
    }
    (2..).map(|n| name(&format!("-{n}"))).find(|name| !name.exists()).unwrap_or(first)
}

/// The time as a part of a file's name, UTC.
fn stamp(now: Millis) -> String {
    let (days, seconds) = (now.div_euclid(86_400_000), now.rem_euclid(86_400_000) / 1000);
    // Howard Hinnant, "chrono-compatible low-level date algorithms": years that begin in March have their leap day last.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let (day, month) = (day - (153 * month + 2) / 5 + 1, if month < 10 { month + 3 } else { month - 9 });
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}{month:02}{day:02}T{hour:02}{minute:02}{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_as_utc() {
        assert_eq!(stamp(0), "19700101T000000Z");
        assert_eq!(stamp(951_827_696_000), "20000229T123456Z");
        assert_eq!(stamp(1_796_040_000_000), "20261130T120000Z");
    }

    #[test]
    fn a_name_that_is_taken_gets_a_number() {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("talaria.db");
        let first = free_name(&path, 0);
        assert!(first.ends_with("talaria.damaged-19700101T000000Z.db"));
        std::fs::write(&first, "kept").expect("written");
        assert!(free_name(&path, 0).ends_with("talaria.damaged-19700101T000000Z-2.db"));
    }
}
