//! `bench-store`: what the store's reads cost at 100, 10,000 and 100,000 sessions of 10 messages.
//!
//! Prints medians in milliseconds, through the same calls the app makes. Aim: the list page under 2 ms at 10,000
//! sessions, and at most 1.5 times that at 100,000. Numbers to look at, not a test.

use app_tests::home::TempHome;
use app_tests::seed::{Seed, fill};
use std::future::Future;
use std::time::Instant;
use talaria_core::store::{Store, StoreError};
use talaria_wire::{ArchivedFilter, MessagePageRequest, PageAnchor, SearchRequest, SessionListRequest};

const SIZES: &[usize] = &[100, 10_000, 100_000];
const MESSAGES_EACH: usize = 10;
/// An odd number, so that the median is one of them.
const RUNS: usize = 41;

#[tokio::main]
async fn main() {
    let mut columns = Vec::new();
    for size in SIZES {
        let home = TempHome::with_scan_budget(std::time::Duration::from_millis(150));
        let started = Instant::now();
        let seed = Seed {
            sessions: *size,
            messages_each: MESSAGES_EACH,
            archived_every: 4,
            empty_every: 50,
            ..Seed::default()
        };
        fill(&home.store, &seed).await;
        let megabytes = std::fs::metadata(home.file()).map_or(0, |file| file.len()) / 1_000_000;
        eprintln!("{size} sessions: {:.1} s to fill, {megabytes} MB", started.elapsed().as_secs_f64());
        columns.push(measured(&home.store).await.expect("the store answers"));
        home.store.close().await;
        // After each size: the largest takes minutes to fill.
        eprintln!("{size} sessions measured");
    }
    print_table(&columns);
}

/// Names and medians in milliseconds.
async fn measured(store: &Store) -> Result<Vec<(&'static str, f64)>, StoreError> {
    let list = |archived, query: Option<&str>| SessionListRequest {
        min_messages: 1,
        archived,
        query: query.map(str::to_owned),
        ..SessionListRequest::default()
    };
    let search = |query: &str| SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    };
    let (active, only) = (ArchivedFilter::Exclude, ArchivedFilter::Only);
    let first = store.session_list(list(active, None)).await?;
    let newest = first.rows[0].id.clone();
    let folder = first.rows[0].folder.clone();
    let page = || MessagePageRequest { session_id: newest.clone(), anchor: PageAnchor::End, limit: 100 };
    let group = || SessionListRequest { workspace: folder.clone(), ..list(active, None) };
    Ok(vec![
        ("list page", median(|| store.session_list(list(active, None))).await?),
        ("list page of a workspace", median(|| store.session_list(group())).await?),
        ("archived page", median(|| store.session_list(list(only, None))).await?),
        ("archived page, common word", median(|| store.session_list(list(only, Some("deploy")))).await?),
        ("archived page, no hit", median(|| store.session_list(list(only, Some("xylophone")))).await?),
        ("workspaces", median(|| store.workspace_list(Default::default())).await?),
        ("message page", median(|| store.message_page(page())).await?),
        ("search, common word", median(|| store.session_search(search("deploy"))).await?),
        ("search, two words", median(|| store.session_search(search("harbour velvet"))).await?),
        ("search, two letters", median(|| store.session_search(search("zq"))).await?),
        ("search, no hit", median(|| store.session_search(search("xylophone"))).await?),
    ])
}

async fn median<T, F>(run: impl Fn() -> F) -> Result<f64, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let mut times = Vec::with_capacity(RUNS);
    for _ in 0..RUNS {
        let started = Instant::now();
        run().await?;
        times.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    times.sort_by(f64::total_cmp);
    Ok(times[RUNS / 2])
}

fn print_table(columns: &[Vec<(&'static str, f64)>]) {
    print!("{:<28}", "median of 41, ms");
    for size in SIZES {
        print!("{size:>12}");
    }
    println!();
    let names = columns.first().into_iter().flatten().map(|(name, _)| *name);
    for (row, name) in names.enumerate() {
        print!("{name:<28}");
        for column in columns {
            print!("{:>12.2}", column[row].1);
        }
        println!();
    }
}
