//! The change of files at the end of a recovery, step by step: at no moment is something lost by the end of the process,
//! because the names tell the next opening how far it came.
//!
//! The finished new file has a name of its own, with the time that the damaged one's will have. As long as it is there
//! the change is not done: is the store still in its place, its logs go back to it; is it gone, the new one takes it.

use crate::store::error::StoreError;
use crate::store::file::{LOGS, beside};
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
    let change = Change::at(path, free_time(path, now));
    if let Err(error) = STEPS.iter().try_for_each(|step| step(&change, part)) {
        change.undo().map_err(|e| StoreError::io(path, e))?;
        return Err(StoreError::io(path, error));
    }
    // It only shares the log among connections; the log is gone from here.
    let _ = std::fs::remove_file(beside(path, "-shm"));
    if let Some(folder) = path.parent() {
        // A folder cannot be synced everywhere; the renames are ordered without it, too.
        let _ = sync(folder);
    }
    Ok(change.kept)
}

/// Puts right what a change that broke off has left, so that there is the store from before it or the new one. A home
/// without a store gets back the damaged one that was kept last: an empty one must not take its name.
pub(super) fn settle(path: &Path) -> Result<(), StoreError> {
    let put_right = || -> io::Result<()> {
        for time in times(path, "recovered") {
            let change = Change::at(path, time);
            if path.try_exists()? {
                change.undo()?;
            } else {
                std::fs::rename(&change.finished, path)?;
            }
        }
        if !path.try_exists()?
            && let Some(time) = times(path, "damaged").pop()
        {
            tracing::warn!("there is no store: the damaged one that was kept takes its name");
            Change::at(path, time).put_back()?;
        }
        Ok(())
    };
    put_right().map_err(|e| StoreError::io(path, e))
}

/// The files of one change.
struct Change {
    path: PathBuf,
    /// The new file, whole and on disk.
    finished: PathBuf,
    /// The damaged one.
    kept: PathBuf,
}

/// What makes a change, in this order. A new file must never meet the log of another one.
const STEPS: [fn(&Change, &Path) -> io::Result<()>; 5] = [
    |change, part| std::fs::rename(part, &change.finished),
    |change, _| move_log(&change.path, &change.kept, LOGS[0]),
    |change, _| move_log(&change.path, &change.kept, LOGS[1]),
    |change, _| std::fs::rename(&change.path, &change.kept),
    |change, _| std::fs::rename(&change.finished, &change.path),
];

impl Change {
    fn at(path: &Path, time: String) -> Self {
        let [finished, kept] = ["recovered", "damaged"].map(|what| named(path, what, &time));
        Self { path: path.to_owned(), finished, kept }
    }

    /// The damaged file under its first name. Its logs go first: the file that is missing tells that there is something
    /// to do.
    fn put_back(&self) -> io::Result<()> {
        LOGS.iter().try_for_each(|log| move_log(&self.kept, &self.path, log))?;
        std::fs::rename(&self.kept, &self.path)
    }

    /// Back to how it was before, from wherever it is. The new file goes last: it tells that there is something to do.
    fn undo(&self) -> io::Result<()> {
        if !self.path.try_exists()? {
            std::fs::rename(&self.kept, &self.path)?;
        }
        for log in LOGS {
            move_log(&self.kept, &self.path, log)?;
        }
        match std::fs::remove_file(&self.finished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }
}

fn move_log(from: &Path, to: &Path, suffix: &str) -> io::Result<()> {
    match std::fs::rename(beside(from, suffix), beside(to, suffix)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        moved => moved,
    }
}

fn sync(path: &Path) -> io::Result<()> {
    // Windows syncs only what is open for writing.
    File::options().read(true).write(path.is_file()).open(path)?.sync_all()
}

/// `talaria.damaged-20261130T120000Z.db`.
fn named(path: &Path, what: &str, time: &str) -> PathBuf {
    path.with_file_name(format!("{}{time}.db", prefix(path, what)))
}

fn prefix(path: &Path, what: &str) -> String {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    format!("{stem}.{what}-")
}

/// The times of the files of such a name, oldest first.
fn times(path: &Path, what: &str) -> Vec<String> {
    let prefix = prefix(path, what);
    let files =
        path.parent().and_then(|folder| std::fs::read_dir(folder).ok()).into_iter().flatten().flatten();
    let mut times: Vec<String> = files
        .filter_map(|file| {
            let name = file.file_name().into_string().ok()?;
            Some(name.strip_prefix(&prefix)?.strip_suffix(".db")?.to_owned())
        })
        .collect();
    times.sort_unstable();
    times
}

/// The time, with a number behind it when its names are taken: by a file, or by a log that lost its file.
fn free_time(path: &Path, now: Millis) -> String {
    let time = stamp(now);
    let taken = |time: &str| {
        let [finished, kept] = ["recovered", "damaged"].map(|what| named(path, what, time));
        finished.exists() || kept.exists() || LOGS.iter().any(|log| beside(&kept, log).exists())
    };
    if !taken(&time) {
        return time;
    }
    (2..).map(|n| format!("{time}-{n}")).find(|time| !taken(time)).unwrap_or(time)
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
    use crate::clock::ManualClock;
    use crate::store::{OwnerLock, Store, migrate};
    use rusqlite::Connection;
    use std::sync::Arc;

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
        let first = free_time(&path, 0);
        assert_eq!(first, "19700101T000000Z");
        let kept = named(&path, "damaged", &first);
        assert!(kept.ends_with("talaria.damaged-19700101T000000Z.db"));
        // The log alone is enough: it is not the next file's.
        std::fs::write(beside(&kept, "-wal"), "kept").expect("written");
        assert_eq!(free_time(&path, 0), "19700101T000000Z-2");
    }

    /// A store with so many settings, the last one in its log alone.
    fn store(path: &Path, settings: usize) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let open = folder.path().join("open.db");
        let mut db = Connection::open(&open).expect("a file");
        migrate::migrate(&mut db, &open).expect("a schema");
        db.pragma_update(None, "journal_mode", "WAL").expect("a log");
        for n in 0..settings {
            if n + 1 == settings {
                db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA wal_autocheckpoint = 0")
                    .expect("the rest is in the file");
            }
            db.execute("INSERT INTO settings VALUES (?1, '1')", [format!("setting {n}")]).expect("a row");
        }
        for suffix in ["", "-wal"] {
            std::fs::copy(beside(&open, suffix), beside(path, suffix)).expect("copied as it is open");
        }
    }

    /// A store of three settings and a recovered one of five that is to take its place.
    fn home() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join("talaria.db");
        store(&path, 3);
        let part = part(&path);
        store(&part, 5);
        let db = Connection::open(&part).expect("the new file");
        db.pragma_update(None, "journal_mode", "DELETE").expect("it has no log");
        (folder, path)
    }

    #[tokio::test]
    async fn a_change_that_ends_after_any_step_leaves_the_old_store_whole_or_the_new_one() {
        for steps in 0..=STEPS.len() {
            let (folder, path) = home();
            let change = Change::at(&path, free_time(&path, 0));
            for step in &STEPS[..steps] {
                step(&change, &part(&path)).expect("a step");
            }
            let lock = OwnerLock::acquire(folder.path()).expect("free");
            let opened = Store::open(folder.path(), lock, Arc::new(ManualClock::at(0)));
            opened.unwrap_or_else(|e| panic!("after {steps} steps: {e}")).close().await;
            let db = Connection::open(&path).expect("the store");
            let settings: i64 =
                db.query_row("SELECT count(*) FROM settings", [], |row| row.get(0)).expect("a number");
            let new = steps > 3;
            assert_eq!(settings, if new { 5 } else { 3 }, "after {steps} steps");
            assert_eq!(change.kept.exists(), new, "after {steps} steps");
            assert_eq!(beside(&change.kept, "-wal").exists(), new, "after {steps} steps");
            assert!(!change.finished.exists() && !part(&path).exists(), "after {steps} steps");
        }
    }

    #[test]
    fn a_journal_goes_with_its_file_and_comes_back_with_it() {
        for steps in 0..=STEPS.len() {
            let (_folder, path) = home();
            std::fs::write(beside(&path, "-journal"), "of the old one").expect("written");
            let change = Change::at(&path, free_time(&path, 0));
            for step in &STEPS[..steps] {
                step(&change, &part(&path)).expect("a step");
            }
            settle(&path).expect("settled");
            let owner = if steps > 3 { &change.kept } else { &path };
            let other = if steps > 3 { &path } else { &change.kept };
            assert_eq!(std::fs::read(beside(owner, "-journal")).expect("it is there"), b"of the old one");
            assert!(!beside(other, "-journal").exists(), "after {steps} steps");
        }
    }

    #[tokio::test]
    async fn a_home_with_nothing_but_a_kept_damaged_store_gets_that_and_no_empty_one() {
        let (folder, path) = home();
        let kept = named(&path, "damaged", "20261130T120000Z");
        for suffix in ["", "-wal"] {
            std::fs::rename(beside(&path, suffix), beside(&kept, suffix)).expect("renamed");
        }
        settle(&path).expect("settled");
        let db = Connection::open(&path).expect("the store");
        let settings: i64 =
            db.query_row("SELECT count(*) FROM settings", [], |row| row.get(0)).expect("a number");
        assert_eq!(settings, 3);
        assert!(!kept.exists());
        drop(folder);
    }

    #[test]
    fn a_log_that_lost_its_kept_file_is_never_given_to_another_store() {
        let (_folder, path) = home();
        let kept = named(&path, "damaged", "20261130T120000Z");
        std::fs::remove_file(beside(&path, "-wal")).expect("removed");
        std::fs::write(beside(&kept, "-wal"), "of a file that was deleted").expect("written");
        settle(&path).expect("settled");
        assert!(!beside(&path, "-wal").exists());
    }
}
