//! Stores that are open for reading only: nothing is written anywhere, and every write is refused in words.

use super::*;
use app_tests::damage::overwrite;
use app_tests::home::open;
use app_tests::seed::{Seed, fill};
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use talaria_core::clock::ManualClock;
use talaria_core::store::home::STORE_FILE;
use talaria_core::store::{OwnerLock, SCHEMA, Store};

/// Opens the store of a home whole, or says why not.
pub(super) fn whole(home: &Path) -> Result<Store, StoreError> {
    open(home, &ManualClock::at(NOON), Duration::from_secs(3600))
}

/// As a start does: whole, else for reading only.
pub(super) fn opened_somehow(home: &Path) -> Result<Store, StoreError> {
    let clock = Arc::new(ManualClock::at(NOON));
    match OwnerLock::acquire(home) {
        Ok(lock) => match Store::open(home, lock.clone(), clock.clone()) {
            Ok(store) => Ok(store),
            Err(why) => Store::open_for_reading(home, Some(lock), clock, why),
        },
        Err(why) => {
            let lock = OwnerLock::acquire_for_reading(home)?;
            Store::open_for_reading(home, lock, clock, why)
        }
    }
}

async fn filled() -> tempfile::TempDir {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 40, messages_each: 6, archived_every: 4, ..Seed::default() }).await;
    home.closed().await
}

/// Names, lengths, times and bytes of all files of a folder.
fn state(folder: &Path) -> Vec<(PathBuf, std::time::SystemTime, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|file| file.expect("a file").path())
        .map(|path| {
            let changed = std::fs::metadata(&path).expect("it is there").modified().expect("a time");
            (path.clone(), changed, std::fs::read(&path).expect("readable"))
        })
        .collect();
    files.sort();
    files
}

/// Everything that writes answers `expected`, with words on until when; and reading works.
async fn reads_and_refuses(store: &Store, expected: ErrorCode, sessions: i64) {
    let trouble = store.trouble().expect("it is open for reading only");
    assert_eq!(trouble.code, expected);
    assert!(trouble.message.contains("Nothing new is saved until"), "{}", trouble.message);
    let counts = store.counts().await.expect("counts");
    assert_eq!(counts.active + counts.archived + counts.trash, sessions);
    let list =
        store.session_list(SessionListRequest { limit: 500, ..Default::default() }).await.expect("a list");
    assert_eq!(list.rows.len() as i64, counts.active);
    let first = list.rows[0].id.clone();
    let request = MessagePageRequest { session_id: first.clone(), anchor: PageAnchor::End, limit: 0 };
    let page = store.message_page(request).await.expect("a page");
    assert!(!page.messages.is_empty());
    let client = ClientId::from("main");
    let id = || first.clone();
    let writes = [
        store
            .session_update(SessionUpdateRequest {
                id: id(),
                title: None,
                archived: Some(true),
                pin_rank: None,
            })
            .await
            .err(),
        store.session_pin(SessionPinRequest { id: id(), pinned: true, rank: None }).await.err(),
        store.session_mark(SessionMarkRequest { id: id(), unread: true }).await.err(),
        store.session_delete(SessionDeleteRequest { id: id(), mode: DeleteMode::Trash }).await.err(),
        store.session_restore(SessionRestoreRequest { id: id(), pin_rank: None }).await.err(),
        store.draft_set(&client, DraftSetRequest { text: "x".to_owned(), ..Default::default() }).await.err(),
        store.settings_update(SettingsPatch { zoom: Some(120), ..Default::default() }).await.err(),
        store.lineage_put(Arc::new(chat(1, NOON, &["x"]))).await.err(),
        store.settle().await.err(),
    ];
    for (n, error) in writes.into_iter().enumerate() {
        let error = IpcError::from(error.unwrap_or_else(|| panic!("write {n} was not refused")));
        assert_eq!(error.code, expected, "write {n}");
        assert!(error.message.contains("Nothing new is saved until"), "{}", error.message);
    }
    store.settings_get().await.expect("settings, or their defaults");
    store.draft_get(&client, DraftGetRequest::default()).await.expect("a draft");
}

#[tokio::test]
async fn a_newer_store_is_read_and_not_touched() {
    let folder = filled().await;
    let db = Connection::open(folder.path().join(STORE_FILE)).expect("the file");
    db.execute_batch(
        "CREATE TABLE of_tomorrow (x INTEGER); ALTER TABLE lineages ADD COLUMN mood TEXT;
         INSERT INTO settings VALUES ('theme', '\"sepia\"'), ('of_tomorrow', '{\"a\": 1}');",
    )
    .expect("what a later version may add");
    db.pragma_update(None, "user_version", SCHEMA + 1).expect("its number");
    drop(db);
    drop(OwnerLock::acquire(folder.path()).expect("the lock's file is there"));
    let before = state(folder.path());
    let store = opened_somehow(folder.path()).expect("it opens for reading");
    reads_and_refuses(&store, ErrorCode::Newer, 40).await;
    assert!(!store.trouble().expect("trouble").recoverable, "it is not damaged");
    assert_eq!(store.session_search(search_for("deploy")).await.expect("a search").messages.len(), 20);
    store.close().await;
    let after = state(folder.path());
    let names = |files: &[(PathBuf, std::time::SystemTime, Vec<u8>)]| -> Vec<PathBuf> {
        files.iter().map(|(path, ..)| path.clone()).collect()
    };
    assert_eq!(names(&before), names(&after), "no file was made");
    let store_file = |files: &[(PathBuf, std::time::SystemTime, Vec<u8>)]| {
        files.iter().find(|(path, ..)| path.ends_with(STORE_FILE)).cloned()
    };
    assert!(store_file(&before) == store_file(&after), "not one byte of it changed");
}

#[tokio::test]
async fn a_newer_store_without_what_is_needed_is_refused() {
    let folder = filled().await;
    let db = Connection::open(folder.path().join(STORE_FILE)).expect("the file");
    db.execute_batch("DROP TABLE tallies").expect("a later version counts otherwise");
    db.pragma_update(None, "user_version", SCHEMA + 1).expect("its number");
    drop(db);
    let error = opened_somehow(folder.path()).map(drop).expect_err("there are no counts");
    assert_eq!(code(error), ErrorCode::Newer);
}

#[tokio::test]
async fn a_newer_store_is_read_with_its_log() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 12, messages_each: 2, ..Seed::default() }).await;
    let copy = tempfile::tempdir().expect("a temp folder");
    home.raw().pragma_update(None, "user_version", SCHEMA + 1).expect("a later version wrote it");
    for suffix in ["", "-wal"] {
        let name = format!("{STORE_FILE}{suffix}");
        std::fs::copy(home.path().join(&name), copy.path().join(&name)).expect("copied");
    }
    let log = std::fs::read(copy.path().join(format!("{STORE_FILE}-wal"))).expect("a log");
    let store = opened_somehow(copy.path()).expect("it opens for reading");
    reads_and_refuses(&store, ErrorCode::Newer, 12).await;
    store.close().await;
    assert!(std::fs::read(copy.path().join(format!("{STORE_FILE}-wal"))).expect("a log") == log);
}

fn search_for(query: &str) -> SearchRequest {
    SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    }
}

#[tokio::test]
async fn a_damaged_store_is_listed_counted_searched_and_not_touched() {
    let folder = filled().await;
    drop(OwnerLock::acquire(folder.path()).expect("the lock's file is there"));
    overwrite(&folder.path().join(STORE_FILE), 1, 0, 100, 1);
    let before = std::fs::read(folder.path().join(STORE_FILE)).expect("readable");
    let store = opened_somehow(folder.path()).expect("it opens for reading");
    reads_and_refuses(&store, ErrorCode::Damaged, 40).await;
    assert!(store.trouble().expect("trouble").recoverable);
    assert_eq!(store.trouble().expect("trouble").title, "The session store is damaged");
    assert_eq!(store.session_search(search_for("deploy")).await.expect("a search").messages.len(), 20);
    store.close().await;
    assert!(std::fs::read(folder.path().join(STORE_FILE)).expect("readable") == before);
    let files = std::fs::read_dir(folder.path()).expect("the folder").count();
    assert_eq!(files, 2, "the store and the lock");
}

#[tokio::test]
async fn a_store_that_no_lock_can_be_had_for_is_read() {
    let folder = filled().await;
    let source = std::io::Error::from_raw_os_error(38);
    let why = StoreError::NoLocks { path: folder.path().join("owner.lock"), source };
    let store = Store::open_for_reading(folder.path(), None, Arc::new(ManualClock::at(NOON)), why);
    reads_and_refuses(&store.expect("it opens for reading"), ErrorCode::NoLocks, 40).await;
}

/// The store of the first released schema, made by that version itself.
fn old_store() -> tempfile::TempDir {
    store_of_schema(1)
}

/// The store of an earlier schema; that of 2 is the one of 1 as that version brought it up to date.
fn store_of_schema(schema: i64) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temp folder");
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fixtures/stores/schema-{schema}.db"));
    std::fs::copy(fixture, folder.path().join(STORE_FILE)).expect("the fixture");
    folder
}

#[tokio::test]
async fn a_store_of_an_earlier_schema_is_brought_up_to_date_with_a_copy_kept() {
    for schema in 1..SCHEMA {
        is_brought_up_to_date(schema).await;
    }
}

async fn is_brought_up_to_date(schema: i64) {
    let folder = store_of_schema(schema);
    let store = whole(folder.path()).expect("it opens");
    let counts = store.counts().await.expect("counts");
    assert_eq!((counts.active, counts.archived, counts.trash, counts.pinned), (20, 2, 1, 1));
    assert!(store.counts_hold().await.expect("a check"));
    let list =
        store.session_list(SessionListRequest { limit: 500, ..Default::default() }).await.expect("a list");
    assert_eq!(list.rows.len(), 20);
    let heard = MediaPositionRequest {
        session_id: list.rows[0].id.clone(),
        path: "/srv/clip.mp4".to_owned(),
        seconds: 2.5,
    };
    store.position_set(heard.clone()).await.expect("a place is kept");
    let at = store.position(&heard.session_id, &heard.path).await.expect("a place");
    assert_eq!(at, 2.5);
    for row in list.rows {
        let request = MessagePageRequest { session_id: row.id, anchor: PageAnchor::End, limit: 500 };
        let page = store.message_page(request).await.expect("its messages");
        assert_eq!(page.messages.len() as i64, page.total);
    }
    assert_eq!(store.settings_get().await.expect("settings").sidebar_width, 260);
    store.close().await;
    let version = |file: &Path| -> i64 {
        let db = Connection::open(file).expect("a file");
        db.pragma_query_value(None, "user_version", |row| row.get(0)).expect("a version")
    };
    assert_eq!(version(&folder.path().join(STORE_FILE)), SCHEMA);
    assert_eq!(version(&folder.path().join(format!("talaria.db.schema-{schema}"))), schema);
}

#[tokio::test]
async fn an_older_store_that_cannot_be_written_is_read_as_it_is() {
    let folder = old_store();
    let before = state(folder.path());
    let why = StoreError::ReadOnly { path: folder.path().join(STORE_FILE) };
    let store = Store::open_for_reading(folder.path(), None, Arc::new(ManualClock::at(NOON)), why);
    reads_and_refuses(&store.expect("it opens for reading"), ErrorCode::ReadOnly, 23).await;
    assert!(state(folder.path()) == before);
}

#[tokio::test]
async fn a_damaged_store_of_the_first_schema_is_recovered_in_the_newest() {
    let folder = old_store();
    overwrite(&folder.path().join(STORE_FILE), 1, 0, 100, 1);
    let store = opened_somehow(folder.path()).expect("it opens for reading");
    reads_and_refuses(&store, ErrorCode::Damaged, 23).await;
}

/// Runs a script in which `$1` is the home and `$2` is `store-child`, where file systems can be mounted.
#[cfg(target_os = "linux")]
fn mounted(home: &Path, script: &str) -> Option<String> {
    let mut unshare = std::process::Command::new("unshare");
    // SAFETY: the call has no preconditions.
    if unsafe { libc::geteuid() } != 0 {
        unshare.arg("--map-root-user");
    }
    unshare.args(["--mount", "sh", "-c", script, "sh"]).arg(home).arg(env!("CARGO_BIN_EXE_store-child"));
    let output = unshare.output().expect("unshare starts");
    // A system that gives nobody a mount says so before the child runs.
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_mounted_read_only_is_read_with_and_without_a_log() {
    let without = filled().await;
    let with = {
        let home = TempHome::new();
        fill(&home.store, &Seed { sessions: 40, messages_each: 2, ..Seed::default() }).await;
        let copy = tempfile::tempdir().expect("a temp folder");
        for suffix in ["", "-wal"] {
            let name = format!("{STORE_FILE}{suffix}");
            std::fs::copy(home.path().join(&name), copy.path().join(&name)).expect("copied");
        }
        copy
    };
    for (folder, listed) in [(&without, 30), (&with, 40)] {
        let before = state(folder.path());
        // Nobody can write there, root included.
        let script =
            "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && exec \"$2\" look \"$1\"";
        match mounted(folder.path(), script) {
            Some(said) => assert_eq!(said, format!("read_only {listed} of {listed}\n")),
            // Nothing can be mounted here: the rights of a file are tried in `faults` as well.
            None => assert!(mounted(folder.path(), "exit 0").is_none(), "the start itself failed"),
        }
        assert!(state(folder.path()) == before, "no file was made or changed");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_second_start_over_a_folder_mounted_read_only_brings_the_first_to_the_front() {
    let folder = filled().await;
    drop(OwnerLock::acquire(folder.path()).expect("the lock's file is there"));
    let runtime = tempfile::tempdir().expect("a temp folder");
    let script = format!(
        "mount --bind \"$1\" \"$1\" && mount -o remount,bind,ro \"$1\" && XDG_RUNTIME_DIR={} exec \"$2\" meet \"$1\"",
        runtime.path().display()
    );
    match mounted(folder.path(), &script) {
        Some(said) => assert_eq!(said, "read_only 30 of 30\nfront true\n"),
        None => assert!(mounted(folder.path(), "exit 0").is_none(), "the start itself failed"),
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn on_a_full_disk_the_store_is_read_and_a_recovery_leaves_all_as_it_was() {
    let folder = filled().await;
    let home = tempfile::tempdir().expect("a temp folder");
    let script = |then: &str| {
        format!(
            "mount -t tmpfs -o size=2m tmpfs \"$1\" && cp {}/{STORE_FILE} \"$1\" && {then}",
            folder.path().display()
        )
    };
    let fill = "! dd if=/dev/zero of=\"$1/full\" bs=4096 2>/dev/null";
    let Some(said) = mounted(home.path(), &script(&format!("{fill} && exec \"$2\" look \"$1\""))) else {
        assert!(mounted(home.path(), "exit 0").is_none(), "the start itself failed");
        return;
    };
    assert_eq!(said, "disk_full 30 of 30\n");
    overwrite(&folder.path().join(STORE_FILE), 1, 0, 100, 1);
    let names = "cd \"$1\" && cksum * | sort";
    let then = format!(
        "{fill}; ({names}); \"$2\" recover \"$1\"; ({names}); rm \"$1/full\" && \"$2\" recover \"$1\""
    );
    let said = mounted(home.path(), &script(&then)).expect("it was mounted before");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 6, "{said}");
    assert!(lines[2].starts_with("error DiskFull No space is left"), "{said}");
    assert_eq!(lines[..2], lines[3..5], "not a file was made or changed");
    assert_eq!(lines[5], "recovered 40");
}
