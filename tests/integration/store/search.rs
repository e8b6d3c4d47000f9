use super::health::{check, item};
use super::*;
use app_tests::seed::{Seed, fill};
use std::time::Duration;

async fn search(home: &TempHome, query: &str) -> SearchResponse {
    search_in(home, query, ArchivedFilter::Include, None).await
}

async fn search_in(
    home: &TempHome,
    query: &str,
    archived: ArchivedFilter,
    cursor: Option<String>,
) -> SearchResponse {
    home.store
        .session_search(SearchRequest { query: query.to_owned(), archived, cursor, title_cursor: None })
        .await
        .expect("an answer")
}

fn request(query: &str) -> SearchRequest {
    SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    }
}

async fn title_page(home: &TempHome, query: &str, title_cursor: Option<String>) -> SearchResponse {
    home.store.session_search(SearchRequest { title_cursor, ..request(query) }).await.expect("an answer")
}

fn found(response: &SearchResponse) -> Vec<usize> {
    numbers(&response.messages.iter().map(|hit| hit.row.clone()).collect::<Vec<_>>())
}

fn shown(parts: &[SnippetPart]) -> String {
    parts.iter().map(|part| if part.hit { format!("[{}]", part.text) } else { part.text.clone() }).collect()
}

#[tokio::test]
async fn titles_come_first_and_text_newest_first() {
    let home = TempHome::new();
    put(
        &home,
        [
            titled(1, "Harbour", &["x"]),
            titled(2, "b", &["the Harbour at night"]),
            titled(3, "c", &["x", "a harbour"]),
            titled(4, "d", &["x"]),
        ],
    )
    .await;
    let answer = search(&home, "harbour").await;
    assert_eq!(answer.titles.len(), 1);
    assert_eq!(shown(&answer.titles[0].title), "[Harbour]");
    assert_eq!(answer.title_count, CappedCount { n: 1, more: false });
    assert_eq!(found(&answer), [3, 2]);
    assert_eq!(answer.message_count, CappedCount { n: 2, more: false });
    let hit = &answer.messages[0];
    assert_eq!((hit.index, hit.message_id.as_str(), hit.role), (1, "message-3-1", MessageRole::Assistant));
    assert_eq!(shown(&hit.snippet), "a [harbour]");
}

#[tokio::test]
async fn a_lineage_has_one_hit_its_newest() {
    let home = TempHome::new();
    put(&home, [titled(1, "a", &["needle one", "needle two", "needle three", "hay"])]).await;
    let answer = search(&home, "needle").await;
    assert_eq!((answer.messages.len(), answer.messages[0].index), (1, 2));
}

#[tokio::test]
async fn all_words_occur_in_one_message() {
    let home = TempHome::new();
    put(
        &home,
        [
            titled(1, "a", &["red lantern by the green door"]),
            titled(2, "b", &["red lantern", "green door"]),
            titled(3, "c", &["a door, a LANTERN"]),
        ],
    )
    .await;
    assert_eq!(found(&search(&home, "door lantern").await), [3, 1]);
    assert_eq!(found(&search(&home, "door lantern re").await), [1], "a short word narrows a long one");
    assert_eq!(found(&search(&home, "door nowhere").await), NONE);
}

#[tokio::test]
async fn parts_of_words_and_scripts_without_spaces_are_found() {
    let home = TempHome::new();
    put(&home, [titled(1, "Grüße", &["ab unbelievable cd"]), titled(2, "b", &["今日は日本語を話す"])]).await;
    assert_eq!(found(&search(&home, "believ").await), [1]);
    assert_eq!(found(&search(&home, "日本語").await), [2]);
    assert_eq!(found(&search(&home, "日本").await), [2]);
    assert_eq!(found(&search(&home, "本").await), [2]);
    assert_eq!(search(&home, "grüß").await.titles.len(), 1);
    assert_eq!(search(&home, "ÜSS").await.titles.len(), 0);
    assert_eq!(shown(&search(&home, "日本").await.messages[0].snippet), "今日は[日本]語を話す");
}

#[tokio::test]
async fn marks_are_letters() {
    let home = TempHome::new();
    put(
        &home,
        [
            titled(1, "100% sure", &["say \"hello\" now"]),
            titled(2, "snake_case", &["a*b and c_d"]),
            titled(3, "plain", &["100 sure, say hello, ab, cd, snakeXcase"]),
        ],
    )
    .await;
    assert_eq!(found(&search(&home, "\"hello\"").await), [1]);
    assert_eq!(found(&search(&home, "a*b").await), [2]);
    assert_eq!(found(&search(&home, "*").await), [2]);
    assert_eq!(found(&search(&home, "c_d").await), [2]);
    let title = |answer: SearchResponse| {
        answer.titles.iter().filter_map(|hit| hit.row.title.clone()).collect::<Vec<_>>()
    };
    assert_eq!(title(search(&home, "%").await), ["100% sure"]);
    assert_eq!(title(search(&home, "e_c").await), ["snake_case"]);
    assert_eq!(title(search(&home, "sure*").await), [""; 0]);
}

#[tokio::test]
async fn archived_hits_are_marked_and_the_trash_is_not_searched() {
    let home = TempHome::new();
    put(
        &home,
        [
            titled(1, "needle a", &["needle"]),
            archived(titled(2, "needle b", &["needle"])),
            titled(3, "needle c", &["needle"]),
        ],
    )
    .await;
    home.store.session_delete(delete(3, DeleteMode::Trash)).await.expect("deleted");
    let answer = search(&home, "needle").await;
    assert_eq!((found(&answer), answer.titles.len()), (vec![2, 1], 2));
    assert!(answer.messages[0].row.archived);
    let only = |archived| {
        let home = &home;
        async move { found(&search_in(home, "needle", archived, None).await) }
    };
    assert_eq!(only(ArchivedFilter::Exclude).await, [1]);
    assert_eq!(only(ArchivedFilter::Only).await, [2]);
}

#[tokio::test]
async fn rows_kept_for_the_model_and_sub_agents_are_not_found() {
    let home = TempHome::new();
    let mut lineage = titled(1, "a", &["seen needle", "unseen thread"]);
    lineage.messages[1].shown = false;
    let mut child = chat(2, NOON, &["needle in a child"]);
    child.kind = LineageKind::Delegate { owner: session_id(1) };
    put(&home, [lineage, child]).await;
    assert_eq!(found(&search(&home, "needle").await), [1]);
    assert_eq!(found(&search(&home, "thread").await), NONE);
    assert_eq!(found(&search(&home, "ea").await), NONE);
}

#[tokio::test]
async fn calls_of_tools_are_found_by_name_and_argument() {
    let home = TempHome::new();
    let mut lineage = titled(1, "a", &["go", "on it"]);
    lineage.messages[1].tool_calls = vec![ToolCall {
        id: "call_1".to_owned(),
        name: "write_file".to_owned(),
        arguments: r#"{"path": "/tmp/notes.txt"}"#.to_owned(),
    }];
    put(&home, [lineage]).await;
    assert_eq!(found(&search(&home, "notes.txt").await), [1]);
    assert_eq!(found(&search(&home, "write_file").await), [1]);
    assert_eq!(found(&search(&home, "arguments").await), NONE, "the form it is stored in is not text");
}

#[tokio::test]
async fn hits_are_paged_and_each_lineage_comes_once() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 45, messages_each: 3, ..Seed::default() }).await;
    for query in ["deploy", "de"] {
        let mut seen = Vec::new();
        let mut cursor = None;
        loop {
            let answer = search_in(&home, query, ArchivedFilter::Include, cursor).await;
            assert_eq!(answer.message_count, CappedCount { n: 45, more: false });
            seen.extend(found(&answer));
            cursor = answer.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, (1..=45).rev().collect::<Vec<_>>(), "{query}");
    }
}

#[tokio::test]
async fn every_title_is_reached_once_and_newest_first_apart_from_the_messages() {
    let home = TempHome::new();
    let seed = Seed { sessions: 667, messages_each: 1, archived_every: 3, ..Seed::default() };
    fill(&home.store, &seed).await;
    let first = title_page(&home, "session", None).await;
    assert_eq!((first.title_count, first.messages.len()), (CappedCount { n: 667, more: false }, 0));
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = title_page(&home, "session", cursor).await;
        pages += 1;
        assert_eq!(page.titles.len(), if pages == 34 { 7 } else { 20 });
        seen.extend(page.titles.into_iter().map(|hit| hit.row));
        cursor = page.next_title_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(numbers(&seen), (1..=667).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn titles_and_messages_are_paged_by_cursors_of_their_own() {
    let home = TempHome::new();
    put(&home, (1..=45).map(|n| titled(n, &format!("needle {n}"), &["needle"]))).await;
    let first = search(&home, "needle").await;
    assert_eq!((first.titles.len(), first.messages.len()), (20, 20));
    let titles = title_page(&home, "needle", first.next_title_cursor.clone()).await;
    assert_eq!((titles.titles.len(), titles.messages.len()), (20, 0));
    assert_eq!((titles.title_count, titles.message_count), (CappedCount::default(), CappedCount::default()));
    assert!(titles.next_cursor.is_none(), "a page of titles says nothing of messages");
    let messages = search_in(&home, "needle", ArchivedFilter::Include, first.next_cursor.clone()).await;
    assert_eq!((messages.titles.len(), found(&messages)), (0, (6..=25).rev().collect()));
    assert!(messages.next_title_cursor.is_none(), "and the other way round");

    let crossed = SearchRequest { title_cursor: first.next_cursor.clone(), ..request("needle") };
    let both = SearchRequest {
        cursor: first.next_cursor,
        title_cursor: first.next_title_cursor,
        ..request("needle")
    };
    for request in [crossed, both] {
        assert_eq!(
            code(home.store.session_search(request).await.expect_err("refused")),
            ErrorCode::BadRequest
        );
    }
}

#[tokio::test]
async fn a_title_that_arrives_between_two_pages_moves_no_other() {
    let home = TempHome::new();
    put(&home, (1..=30).map(|n| titled(n, &format!("needle {n}"), &["x"]))).await;
    let first = title_page(&home, "needle", None).await;
    put(&home, [titled(31, "needle 31", &["x"])]).await;
    home.store.session_delete(delete(11, DeleteMode::Trash)).await.expect("deleted");
    let second = title_page(&home, "needle", first.next_title_cursor).await;
    let rows: Vec<_> = second.titles.into_iter().map(|hit| hit.row).collect();
    assert_eq!(numbers(&rows), (1..=10).rev().collect::<Vec<_>>(), "the key holds though its row went");
}

#[tokio::test]
async fn counting_stops_at_a_thousand() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 1001, messages_each: 1, ..Seed::default() }).await;
    let answer = search(&home, "deploy").await;
    assert_eq!(answer.message_count, CappedCount { n: 1000, more: true });
    assert_eq!((answer.title_count.n, answer.messages.len()), (0, 20));
    let titles = search(&home, "session").await;
    assert_eq!((titles.title_count, titles.titles.len()), (CappedCount { n: 1000, more: true }, 20));
}

/// The quick look at the newest row of each is a proof or nothing: the same numbers come from the index and by reading,
/// with a word in every row, in the first ones only, in archived sessions only, in a thousand and in one more.
#[tokio::test]
async fn a_common_word_is_counted_as_exactly_as_a_rare_one() {
    let home = TempHome::new();
    let lineage = |n: usize| {
        let mut texts = vec!["ever early".to_owned(), "ever".to_owned()];
        texts.push(if n <= 1_000 { "ever thousand lately".to_owned() } else { "ever lately".to_owned() });
        let mut lineage = chat(n, NOON + n as i64 * 60_000, &texts);
        if n.is_multiple_of(2) {
            lineage.kind = LineageKind::Archived;
        }
        Arc::new(lineage)
    };
    home.store.lineages_put((1..=1_200).map(lineage).collect()).await.expect("stored");
    home.store.session_delete(delete(7, DeleteMode::Trash)).await.expect("deleted");
    let full = CappedCount { n: 1_000, more: true };
    let exactly = |n| CappedCount { n, more: false };
    for (query, index, count, active) in [
        ("ever", 2, full, exactly(599)),
        ("ev", 2, full, exactly(599)),
        ("early", 0, full, exactly(599)),
        ("ever lately", 2, full, exactly(599)),
        ("thousand", 2, exactly(999), exactly(499)),
        ("thousand ev", 2, exactly(999), exactly(499)),
        ("nowhere", 0, exactly(0), exactly(0)),
    ] {
        let answer = search(&home, query).await;
        assert_eq!(answer.message_count, count, "{query}");
        let newest = if query.starts_with("thousand") { 1_000 } else { 1_200 };
        let expected: Vec<usize> =
            if count.n == 0 { Vec::new() } else { (newest - 19..=newest).rev().collect() };
        assert_eq!(found(&answer), expected, "{query}");
        assert!(answer.messages.iter().all(|hit| hit.index == index), "the newest row of each");
        let only = search_in(&home, query, ArchivedFilter::Exclude, None).await;
        assert_eq!(only.message_count, active, "{query}");
        let next = search_in(&home, query, ArchivedFilter::Include, answer.next_cursor).await;
        let expected: Vec<usize> = expected.iter().map(|n| n - 20).collect();
        assert_eq!((found(&next), next.message_count), (expected, count), "{query}");
    }
}

#[tokio::test]
async fn reading_for_short_words_says_when_it_stopped() {
    let home = TempHome::with_scan_budget(Duration::ZERO);
    put(&home, [titled(1, "a", &["zq"])]).await;
    let answer = search(&home, "zq").await;
    assert!(answer.stopped_early && answer.message_count.more);
    assert!(!search(&home, "zqx").await.stopped_early, "the index needs no such bound");
}

#[tokio::test]
async fn nothing_is_asked_and_nothing_is_found() {
    let home = TempHome::new();
    put(&home, [titled(1, "a", &["x"])]).await;
    assert_eq!(search(&home, " \0 ").await, SearchResponse::default());
    let long = request(&"x".repeat(501));
    assert_eq!(code(home.store.session_search(long).await.expect_err("refused")), ErrorCode::BadRequest);
}

#[tokio::test]
async fn a_row_written_past_the_store_is_listed_counted_and_found() {
    let home = TempHome::new();
    put(&home, [titled(1, "a", &["x"])]).await;
    home.raw()
        .execute_batch(
            "INSERT INTO folders (id, path, name, parent) VALUES (55, '/srv/Handmade', 'Handmade', 'srv');
             INSERT INTO lineages (place, archived, recency, created_at, last_active, message_count, row_count, \
             open, tip, source, title, folder) VALUES (0, 0, 9, 9, 9, 1, 1, 0, 'session-77', 'talaria', \
             'A Title by \u{c4}nne', 55);
             INSERT INTO sessions (id, lineage, position, relation, source, started_at) \
             VALUES ('session-77', last_insert_rowid(), 0, 'root', 'talaria', 9);
             INSERT INTO messages (seq, lineage, session, place, role, id, created_at, text) \
             SELECT 9, lineage, seq, 0, 'user', 'm', 9, 'written by hand' FROM sessions WHERE id = 'session-77';",
        )
        .expect("rows by hand");
    let home = home.reopened().await;
    let page = list(&home, SessionListRequest::default()).await;
    assert_eq!((numbers(&page.rows), page.counts.active), (vec![1, 77], 2));
    assert_eq!(found(&search(&home, "by hand").await), [77]);

    let by_title = async |query: &str| {
        let titles = search(&home, query).await.titles;
        titles.iter().map(|hit| number(&hit.row.id)).collect::<Vec<_>>()
    };
    let narrowed = async |query: &str| {
        let request = SessionListRequest { query: Some(query.to_owned()), ..Default::default() };
        numbers(&list(&home, request).await.rows)
    };
    assert!(home.store.search_index_kept().await.expect("it is looked at"));
    assert_eq!(by_title("title by \u{e4}nne").await, [77]);
    assert_eq!(narrowed("handmade").await, [77]);
    assert!(!home.store.search_index_kept().await.expect("nothing is left to do"));

    // Changed while the app is open: the health check finds it.
    home.raw()
        .execute_batch(
            "UPDATE lineages SET title = 'Renamed past it', folder = NULL WHERE tip = 'session-77'",
        )
        .expect("a row by hand");
    assert_eq!(by_title("renamed past").await, [0; 0]);
    let (state, words) = item(&check(&home).await, "Search");
    assert_eq!(state, HealthState::Repaired);
    assert_eq!(words, "Title or folder of 1 sessions could not be found; mended.");
    assert_eq!(by_title("renamed past").await, [77]);
    assert_eq!(narrowed("handmade").await, [0; 0]);
    assert_eq!(item(&check(&home).await, "Search").0, HealthState::Good);
}
