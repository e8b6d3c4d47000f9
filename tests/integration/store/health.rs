//! The health check finds what is wrong, puts right what is derived, and leaves the rows alone.

use super::*;
use app_tests::home::open;
use app_tests::seed::{Seed, fill};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// An open store with some sessions in every list.
pub(crate) async fn filled() -> TempHome {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 60, messages_each: 4, archived_every: 4, ..Seed::default() }).await;
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("in the trash");
    home
}

pub(crate) async fn check(home: &TempHome) -> HealthReport {
    let report = home.store.health_check(&CancellationToken::new()).await.expect("a check");
    assert!(!report.cancelled);
    report
}

/// The state of one item, and its words.
pub(crate) fn item(report: &HealthReport, name: &str) -> (HealthState, String) {
    let item = report.items.iter().find(|item| item.name == name).expect("it was checked");
    (item.state, item.words.clone())
}

pub(crate) async fn found(home: &TempHome, query: &str) -> i64 {
    let request = SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    };
    home.store.session_search(request).await.expect("a search").message_count.n
}

#[tokio::test]
async fn a_healthy_store_is_good_in_everything() {
    let home = filled().await;
    let report = check(&home).await;
    let names: Vec<&str> = report.items.iter().map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["File", "Foreign keys", "Counts", "Lists", "Search", "Clock", "Log"]);
    assert!(report.items.iter().all(|item| item.state == HealthState::Good), "{report:#?}");
    assert_eq!(item(&report, "Lists").1, "The lists show all 60 sessions.");
    assert_eq!(report.checked_at, NOON);
}

#[tokio::test]
async fn wrong_counts_are_counted_anew() {
    let home = filled().await;
    home.raw()
        .execute_batch("UPDATE tallies SET n = n + 5; UPDATE lineages SET row_count = 9 WHERE id IN (5, 6);")
        .expect("sql");
    assert_eq!(home.store.counts().await.expect("counts").trash, 6);
    let report = check(&home).await;
    assert_eq!(item(&report, "Counts").0, HealthState::Repaired);
    assert!(item(&report, "Counts").1.contains("2 sessions"), "{report:?}");
    assert_eq!(item(&report, "Lists").0, HealthState::Good, "it looks after the repair");
    assert_eq!(home.store.counts().await.expect("counts").trash, 1);
    assert_eq!(item(&check(&home).await, "Counts").0, HealthState::Good);
}

#[tokio::test]
async fn rows_without_their_owner_are_told_and_left() {
    let home = filled().await;
    let db = home.raw();
    db.execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM sessions WHERE lineage = 7;").expect("sql");
    let report = check(&home).await;
    let (state, words) = item(&report, "Foreign keys");
    assert_eq!((state, words.as_str()), (HealthState::Bad, "4 rows belong to rows that are not there."));
    let left: i64 = db
        .query_row("SELECT count(*) FROM messages WHERE lineage = 7", [], |row| row.get(0))
        .expect("a count");
    assert_eq!(left, 4);
}

#[tokio::test]
async fn a_list_whose_index_lost_its_rows_is_damage_and_never_a_shorter_list() {
    let home = filled().await;
    // The index of the list loses entries: its condition lets them go, and comes back without them.
    let sql = "SELECT sql FROM sqlite_schema WHERE name = 'lineages_recent'";
    let whole: String = home.raw().query_row(sql, [], |row| row.get(0)).expect("the index");
    let folder = home.closed().await;
    let file = folder.path().join(talaria_core::store::home::STORE_FILE);
    let raw = || rusqlite::Connection::open(&file).expect("the file");
    raw()
        .execute_batch(&format!("DROP INDEX lineages_recent; {whole} WHERE id % 2 = 0;"))
        .expect("half an index");
    raw()
        .execute_batch("PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, ' WHERE id % 2 = 0', '');")
        .expect("its condition is forgotten");
    let store = open(folder.path(), &talaria_core::clock::ManualClock::at(NOON), Duration::ZERO);
    assert_eq!(code(store.map(drop).expect_err("a small file is checked whole")), ErrorCode::Damaged);
}

#[tokio::test]
async fn a_clock_that_moved_is_told() {
    let home = filled().await;
    home.raw()
        .execute("UPDATE meta SET value = ?1 WHERE name = 'last_run'", [NOON + 3_600_000])
        .expect("sql");
    assert_eq!(item(&check(&home).await, "Clock").0, HealthState::Bad);
    home.raw().execute("UPDATE meta SET value = ?1 WHERE name = 'last_run'", [NOON]).expect("sql");
    assert_eq!(item(&check(&home).await, "Clock").0, HealthState::Good);
}

#[tokio::test]
async fn a_cancelled_check_ends_and_says_so() {
    let home = filled().await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let report = home.store.health_check(&cancel).await.expect("a report");
    assert!(report.cancelled && report.items.is_empty(), "{report:?}");
    assert!(!check(&home).await.items.is_empty(), "and another one can be made");
}

#[tokio::test]
async fn a_statement_under_way_ends_when_the_check_is_cancelled() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 500, messages_each: 5, ..Seed::default() }).await;
    let cancel = CancellationToken::new();
    let checked = home.store.health_check(&cancel);
    tokio::pin!(checked);
    // Begun, and nowhere near its end.
    assert!(futures_poll_once(&mut checked).await.is_none());
    cancel.cancel();
    assert!(checked.await.expect("a report").cancelled);
    let request = SessionListRequest::default();
    assert_eq!(list(&home, request).await.rows.len(), 50, "the connection reads on");
}

async fn futures_poll_once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    tokio::select! {
        biased;
        ended = future => Some(ended),
        () = std::future::ready(()) => None,
    }
}

#[tokio::test]
async fn entries_of_the_search_that_went_come_back_at_the_next_start() {
    let home = filled().await;
    home.raw()
        .execute_batch("DELETE FROM message_search WHERE rowid IN (SELECT seq FROM messages LIMIT 100)")
        .expect("sql");
    let before = found(&home, "deploy").await;
    assert!(before < 59, "{before}");
    let home = home.reopened().await;
    assert!(home.store.search_index_kept().await.expect("it is looked at"));
    assert_eq!(found(&home, "deploy").await, 59);
    assert!(!home.store.search_index_kept().await.expect("nothing is left to do"));
}

#[tokio::test]
async fn an_index_with_other_words_in_it_is_made_anew_by_the_check() {
    let home = filled().await;
    home.raw()
        .execute_batch(
            "DELETE FROM message_search; INSERT INTO message_search (rowid, text) \
             SELECT seq, 'something else' FROM messages WHERE place IS NOT NULL;",
        )
        .expect("sql");
    assert_eq!(found(&home, "deploy").await, 0);
    let (state, words) = item(&check(&home).await, "Search");
    assert_eq!((state, words.contains("did not find it")), (HealthState::Repaired, true), "{words}");
    assert_eq!(found(&home, "deploy").await, 59);
    assert_eq!(item(&check(&home).await, "Search").0, HealthState::Good);
}

#[tokio::test]
async fn a_search_that_meets_a_broken_index_makes_it_anew_and_answers() {
    for broken in [
        "DELETE FROM message_search_data WHERE id > 10",
        "UPDATE message_search_data SET block = x'00ff00ff' WHERE id > 10",
    ] {
        let home = filled().await;
        home.raw().execute_batch(broken).expect("sql");
        let home = home.reopened().await;
        assert_eq!(found(&home, "deploy").await, 59, "{broken}");
        let narrowed =
            SessionListRequest { query: Some("deploy".to_owned()), limit: 500, ..Default::default() };
        assert_eq!(list(&home, narrowed).await.rows.len(), 44, "{broken}");
        assert_eq!(item(&check(&home).await, "Search").0, HealthState::Good, "{broken}");
        assert!(home.store.damage().borrow().is_none(), "the file itself is whole");
    }
}

/// Where SQLite would share its log among connections stands a link, which it never follows there.
#[cfg(unix)]
fn refuse_log(home: &std::path::Path) {
    std::os::unix::fs::symlink("nowhere", home.join("talaria.db-shm")).expect("a link");
}

#[cfg(unix)]
#[tokio::test]
async fn a_log_that_cannot_be_shared_gives_way_to_a_slower_journal() {
    let folder = tempfile::tempdir().expect("a temp folder");
    refuse_log(folder.path());
    let clock = talaria_core::clock::ManualClock::at(NOON);
    let store = open(folder.path(), &clock, Duration::from_secs(3600)).expect("it opens");
    fill(&store, &Seed { sessions: 20, messages_each: 2, ..Seed::default() }).await;
    assert_eq!(store.counts().await.expect("counts").active, 20);
    let report = store.health_check(&CancellationToken::new()).await.expect("a check");
    assert!(item(&report, "Log").1.contains("journal"), "{report:?}");
    store.close().await;
    let store = open(folder.path(), &clock, Duration::from_secs(3600)).expect("it opens again");
    assert_eq!(store.counts().await.expect("counts").active, 20);
}

#[cfg(unix)]
#[tokio::test]
async fn a_store_that_had_a_log_goes_on_where_none_can_be_shared() {
    let home = filled().await;
    // Copied while it is open: the newest is in the log.
    let copy = tempfile::tempdir().expect("a temp folder");
    for file in ["talaria.db", "talaria.db-wal"] {
        std::fs::copy(home.path().join(file), copy.path().join(file)).expect("copied");
    }
    refuse_log(copy.path());
    let clock = talaria_core::clock::ManualClock::at(NOON);
    let store = open(copy.path(), &clock, Duration::from_secs(3600)).expect("it opens");
    let counts = store.counts().await.expect("counts");
    assert_eq!((counts.active + counts.archived, counts.trash), (59, 1));
}
