//! Sessions lost, doubled, empty, untitled.
//!
//! B4 also: `import::sample::both_compressed_lineages_show_eighteen_messages_and_a_divider`,
//! `import::again::a_compression_in_between_is_followed`. B5: `import::hand_made::a_chain_of_sixty_is_one_row_with_every_message_once`,
//! `import::hand_made::a_circle_of_parents_loses_nothing`. B7: `import::hand_made::a_child_whose_parent_is_gone_is_a_plain_row`.
//! B12: `store::reading::a_newer_store_is_read_and_not_touched`,
//! `store::recover::a_missing_column_is_said_and_the_rest_comes_back`,
//! `boot::trouble::a_newer_store_is_read_and_cannot_be_recovered_and_opens_when_it_is_known`.
//! B9: `store::search::a_row_written_past_the_store_is_listed_counted_and_found`. B14 also:
//! `store::processes::every_acknowledged_archive_survives_a_kill`. B16: in `ui/src/state/reducer.test.ts` "of a list asked for
//! before the archive never brings the row back" and "of a single row asked for before the delete is dropped", in
//! `ui/src/App.test.ts` "a list asked for before an archive, answered after it, does not bring the row back". B20 also:
//! `store::archive::marking_and_reading_do_not_change_the_order`. B23 also:
//! `store::drafts_and_settings::drafts_belong_to_one_session_or_one_window_and_survive`,
//! `command::a_draft_of_an_unsaved_window_is_that_windows_own`, `ui/src/features/composer/drafts.test.ts` (500 ms, at once on
//! a switch, never in another session), and on the desktop
//! `sidebar::a_draft_is_there_again_after_a_switch_and_after_a_restart`.

use crate::command::Host;
use crate::import::{Hermes, imported, row};
use app_tests::home::{NOON, TempHome, open};
use app_tests::seed::{Seed, fill, session_id};
use serde_json::json;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;
use talaria_core::clock::ManualClock;
use talaria_core::store::OwnerLock;
use talaria_core::store::home::STORE_FILE;
use talaria_wire::*;

/// B1.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_starts_twenty_failed_ones_and_a_window_that_types_make_no_session() {
    let mut folder = tempfile::tempdir().unwrap();
    for start in 0..20 {
        let home = folder.path().join("home");
        let held = OwnerLock::acquire(&home).unwrap();
        let host = Host::start_changed(folder, false, |config| {
            config.boot.retry_after = Duration::from_millis(1);
        });
        host.until(BootPhase::Failed).await;
        drop(held);
        host.until(BootPhase::Ready).await;
        // What a page does when it is loaded and loaded again, and what a person does before the first message.
        for window in ["main", "second"] {
            host.attach(window);
            host.call_as(window, "session_list", json!({ "min_messages": 1 })).await.unwrap();
            host.call_as(window, "session_show", json!({})).await.unwrap();
            let draft = json!({ "text": format!("unsent {start}"), "folder": "/home/user/project" });
            host.call_as(window, "draft_set", draft).await.unwrap();
            host.app.client_gone(&ClientId::from(window));
        }
        let list = host.call("session_list", json!({ "archived": "include" })).await.unwrap();
        assert_eq!((&list["rows"], &list["counts"]["active"]), (&json!([]), &json!(0)), "start {start}");
        host.app.close().await;
        folder = host.into_folder();
    }
    let db = rusqlite::Connection::open(folder.path().join("home").join(STORE_FILE)).unwrap();
    let rows = "SELECT (SELECT count(*) FROM lineages) + (SELECT count(*) FROM sessions)";
    assert_eq!(db.query_row(rows, [], |row| row.get::<_, i64>(0)).unwrap(), 0);
}

/// B4.
#[tokio::test]
async fn a_session_that_is_compressed_keeps_its_one_row_with_pin_title_folder_mark_and_archive_flag() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    for (at, id) in ["kept", "pinned", "archived"].into_iter().enumerate() {
        hermes.session(id, at as i64, None, None);
        hermes.message(id, "user", "one", at as i64);
    }
    hermes.db().execute("UPDATE sessions SET cwd = '/home/user/' || id", []).unwrap();
    imported(&home, &hermes.path()).await;
    let id = row(&home, "Title pinned").await.id;
    let store = &home.store;
    let pin = SessionPinRequest { id: id.clone(), pinned: true, rank: Some(7) };
    store.session_pin(pin).await.unwrap();
    store.session_mark(SessionMarkRequest { id: id.clone(), unread: true }).await.unwrap();
    let update = |id, title: Option<&str>, archived| {
        let title = title.map(str::to_owned);
        store.session_update(SessionUpdateRequest { id, title, archived, pin_rank: None })
    };
    update(id.clone(), Some("Mine"), None).await.unwrap();
    update(row(&home, "Title archived").await.id, None, Some(true)).await.unwrap();

    for parent in ["pinned", "archived"] {
        let end = "UPDATE sessions SET end_reason = 'compression', ended_at = started_at + 9 WHERE id = ?1";
        hermes.db().execute(end, [parent]).unwrap();
        let tip = format!("{parent} tip");
        hermes.session(&tip, 20, Some(parent), None);
        hermes.message(&tip, "user", "two", 20);
    }
    imported(&home, &hermes.path()).await;

    let list = |archived| {
        let request = SessionListRequest { archived, ..SessionListRequest::default() };
        async { store.session_list(request).await.unwrap() }
    };
    let active = list(ArchivedFilter::Exclude).await;
    assert_eq!((active.counts.active, active.counts.archived, active.rows.len()), (2, 1, 2));
    let tip = active.rows.iter().find(|row| row.pinned).expect("the pin moved to the tip");
    assert_ne!(tip.id, id);
    assert_eq!((tip.title.as_deref(), tip.pin_rank, tip.unread), (Some("Mine"), Some(7), true));
    assert_eq!((tip.folder.as_deref(), tip.message_count), (Some("/home/user/pinned"), 2));
    let archived = list(ArchivedFilter::Only).await.rows;
    assert_eq!((archived.len(), archived[0].message_count), (1, 2), "what goes on there stays put away here");
    assert_eq!(store.session_get(SessionRef { id }).await.unwrap().id, tip.id, "the old id leads to it");
}

/// Runs a second process that says `<said> n` after each acknowledged write, kills it in the middle of its work, and
/// answers how many it had said.
fn killed_while(what: &str, said: &str, home: &Path) -> usize {
    let mut writer = Command::new(env!("CARGO_BIN_EXE_store-child"))
        .args([what.as_ref(), home.as_os_str()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut acknowledged = 0;
    let out = writer.stdout.take().unwrap();
    for line in BufReader::new(out).lines() {
        let line = line.unwrap();
        let Some(n) = line.strip_prefix(said) else { continue };
        acknowledged = n.trim().parse().unwrap();
        if acknowledged == 150 {
            writer.kill().unwrap();
        }
    }
    writer.wait().unwrap();
    assert!(acknowledged >= 150, "it was killed at work: {acknowledged}");
    acknowledged
}

/// B14.
#[tokio::test]
async fn every_acknowledged_session_is_there_with_its_words_after_a_kill() {
    let folder = tempfile::tempdir().unwrap();
    let acknowledged = killed_while("put", "put", folder.path());
    let store = open(folder.path(), &ManualClock::at(NOON), Duration::from_secs(3600)).unwrap();
    for n in 1..=acknowledged {
        let request = MessagePageRequest { session_id: session_id(n), anchor: PageAnchor::End, limit: 0 };
        let page = store.message_page(request).await.unwrap();
        assert_eq!(page.messages[0].text, format!("words {n}"), "of {acknowledged}");
    }
    let search = SearchRequest {
        query: format!("words {acknowledged}"),
        archived: ArchivedFilter::Exclude,
        cursor: None,
        title_cursor: None,
    };
    let found = store.session_search(search).await.unwrap();
    assert!(!found.messages.is_empty(), "found, too");
    assert!(store.counts_hold().await.unwrap());
    store.close().await;
}

/// B20.
#[tokio::test(flavor = "multi_thread")]
async fn looking_at_a_session_changes_nothing_of_the_list() {
    let folder = tempfile::tempdir().unwrap();
    app_tests::seed::seed(&folder.path().join("home"), 30, 4).await;
    let host = Host::start_changed(folder, false, |_| {});
    host.until(BootPhase::Ready).await;
    let list = || host.call("session_list", json!({ "limit": 500 }));
    let before = list().await.unwrap();
    for n in [1, 15, 29] {
        let id = session_id(n);
        // All that opening a session asks for.
        host.call("session_show", json!({ "id": id })).await.unwrap();
        host.call("session_get", json!({ "id": id })).await.unwrap();
        let page = json!({ "session_id": id, "anchor": { "at": "end" } });
        host.call("message_page", page).await.unwrap();
        host.call("draft_get", json!({ "session_id": id })).await.unwrap();
        host.call("session_mark", json!({ "id": id, "unread": false })).await.unwrap();
    }
    assert_eq!(list().await.unwrap(), before);
}

/// B23.
#[tokio::test]
async fn every_acknowledged_draft_is_in_its_own_session_after_a_kill() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 600, messages_each: 1, ..Seed::default() }).await;
    let folder = home.closed().await;
    let acknowledged = killed_while("draft", "drafted", folder.path());
    let store = open(folder.path(), &ManualClock::at(NOON), Duration::ZERO).unwrap();
    let draft = |session_id| {
        let store = store.clone();
        async move { store.draft_get(&"main".into(), DraftGetRequest { session_id }).await.unwrap().text }
    };
    for n in 1..=acknowledged {
        assert_eq!(draft(Some(session_id(n))).await, format!("draft {n}"), "of {acknowledged}");
    }
    assert_eq!(draft(Some(session_id(600))).await, "", "in no other one");
    assert_eq!(draft(None).await, "", "nor in a new one");
    store.close().await;
}
