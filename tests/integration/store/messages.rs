use super::*;

async fn page(home: &TempHome, n: usize, anchor: PageAnchor, limit: u32) -> MessagePageResponse {
    let request = MessagePageRequest { session_id: session_id(n), anchor, limit };
    home.store.message_page(request).await.expect("a page")
}

fn indices(page: &MessagePageResponse) -> Vec<i64> {
    page.messages.iter().map(|message| message.index).collect()
}

#[tokio::test]
async fn a_page_lies_where_it_was_asked_for() {
    let home = TempHome::new();
    let texts: Vec<String> = (0..10).map(|n| format!("text {n}")).collect();
    put(&home, [chat(1, NOON, &texts)]).await;
    let at = |anchor, limit| {
        let home = &home;
        async move { indices(&page(home, 1, anchor, limit).await) }
    };
    assert_eq!(at(PageAnchor::End, 3).await, [7, 8, 9]);
    assert_eq!(at(PageAnchor::End, 0).await.len(), 10);
    assert_eq!(at(PageAnchor::Before { index: 7 }, 3).await, [4, 5, 6]);
    assert_eq!(at(PageAnchor::Before { index: 2 }, 5).await, [0, 1]);
    assert_eq!(at(PageAnchor::Before { index: i64::MAX }, 2).await, [8, 9]);
    assert_eq!(at(PageAnchor::Before { index: 0 }, 2).await, [0_i64; 0]);
    assert_eq!(at(PageAnchor::Before { index: i64::MIN }, 2).await, [0_i64; 0]);
    assert_eq!(at(PageAnchor::From { index: 8 }, 5).await, [8, 9]);
    assert_eq!(at(PageAnchor::From { index: i64::MAX }, 5).await, [0_i64; 0]);
    let message = |m: usize| PageAnchor::Message { id: MessageId(format!("message-1-{m}")) };
    assert_eq!(at(message(5), 4).await, [3, 4, 5, 6]);
    assert_eq!(at(message(0), 4).await, [0, 1, 2, 3]);
    assert_eq!(at(message(9), 4).await, [6, 7, 8, 9]);
    let all = page(&home, 1, PageAnchor::From { index: 0 }, 500).await;
    assert_eq!((all.total, all.session.message_count), (10, 10));
    assert_eq!(all.messages[4].text, "text 4");
    assert_eq!(all.messages[4].created_at, NOON - 5_000);
}

#[tokio::test]
async fn unknown_sessions_and_messages_are_not_found() {
    let home = TempHome::new();
    put(&home, [chat(1, NOON, &["a"]), chat(2, NOON, &["b"])]).await;
    let refused = |n, anchor| {
        let store = home.store.clone();
        let request = MessagePageRequest { session_id: session_id(n), anchor, limit: 0 };
        async move { code(store.message_page(request).await.expect_err("refused")) }
    };
    assert_eq!(refused(9, PageAnchor::End).await, ErrorCode::NotFound);
    let foreign = PageAnchor::Message { id: MessageId::from("message-2-0") };
    assert_eq!(refused(1, foreign).await, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_tool_row_has_its_name_arguments_and_state() {
    let home = TempHome::new();
    let mut lineage = chat(1, NOON, &["go", "on it", r#"{"output": "", "exit_code": 2}"#, "stray"]);
    let call = |id: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: "terminal".to_owned(),
        arguments: arguments.to_owned(),
    };
    lineage.messages[1].tool_calls =
        vec![call("a", r#"{"command": "ls"}"#), call("b", r#"{"command": "make"}"#)];
    lineage.messages[2].role = MessageRole::Tool;
    lineage.messages[2].call_id = Some("b".to_owned());
    lineage.messages[3].role = MessageRole::Tool;
    lineage.messages[3].call_id = Some("unknown".to_owned());
    put(&home, [lineage]).await;
    // The call lies outside the page, and its arguments are there all the same.
    let page = page(&home, 1, PageAnchor::End, 2).await;
    let tool = page.messages[0].tool.clone().expect("a tool row");
    assert_eq!((tool.name.as_str(), tool.state), ("terminal", ToolState::Failed));
    assert_eq!(tool.arguments.as_deref(), Some(r#"{"command": "make"}"#));
    let stray = page.messages[1].tool.clone().expect("a tool row");
    assert_eq!((stray.name.as_str(), stray.arguments, stray.state), ("tool", None, ToolState::Done));
}

#[tokio::test]
async fn dividers_have_a_place_and_are_not_counted() {
    let home = TempHome::new();
    let mut lineage = chat(1, NOON, &["a", "b", "summary", "copy", "c"]);
    lineage.messages[2].role = MessageRole::Summary;
    lineage.messages[3].shown = false;
    put(&home, [lineage]).await;
    let page = page(&home, 1, PageAnchor::From { index: 0 }, 0).await;
    assert_eq!(indices(&page), [0, 1, 2, 3], "without holes");
    assert_eq!(page.messages[3].text, "c");
    assert_eq!((page.total, page.session.message_count), (4, 3));
}

#[tokio::test]
async fn texts_that_name_a_file_are_found_by_exact_letters() {
    let home = TempHome::new();
    let texts = ["see MEDIA:/tmp/a.png", "MEDIA:/tmp/A.png", "/tmp/a.png without a tag", "MEDIA:/tmp/a_png"];
    let mut lineage = chat(1, NOON, &texts);
    lineage.messages[1].role = MessageRole::User;
    let mut hidden = chat(2, NOON, &["MEDIA:/tmp/a.png", "MEDIA:/tmp/a.png"]);
    hidden.messages[0].shown = false;
    hidden.messages[1].role = MessageRole::Tool;
    put(&home, [lineage, hidden]).await;
    let named = |n| {
        let store = home.store.clone();
        async move { store.texts_naming(&session_id(n), "/tmp/a.png").await.expect("an answer") }
    };
    assert_eq!(named(1).await, ["see MEDIA:/tmp/a.png"]);
    assert_eq!(named(2).await, [] as [String; 0], "only what a reader sees and a tool did not write");
}

#[tokio::test]
async fn a_preview_is_the_first_user_message_on_one_line() {
    let home = TempHome::new();
    let mut lineage = chat(1, NOON, &["copy", "assistant", "first\nline \u{202e}here"]);
    lineage.messages[0].shown = false;
    put(&home, [lineage]).await;
    let row = home.store.session_get(SessionRef { id: session_id(1) }).await.expect("a row");
    assert_eq!(row.preview.as_deref(), Some("first line here"));
}
