use super::*;
use app_tests::seed::{Seed, fill};

#[tokio::test]
async fn pages_by_cursor_are_the_whole_list_once_in_order() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 23, messages_each: 2, archived_every: 4, ..Seed::default() }).await;
    for archived in [ArchivedFilter::Exclude, ArchivedFilter::Only, ArchivedFilter::Include] {
        for order in [SessionOrder::Recent, SessionOrder::Created] {
            let mut seen = Vec::new();
            let mut cursor = None;
            loop {
                let request =
                    SessionListRequest { limit: 3, cursor, archived, order, ..SessionListRequest::default() };
                let page = list(&home, request).await;
                assert!(page.rows.len() <= 3);
                seen.extend(numbers(&page.rows));
                cursor = page.next_cursor;
                if cursor.is_none() {
                    break;
                }
            }
            let wanted: Vec<usize> = (1..=23)
                .rev()
                .filter(|n| match archived {
                    ArchivedFilter::Exclude => n % 4 != 0,
                    ArchivedFilter::Only => n % 4 == 0,
                    ArchivedFilter::Include => true,
                })
                .collect();
            assert_eq!(seen, wanted, "{archived:?} {order:?}");
        }
    }
}

#[tokio::test]
async fn a_row_that_moves_up_between_pages_is_not_seen_twice() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 6, messages_each: 1, ..Seed::default() }).await;
    let first = list(&home, SessionListRequest { limit: 3, ..SessionListRequest::default() }).await;
    assert_eq!(numbers(&first.rows), [6, 5, 4]);
    home.store.session_update(archive(5, true)).await.expect("archived");
    let request = SessionListRequest { limit: 3, cursor: first.next_cursor, ..SessionListRequest::default() };
    assert_eq!(numbers(&list(&home, request).await.rows), [3, 2, 1]);
}

#[tokio::test]
async fn empty_sessions_are_hidden_by_min_messages_and_counted() {
    let home = TempHome::new();
    fill(
        &home.store,
        &Seed { sessions: 12, messages_each: 3, empty_every: 3, archived_every: 4, ..Seed::default() },
    )
    .await;
    let all = list(&home, SessionListRequest { min_messages: -4, ..SessionListRequest::default() }).await;
    assert_eq!((all.rows.len(), all.counts.active, all.counts.archived, all.counts.hidden), (9, 9, 3, 0));
    let said = list(&home, SessionListRequest { min_messages: 1, ..SessionListRequest::default() }).await;
    // 3, 6, 9 and 12 are empty, and 12 is archived.
    assert_eq!((said.rows.len(), said.counts.hidden), (6, 3));
    let long = list(&home, SessionListRequest { min_messages: 4, ..SessionListRequest::default() }).await;
    assert_eq!((long.rows.len(), long.counts.hidden), (0, 9));
    let archived = SessionListRequest {
        min_messages: 1,
        archived: ArchivedFilter::Only,
        ..SessionListRequest::default()
    };
    assert_eq!(list(&home, archived).await.counts.hidden, 1);
}

#[tokio::test]
async fn folders_are_named_by_their_last_part_and_equal_ones_by_their_parent_too() {
    let home = TempHome::new();
    put(
        &home,
        [
            in_folder(titled(1, "a", &["x"]), "/home/user/one/app/"),
            in_folder(titled(2, "b", &["x"]), "/home/user/two/app"),
            in_folder(titled(3, "c", &["x"]), "/home/user/site"),
            titled(4, "d", &["x"]),
        ],
    )
    .await;
    let rows = list(&home, SessionListRequest::default()).await.rows;
    let labels: Vec<_> = rows.iter().map(|row| row.workspace.as_deref()).collect();
    assert_eq!(labels, [None, Some("site"), Some("two/app"), Some("one/app")]);
    let one = SessionListRequest {
        workspace: Some("/home/user/one/app".to_owned()),
        ..SessionListRequest::default()
    };
    assert_eq!(numbers(&list(&home, one).await.rows), [1]);
    let none = SessionListRequest { workspace: Some(String::new()), ..SessionListRequest::default() };
    assert_eq!(numbers(&list(&home, none).await.rows), [4]);
    let unknown =
        SessionListRequest { workspace: Some("/nowhere".to_owned()), ..SessionListRequest::default() };
    assert_eq!(list(&home, unknown).await.rows, []);
    home.store.session_delete(delete(1, DeleteMode::Purge)).await.expect("gone");
    let row = home.store.session_get(SessionRef { id: session_id(2) }).await.expect("a row");
    assert_eq!(row.workspace.as_deref(), Some("app"), "alone again");
}

#[tokio::test]
async fn groups_count_active_unpinned_rows_newest_first() {
    let home = TempHome::new();
    put(
        &home,
        [
            in_folder(titled(1, "a", &["x"]), "/a"),
            in_folder(titled(2, "b", &["x"]), "/b"),
            in_folder(titled(3, "c", &["x"]), "/a"),
            in_folder(titled(4, "d", &[]), "/b"),
            in_folder(archived(titled(5, "e", &["x"])), "/c"),
            in_folder(titled(6, "f", &["x"]), "/b"),
        ],
    )
    .await;
    home.store.session_pin(pin(6, None)).await.expect("pinned");
    let groups = |min_messages| {
        let store = home.store.clone();
        async move {
            let groups =
                store.workspace_list(WorkspaceListRequest { min_messages }).await.expect("groups").groups;
            groups
                .into_iter()
                .map(|g| (g.workspace.unwrap_or_default(), g.count, g.last_active))
                .collect::<Vec<_>>()
        }
    };
    let at = |n: i64| NOON + n * 60_000;
    assert_eq!(groups(1).await, [("a".to_owned(), 2, at(3)), ("b".to_owned(), 1, at(2))]);
    assert_eq!(groups(0).await, [("b".to_owned(), 2, at(4)), ("a".to_owned(), 2, at(3))]);
    assert_eq!(groups(2).await, []);
}

#[tokio::test]
async fn a_list_narrowed_by_words_finds_title_preview_folder_and_text() {
    let home = TempHome::new();
    put(
        &home,
        [
            archived(titled(1, "Harbour plan", &["x"])),
            archived(titled(2, "b", &["about the harbour"])),
            archived(in_folder(titled(3, "c", &["x"]), "/home/user/harbour")),
            archived(titled(4, "d", &["x", "one", "two", "deep in the HARBOUR text"])),
            archived(titled(5, "e", &["nothing"])),
            titled(6, "harbour, but active", &["x"]),
        ],
    )
    .await;
    let found = |query: &str, limit, cursor| {
        let request = SessionListRequest {
            limit,
            cursor,
            archived: ArchivedFilter::Only,
            query: Some(query.to_owned()),
            ..SessionListRequest::default()
        };
        let store = home.store.clone();
        async move { store.session_list(request).await.expect("a list") }
    };
    assert_eq!(numbers(&found("harbour", 0, None).await.rows), [4, 3, 2, 1]);
    assert_eq!(numbers(&found("plan harb", 0, None).await.rows), [1]);
    assert_eq!(numbers(&found("ha", 0, None).await.rows), [4, 3, 2, 1], "two letters are read for");
    assert_eq!(numbers(&found("%", 0, None).await.rows), NONE);
    let first = found("harbour", 2, None).await;
    assert_eq!(numbers(&first.rows), [4, 3]);
    let second = found("harbour", 2, first.next_cursor).await;
    assert_eq!((numbers(&second.rows), second.next_cursor), (vec![2, 1], None));
}

#[tokio::test]
async fn a_narrowed_list_says_how_many_empty_rows_match() {
    let home = TempHome::new();
    put(&home, [titled(1, "harbour one", &[]), titled(2, "harbour two", &["x"]), titled(3, "other", &[])])
        .await;
    for query in ["harbour", "ha"] {
        let query = Some(query.to_owned());
        let page = list(&home, SessionListRequest { query, min_messages: 1, ..Default::default() }).await;
        assert_eq!((numbers(&page.rows), page.counts.hidden), (vec![2], 1));
    }
}

#[tokio::test]
async fn a_new_title_is_found_and_the_old_one_is_not() {
    let home = TempHome::new();
    put(&home, [titled(1, "before", &["x"])]).await;
    home.store.session_update(rename(1, "After")).await.expect("renamed");
    let found = |query: &str| SessionListRequest { query: Some(query.to_owned()), ..Default::default() };
    assert_eq!(numbers(&list(&home, found("after")).await.rows), [1]);
    assert_eq!(numbers(&list(&home, found("before")).await.rows), NONE);
}

#[tokio::test]
async fn a_short_time_for_reading_gives_short_pages_that_go_on() {
    let home = TempHome::with_scan_budget(std::time::Duration::ZERO);
    fill(&home.store, &Seed { sessions: 450, messages_each: 1, ..Seed::default() }).await;
    put(&home, [titled(900, "zz here", &["x"]), chat(901, 1, &["x zz"])]).await;
    let mut seen = Vec::new();
    let mut cursor = None;
    let mut pages = 0;
    loop {
        let query = Some("zz".to_owned());
        let page = list(&home, SessionListRequest { query, cursor, ..SessionListRequest::default() }).await;
        assert_eq!(page.stopped_early, page.next_cursor.is_some(), "a short page says that it is one");
        seen.extend(numbers(&page.rows));
        pages += 1;
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((seen, pages), (vec![900, 901], 452), "each page has read one row");
    let query = Some("zzz".to_owned());
    let page = list(&home, SessionListRequest { query, ..SessionListRequest::default() }).await;
    assert_eq!(
        (page.rows.len(), page.next_cursor, page.stopped_early),
        (0, None, false),
        "the index is not read"
    );
    let query = Some("zz".to_owned());
    let page = list(&home, SessionListRequest { query, min_messages: 5, ..Default::default() }).await;
    assert!(page.stopped_early, "what it hides is not counted to the end either");
}

#[tokio::test]
async fn a_cursor_of_another_list_is_refused() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 4, messages_each: 1, ..Seed::default() }).await;
    let page = list(&home, SessionListRequest { limit: 2, ..SessionListRequest::default() }).await;
    let cursor = page.next_cursor.expect("a second page");
    for cursor in [cursor.clone(), "r".to_owned(), "nonsense".to_owned(), String::new()] {
        let request =
            SessionListRequest { cursor: Some(cursor), order: SessionOrder::Created, ..Default::default() };
        assert_eq!(code(home.store.session_list(request).await.expect_err("refused")), ErrorCode::BadRequest);
    }
    let trash = TrashListRequest { limit: 0, cursor: Some(cursor) };
    assert_eq!(code(home.store.trash_list(trash).await.expect_err("refused")), ErrorCode::BadRequest);
}

#[tokio::test]
async fn a_row_is_active_while_it_is_open_and_young() {
    let home = TempHome::new();
    let mut open = titled(1, "open", &["x"]);
    open.sessions[0].ended_at = None;
    put(&home, [open, titled(2, "ended", &["x"])]).await;
    let active = |n| {
        let store = home.store.clone();
        async move { store.session_get(SessionRef { id: session_id(n) }).await.expect("a row").is_active }
    };
    home.clock.set(NOON + 60_000 + 299_999);
    assert_eq!((active(1).await, active(2).await), (true, false));
    home.clock.advance(1);
    assert!(!active(1).await);
}

/// What SQLite does for each kind of list, from its own account: a walk that sorts would read the whole store.
#[tokio::test]
async fn every_list_answers_from_an_index_also_with_statistics() {
    let home = TempHome::new();
    let seed = Seed { sessions: 300, messages_each: 1, archived_every: 3, empty_every: 9, ..Seed::default() };
    fill(&home.store, &seed).await;
    home.store.session_pin(pin(1, None)).await.expect("pinned");
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("deleted");
    let some = |text: &str| Some(text.to_owned());
    let requests = [
        SessionListRequest::default(),
        SessionListRequest { min_messages: 1, ..Default::default() },
        SessionListRequest { min_messages: 2, ..Default::default() },
        SessionListRequest { archived: ArchivedFilter::Include, ..Default::default() },
        SessionListRequest { order: SessionOrder::Created, min_messages: 1, ..Default::default() },
        SessionListRequest { workspace: some("/home/user/project-1"), min_messages: 1, ..Default::default() },
        SessionListRequest { workspace: some(""), ..Default::default() },
        SessionListRequest { workspace: some("/nowhere"), ..Default::default() },
        SessionListRequest { pinned: Some(true), ..Default::default() },
        SessionListRequest { pinned: Some(false), min_messages: 1, ..Default::default() },
        SessionListRequest { query: some("session"), order: SessionOrder::Created, ..Default::default() },
        SessionListRequest {
            query: some("session"),
            workspace: some(""),
            min_messages: 1,
            ..Default::default()
        },
    ];
    let mut before = Vec::new();
    for request in &requests {
        before.push(list(&home, request.clone()).await);
    }
    home.raw().execute_batch("ANALYZE").expect("statistics");
    let home = home.reopened().await;
    for (request, before) in requests.iter().zip(before) {
        assert_eq!(list(&home, request.clone()).await, before, "{request:?}");
    }
    for (index, rest) in [
        ("lineages_recent", "l.place = 0 AND (l.recency, l.id) < (9, 9) ORDER BY l.recency DESC"),
        (
            "lineages_said",
            "l.place = 0 AND l.message_count > 0 AND (l.recency, l.id) < (9, 9) ORDER BY l.recency DESC",
        ),
        (
            "lineages_created",
            "l.place = 0 AND (l.created_at, l.id) < (9, 9) ORDER BY l.created_at DESC, l.id DESC",
        ),
        (
            "lineages_folder",
            "l.place = 0 AND l.folder = 1 AND (l.recency, l.id) < (9, 9) ORDER BY l.recency DESC",
        ),
        ("lineages_pinned", "l.place = 0 AND l.pin_rank IS NOT NULL ORDER BY l.pin_rank, l.id"),
        ("lineages_trash", "l.place = 2 ORDER BY l.deleted_at DESC, l.id DESC"),
    ] {
        let db = home.raw();
        let sql =
            format!("EXPLAIN QUERY PLAN SELECT * FROM lineages l INDEXED BY {index} WHERE {rest} LIMIT 9");
        let mut statement = db.prepare(&sql).expect("a plan");
        let lines = statement.query_map([], |row| row.get::<_, String>(3)).expect("rows");
        let plan: Vec<String> = lines.map(|line| line.expect("a line")).collect();
        assert!(!plan.iter().any(|line| line.contains("TEMP B-TREE")), "{index} sorts: {plan:?}");
    }
}
