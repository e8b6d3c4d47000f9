use super::*;

async fn find(home: &TempHome, query: &str) -> MessageFindResponse {
    let request = MessageFindRequest { session_id: session_id(1), query: query.to_owned() };
    home.store.message_find(request).await.expect("an answer")
}

async fn places(home: &TempHome, query: &str) -> Vec<i64> {
    find(home, query).await.messages.iter().map(|found| found.index).collect()
}

#[tokio::test]
async fn a_text_is_found_as_it_stands_in_any_case() {
    let home = TempHome::new();
    let texts = [
        "the  Red Lantern",
        "red\nlantern",
        "RED LANTERN, 100%",
        "a*b \"c\" d_e",
        "今日は日本語",
        "Grüße dX",
    ];
    put(&home, [titled(1, "red lantern", &texts), titled(2, "b", &["red lantern"])]).await;
    assert_eq!(
        places(&home, "red lantern").await,
        [0, 2],
        "in one row, with one blank, in this session only"
    );
    assert_eq!(places(&home, "  red").await, [0], "blanks are letters");
    assert_eq!(places(&home, "\n").await, [1]);
    assert_eq!(places(&home, " ").await, [0, 2, 3, 5]);
    for (mark, place) in [
        ("%", 2),
        ("*", 3),
        ("\"", 3),
        ("_", 3),
        ("日", 4),
        ("日本", 4),
        ("GRÜSSE", -1),
        ("GRÜß", 5),
        ("x", 5),
    ] {
        let expected: Vec<i64> = (place >= 0).then_some(place).into_iter().collect();
        assert_eq!(places(&home, mark).await, expected, "{mark}");
    }
    assert_eq!(find(&home, "").await, MessageFindResponse::default());
    assert_eq!(find(&home, "nowhere").await.count, CappedCount { n: 0, more: false });
}

#[tokio::test]
async fn what_a_reader_does_not_see_is_not_found_and_tool_calls_are() {
    let home = TempHome::new();
    let mut lineage = titled(1, "a", &["seen", "unseen seen", "on it", "needle in the summary"]);
    lineage.messages[1].shown = false;
    lineage.messages[2].tool_calls = vec![ToolCall {
        id: "call_1".to_owned(),
        name: "write_file".to_owned(),
        arguments: r#"{"path": "notes.txt"}"#.to_owned(),
    }];
    lineage.messages[3].role = MessageRole::Summary;
    put(&home, [lineage]).await;
    assert_eq!(places(&home, "seen").await, [0]);
    assert_eq!(places(&home, "NOTES.txt").await, [1], "its place in the transcript, which has no holes");
    assert_eq!(places(&home, "write_file {").await, [1]);
    assert_eq!(places(&home, "needle").await, [2], "a divider is seen too");
    let found = find(&home, "needle").await;
    assert_eq!(found.messages[0].message_id.as_str(), "message-1-3");
}

#[tokio::test]
async fn the_newest_thousand_rows_are_named_and_there_may_be_more() {
    let home = TempHome::new();
    let texts: Vec<String> =
        (0..2_002).map(|n| if n % 2 == 0 { format!("needle {n}") } else { "hay".to_owned() }).collect();
    put(&home, [titled(1, "a", &texts.iter().map(String::as_str).collect::<Vec<_>>())]).await;
    let found = find(&home, "needle").await;
    assert_eq!(found.count, CappedCount { n: 1_000, more: true });
    let places: Vec<i64> = found.messages.iter().map(|found| found.index).collect();
    assert_eq!(places, (1..=1_000).map(|n| n * 2).collect::<Vec<i64>>(), "in the order of the transcript");
    assert_eq!(find(&home, "hay").await.count, CappedCount { n: 1_000, more: true });
    assert_eq!(find(&home, "needle 2000").await.count, CappedCount { n: 1, more: false });
}

#[tokio::test]
async fn an_unknown_session_and_an_overlong_text_are_refused() {
    let home = TempHome::new();
    put(&home, [titled(1, "a", &["x"])]).await;
    for (n, query, expected) in
        [(9, "x".to_owned(), ErrorCode::NotFound), (1, "x".repeat(501), ErrorCode::BadRequest)]
    {
        let request = MessageFindRequest { session_id: session_id(n), query };
        assert_eq!(code(home.store.message_find(request).await.expect_err("refused")), expected);
    }
}
