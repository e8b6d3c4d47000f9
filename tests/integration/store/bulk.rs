//! One action on many sessions: what is done, what is refused, and that Undo puts it back as it was.

use super::*;
use app_tests::seed::{Seed, fill};
use talaria_core::store::Relation;

async fn bulk(home: &TempHome, target: BulkTarget, action: BulkAction) -> SessionBulkResponse {
    let request = SessionBulkRequest { target, action, pins: None };
    home.store.session_bulk(request).await.expect("done")
}

/// The opposite on what was done.
async fn undo(home: &TempHome, done: SessionBulkResponse, action: BulkAction) {
    let target = BulkTarget::Ids { ids: done.done.clone() };
    let request = SessionBulkRequest { target, action, pins: Some(done.pins) };
    let back = home.store.session_bulk(request).await.expect("back");
    assert_eq!(back.done, done.done);
    assert_eq!(back.refused, []);
}

fn ids(numbers: impl IntoIterator<Item = usize>) -> BulkTarget {
    BulkTarget::Ids { ids: numbers.into_iter().map(session_id).collect() }
}

fn done(response: &SessionBulkResponse) -> Vec<usize> {
    response.done.iter().map(number).collect()
}

/// Pinned and active rows, each in its order.
async fn shown(home: &TempHome) -> (Vec<usize>, Vec<usize>) {
    let mut parts = Vec::new();
    for pinned in [true, false] {
        let request =
            SessionListRequest { pinned: Some(pinned), limit: 500, ..SessionListRequest::default() };
        parts.push(numbers(&list(home, request).await.rows));
    }
    let rest = parts.pop().expect("two");
    (parts.pop().expect("two"), rest)
}

#[tokio::test]
async fn undo_of_three_hundred_archived_rows_gives_the_same_order_and_the_same_pins() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 300, messages_each: 1, ..Seed::default() }).await;
    for (n, rank) in [(7, 3), (150, -2), (299, 8), (1, 9)] {
        home.store.session_pin(pin(n, Some(rank))).await.expect("pinned");
    }
    let before = shown(&home).await;
    for (take, give) in
        [(BulkAction::Archive, BulkAction::Unarchive), (BulkAction::Trash, BulkAction::Restore)]
    {
        let gone = bulk(&home, ids(1..=300), take).await;
        assert_eq!((gone.done.len(), gone.pins.len(), gone.refused.len()), (300, 4, 0));
        assert_eq!(shown(&home).await, (vec![], vec![]));
        undo(&home, gone, give).await;
        assert_eq!(shown(&home).await, before, "{give:?}");
    }
    assert!(home.store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn who_took_a_place_among_the_pins_meanwhile_stands_behind_those_that_come_back() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 5, messages_each: 1, ..Seed::default() }).await;
    for n in [3, 2, 1] {
        home.store.session_pin(pin(n, None)).await.expect("pinned");
    }
    let mut gone = bulk(&home, ids([1, 2, 3]), BulkAction::Archive).await;
    home.store.session_pin(pin(4, None)).await.expect("pinned");
    gone.pins.reverse();
    undo(&home, gone, BulkAction::Unarchive).await;
    assert_eq!(shown(&home).await.0, [1, 2, 3, 4], "in whatever order the pins are told");
}

#[tokio::test]
async fn what_one_session_refuses_leaves_the_others_done() {
    let home = TempHome::new();
    let mut child = chat(5, NOON, &["goal"]);
    child.kind = LineageKind::Delegate { owner: session_id(1) };
    child.sessions[0].relation = Relation::Delegate;
    put(&home, (1..=4).map(|n| titled(n, &format!("t{n}"), &["x"]))).await;
    put(&home, [child]).await;
    home.store.session_delete(delete(3, DeleteMode::Trash)).await.expect("deleted");
    home.store.session_update(archive(4, true)).await.expect("archived");
    let answer = bulk(&home, ids([1, 9, 3, 5, 4, 2, 9]), BulkAction::Archive).await;
    assert_eq!(done(&answer), [1, 2], "4 was there already");
    let refused: Vec<_> = answer.refused.iter().map(|r| (number(&r.id), r.error.code)).collect();
    use ErrorCode::{BadRequest, NotFound};
    assert_eq!(refused, [(9, NotFound), (3, BadRequest), (5, BadRequest)]);
    assert_eq!(home.store.counts().await.expect("counts").archived, 3);
}

#[tokio::test]
async fn any_id_of_a_lineage_names_it_once_and_the_answer_names_its_tip() {
    let home = TempHome::new();
    let mut lineage = chat(1, NOON, &["x"]);
    let parent = lineage.sessions[0].clone();
    lineage.sessions.push(talaria_core::store::NewSession {
        id: session_id(1001),
        relation: Relation::Continuation,
        parent: Some(parent.id.clone()),
        ..parent
    });
    put(&home, [lineage]).await;
    home.store.session_pin(pin(1, Some(4))).await.expect("pinned");
    let answer = bulk(&home, ids([1, 1001, 1]), BulkAction::Archive).await;
    assert_eq!(done(&answer), [1001]);
    assert_eq!(answer.pins, [PinPlace { id: session_id(1001), rank: 4 }]);
}

#[tokio::test]
async fn a_workspace_is_archived_with_its_empty_rows_and_without_its_pinned_ones() {
    let home = TempHome::new();
    put(&home, [in_folder(titled(1, "one", &["x"]), "/p/app"), in_folder(titled(2, "two", &[]), "/p/app")])
        .await;
    put(&home, [in_folder(titled(3, "pinned", &["x"]), "/p/app"), titled(4, "elsewhere", &["x"])]).await;
    home.store.session_pin(pin(3, None)).await.expect("pinned");
    let workspace = |folder: &str| BulkTarget::Workspace { folder: folder.to_owned() };
    assert_eq!(done(&bulk(&home, workspace("/p/none"), BulkAction::Archive).await), NONE);
    let gone = bulk(&home, workspace("/p/app/"), BulkAction::Archive).await;
    assert_eq!(done(&gone), [2, 1]);
    assert_eq!(shown(&home).await, (vec![3], vec![4]));
    undo(&home, gone, BulkAction::Unarchive).await;
    assert_eq!(shown(&home).await, (vec![3], vec![4, 2, 1]));
    assert_eq!(
        done(&bulk(&home, workspace(""), BulkAction::Archive).await),
        [4],
        "the group without a folder"
    );
}

#[tokio::test]
async fn purging_many_leaves_nothing_of_them_and_no_import_brings_them_back() {
    let home = TempHome::new();
    for n in 1..=3 {
        let mut lineage = in_folder(titled(n, &format!("t{n}"), &["needle"]), "/p/app");
        lineage.sessions[0].origin =
            Some(talaria_core::store::Origin { id: format!("origin-{n}"), mark: "1".to_owned() });
        put(&home, [lineage]).await;
    }
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    let answer = bulk(&home, ids([1, 2, 9]), BulkAction::Purge).await;
    assert_eq!((done(&answer), answer.refused), (vec![1, 2], vec![]), "what is gone already is as wanted");
    let mut again = titled(1, "t1", &["needle"]);
    again.sessions[0].origin =
        Some(talaria_core::store::Origin { id: "origin-1".to_owned(), mark: "2".to_owned() });
    assert_eq!(home.store.lineage_put(Arc::new(again)).await.expect("calm"), Put::Deleted);
    let db = home.raw();
    let count = |table: &str| {
        db.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get::<_, i64>(0))
            .expect("a count")
    };
    assert_eq!(["lineages", "sessions", "messages", "message_search", "folders"].map(count), [1, 1, 1, 1, 1]);
    assert!(home.store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn marks_change_only_those_that_had_another() {
    let home = TempHome::new();
    put(&home, (1..=3).map(|n| titled(n, &format!("t{n}"), &["x"]))).await;
    let mark = SessionMarkRequest { id: session_id(2), unread: true };
    home.store.session_mark(mark).await.expect("marked");
    let before = shown(&home).await;
    let marked = bulk(&home, ids([1, 2, 3]), BulkAction::MarkUnread).await;
    assert_eq!(done(&marked), [1, 3]);
    assert_eq!(shown(&home).await, before, "no row moves");
    undo(&home, marked, BulkAction::MarkRead).await;
    let unread: Vec<bool> =
        list(&home, SessionListRequest::default()).await.rows.iter().map(|row| row.unread).collect();
    assert_eq!(unread, [false, true, false]);
}

#[tokio::test]
async fn a_place_among_the_pins_that_cannot_be_changes_nothing() {
    let home = TempHome::new();
    put(&home, [archived(titled(1, "one", &["x"]))]).await;
    let request = SessionBulkRequest {
        target: ids([1]),
        action: BulkAction::Unarchive,
        pins: Some(vec![PinPlace { id: session_id(1), rank: i64::MAX }]),
    };
    assert_eq!(
        code(home.store.session_bulk(request).await.expect_err("no such place")),
        ErrorCode::BadRequest
    );
    assert_eq!(home.store.counts().await.expect("counts").archived, 1);
}

#[tokio::test]
async fn a_restored_session_that_was_archived_is_not_pinned() {
    let home = TempHome::new();
    put(&home, [archived(titled(1, "one", &["x"]))]).await;
    bulk(&home, ids([1]), BulkAction::Trash).await;
    let request = SessionBulkRequest {
        target: ids([1]),
        action: BulkAction::Restore,
        pins: Some(vec![PinPlace { id: session_id(1), rank: 1 }]),
    };
    assert_eq!(done(&home.store.session_bulk(request).await.expect("back")), [1]);
    assert_eq!(home.store.counts().await.expect("counts").archived, 1);
}

#[tokio::test]
async fn many_survive_a_restart_at_once() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 1_000, messages_each: 1, ..Seed::default() }).await;
    assert_eq!(bulk(&home, ids(1..=1_000), BulkAction::Archive).await.done.len(), 1_000);
    let home = home.reopened().await;
    assert_eq!(home.store.counts().await.expect("counts").archived, 1_000);
    assert!(home.store.counts_hold().await.expect("a check"));
}
