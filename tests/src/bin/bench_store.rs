//! `bench-store [sessions ...]`: what the store's reads cost, at 100, 10,000 and 100,000 sessions of 10 messages, and in
//! sessions of 50 and of 50,000 messages.
//!
//! Prints medians in milliseconds, through the same calls the app makes. Aims: the list page under 2 ms at 10,000
//! sessions, and at most 1.5 times that at 100,000; a search under 7 ms at 10,000; a session of 50,000 messages opens in
//! at most 1.5 times the time of one of 50. Numbers to look at, not a test.

use app_tests::home::{NOON, TempHome};
use app_tests::seed::{Seed, chat, fill, session_id};
use std::future::Future;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_core::store::{Store, StoreError};
use talaria_wire::{
    ArchivedFilter, MessageFindRequest, MessagePageRequest, PageAnchor, SearchRequest, SessionBranchRequest,
    SessionListRequest,
};

const SIZES: &[usize] = &[100, 10_000, 100_000];
const MESSAGES_EACH: usize = 10;
/// Messages of the short session and of the long one.
const LENGTHS: [usize; 2] = [50, 50_000];
/// An odd number, so that the median is one of them.
const RUNS: usize = 41;

#[tokio::main]
async fn main() {
    let asked: Vec<usize> =
        std::env::args().skip(1).map(|size| size.parse().expect("a number of sessions")).collect();
    let sizes = if asked.is_empty() { SIZES.to_vec() } else { asked };
    let mut columns = Vec::new();
    for size in &sizes {
        let home = TempHome::with_scan_budget(Duration::from_millis(150));
        let started = Instant::now();
        let seed = Seed {
            sessions: *size,
            messages_each: MESSAGES_EACH,
            archived_every: 4,
            empty_every: 50,
            ..Seed::default()
        };
        fill(&home.store, &seed).await;
        fill_cjk(&home.store, *size).await;
        let megabytes = std::fs::metadata(home.file()).map_or(0, |file| file.len()) / 1_000_000;
        eprintln!("{size} sessions: {:.1} s to fill, {megabytes} MB", started.elapsed().as_secs_f64());
        columns.push(measured(&home.store).await.expect("the store answers"));
        home.store.close().await;
        // After each size: the largest takes minutes to fill.
        eprintln!("{size} sessions measured");
    }
    print_table(&sizes, &columns);
    println!();
    lengths().await.expect("the store answers");
}

/// One more session in a hundred, in a script without spaces, all over the time of the others.
async fn fill_cjk(store: &Store, sessions: usize) {
    for n in (1..=sessions).step_by(100) {
        let lineage = chat(sessions + n, NOON - n as i64 * 60_000, &["今日は日本語を話す"]);
        store.lineage_put(Arc::new(lineage)).await.expect("the store takes it");
    }
}

/// Names and medians in milliseconds.
async fn measured(store: &Store) -> Result<Vec<(&'static str, f64)>, StoreError> {
    let list = |archived, query: Option<&str>| SessionListRequest {
        min_messages: 1,
        archived,
        query: query.map(str::to_owned),
        ..SessionListRequest::default()
    };
    let (active, only) = (ArchivedFilter::Exclude, ArchivedFilter::Only);
    let first = store.session_list(list(active, None)).await?;
    let newest = first.rows[0].id.clone();
    let folder = first.rows[0].folder.clone();
    let page = || MessagePageRequest { session_id: newest.clone(), anchor: PageAnchor::End, limit: 100 };
    let group = || SessionListRequest { workspace: folder.clone(), ..list(active, None) };
    let mut rows = vec![
        ("list page", median(|| store.session_list(list(active, None))).await?),
        ("list page of a workspace", median(|| store.session_list(group())).await?),
        ("archived page", median(|| store.session_list(list(only, None))).await?),
        ("archived page, common word", median(|| store.session_list(list(only, Some("deploy")))).await?),
        ("archived page, no hit", median(|| store.session_list(list(only, Some("xylophone")))).await?),
        ("workspaces", median(|| store.workspace_list(Default::default())).await?),
        ("message page", median(|| store.message_page(page())).await?),
    ];
    for (name, query) in [
        ("search, common word", "deploy"),
        ("search, two words", "harbour velvet"),
        ("search, no hit", "xylophone"),
        ("search, CJK", "日本語"),
        ("search, CJK, two letters", "日本"),
        ("search, one letter", "d"),
        ("search, two letters, no hit", "zq"),
    ] {
        let search = || SearchRequest {
            query: query.to_owned(),
            archived: ArchivedFilter::Include,
            cursor: None,
            title_cursor: None,
        };
        rows.push((name, median(|| store.session_search(search())).await?));
    }
    Ok(rows)
}

/// Opens a short session and a long one, looks for a text in the long one, and copies it.
async fn lengths() -> Result<(), StoreError> {
    let home = TempHome::new();
    for (n, length) in LENGTHS.into_iter().enumerate() {
        let texts: Vec<String> = (0..length)
            .map(|m| format!("message {m}: {}", "some words of a usual length ".repeat(6)))
            .collect();
        home.store.lineage_put(Arc::new(chat(n, NOON, &texts))).await?;
    }
    let store = &home.store;
    let mut opened = Vec::new();
    for (n, length) in LENGTHS.into_iter().enumerate() {
        let page = || MessagePageRequest { session_id: session_id(n), anchor: PageAnchor::End, limit: 50 };
        let time = median(|| store.message_page(page())).await?;
        print_line(&format!("open, {length} messages"), time);
        opened.push(time);
    }
    print_line("  times as long", opened[1] / opened[0]);
    for (name, query) in [("find, everywhere", "words of a usual"), ("find, nowhere", "xylophone")] {
        let find = || MessageFindRequest { session_id: session_id(1), query: query.to_owned() };
        print_line(name, median(|| store.message_find(find())).await?);
    }
    let started = Instant::now();
    store.session_branch(SessionBranchRequest { id: session_id(1), message_id: None }).await?;
    print_line("duplicate, once", started.elapsed().as_secs_f64() * 1000.0);
    Ok(())
}

fn print_line(name: &str, value: f64) {
    println!("{name:<28}{value:>12.2}");
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

fn print_table(sizes: &[usize], columns: &[Vec<(&'static str, f64)>]) {
    print!("{:<28}", "median of 41, ms");
    for size in sizes {
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
