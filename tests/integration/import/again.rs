//! A second import: it adds what is new, and touches nothing that was decided here.

use super::*;
use app_tests::home::TempHome;

async fn everything(home: &TempHome) -> (SessionListResponse, Vec<MessagePageResponse>) {
    let list = rows(home, ArchivedFilter::Include, 0).await;
    let mut pages = Vec::new();
    for row in &list.rows {
        pages.push(transcript(home, &row.id).await);
    }
    (list, pages)
}

#[tokio::test]
async fn the_same_file_again_changes_nothing() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let before = everything(&home).await;
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.sessions, report.messages, report.unchanged), (0, 0, 28));
    assert_eq!((report.listed, report.skipped.len()), (0, 0));
    assert_eq!(report.before, report.after);
    assert!(everything(&home).await == before);
}

#[tokio::test]
async fn what_was_decided_here_stays() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let renamed = row(&home, "Plain chat").await.id;
    let update = |id: &SessionId, title: Option<&str>, archived| SessionUpdateRequest {
        id: id.clone(),
        title: title.map(str::to_owned),
        archived,
        pin_rank: None,
    };
    home.store.session_update(update(&renamed, Some("Mine"), Some(true))).await.expect("renamed");
    let unarchived = row(&home, "Archived one").await.id;
    home.store.session_update(update(&unarchived, None, Some(false))).await.expect("unarchived");
    let pinned = row(&home, "Media reply").await.id;
    let pin = SessionPinRequest { id: pinned.clone(), pinned: true, rank: None };
    home.store.session_pin(pin).await.expect("pinned");
    let trashed = row(&home, "Image attached").await.id;
    let delete = SessionDeleteRequest { id: trashed, mode: DeleteMode::Trash };
    home.store.session_delete(delete).await.expect("in the trash");
    // News for each of them in the file, so that it is looked at again.
    for origin in [
        "20261130_202048_5bd491",
        "20261130_202117_b126a6",
        "20261130_203129_da0cd6",
        "20261130_203124_6da85e",
    ] {
        hermes.message(origin, "user", "and one more", 5_000);
    }
    hermes
        .db()
        .execute("UPDATE sessions SET title = title || ' there', archived = 1", [])
        .expect("renamed there");
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.messages, report.sessions, report.unchanged), (4, 0, 28));
    assert!(row(&home, "Mine").await.archived);
    assert!(!row(&home, "Archived one").await.archived);
    assert!(row(&home, "Media reply").await.pinned);
    let counts = home.store.counts().await.expect("counts");
    assert_eq!((counts.active, counts.archived, counts.trash, counts.pinned), (22, 1, 1, 1));
}

#[tokio::test]
async fn new_messages_and_sessions_come_and_ids_stay() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let before = transcript(&home, &row(&home, "Plain chat").await.id).await;
    hermes.message("20261130_202048_5bd491", "user", "a late question", 9_000);
    hermes.session("new", 9_100, None, None);
    hermes.message("new", "user", "hello", 9_101);
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.sessions, report.messages, report.listed, report.unchanged), (1, 2, 1, 28));
    let list = rows(&home, ArchivedFilter::Exclude, 0).await.rows;
    let top: Vec<_> = list.iter().take(2).map(|row| row.title.as_deref()).collect();
    assert_eq!(top, [Some("Title new"), Some("Plain chat")], "a new message moves its session up");
    let after = transcript(&home, &before.session.id).await;
    assert_eq!(after.messages[..4], before.messages[..], "what was here is as it was, ids too");
    assert_eq!(texts(&after)[4], "a late question");
}

#[tokio::test]
async fn a_compression_in_between_is_followed() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    hermes.session("talk", 0, None, None);
    for (n, text) in ["one", "two", "three", "four"].iter().enumerate() {
        hermes.message("talk", if n % 2 == 0 { "user" } else { "assistant" }, text, n as i64);
    }
    imported(&home, &hermes.path()).await;
    let id = row(&home, "Title talk").await.id;
    // In place first.
    hermes.db().execute("UPDATE messages SET active = 0, compacted = 1", []).expect("compressed");
    hermes.message("talk", "assistant", "[CONTEXT COMPACTION - REFERENCE ONLY] so far", 10);
    hermes.message("talk", "user", "three", 11);
    hermes.message("talk", "assistant", "four", 12);
    hermes.message("talk", "user", "five", 13);
    imported(&home, &hermes.path()).await;
    let page = transcript(&home, &id).await;
    let summary = "[CONTEXT COMPACTION - REFERENCE ONLY] so far";
    assert_eq!(texts(&page), ["one", "two", "three", "four", summary, "five"]);
    // Then by rotation.
    hermes.db().execute("UPDATE sessions SET end_reason = 'compression', ended_at = 99", []).expect("ended");
    hermes.session("talk2", 20, Some("talk"), None);
    hermes.message("talk2", "user", "five", 21);
    hermes.message("talk2", "assistant", "six", 22);
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.sessions, report.listed), (1, 0));
    let page = transcript(&home, &id).await;
    assert_eq!(texts(&page), ["one", "two", "three", "four", summary, "five", "six"]);
    assert_ne!(page.session.id, id, "the row has its new tip's id, and the old id still leads there");
    assert_eq!(page.session.title.as_deref(), Some("Title talk"), "the title is not touched");
    assert_eq!(home.store.counts().await.expect("counts").active, 1);
}

#[tokio::test]
async fn what_was_deleted_for_good_never_comes_back() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    for title in ["Rotating project talk #2", "Auto title fd5f"] {
        let delete = SessionDeleteRequest { id: row(&home, title).await.id, mode: DeleteMode::Purge };
        home.store.session_delete(delete).await.expect("gone");
    }
    let left = home.store.counts().await.expect("counts").active;
    // News about them: a continuation of one, another child of the other.
    hermes
        .db()
        .execute("UPDATE sessions SET end_reason = 'compression' WHERE id = '20261130_202210_112f10'", [])
        .expect("ended");
    hermes.session("next", 9_000, Some("20261130_202210_112f10"), None);
    hermes.message("next", "user", "again", 9_001);
    hermes
        .db()
        .execute(
            "INSERT INTO sessions (id, source, started_at, parent_session_id, model_config) VALUES \
             ('kid', 'subagent', ?1, '20261130_202102_a13e44', '{\"_delegate_from\": \"20261130_202102_a13e44\"}')",
            [START],
        )
        .expect("a child");
    let report = imported(&home, &hermes.path()).await;
    assert_eq!(report.sessions, 0);
    let mut skipped: Vec<_> =
        report.skipped.iter().map(|skip| (skip.origin_id.as_str(), skip.reason.as_str())).collect();
    skipped.sort();
    let ids = [
        "20261130_202102_a13e44",
        "20261130_202102_e54d21",
        "20261130_202203_959456",
        "20261130_202210_112f10",
        "kid",
        "next",
    ];
    assert_eq!(skipped, ids.map(|id| (id, "deleted here")));
    assert_eq!(home.store.counts().await.expect("counts").active, left);
}

#[tokio::test]
async fn a_session_continued_here_is_left_alone() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let id = row(&home, "Plain chat").await.id;
    home.raw()
        .execute(
            "INSERT INTO messages (seq, lineage, session, place, role, id, created_at, text) \
             SELECT (SELECT max(seq) + 1 FROM messages), lineage, seq, 4, 'user', 'here', 1, 'said here' \
             FROM sessions WHERE id = ?1",
            [id.as_str()],
        )
        .expect("a message of ours");
    hermes.message("20261130_202048_5bd491", "user", "said there", 9_000);
    let report = imported(&home, &hermes.path()).await;
    let skipped: Vec<_> =
        report.skipped.iter().map(|skip| (skip.origin_id.as_str(), skip.reason.as_str())).collect();
    assert_eq!(skipped, [("20261130_202048_5bd491", "continued here")]);
    let db = home.raw();
    let there: i64 = db
        .query_row("SELECT count(*) FROM messages WHERE text = 'said there'", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(there, 0);
}

#[tokio::test]
async fn titles_that_are_taken_here_get_a_number() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    let mut own = app_tests::seed::chat(1, 1, &["x"]);
    own.title = Some("Title a".to_owned());
    home.store.lineage_put(std::sync::Arc::new(own)).await.expect("stored");
    hermes.session("a", 0, None, None);
    imported(&home, &hermes.path()).await;
    assert_eq!(row(&home, "Title a #2").await.source, "cli");
}

#[tokio::test]
async fn an_import_only_adds_whatever_was_removed_or_regrouped_there() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    hermes.session("root", 0, None, Some("compression"));
    hermes.message("root", "user", "in root", 0);
    for (child, at) in [("one", 10), ("two", 5)] {
        hermes.session(child, at, Some("root"), Some("tui_close"));
        hermes.message(child, "user", &format!("in {child}"), at);
    }
    hermes.session("cut", 20, None, None);
    hermes.message("cut", "user", "first", 20);
    hermes.message("cut", "assistant", "second", 21);
    imported(&home, &hermes.path()).await;
    let before = everything(&home).await;
    assert_eq!(before.0.rows.len(), 3, "root with one, two, cut");
    // The other child goes on instead, and says more; of another session a message was taken back.
    hermes
        .db()
        .execute("UPDATE sessions SET end_reason = NULL, ended_at = NULL WHERE id = 'two'", [])
        .expect("open");
    hermes.message("one", "user", "more in one", 30);
    hermes.message("two", "user", "more in two", 31);
    hermes.db().execute("DELETE FROM messages WHERE content = 'second'", []).expect("gone there");
    let report = imported(&home, &hermes.path()).await;
    let skipped: Vec<_> =
        report.skipped.iter().map(|skip| (skip.origin_id.as_str(), skip.reason.as_str())).collect();
    let differs = "differs from what is here";
    assert_eq!(skipped, ["root", "two", "one", "cut"].map(|id| (id, differs)));
    assert!(everything(&home).await == before, "nothing is lost, nothing is torn apart");
}

#[tokio::test]
async fn an_import_leaves_an_empty_log_behind() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let log = home.path().join("talaria.db-wal");
    assert_eq!(std::fs::metadata(log).expect("the store is open").len(), 0);
}

#[tokio::test]
async fn a_folder_that_a_session_left_no_longer_lengthens_labels() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    for (id, folder) in [("moves", "/left/app"), ("stays", "/right/app")] {
        hermes.session(id, 1_000, None, None);
        hermes.message(id, "user", id, 1_000);
        hermes.db().execute("UPDATE sessions SET cwd = ?2 WHERE id = ?1", (id, folder)).expect("a folder");
    }
    imported(&home, &hermes.path()).await;
    let labels = || async {
        let list = rows(&home, ArchivedFilter::Include, 0).await;
        let mut labels: Vec<_> = list.rows.into_iter().filter_map(|row| row.workspace).collect();
        labels.sort();
        labels
    };
    assert_eq!(labels().await, ["left/app", "right/app"]);
    hermes.db().execute("UPDATE sessions SET cwd = '/left/other' WHERE id = 'moves'", []).expect("moved");
    hermes.message("moves", "user", "from another folder", 2_000);
    imported(&home, &hermes.path()).await;
    assert_eq!(labels().await, ["app", "other"]);
}
