//! D: the store.
//!
//! Proved elsewhere: D3 (no log, no locks) by `store/health.rs` and `store/reading.rs`; D5 (damage is said, never an
//! empty list) by `store/recover.rs` and `boot/trouble.rs`; D10 (which index each list walks) by `store/list.rs`, its
//! times by `bench-store`; D13 (times in two forms) by `import/hermes/time.rs`; B12 (newer file, missing column) by
//! `store/reading.rs`, `store/recover.rs` and `boot/trouble.rs`.

use app_tests::home::{NOON, TempHome};
use app_tests::seed::{Seed, chat, fill, session_id};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use talaria_core::store::Store;
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

async fn found(store: &Store, query: &str) -> i64 {
    let request = SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    };
    store.session_search(request).await.expect("a search").message_count.n
}

/// D1: the log grew without end because long reads kept it from being emptied.
#[tokio::test(flavor = "multi_thread")]
async fn the_log_stays_small_while_a_list_is_read_and_a_hundred_thousand_rows_are_written() {
    const BOUND: u64 = 64 * 1024 * 1024;
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 1_000, messages_each: 1, ..Seed::default() }).await;
    let done = Arc::new(AtomicBool::new(false));
    // A window that keeps its list open: it pages from end to end, over and over.
    let reader = {
        let (store, done) = (home.store.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            let (mut cursor, mut pages) = (None, 0);
            while !done.load(Ordering::Relaxed) {
                let request = SessionListRequest { cursor, limit: 500, ..SessionListRequest::default() };
                cursor = store.session_list(request).await.expect("a page").next_cursor;
                pages += 1;
            }
            pages
        })
    };
    let log = home.path().join("talaria.db-wal");
    let mut longest = 0;
    for n in 1..=100 {
        let texts: Vec<String> = (0..1_000).map(|m| format!("message {m} of {n} with some words")).collect();
        let mut lineage = chat(10_000 + n, NOON + n as i64, &texts);
        // Most are kept for the model only, so that the test is about the log and not about the search index.
        lineage.messages.iter_mut().enumerate().for_each(|(m, message)| message.shown = m % 10 == 0);
        home.store.lineage_put(Arc::new(lineage)).await.expect("written");
        longest = longest.max(std::fs::metadata(&log).expect("a log").len());
    }
    done.store(true, Ordering::Relaxed);
    assert!(reader.await.expect("it read on") > 100);
    assert!(longest < BOUND, "the log had {longest} bytes");
}

/// D8: the check said "healthy" while the search found nothing.
#[tokio::test]
async fn the_check_finds_rows_that_are_missing_in_the_search_and_brings_them_back() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 50, messages_each: 2, ..Seed::default() }).await;
    home.raw().execute_batch("DELETE FROM message_search").expect("sql");
    assert_eq!(found(&home.store, "deploy").await, 0, "this is how it shows");
    let report = home.store.health_check(&CancellationToken::new()).await.expect("a check");
    let search = report.items.iter().find(|item| item.name == "Search").expect("it is checked");
    assert_eq!(search.state, HealthState::Repaired, "{report:?}");
    assert_eq!(found(&home.store, "deploy").await, 50);
}

/// D13: times kept as text sorted wrongly. Here they are integers, which a column cannot hold otherwise.
#[tokio::test]
async fn a_time_is_a_number_in_every_table() {
    let home = TempHome::new();
    let sql = "SELECT t.name || '.' || i.name, i.type FROM pragma_table_list t, pragma_table_info(t.name) i \
               WHERE t.type = 'table' AND (i.name LIKE '%\\_at' ESCAPE '\\' OR i.name = 'last_active')";
    let db = home.raw();
    let mut statement = db.prepare(sql).expect("sql");
    let times: Vec<(String, String)> = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("columns")
        .map(|row| row.expect("a column"))
        .collect();
    assert!(times.len() >= 7, "{times:?}");
    assert!(times.iter().all(|(_, kind)| kind == "INTEGER"), "{times:?}");
    let text = db.execute("UPDATE lineages SET last_active = '2026-05-01T14:10:34Z'", []);
    assert_eq!(text.expect("there is no row"), 0);
    fill(&home.store, &Seed { sessions: 1, ..Seed::default() }).await;
    db.execute("UPDATE lineages SET last_active = '2026-05-01T14:10:34Z'", []).expect_err("text is refused");
    home.store.session_get(SessionRef { id: session_id(1) }).await.expect("it is as it was");
}
