//! The automatic archive on a real store: what it takes, what it leaves alone, and how it is taken back.

use super::*;
use app_tests::home::DAY;
use app_tests::seed::{Seed, fill};
use talaria_core::store::{SweepCause, Swept};

/// Session `n`, last active so many days before noon.
fn aged(n: usize, days: i64) -> NewLineage {
    chat(n, NOON - days * DAY - n as i64, &["x"])
}

async fn limit(home: &TempHome, days: u32) {
    let patch = SettingsPatch { archive_after_days: Some(days), ..SettingsPatch::default() };
    home.store.settings_update(patch).await.expect("settings");
}

async fn due(home: &TempHome, shown: &[usize]) -> Option<Swept> {
    let shown = shown.iter().copied().map(session_id).collect();
    home.store.sweep(SweepCause::Due, shown).await.expect("a run")
}

async fn preview(home: &TempHome, days: u32, shown: &[usize]) -> SweepPreview {
    let shown = shown.iter().copied().map(session_id).collect();
    home.store.sweep_preview(SweepPreviewRequest { days }, shown).await.expect("a preview")
}

async fn active(home: &TempHome) -> Vec<usize> {
    numbers(&list(home, SessionListRequest::default()).await.rows)
}

async fn unarchive(home: &TempHome, target: BulkTarget) -> Vec<usize> {
    let request = SessionBulkRequest { target, action: BulkAction::Unarchive, pins: None };
    home.store.session_bulk(request).await.expect("back").done.iter().map(number).collect()
}

async fn draft(home: &TempHome, n: usize) {
    let request = DraftSetRequest { session_id: Some(session_id(n)), text: "draft".to_owned(), folder: None };
    home.store.draft_set(&ClientId::from("main"), request).await.expect("a draft");
}

#[tokio::test]
async fn the_automatic_archive_skips_pinned_unread_drafted_and_open_sessions() {
    let home = TempHome::new();
    put(&home, (1..=6).map(|n| aged(n, 10))).await;
    put(&home, [aged(7, 2)]).await;
    home.store.session_pin(pin(1, None)).await.expect("pinned");
    home.store.session_mark(SessionMarkRequest { id: session_id(2), unread: true }).await.expect("marked");
    draft(&home, 3).await;
    limit(&home, 3).await;
    let told = preview(&home, 3, &[4]).await;
    assert_eq!((told.archives, told.kept, told.restorable), (2, 4, 0));
    assert_eq!(numbers(&told.sample), [5, 6], "most recently active first");
    assert_eq!(active(&home).await.len(), 7, "asking changes nothing");

    let swept = due(&home, &[4]).await.expect("two are old enough");
    assert_eq!((swept.count, swept.days, swept.at), (2, 3, NOON));
    assert_eq!(active(&home).await, [7, 1, 2, 3, 4]);
    let archive = SessionListRequest { archived: ArchivedFilter::Only, ..SessionListRequest::default() };
    assert_eq!(numbers(&list(&home, archive).await.rows), numbers(&told.sample), "what the preview said");
    assert!(home.store.counts_hold().await.expect("a check"));
    assert_eq!(due(&home, &[4]).await, None, "there is nothing left to take");
}

#[tokio::test]
async fn a_session_open_under_an_older_id_of_its_lineage_is_left_alone() {
    let home = TempHome::new();
    let mut lineage = aged(1, 10);
    let parent = lineage.sessions[0].clone();
    lineage.sessions.push(talaria_core::store::NewSession {
        id: session_id(1001),
        relation: talaria_core::store::Relation::Continuation,
        parent: Some(parent.id.clone()),
        ..parent
    });
    put(&home, [lineage]).await;
    limit(&home, 3).await;
    assert_eq!(due(&home, &[1, 999]).await, None);
    assert!(due(&home, &[999]).await.is_some());
}

#[tokio::test]
async fn the_automatic_archive_is_off_until_a_limit_is_set() {
    let home = TempHome::new();
    put(&home, [aged(1, 3000)]).await;
    assert_eq!(due(&home, &[]).await, None);
    assert_eq!(active(&home).await, [1]);
    for days in [0, 3_651] {
        let refused =
            home.store.sweep_preview(SweepPreviewRequest { days }, Vec::new()).await.expect_err("no limit");
        assert_eq!(code(refused), ErrorCode::BadRequest);
    }
}

#[tokio::test]
async fn exactly_as_old_as_the_limit_is_old_enough() {
    let home = TempHome::new();
    put(&home, [chat(1, NOON - 3 * DAY, &["x"]), chat(2, NOON - 3 * DAY + 1, &["x"])]).await;
    limit(&home, 3).await;
    assert_eq!(due(&home, &[]).await.map(|swept| swept.count), Some(1));
    assert_eq!(active(&home).await, [2]);
}

#[tokio::test]
async fn a_longer_limit_offers_exactly_what_the_shorter_one_took() {
    let home = TempHome::new();
    put(&home, [aged(1, 60), aged(2, 20), aged(3, 10), aged(4, 5), aged(5, 1), aged(6, 5)]).await;
    home.store.session_update(archive(6, true)).await.expect("archived by hand");
    limit(&home, 3).await;
    assert_eq!(due(&home, &[]).await.map(|swept| swept.count), Some(4));
    assert_eq!(active(&home).await, [5]);

    let told = preview(&home, 30, &[]).await;
    assert_eq!((told.archives, told.restorable), (0, 3), "1 is older than 30 days, 6 was archived by hand");
    assert_eq!(unarchive(&home, BulkTarget::Swept { days: 30 }).await, [4, 3, 2]);
    assert_eq!(active(&home).await, [5, 4, 3, 2]);
    assert_eq!(preview(&home, 30, &[]).await.restorable, 0);
    limit(&home, 30).await;
    assert_eq!(due(&home, &[]).await, None, "what came back stays");
}

#[tokio::test]
async fn undo_of_a_run_puts_exactly_that_run_back_in_its_order() {
    let home = TempHome::new();
    put(&home, [aged(1, 60), aged(2, 20), aged(3, 10), aged(4, 5)]).await;
    let before = active(&home).await;
    limit(&home, 30).await;
    let first = due(&home, &[]).await.expect("the oldest");
    limit(&home, 3).await;
    let second = due(&home, &[]).await.expect("three more");
    assert_ne!(first.at, second.at, "two runs in one millisecond have a name each");
    assert_eq!(unarchive(&home, BulkTarget::SweptAt { at: second.at }).await, [4, 3, 2]);
    assert_eq!(active(&home).await, [4, 3, 2]);
    let home = home.reopened().await;
    assert_eq!(unarchive(&home, BulkTarget::SweptAt { at: first.at }).await, [1]);
    assert_eq!(active(&home).await, before);
    assert_eq!(unarchive(&home, BulkTarget::SweptAt { at: first.at }).await, NONE, "not twice");
}

#[tokio::test]
async fn what_the_user_did_to_it_is_no_longer_the_automatic_archives() {
    let home = TempHome::new();
    put(&home, (1..=5).map(|n| aged(n, 10))).await;
    limit(&home, 3).await;
    let swept = due(&home, &[]).await.expect("all five");
    // Archived on purpose, fetched and archived again, and in bulk: each is the user's word.
    home.store.session_update(archive(1, true)).await.expect("archived");
    home.store.session_update(archive(2, false)).await.expect("back");
    home.store.session_update(archive(2, true)).await.expect("archived");
    let ids = BulkTarget::Ids { ids: vec![session_id(3), session_id(4)] };
    let again = SessionBulkRequest { target: ids, action: BulkAction::Archive, pins: None };
    assert!(home.store.session_bulk(again).await.expect("archived").done.is_empty());
    assert_eq!(preview(&home, 30, &[]).await.restorable, 1);
    assert_eq!(unarchive(&home, BulkTarget::SweptAt { at: swept.at }).await, [5]);
}

#[tokio::test]
async fn the_trash_keeps_what_the_automatic_archive_took_apart_and_gives_nothing_of_it_back() {
    let home = TempHome::new();
    put(&home, (1..=3).map(|n| aged(n, 10))).await;
    limit(&home, 3).await;
    let swept = due(&home, &[]).await.expect("all three");
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("deleted");
    home.store.session_restore(restore(1)).await.expect("restored");
    assert_eq!(preview(&home, 30, &[]).await.restorable, 2, "the deleted one stays where it is");
    assert_eq!(unarchive(&home, BulkTarget::SweptAt { at: swept.at }).await, [1, 3]);
    home.store.session_restore(restore(2)).await.expect("restored");
    assert_eq!(unarchive(&home, BulkTarget::Swept { days: 30 }).await, [2]);
    assert_eq!(active(&home).await, [1, 2, 3]);
}

#[tokio::test]
async fn after_a_jump_of_the_clock_nothing_is_archived_by_itself() {
    let home = TempHome::new();
    put(&home, [aged(1, 0)]).await;
    limit(&home, 30).await;
    let folder = home.closed().await;
    let clock = talaria_core::clock::ManualClock::at(NOON + 400 * DAY);
    let open = || app_tests::home::open(folder.path(), &clock, std::time::Duration::ZERO).expect("opens");
    let due = |store: talaria_core::store::Store| async move {
        store.sweep(SweepCause::Due, Vec::new()).await.expect("a run")
    };
    let store = open();
    assert_eq!(store.clock_jump_days(), Some(400));
    assert_eq!(due(store.clone()).await, None, "the clock may be wrong");
    clock.advance(60 * 60 * 1000);
    assert_eq!(due(store.clone()).await, None, "as long as the app runs");
    store.close().await;
    let store = open();
    assert_eq!(store.clock_jump_days(), None);
    assert_eq!(due(store.clone()).await.map(|swept| swept.count), Some(1), "it stayed: then it is right");
    store.close().await;
}

#[tokio::test]
async fn a_jump_of_the_clock_while_the_app_runs_is_seen_too() {
    let home = TempHome::new();
    put(&home, [aged(1, 0)]).await;
    limit(&home, 30).await;
    home.clock.advance(400 * DAY);
    assert_eq!(due(&home, &[]).await, None, "a run an hour ago, and 400 days have passed");
    home.clock.advance(60 * 60 * 1000);
    assert_eq!(due(&home, &[]).await.map(|swept| swept.count), Some(1));
}

#[tokio::test]
async fn a_clock_that_jumped_and_is_closed_on_is_still_found_at_the_next_start() {
    let home = TempHome::new();
    put(&home, [aged(1, 0), aged(2, 0)]).await;
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("deleted");
    home.clock.advance(400 * DAY);
    let home = home.reopened().await;
    assert_eq!(home.store.clock_jump_days(), Some(400), "closing did not take the new time for granted");
    assert_eq!(home.store.counts().await.expect("counts").trash, 1);
}

#[tokio::test]
async fn what_the_user_asks_for_is_done_after_a_jump_too() {
    let home = TempHome::new();
    put(&home, [aged(1, 10)]).await;
    home.clock.advance(8 * DAY);
    let home = home.reopened().await;
    assert_eq!(home.store.clock_jump_days(), Some(8));
    limit(&home, 15).await;
    let told = preview(&home, 15, &[]).await.archives;
    let swept = home.store.sweep(SweepCause::Asked, Vec::new()).await.expect("a run");
    assert_eq!((told, swept.map(|swept| swept.count)), (1, Some(1)), "they had the preview in view");
}

#[tokio::test]
async fn a_session_that_nothing_happened_in_for_the_future_stays() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 3, newest: NOON + 90 * DAY, ..Seed::default() }).await;
    limit(&home, 1).await;
    assert_eq!(due(&home, &[]).await, None, "later than now is not old");
}

#[tokio::test]
async fn what_the_user_brings_back_is_not_taken_by_the_next_run() {
    let home = TempHome::new();
    put(&home, (1..=3).map(|n| aged(n, 40))).await;
    limit(&home, 30).await;
    let swept = due(&home, &[]).await.expect("all are old enough");
    assert_eq!(unarchive(&home, BulkTarget::Ids { ids: vec![session_id(1)] }).await, [1]);
    assert_eq!(unarchive(&home, BulkTarget::SweptAt { at: swept.at }).await, [2, 3]);
    let told = preview(&home, 30, &[]).await;
    assert_eq!((told.archives, told.kept), (0, 3));
    assert_eq!(due(&home, &[]).await, None);
    // Archived by hand and brought back again, it is like any other.
    for wanted in [true, false] {
        home.store.session_update(archive(1, wanted)).await.expect("by hand");
    }
    assert_eq!(due(&home, &[]).await.map(|swept| swept.count), Some(1));
}
