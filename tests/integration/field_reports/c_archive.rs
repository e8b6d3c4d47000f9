//! The archive.
//!
//! C1 also: on the desktop `archive::a_session_is_archived_by_click_menu_and_key_and_undo_puts_it_back`,
//! `archive::unarchive_brings_a_session_back_without_a_reload` and
//! `archive::an_archived_session_stays_archived_after_a_restart`; by any id:
//! `store::archive::archiving_by_any_id_moves_the_whole_lineage`. C3:
//! `store::partition::the_lists_are_always_all_sessions_through_two_thousand_steps`, and in the window
//! `sequence::fifty_steps_in_the_window_leave_every_session_in_exactly_one_list`. C5 also: `store::sweep` as a whole. C6:
//! `store::bulk::undo_of_three_hundred_archived_rows_gives_the_same_order_and_the_same_pins`,
//! `store::bulk::a_workspace_is_archived_with_its_empty_rows_and_without_its_pinned_ones`.

use app_tests::home::{DAY, NOON, TempHome};
use app_tests::seed::{Seed, chat, fill, session_id};
use std::sync::Arc;
use talaria_core::store::{Store, SweepCause};
use talaria_wire::*;

async fn listed(store: &Store, archived: ArchivedFilter) -> Vec<SessionId> {
    let request = SessionListRequest { archived, limit: 500, ..SessionListRequest::default() };
    store.session_list(request).await.unwrap().rows.into_iter().map(|row| row.id).collect()
}

/// C1.
#[tokio::test]
async fn what_was_archived_is_found_by_its_words_and_comes_back_whole_to_its_place_after_a_restart() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 40, messages_each: 4, ..Seed::default() }).await;
    let before = listed(&home.store, ArchivedFilter::Exclude).await;
    let page = |store: &Store| {
        let request = MessagePageRequest { session_id: session_id(20), anchor: PageAnchor::End, limit: 0 };
        let store = store.clone();
        async move { store.message_page(request).await.unwrap().messages }
    };
    let messages = page(&home.store).await;
    let update = |archived| SessionUpdateRequest {
        id: session_id(20),
        title: None,
        archived: Some(archived),
        pin_rank: None,
    };
    home.store.session_update(update(true)).await.unwrap();
    let home = home.reopened().await;
    let query = Some("Session 20".to_owned());
    let request =
        SessionListRequest { archived: ArchivedFilter::Only, query, ..SessionListRequest::default() };
    let found = home.store.session_list(request).await.unwrap().rows;
    assert_eq!(found.iter().map(|row| row.id.clone()).collect::<Vec<_>>(), [session_id(20)]);
    assert!(page(&home.store).await == messages, "it can be read where it is");
    home.store.session_update(update(false)).await.unwrap();
    assert_eq!(listed(&home.store, ArchivedFilter::Exclude).await, before);
    assert!(page(&home.store).await == messages);
}

/// C5.
#[tokio::test]
async fn a_limit_that_was_too_short_is_repaired_by_a_longer_one_and_new_sessions_always_show() {
    let home = TempHome::new();
    let store = &home.store;
    let old: Vec<SessionId> = (1..=10).map(session_id).collect();
    for n in 1..=11 {
        store.lineage_put(Arc::new(chat(n, NOON - 10 * DAY - n as i64, &["x"]))).await.unwrap();
    }
    let open = vec![session_id(11)];
    let limit = |days| {
        let patch = SettingsPatch { archive_after_days: Some(days), ..SettingsPatch::default() };
        async move { store.settings_update(patch).await.unwrap() }
    };
    limit(3).await;
    let swept = store.sweep(SweepCause::Due, open.clone()).await.unwrap().expect("ten are old");
    assert_eq!((swept.count, listed(store, ArchivedFilter::Exclude).await), (10, open.clone()));
    assert_eq!(listed(store, ArchivedFilter::Only).await, old);
    store.lineage_put(Arc::new(chat(12, NOON, &["new"]))).await.unwrap();
    assert_eq!(store.sweep(SweepCause::Due, open.clone()).await.unwrap(), None);
    assert_eq!(listed(store, ArchivedFilter::Exclude).await, [session_id(12), session_id(11)]);

    limit(30).await;
    let preview = store.sweep_preview(SweepPreviewRequest { days: 30 }, open.clone()).await.unwrap();
    assert_eq!((preview.archives, preview.restorable), (0, 10));
    let target = BulkTarget::Swept { days: 30 };
    let restore = SessionBulkRequest { target, action: BulkAction::Unarchive, pins: None };
    assert_eq!(store.session_bulk(restore).await.unwrap().done, old);
    assert_eq!(store.sweep(SweepCause::Due, open).await.unwrap(), None);
    assert_eq!(store.counts().await.unwrap().active, 12);
}
