use super::*;
use app_tests::seed::{Seed, fill};
use talaria_core::store::{NewSession, Relation};

/// Session `n` that went on in session `n + 1000`.
fn rotated(n: usize) -> NewLineage {
    let mut lineage = titled(n, &format!("Long {n}"), &["one", "two"]);
    let parent = lineage.sessions[0].clone();
    lineage.sessions.push(NewSession {
        id: session_id(n + 1000),
        relation: Relation::Continuation,
        parent: Some(parent.id.clone()),
        ..parent
    });
    lineage.messages[1].session = 1;
    lineage
}

#[tokio::test]
async fn archiving_by_any_id_moves_the_whole_lineage() {
    let home = TempHome::new();
    put(&home, [rotated(1), titled(2, "other", &["x"])]).await;
    let answer = home.store.session_update(archive(1, true)).await.expect("archived");
    assert_eq!(answer.row.id, session_id(1001), "a row has the id of its tip");
    assert_eq!((answer.archived, answer.title.as_deref()), (Some(true), Some("Long 1")));
    let active = list(&home, SessionListRequest::default()).await;
    assert_eq!(numbers(&active.rows), [2]);
    assert_eq!((active.counts.active, active.counts.archived), (1, 1));
    let answer = home.store.session_update(archive(1001, false)).await.expect("back");
    assert!(!answer.row.archived);
    assert_eq!(
        numbers(&list(&home, SessionListRequest::default()).await.rows),
        [2, 1001],
        "at its old place"
    );
}

#[tokio::test]
async fn undo_gives_the_pin_and_its_place_back() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 5, messages_each: 1, ..Seed::default() }).await;
    for n in [1, 2, 3] {
        home.store.session_pin(pin(n, None)).await.expect("pinned");
    }
    let pinned = || {
        let store = home.store.clone();
        async move {
            let request = SessionListRequest { pinned: Some(true), ..SessionListRequest::default() };
            let page = store.session_list(request).await.expect("a list");
            (numbers(&page.rows), page.counts.pinned)
        }
    };
    assert_eq!(pinned().await, (vec![3, 2, 1], 3), "the last pinned is on top");
    let gone = home.store.session_update(archive(2, true)).await.expect("archived");
    assert!(!gone.row.pinned);
    assert_eq!(pinned().await, (vec![3, 1], 2));
    let undo = SessionUpdateRequest { pin_rank: gone.unpinned_rank, ..archive(2, false) };
    assert!(home.store.session_update(undo).await.expect("back").row.pinned);
    assert_eq!(pinned().await, (vec![3, 2, 1], 3));
    let unpinned = SessionListRequest { pinned: Some(false), ..SessionListRequest::default() };
    assert_eq!(numbers(&list(&home, unpinned).await.rows), [5, 4]);
}

#[tokio::test]
async fn a_pin_at_a_taken_place_moves_the_others_on() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 4, messages_each: 1, ..Seed::default() }).await;
    home.store.session_pin(pin(1, Some(7))).await.expect("pinned");
    home.store.session_pin(pin(2, Some(8))).await.expect("pinned");
    home.store.session_pin(pin(3, Some(7))).await.expect("pinned");
    let request = SessionListRequest { pinned: Some(true), ..SessionListRequest::default() };
    assert_eq!(numbers(&list(&home, request).await.rows), [3, 1, 2]);
    let far = home.store.session_pin(pin(4, Some(i64::MAX))).await.expect_err("no such place");
    assert_eq!(code(far), ErrorCode::BadRequest);
}

#[tokio::test]
async fn an_archived_session_cannot_be_pinned() {
    let home = TempHome::new();
    put(&home, [archived(titled(1, "a", &["x"]))]).await;
    assert_eq!(code(home.store.session_pin(pin(1, None)).await.expect_err("refused")), ErrorCode::BadRequest);
}

#[tokio::test]
async fn marking_and_reading_do_not_change_the_order() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 3, messages_each: 2, ..Seed::default() }).await;
    home.clock.advance(1_000_000);
    let mark = |unread| SessionMarkRequest { id: session_id(1), unread };
    assert!(home.store.session_mark(mark(true)).await.expect("marked").unread);
    let page = MessagePageRequest { session_id: session_id(2), anchor: PageAnchor::End, limit: 0 };
    home.store.message_page(page).await.expect("a page");
    assert_eq!(numbers(&list(&home, SessionListRequest::default()).await.rows), [3, 2, 1]);
    let home = home.reopened().await;
    let row = home.store.session_get(SessionRef { id: session_id(1) }).await.expect("a row");
    assert!(row.unread, "a restart keeps the mark");
    assert!(!home.store.session_mark(mark(false)).await.expect("cleared").unread);
}

#[tokio::test]
async fn errors_of_an_update_come_in_their_order() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"]), archived(titled(2, "two", &["x"]))]).await;
    let nothing = |n| SessionUpdateRequest { id: session_id(n), title: None, archived: None, pin_rank: None };
    let long = "x".repeat(101);
    let refused = |request| {
        let store = home.store.clone();
        async move { IpcError::from(store.session_update(request).await.expect_err("refused")) }
    };
    assert_eq!(refused(nothing(9)).await.code, ErrorCode::NotFound);
    assert_eq!(refused(rename(9, &long)).await.code, ErrorCode::NotFound);
    assert_eq!(refused(nothing(1)).await.message, "Nothing to update; provide 'title' and/or 'archived'.");
    assert_eq!(refused(rename(1, &long)).await.code, ErrorCode::TitleTooLong);
    let taken = refused(SessionUpdateRequest { archived: Some(true), ..rename(1, " two ") }).await;
    assert_eq!(taken.code, ErrorCode::TitleTaken);
    assert!(taken.message.contains("\"two\""), "it names the holder: {}", taken.message);
    let row = home.store.session_get(SessionRef { id: session_id(1) }).await.expect("a row");
    assert!(!row.archived, "one transaction: the refused title kept the flag too");
}
