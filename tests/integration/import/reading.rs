//! Files that are hard to read: written meanwhile, in folders that cannot be written, old, new, damaged.

use super::*;
use app_tests::home::open;
use std::io::{Seek, SeekFrom, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

#[test]
fn the_default_file_is_in_the_hermes_home() {
    let path = |hermes: Option<&str>| import::default_path(hermes.map(Path::new), Path::new("/home/u"));
    assert_eq!(path(Some("/data/hermes")), Path::new("/data/hermes/state.db"));
    assert_eq!(path(None), Path::new("/home/u/.hermes/state.db"));
    assert_eq!(path(Some("")), Path::new("/home/u/.hermes/state.db"));
}

#[tokio::test]
async fn an_import_sees_one_state_while_hermes_writes() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    let stop = Arc::new(AtomicBool::new(false));
    let (wrote, first) = std::sync::mpsc::channel();
    let writer = {
        let (stop, path) = (Arc::clone(&stop), hermes.path());
        std::thread::spawn(move || {
            let db = Connection::open(path).expect("the Hermes file");
            db.busy_timeout(Duration::from_secs(10)).expect("patience");
            let mut pairs = 0_i64;
            while !stop.load(Ordering::SeqCst) {
                // Two sessions in one transaction: an import must see both or neither.
                db.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
                for side in ["left", "right"] {
                    db.execute(
                        "INSERT INTO sessions (id, source, started_at) VALUES (?1, ?2, 1796079999)",
                        (format!("{side}-{pairs}"), side),
                    )
                    .expect("a row");
                }
                db.execute_batch("COMMIT").expect("committed");
                pairs += 1;
                // The receiver is gone after the first.
                let _ = wrote.send(());
            }
            pairs
        })
    };
    first.recv().expect("the writer has begun");
    let report = imported(&home, &hermes.path()).await;
    stop.store(true, Ordering::SeqCst);
    let pairs = writer.join().expect("the writer was never refused");
    let sides = |side: &'static str| {
        let db = home.raw();
        db.query_row("SELECT count(*) FROM sessions WHERE source = ?1", [side], |row| row.get::<_, i64>(0))
            .expect("a count")
    };
    assert_eq!(sides("left"), sides("right"));
    assert!((1..=pairs).contains(&sides("left")));
    assert_eq!(report.source_sessions, 28 + 2 * sides("left"));
    assert_eq!(report.sessions, report.source_sessions);
    let rest = imported(&home, &hermes.path()).await;
    assert_eq!(rest.after.active, 23 + 2 * pairs);
}

/// Runs an import with the file rights of nobody, also when the tests run as root.
#[cfg(target_os = "linux")]
fn imported_as_nobody(path: PathBuf) -> Result<ImportReport, ImportError> {
    const NOBODY: u32 = 65_534;
    let limited = move || {
        // SAFETY: both calls take plain numbers and change only this thread's rights to files.
        unsafe {
            if libc::geteuid() == 0 {
                libc::setfsgid(NOBODY);
                libc::setfsuid(NOBODY);
            }
        }
        let folder = tempfile::tempdir().expect("a temp folder");
        let clock = talaria_core::clock::ManualClock::at(app_tests::home::NOON);
        let store = open(folder.path(), &clock, Duration::ZERO).expect("a store");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let report = import::run(&store, &path, CancellationToken::new(), |_| {}).await;
            store.close().await;
            report
        })
    };
    std::thread::spawn(limited).join().expect("the thread ends well")
}

#[cfg(target_os = "linux")]
fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("the mode is set");
}

/// What lies in the folder, and what is in it.
#[cfg(target_os = "linux")]
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|file| file.expect("a file").path())
        .map(|path| (path.clone(), std::fs::read(&path).expect("readable")))
        .collect();
    files.sort();
    files
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_without_a_log_in_a_read_only_folder_is_read() {
    let hermes = Hermes::sample();
    set_mode(&hermes.path(), 0o444);
    set_mode(hermes.folder.path(), 0o555);
    let before = contents(hermes.folder.path());
    let report = imported_as_nobody(hermes.path());
    assert!(contents(hermes.folder.path()) == before, "nothing is left behind");
    set_mode(hermes.folder.path(), 0o755);
    assert_eq!(report.expect("an import").sessions, 28);
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_with_a_log_in_a_read_only_folder_is_read_with_it() {
    let hermes = Hermes::sample();
    let there = tempfile::tempdir().expect("a temp folder");
    let path = there.path().join("state.db");
    // A Hermes that runs: the newest session is in the log alone.
    let db = hermes.db();
    db.execute_batch("PRAGMA wal_autocheckpoint = 0; INSERT INTO sessions (id, source, started_at) VALUES ('late', 'cli', 1)")
        .expect("a row in the log");
    for name in ["state.db", "state.db-wal"] {
        let file = there.path().join(name);
        std::fs::copy(hermes.folder.path().join(name), &file).expect("a copy");
        set_mode(&file, 0o444);
    }
    set_mode(there.path(), 0o555);
    let before = contents(there.path());
    let report = imported_as_nobody(path);
    assert!(contents(there.path()) == before, "nothing is left behind");
    set_mode(there.path(), 0o755);
    assert_eq!(report.expect("an import").sessions, 29);
}

#[tokio::test]
async fn an_older_file_that_lacks_columns_is_read() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    hermes
        .db()
        .execute_batch(
            "DROP TABLE messages; DROP TABLE sessions; DROP TABLE schema_version;
             CREATE TABLE sessions (id TEXT PRIMARY KEY, source TEXT, started_at REAL);
             CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT, news BLOB);
             INSERT INTO sessions VALUES ('old', 'cli', 1700000000.5);
             INSERT INTO messages (session_id, role, content) VALUES ('old', 'user', 'from a while ago');",
        )
        .expect("an old file");
    let probe = import::probe(&hermes.path()).await.expect("a probe");
    assert_eq!((probe.schema, probe.sessions, probe.archived), (0, 1, 0));
    imported(&home, &hermes.path()).await;
    let row = rows(&home, ArchivedFilter::Exclude, 1).await.rows.pop().expect("a row");
    assert_eq!((row.preview.as_deref(), row.created_at), (Some("from a while ago"), 1_700_000_000_500));
    assert_eq!(transcript(&home, &row.id).await.messages[0].created_at, 1_700_000_000_500);
}

#[tokio::test]
async fn a_newer_schema_is_refused() {
    let hermes = Hermes::sample();
    hermes.db().execute("UPDATE schema_version SET version = 23", []).expect("a later version");
    let error = IpcError::from(refused(&hermes.path()).await);
    assert_eq!(error.code, ErrorCode::Newer);
    assert!(error.message.contains("schema 23"), "{}", error.message);
}

#[tokio::test]
async fn what_is_no_hermes_store_is_said() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let path = folder.path().join("state.db");
    let code = |error| IpcError::from(error).code;
    assert_eq!(code(refused(&path).await), ErrorCode::Missing);
    assert_eq!(code(refused(folder.path()).await), ErrorCode::Unsupported);
    std::fs::write(&path, "a text that is long enough to be looked at as a database".repeat(20))
        .expect("written");
    assert_eq!(code(refused(&path).await), ErrorCode::Unsupported);
    std::fs::remove_file(&path).expect("removed");
    Connection::open(&path).expect("a file").execute_batch("CREATE TABLE t (x)").expect("a table");
    assert_eq!(code(refused(&path).await), ErrorCode::Unsupported);
}

#[tokio::test]
async fn rows_that_cannot_be_read_are_reported_and_the_others_come() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    hermes
        .db()
        .execute_batch(
            "INSERT INTO sessions (id, source, started_at, title) VALUES (x'ff00', 'cli', 1, 'Lost');
             UPDATE messages SET content = x'00ff00' WHERE id = 1;
             UPDATE sessions SET started_at = 'soon' WHERE id = '20261130_202054_5a5513';
             UPDATE messages SET tool_calls = 'not json' WHERE id = 10;",
        )
        .expect("damage");
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.source_sessions, report.sessions, report.messages), (29, 28, 203));
    let skipped: Vec<_> =
        report.skipped.iter().map(|skip| (skip.title.as_deref(), skip.reason.as_str())).collect();
    assert_eq!(
        skipped,
        [
            (Some("Lost"), "damaged row: it has no readable id"),
            (Some("Plain chat"), "damaged row: the text of message 1 is not text"),
        ]
    );
    assert_eq!(row(&home, "Plain chat").await.message_count, 3);
    assert!(row(&home, "Grüße 日本語 🚀").await.created_at > 0);
}

#[tokio::test]
async fn a_damaged_page_costs_the_sessions_on_it_and_no_others() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    for n in 0..20 {
        let id = format!("s{n:02}");
        hermes.session(&id, n, None, None);
        hermes.message(&id, "user", &"long text ".repeat(900), n);
    }
    let db = hermes.db();
    // The first overflow page of some message: only who reads that message's text to its end meets it.
    let page: i64 = db
        .query_row(
            "SELECT pageno FROM dbstat WHERE name = 'messages' AND pagetype = 'overflow' AND path LIKE '%+000000'",
            [],
            |row| row.get(0),
        )
        .expect("a long text has one");
    db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE").expect("one file");
    drop(db);
    let mut file = std::fs::OpenOptions::new().write(true).open(hermes.path()).expect("the file");
    file.seek(SeekFrom::Start((page as u64 - 1) * 4096)).expect("the page");
    // The first four bytes of an overflow page name the next one; this one does not exist.
    file.write_all(&[0x7f, 0xff, 0xff, 0xff]).expect("overwritten");
    drop(file);
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.sessions, report.skipped.len()), (19, 1));
    assert!(report.skipped[0].reason.starts_with("damaged row: "), "{}", report.skipped[0].reason);
    assert_eq!(report.after.active, 19);
}
