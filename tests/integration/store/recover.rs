//! Damage of every kind, on real files: it is said, what can be read is read, and a recovery brings back all that is
//! not on the broken page.

use super::reading::{opened_somehow, whole};
use super::*;
use app_tests::damage::{PAGE, overwrite, pages};
use app_tests::seed::{Seed, chat, fill};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use talaria_core::clock::ManualClock;
use talaria_core::store::home::STORE_FILE;
use talaria_core::store::recover::{Recovered, Run};
use talaria_core::store::{LineageKind, OwnerLock, Store};
use tokio_util::sync::CancellationToken;

/// Sub-agents' sessions in a store of [`filled`]; they are not listed.
const SUB_AGENTS: usize = 3;

/// A closed store that has something of everything.
async fn filled(sessions: usize) -> tempfile::TempDir {
    let home = TempHome::new();
    let seed = Seed { sessions, messages_each: 5, archived_every: 5, untitled_every: 7, ..Seed::default() };
    fill(&home.store, &seed).await;
    for owner in 4..4 + SUB_AGENTS {
        let mut child = chat(1_000 + owner, NOON + owner as i64, &["a part of it"]);
        child.kind = LineageKind::Delegate { owner: session_id(owner) };
        home.store.lineage_put(Arc::new(child)).await.expect("put");
    }
    home.store.session_pin(pin(1, None)).await.expect("pinned");
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("in the trash");
    home.store.session_delete(delete(3, DeleteMode::Purge)).await.expect("gone");
    let client = ClientId::from("main");
    for n in 4..=sessions.min(40) {
        let draft = DraftSetRequest {
            session_id: Some(session_id(n)),
            text: format!("a draft of {n}"),
            ..Default::default()
        };
        home.store.draft_set(&client, draft).await.expect("a draft");
        let place = MediaPositionRequest {
            session_id: session_id(n),
            path: format!("/srv/{n}.mp4"),
            seconds: n as f64,
        };
        home.store.position_set(place).await.expect("a place");
    }
    home.store
        .settings_update(SettingsPatch { sidebar_width: Some(260), ..Default::default() })
        .await
        .expect("a setting");
    home.closed().await
}

/// A store of its own with the same bytes.
fn copy_of(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a temp folder");
    for file in ["", "-wal"].map(|suffix| format!("{STORE_FILE}{suffix}")) {
        if folder.join(&file).exists() {
            std::fs::copy(folder.join(&file), copy.path().join(&file)).expect("copied");
        }
    }
    copy
}

/// What each table holds: its rows by number, as text.
type Rows = BTreeMap<&'static str, BTreeMap<String, String>>;

/// The tables of a store's file, with what names a row of each.
const TABLES: &[(&str, &str)] = &[
    ("lineages", "id"),
    ("sessions", "id"),
    ("messages", "id"),
    ("folders", "path"),
    ("drafts", "lineage"),
    ("positions", "lineage"),
    ("settings", "name"),
    ("tombstones", "origin_id"),
];

fn rows(file: &Path) -> Rows {
    let db = Connection::open(file).expect("the file");
    let of = |(table, key): (&'static str, &str)| {
        let columns = match table {
            "messages" => "text, role, created_at",
            "sessions" => "lineage, source, started_at",
            "lineages" => "place, ifnull(title, ''), created_at, last_active",
            "drafts" => "text",
            "positions" => "target, at_ms",
            "folders" => "name, parent",
            _ => "*",
        };
        let mut statement =
            db.prepare(&format!("SELECT CAST({key} AS TEXT), json_array({columns}) FROM {table}"));
        if statement.is_err() {
            statement = db.prepare(&format!("SELECT CAST({key} AS TEXT), '' FROM {table}"));
        }
        let mut statement = statement.expect("a table");
        let rows = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).expect("rows");
        (table, rows.map(|row| row.expect("a row")).collect())
    };
    TABLES.iter().map(|table| of(*table)).collect()
}

fn recovered(home: &Path) -> RecoveryReport {
    let _lock = OwnerLock::acquire(home).expect("the home is free");
    let (cancel, mut progress) = (CancellationToken::new(), |_| {});
    let made = Recovered::make(home, &mut Run { cancel: &cancel, progress: &mut progress });
    made.expect("it recovers").put_in_place(NOON).expect("in its place")
}

/// Opens the recovered store whole and checks that it holds together. Answers its rows.
async fn healthy_rows(home: &Path) -> Rows {
    let store = whole(home).expect("a recovered store opens");
    let report = store.health_check(&CancellationToken::new()).await.expect("a check");
    assert!(report.items.iter().all(|item| item.state == HealthState::Good), "{report:#?}");
    store.close().await;
    rows(&home.join(STORE_FILE))
}

#[tokio::test]
async fn a_broken_page_anywhere_is_never_an_empty_list_and_costs_only_what_is_on_it() {
    let folder = filled(70).await;
    let file = folder.path().join(STORE_FILE);
    let before = rows(&file);
    let listed = before["lineages"].len() - SUB_AGENTS;
    let mut leaves: BTreeMap<String, usize> = BTreeMap::new();
    let mut cases = Vec::new();
    for page in pages(&file).into_iter().filter(|page| page.number != 1) {
        let of_ours = ["lineages", "sessions", "messages"].contains(&page.of.as_str());
        let nth = leaves.entry(page.of.clone()).or_default();
        *nth += 1;
        if page.is_root || (of_ours && *nth <= 2) {
            cases.push(page);
        }
    }
    assert!(cases.len() > 40, "only {} pages", cases.len());
    for (seed, page) in cases.iter().enumerate() {
        // Over the page's header, and over some of its rows.
        for offset in [0, 1_000 + (seed as u64 * 37) % 2_900] {
            let copy = copy_of(folder.path());
            let file = copy.path().join(STORE_FILE);
            overwrite(&file, page.number, offset, 100, seed as u64);
            let what = format!("{page:?} at {offset}");

            let store = opened_somehow(copy.path()).unwrap_or_else(|error| panic!("{what}: {error}"));
            let counts = store.counts().await.unwrap_or_else(|error| panic!("{what}: {error}"));
            let request =
                SessionListRequest { archived: ArchivedFilter::Include, limit: 500, ..Default::default() };
            let list = store.session_list(request).await.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(list.rows.len() as i64, counts.active + counts.archived, "{what}");
            let lost = if page.of == "lineages" && page.is_leaf { page.rows as usize } else { 0 };
            // A lineage whose row is lost comes back by its sessions; then nobody knows that it is a sub-agent's.
            let there = list.rows.len() + counts.trash as usize;
            assert!((listed..=listed + SUB_AGENTS).contains(&there), "{what}: {there}");
            let trouble = store.trouble().cloned();
            if let Some(trouble) = &trouble {
                assert_eq!((trouble.code, trouble.recoverable), (ErrorCode::Damaged, true), "{what}");
                assert!(!trouble.found.is_empty(), "{what}");
                let said = (trouble.readable, trouble.total);
                assert_eq!(said, (Some(there as i64), Some(there.max(listed) as i64)), "{what}");
            }
            store.close().await;

            let report = recovered(copy.path());
            let after = healthy_rows(copy.path()).await;
            if page.of == "messages" {
                // Whole pages too: what the sessions say they hold is told as lost.
                let told =
                    report.tables.iter().find(|table| table.table == "messages").map(|table| table.lost);
                let gone = before["messages"].len() - after["messages"].len();
                assert_eq!((told, report.incomplete > 0), (Some(gone as i64), gone > 0), "{what}");
            }
            for (table, rows) in &before {
                let on_page = if page.of == *table && page.is_leaf { page.rows as usize } else { 0 };
                let same = rows.iter().filter(|(key, row)| after[table].get(*key) == Some(row)).count();
                assert!(same >= rows.len() - on_page, "{what}: {same} of {} of {table}", rows.len());
            }
            assert!(after["lineages"].len() >= listed + SUB_AGENTS - lost, "{what}");
            if trouble.is_none() {
                // Whatever the bytes hit was not in use, or is derived and was made anew.
                assert_eq!(after["messages"], before["messages"], "{what}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_gone_for_good_is_told_by_the_total() {
    let folder = filled(30).await;
    let file = folder.path().join(STORE_FILE);
    let of_table = |name: &str| {
        let all = pages(&file).into_iter().filter(|page| page.of == name && page.is_leaf);
        all.map(|page| page.number).collect::<Vec<_>>()
    };
    // Neither the row of a session nor anything that would bring it back.
    for page in ["lineages", "sessions", "messages", "drafts"].into_iter().flat_map(|table| {
        let all = of_table(table);
        all.into_iter().take(if table == "lineages" { 1 } else { usize::MAX })
    }) {
        overwrite(&file, page, 0, 4096, 1);
    }
    let store = opened_somehow(folder.path()).expect("it opens for reading");
    let trouble = store.trouble().expect("it is damaged");
    assert_eq!(trouble.total, Some(29));
    assert!(trouble.readable.is_some_and(|readable| 0 < readable && readable < 29), "{trouble:?}");
    store.close().await;
}

#[tokio::test]
async fn places_of_a_session_that_did_not_read_bring_none_back() {
    let folder = filled(10).await;
    let file = folder.path().join(STORE_FILE);
    let db = Connection::open(&file).expect("the file");
    db.execute_batch("PRAGMA foreign_keys = OFF; INSERT INTO positions VALUES (4711, '/a.mp4', 1000, 1);")
        .expect("a place of nobody");
    drop(db);
    let mut before = rows(&file);
    before.get_mut("positions").expect("places").remove("4711");
    recovered(folder.path());
    let after = healthy_rows(folder.path()).await;
    assert_eq!(after["positions"], before["positions"]);
    assert_eq!(after["lineages"].len(), before["lineages"].len());
}

#[tokio::test]
async fn a_broken_first_page_costs_nothing() {
    let folder = filled(60).await;
    let before = rows(&folder.path().join(STORE_FILE));
    for (offset, length) in [(0, 100), (0, PAGE as usize), (100, 8)] {
        let copy = copy_of(folder.path());
        overwrite(&copy.path().join(STORE_FILE), 1, offset, length, 7);
        let store = opened_somehow(copy.path()).expect("it opens for reading");
        let trouble = store.trouble().expect("it is damaged").clone();
        assert_eq!((trouble.readable, trouble.total), (Some(59), Some(59)));
        let refused = store.session_update(rename(1, "new")).await.expect_err("nothing is written");
        assert_eq!(code(refused), ErrorCode::Damaged);
        store.close().await;
        recovered(copy.path());
        assert_eq!(healthy_rows(copy.path()).await, before, "{offset} {length}");
    }
}

#[tokio::test]
async fn of_a_file_that_was_cut_off_the_rest_comes_back() {
    let folder = filled(120).await;
    let file = folder.path().join(STORE_FILE);
    let before = rows(&file);
    let length = std::fs::metadata(&file).expect("the file").len();
    for part in [3, 2] {
        let copy = copy_of(folder.path());
        let file = copy.path().join(STORE_FILE);
        let cut = std::fs::OpenOptions::new().write(true).open(&file).expect("the file");
        // Not at a page's border.
        cut.set_len(length - length / part + 1_234).expect("cut");
        drop(cut);
        let kept: i64 = pages(&folder.path().join(STORE_FILE))
            .iter()
            .filter(|page| page.of == "messages" && page.is_leaf)
            .filter(|page| u64::from(page.number) * PAGE <= length - length / part)
            .map(|page| page.rows)
            .sum();
        let store = opened_somehow(copy.path()).expect("it opens for reading");
        assert!(store.trouble().is_some());
        store.close().await;
        let report = recovered(copy.path());
        let after = healthy_rows(copy.path()).await;
        let same = after["messages"].iter().filter(|(key, row)| before["messages"].get(*key) == Some(row));
        assert!(same.count() as i64 >= kept, "{kept} messages were on pages that are there");
        assert!(report.messages >= kept);
    }
}

#[tokio::test]
async fn a_doubled_table_costs_nothing() {
    let folder = filled(60).await;
    let before = rows(&folder.path().join(STORE_FILE));
    let db = Connection::open(folder.path().join(STORE_FILE)).expect("the file");
    db.execute_batch(
        "PRAGMA writable_schema = ON;
         INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE name = 'lineages';",
    )
    .expect("a second row of the table");
    drop(db);
    let store = opened_somehow(folder.path()).expect("it opens for reading");
    assert!(
        store.trouble().is_some_and(|trouble| trouble.found.iter().any(|line| line.contains("lineages")))
    );
    assert_eq!(store.counts().await.expect("counts").trash, 1);
    store.close().await;
    recovered(folder.path());
    assert_eq!(healthy_rows(folder.path()).await, before);
}

#[tokio::test]
async fn what_is_only_in_the_log_comes_back_too() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 30, messages_each: 3, ..Seed::default() }).await;
    // Copied while it is open, as after a crash: the newest rows are in the log alone.
    let copy = copy_of(home.path());
    assert!(std::fs::metadata(copy.path().join(format!("{STORE_FILE}-wal"))).expect("a log").len() > 0);
    let before = rows(&home.file());
    overwrite(&copy.path().join(STORE_FILE), 1, 0, 100, 3);
    let report = recovered(copy.path());
    assert_eq!((report.sessions, report.messages), (30, 90));
    assert!(Path::new(&report.kept).exists());
    assert!(PathBuf::from(format!("{}-wal", report.kept)).exists(), "the log stays with its file");
    assert!(!copy.path().join(format!("{STORE_FILE}-wal")).exists(), "and is not taken for the new one's");
    assert_eq!(healthy_rows(copy.path()).await, before);
}

#[tokio::test]
async fn what_was_deleted_does_not_come_back() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 120, messages_each: 5, ..Seed::default() }).await;
    for n in 1..=60 {
        home.store.session_delete(delete(n, DeleteMode::Purge)).await.expect("gone");
    }
    let folder = home.closed().await;
    let file = folder.path().join(STORE_FILE);
    let before = rows(&file);
    let root = pages(&file).into_iter().find(|page| page.of == "messages" && page.is_root).expect("a root");
    assert!(!root.is_leaf, "its rows hang on further pages");
    overwrite(&file, root.number, 0, 100, 1);
    recovered(folder.path());
    assert_eq!(healthy_rows(folder.path()).await, before);
}

#[tokio::test]
async fn a_missing_column_is_said_and_the_rest_comes_back() {
    let folder = filled(30).await;
    let file = folder.path().join(STORE_FILE);
    let before = rows(&file);
    let db = Connection::open(&file).expect("the file");
    db.execute_batch(
        "ALTER TABLE sessions DROP COLUMN end_reason; ALTER TABLE lineages DROP COLUMN git_branch;",
    )
    .expect("columns go");
    drop(db);
    let error = whole(folder.path()).map(drop).expect_err("it is not whole");
    assert!(IpcError::from(error).message.contains("has no column"));
    let store = opened_somehow(folder.path()).expect("it opens for reading");
    assert_eq!(store.trouble().map(|trouble| trouble.readable), Some(Some(29)));
    store.close().await;
    recovered(folder.path());
    assert_eq!(healthy_rows(folder.path()).await, before);
}

#[tokio::test]
async fn a_title_that_is_there_twice_gets_a_number() {
    let folder = filled(10).await;
    let file = folder.path().join(STORE_FILE);
    let db = Connection::open(&file).expect("the file");
    // Without its index a table takes what breaks its rule.
    db.execute_batch("DROP INDEX lineages_title; UPDATE lineages SET title = 'Same' WHERE id IN (4, 6);")
        .expect("sql");
    drop(db);
    overwrite(&file, 1, 0, 100, 1);
    recovered(folder.path());
    let titles: Vec<String> =
        rows(&file)["lineages"].values().filter(|row| row.contains("Same")).cloned().collect();
    assert_eq!(titles.len(), 2);
    assert!(titles.iter().any(|row| row.contains("\"Same #2\"")), "{titles:?}");
    healthy_rows(folder.path()).await;
}

/// The home's files, with what is in them.
fn bytes(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder")
        .map(|file| file.expect("a file").path())
        .filter(|path| !path.ends_with("owner.lock"))
        .map(|path| (path.clone(), std::fs::read(&path).expect("readable")))
        .collect();
    files.sort();
    files
}

#[tokio::test]
async fn a_cancelled_recovery_leaves_everything_as_it_was() {
    let folder = filled(60).await;
    overwrite(&folder.path().join(STORE_FILE), 1, 0, 100, 1);
    let before = bytes(folder.path());
    let cancel = CancellationToken::new();
    // In the middle of it: when the messages are at hand.
    let mut progress = |progress: RecoveryProgress| {
        if progress.table == "messages" {
            cancel.cancel();
        }
    };
    let ended = Recovered::make(folder.path(), &mut Run { cancel: &cancel, progress: &mut progress });
    assert_eq!(code(ended.map(drop).expect_err("cancelled")), ErrorCode::Cancelled);
    assert!(bytes(folder.path()) == before);
}

#[tokio::test]
async fn what_a_killed_recovery_left_is_gone_at_the_next_start() {
    let folder = filled(5).await;
    let part = folder.path().join(format!("{STORE_FILE}.recovered.part"));
    std::fs::write(&part, "half of it").expect("written");
    let store = whole(folder.path()).expect("it opens");
    assert!(!part.exists());
    store.close().await;
}

#[tokio::test]
async fn the_damaged_file_is_kept_as_it_was() {
    let folder = filled(20).await;
    let file = folder.path().join(STORE_FILE);
    overwrite(&file, 1, 0, 100, 1);
    let damaged = std::fs::read(&file).expect("readable");
    let report = recovered(folder.path());
    assert!(report.kept.ends_with("talaria.damaged-20261130T120000Z.db"), "{}", report.kept);
    assert!(std::fs::read(&report.kept).expect("kept") == damaged);
    assert_eq!(report.tables.iter().map(|table| table.lost).sum::<i64>(), 0, "{report:?}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(std::fs::metadata(&file).expect("the new one").permissions().mode() & 0o777, 0o600);
    }
}

#[tokio::test]
async fn sessions_of_a_lost_lineage_and_messages_of_a_lost_session_get_new_ones() {
    let folder = filled(20).await;
    let file = folder.path().join(STORE_FILE);
    let db = Connection::open(&file).expect("the file");
    db.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM lineages WHERE id = 4; DELETE FROM sessions WHERE lineage = 5;")
        .expect("rows go");
    drop(db);
    overwrite(&file, 1, 0, 100, 1);
    recovered(folder.path());
    let store = whole(folder.path()).expect("it opens");
    // Session 4 is lineage 4: listed again under its own id, with its messages and what it began with.
    let row = store.session_get(SessionRef { id: session_id(4) }).await.expect("it has a row");
    assert_eq!((row.message_count, row.title), (5, None));
    assert!(row.preview.is_some_and(|preview| preview.starts_with("deploy")));
    // The tip of lineage 5 comes back under its id, so that whoever knows it finds it.
    let request = MessagePageRequest { session_id: session_id(5), anchor: PageAnchor::End, limit: 10 };
    assert_eq!(store.message_page(request).await.expect("its messages").messages.len(), 5);
    store.close().await;
    healthy_rows(folder.path()).await;
}

#[test]
fn a_file_without_a_row_is_not_recovered() {
    let folder = tempfile::tempdir().expect("a temp folder");
    std::fs::write(folder.path().join(STORE_FILE), "not a database at all. ".repeat(2_000)).expect("written");
    let before = bytes(folder.path());
    let (cancel, mut progress) = (CancellationToken::new(), |_| {});
    let made = Recovered::make(folder.path(), &mut Run { cancel: &cancel, progress: &mut progress });
    assert_eq!(code(made.map(drop).expect_err("nothing reads")), ErrorCode::Damaged);
    assert!(bytes(folder.path()) == before);
    let lock = OwnerLock::acquire(folder.path()).expect("free");
    let why =
        Store::open(folder.path(), lock, Arc::new(ManualClock::at(NOON))).map(drop).expect_err("damaged");
    let opened = Store::open_for_reading(folder.path(), None, Arc::new(ManualClock::at(NOON)), why);
    assert!(opened.is_err());
}
