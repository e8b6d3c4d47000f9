use super::*;
use app_tests::home::DAY;
use talaria_core::store::Relation;

#[tokio::test]
async fn a_deleted_session_comes_back_to_where_it_was() {
    let home = TempHome::new();
    put(&home, [titled(1, "active", &["x"]), archived(titled(2, "archived", &["x"]))]).await;
    home.store.session_pin(pin(1, None)).await.expect("pinned");
    let gone = home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    assert!(!gone.already_absent);
    home.clock.advance(1);
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("deleted");
    let again = home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("calm");
    assert!(again.already_absent);
    let trash = home.store.trash_list(TrashListRequest::default()).await.expect("the trash");
    assert_eq!(numbers(&trash.rows), [2, 1], "newest deletion first");
    assert_eq!(trash.rows[0].deleted_at, Some(NOON + 1));
    assert_eq!((trash.counts.active, trash.counts.archived, trash.counts.trash), (0, 0, 2));
    let back = SessionRestoreRequest { id: session_id(1), pin_rank: gone.unpinned_rank };
    let back = home.store.session_restore(back).await.expect("restored");
    assert_eq!((back.archived, back.pinned, back.deleted_at), (false, true, None));
    assert!(home.store.session_restore(restore(2)).await.expect("restored").archived);
}

#[tokio::test]
async fn the_trash_is_paged() {
    let home = TempHome::new();
    put(&home, (1..=5).map(|n| titled(n, &format!("t{n}"), &["x"]))).await;
    for n in 1..=5 {
        // All in the same millisecond: the key alone does not tell them apart.
        home.store.session_delete(delete(n, DeleteMode::Trash)).await.expect("deleted");
    }
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let page = home.store.trash_list(TrashListRequest { limit: 2, cursor }).await.expect("the trash");
        seen.extend(numbers(&page.rows));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, [5, 4, 3, 2, 1]);
}

#[tokio::test]
async fn what_is_in_the_trash_is_restored_before_it_is_changed() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"])]).await;
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    for request in [archive(1, true), rename(1, "two")] {
        assert_eq!(
            code(home.store.session_update(request).await.expect_err("refused")),
            ErrorCode::BadRequest
        );
    }
    assert_eq!(code(home.store.session_pin(pin(1, None)).await.expect_err("refused")), ErrorCode::BadRequest);
}

/// Session `n`, delegated by session `owner`.
fn delegated(n: usize, owner: usize) -> NewLineage {
    let mut lineage = chat(n, NOON, &["goal", "done"]);
    lineage.kind = LineageKind::Delegate { owner: session_id(owner) };
    lineage.sessions[0].relation = Relation::Delegate;
    lineage
}

#[tokio::test]
async fn purging_takes_messages_drafts_and_sub_agents_with_it() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["needle"]), delegated(2, 1), delegated(3, 2), titled(4, "four", &["x"])])
        .await;
    let client = ClientId::from("main");
    let draft = DraftSetRequest { session_id: Some(session_id(1)), text: "draft".to_owned(), folder: None };
    home.store.draft_set(&client, draft).await.expect("a draft");
    for kept in [2, 3] {
        let refused =
            home.store.session_delete(delete(kept, DeleteMode::Purge)).await.expect_err("not on its own");
        assert_eq!(code(refused), ErrorCode::BadRequest);
    }
    home.store.session_delete(delete(1, DeleteMode::Purge)).await.expect("gone");
    let absent = home.store.session_delete(delete(1, DeleteMode::Purge)).await.expect("calm");
    assert!(absent.already_absent);
    let db = home.raw();
    let count = |table: &str| {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            .expect("a count")
    };
    let left = ["lineages", "sessions", "messages", "message_search", "drafts"].map(count);
    assert_eq!(left, [1, 1, 1, 1, 0]);
    assert!(home.store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn the_trash_keeps_thirty_days() {
    let home = TempHome::new();
    put(&home, [titled(1, "old", &["x"]), titled(2, "young", &["x"])]).await;
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    home.clock.advance(DAY);
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("deleted");
    let mut home = home;
    // The app runs every week; the last run is on day 30.
    for _ in 0..4 {
        home.clock.advance(7 * DAY);
        home = home.reopened().await;
        assert_eq!(home.store.counts().await.expect("counts").trash, 2);
    }
    home.clock.advance(DAY);
    home = home.reopened().await;
    let trash = home.store.trash_list(TrashListRequest::default()).await.expect("the trash");
    assert_eq!(numbers(&trash.rows), [2]);
}

#[tokio::test]
async fn the_first_run_after_a_jump_of_the_clock_deletes_nothing() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"])]).await;
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    home.clock.advance(400 * DAY);
    let folder = {
        // The end of the run is at the old time: close notes it.
        home.clock.set(NOON);
        home.closed().await
    };
    let clock = talaria_core::clock::ManualClock::at(NOON + 400 * DAY);
    let open = || app_tests::home::open(folder.path(), &clock, std::time::Duration::ZERO).expect("opens");
    let store = open();
    assert_eq!(store.counts().await.expect("counts").trash, 1, "the clock may be wrong");
    store.close().await;
    clock.advance(DAY);
    let store = open();
    assert_eq!(store.counts().await.expect("counts").trash, 0, "it stayed: then it is right");
}
