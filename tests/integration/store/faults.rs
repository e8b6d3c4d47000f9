//! Files and folders that do not do what is asked of them. Nothing is lost, and the words say what to do.

use super::*;
use app_tests::home::open;
use app_tests::seed::{Seed, fill};
use rusqlite::Connection;
use rusqlite::config::DbConfig;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use talaria_core::clock::ManualClock;
use talaria_core::store::home::STORE_FILE;

fn opened(home: &Path) -> Result<talaria_core::store::Store, StoreError> {
    open(home, &ManualClock::at(NOON), Duration::ZERO)
}

fn refused(home: &Path) -> IpcError {
    IpcError::from(opened(home).map(drop).expect_err("it does not open"))
}

/// A closed store with some sessions.
async fn filled() -> tempfile::TempDir {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 40, messages_each: 6, ..Seed::default() }).await;
    home.closed().await
}

/// What is in the folder's files; not the lock, and not what SQLite puts beside a store to share it.
fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|file| file.expect("a file").path())
        .filter(|path| !path.ends_with("owner.lock") && !path.to_string_lossy().ends_with("-shm"))
        .map(|path| (path.clone(), std::fs::read(&path).expect("readable")))
        .filter(|(_, bytes)| !bytes.is_empty())
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_newer_file_is_left_as_it_is() {
    let folder = filled().await;
    let db = Connection::open(folder.path().join(STORE_FILE)).expect("the file");
    // It broke off, so what it wrote is in the log.
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).expect("a setting");
    db.pragma_update(None, "user_version", 99).expect("a later version wrote it");
    drop(db);
    let before = bytes(folder.path());
    assert_eq!(before.len(), 2, "the file and its log");
    let error = refused(folder.path());
    assert_eq!((error.code, error.retryable), (ErrorCode::Newer, false));
    assert!(error.message.contains("schema 99"), "{}", error.message);
    assert!(bytes(folder.path()) == before, "not one byte of it changed");
}

#[tokio::test]
async fn a_damaged_page_is_said_and_never_an_empty_list() {
    let folder = filled().await;
    let path = folder.path().join(STORE_FILE);
    let mut file = std::fs::OpenOptions::new().write(true).open(&path).expect("the file");
    file.seek(SeekFrom::Start(4096)).expect("page 2");
    file.write_all(&[0xA5; 100]).expect("overwritten");
    drop(file);
    let before = bytes(folder.path());
    let error = refused(folder.path());
    assert_eq!(error.code, ErrorCode::Damaged);
    assert!(error.message.contains(&path.display().to_string()), "{}", error.message);
    assert!(bytes(folder.path()) == before, "the file is kept for a repair");
}

#[tokio::test]
async fn a_doubled_table_is_damage() {
    let folder = filled().await;
    let db = Connection::open(folder.path().join(STORE_FILE)).expect("the file");
    db.execute_batch(
        "PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'lineages';",
    )
    .expect("a second row of the table");
    drop(db);
    assert_eq!(refused(folder.path()).code, ErrorCode::Damaged);
}

/// What stands where a folder or a file of the store should be is named, with what to do.
#[test]
fn a_file_in_the_place_of_the_folder_is_said_in_words() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "a file").expect("written");
    let deep = file.join("deep/home");
    for (home, said) in [
        (&file, format!("The data folder {} is a file.", file.display())),
        (&deep, format!("The data folder {} cannot be made: {} is a file.", deep.display(), file.display())),
    ] {
        let error = refused(home);
        assert_eq!((error.code, error.retryable), (ErrorCode::ReadOnly, true));
        assert!(error.message.starts_with(&said), "{}", error.message);
        assert!(error.message.contains("TALARIA_HOME"), "{}", error.message);
    }
    assert_eq!(std::fs::read_to_string(&file).expect("it stays"), "a file");
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).expect("a link");
        let error = refused(&link);
        assert!(error.message.contains("is a link that leads to no folder."), "{}", error.message);
    }
}

#[test]
fn a_folder_in_the_place_of_a_file_is_said_in_words() {
    for name in ["owner.lock", STORE_FILE] {
        let folder = tempfile::tempdir().expect("a temp folder");
        let path = folder.path().join(name);
        std::fs::create_dir(&path).expect("a folder");
        let error = refused(folder.path());
        assert_eq!((error.code, error.retryable), (ErrorCode::ReadOnly, true));
        let said = format!("{} is a folder, and Talaria keeps a file there.", path.display());
        assert!(error.message.starts_with(&said), "{}", error.message);
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_store_that_others_could_read_is_closed_to_them() {
    use std::os::unix::fs::PermissionsExt;
    let folder = filled().await;
    let path = folder.path().join(STORE_FILE);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).expect("copied from elsewhere");
    let store = opened(folder.path()).expect("it opens");
    store.settle().await.expect("a write");
    for file in std::fs::read_dir(folder.path()).expect("the folder").map(|file| file.expect("a file")) {
        let mode = file.metadata().expect("it is there").permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "{}", file.path().display());
    }
}

#[test]
fn a_file_that_is_no_database_is_damage() {
    let folder = tempfile::tempdir().expect("a temp folder");
    std::fs::write(folder.path().join(STORE_FILE), "not a database, and long enough to see that".repeat(50))
        .expect("written");
    assert_eq!(refused(folder.path()).code, ErrorCode::Damaged);
}

#[tokio::test]
async fn damage_that_shows_while_reading_is_an_error_too() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 400, messages_each: 1, ..Seed::default() }).await;
    let root: i64 = home
        .raw()
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'lineages'", [], |row| row.get(0))
        .expect("the table's page");
    // Into the file itself, so that connections which have not read the page meet it.
    home.raw().execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("one file");
    let mut file = std::fs::OpenOptions::new().write(true).open(home.file()).expect("the file");
    file.seek(SeekFrom::Start((root as u64 - 1) * 4096)).expect("the page");
    file.write_all(&[0xA5; 4096]).expect("overwritten");
    let error = home.store.session_list(SessionListRequest::default()).await.expect_err("no empty list");
    assert_eq!(code(error), ErrorCode::Damaged);
}

/// Runs with the file rights of nobody, also when the tests run as root. Only this thread, and those it starts.
#[cfg(target_os = "linux")]
pub(crate) fn as_nobody<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    const NOBODY: u32 = 65_534;
    let limited = move || {
        // SAFETY: both calls take plain numbers and change only this thread's rights to files.
        unsafe {
            if libc::geteuid() == 0 {
                libc::setfsgid(NOBODY);
                libc::setfsuid(NOBODY);
            }
        }
        work()
    };
    std::thread::spawn(limited).join().expect("the thread ends well")
}

#[cfg(target_os = "linux")]
pub(crate) fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("the mode is set");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_cannot_be_written_is_said() {
    let folder = tempfile::tempdir().expect("a temp folder");
    set_mode(folder.path(), 0o555);
    let home = folder.path().join("home");
    let error = as_nobody(move || refused(&home));
    set_mode(folder.path(), 0o755);
    assert_eq!((error.code, error.retryable), (ErrorCode::ReadOnly, true));
    assert!(error.message.contains("home"), "{}", error.message);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_store_that_cannot_be_written_is_said_and_opens_when_it_can_be() {
    let folder = filled().await;
    let path = folder.path().to_owned();
    set_mode(&path, 0o777);
    set_mode(&path.join("owner.lock"), 0o666);
    set_mode(&path.join(STORE_FILE), 0o444);
    let home = path.clone();
    let error = as_nobody(move || refused(&home));
    assert_eq!(error.code, ErrorCode::ReadOnly);
    set_mode(&path.join(STORE_FILE), 0o600);
    let store = opened(&path).expect("a retry works");
    assert_eq!(store.counts().await.expect("counts").active, 40);
}

#[tokio::test]
async fn a_store_that_another_program_is_writing_is_waited_for() {
    let folder = filled().await;
    let holder = Connection::open(folder.path().join(STORE_FILE)).expect("the store's file");
    holder.execute_batch("BEGIN EXCLUSIVE").expect("the store is free");
    let (begun, begins) = std::sync::mpsc::channel();
    let home = folder.path().to_owned();
    let opening = std::thread::spawn(move || {
        begun.send(()).expect("somebody waits");
        opened(&home)
    });
    begins.recv().expect("the other thread runs");
    // Far longer than an open takes, far shorter than a store waits (5 s): it must meet the lock, and outlast it.
    std::thread::sleep(std::time::Duration::from_millis(500));
    holder.execute_batch("ROLLBACK").expect("the lock ends");
    let store = opening.join().expect("the open ends").expect("it waited");
    assert_eq!(store.counts().await.expect("counts").active, 40);
}

/// A full disk that is really one where a file system of 1 MiB can be mounted; where it cannot (a container, a system
/// that gives users no namespaces), a file that may not grow past 1 MiB, which SQLite reports alike.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said_and_what_was_there_stays() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let child = env!("CARGO_BIN_EXE_store-child");
    let in_small_disk = |then: &str| {
        let mut unshare = std::process::Command::new("unshare");
        // SAFETY: the call has no preconditions.
        if unsafe { libc::geteuid() } != 0 {
            unshare.arg("--map-root-user");
        }
        let script = format!("mount -t tmpfs -o size=1m tmpfs \"$1\" && exec {then}");
        unshare.args(["--mount", "sh", "-c", &script, "sh"]).arg(folder.path()).arg(child).output()
    };
    let output = match in_small_disk("true") {
        Ok(probe) if probe.status.success() => in_small_disk("\"$2\" fill \"$1/home\""),
        _ => {
            std::process::Command::new(child).arg("fill").arg(folder.path().join("home")).arg("256").output()
        }
    };
    let output = output.expect("the child starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let last: Vec<&str> = said.lines().rev().take(2).collect();
    assert_eq!(last.len(), 2, "{said} {}", String::from_utf8_lossy(&output.stderr));
    assert!(last[1].starts_with("error DiskFull No space is left"), "{said}");
    assert!(last[0].starts_with("kept "), "{said}");
}
