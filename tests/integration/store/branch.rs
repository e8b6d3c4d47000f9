use super::*;
use talaria_core::store::{NewSession, Origin, Relation};

async fn branched(home: &TempHome, n: usize, message: Option<&str>) -> Result<SessionRow, StoreError> {
    let message_id = message.map(MessageId::from);
    home.store.session_branch(SessionBranchRequest { id: session_id(n), message_id }).await
}

/// The whole transcript.
async fn transcript(home: &TempHome, id: &SessionId) -> Vec<MessageRow> {
    let mut rows: Vec<MessageRow> = Vec::new();
    loop {
        let anchor = PageAnchor::From { index: rows.len() as i64 };
        let request = MessagePageRequest { session_id: id.clone(), anchor, limit: 500 };
        let page = home.store.message_page(request).await.expect("a page");
        rows.extend(page.messages);
        if rows.len() as i64 >= page.total {
            return rows;
        }
    }
}

/// The rows with the ids of these ones: what is left to compare is everything a reader sees.
fn with_ids_of(rows: &[MessageRow], ids: &[MessageRow]) -> Vec<MessageRow> {
    rows.iter().zip(ids).map(|(row, other)| MessageRow { id: other.id.clone(), ..row.clone() }).collect()
}

/// Relation and parent of a lineage's sessions, and whether each has ended.
fn sessions(home: &TempHome, tip: &SessionId) -> Vec<(String, Option<String>, bool)> {
    let db = home.raw();
    let mut statement = db
        .prepare(
            "SELECT relation, parent, ended_at IS NOT NULL FROM sessions WHERE lineage = \
             (SELECT lineage FROM sessions WHERE id = ?1) ORDER BY position",
        )
        .expect("a query");
    let rows = statement.query_map([tip.as_str()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Texts of a lineage's rows in the writer's order, those that are not shown in brackets.
fn kept(home: &TempHome, tip: &SessionId) -> Vec<String> {
    let db = home.raw();
    let mut statement = db
        .prepare(
            "SELECT iif(place IS NULL, '(' || text || ')', text) FROM messages WHERE lineage = \
             (SELECT lineage FROM sessions WHERE id = ?1) ORDER BY seq",
        )
        .expect("a query");
    let rows = statement.query_map([tip.as_str()], |row| row.get(0));
    rows.expect("rows").map(|row| row.expect("a row")).collect()
}

/// Session 1 was compressed: it goes on in session 21, whose first rows repeat its last ones.
fn compressed() -> NewLineage {
    let mut lineage = titled(1, "Plan", &["a", "b", "c", "d", "summary", "c", "d", "e", "f"]);
    let tip = NewSession {
        id: session_id(21),
        relation: Relation::Continuation,
        parent: Some(session_id(1)),
        model: Some("second-model".to_owned()),
        ..lineage.sessions[0].clone()
    };
    lineage.sessions[0].model = Some("first-model".to_owned());
    lineage.sessions[0].end_reason = Some("compression".to_owned());
    lineage.sessions.push(tip);
    lineage.messages[4].role = MessageRole::Summary;
    for (at, message) in lineage.messages.iter_mut().enumerate() {
        message.session = usize::from(at >= 4);
        message.shown = !(5..7).contains(&at);
    }
    lineage
}

#[tokio::test]
async fn a_duplicate_is_a_session_of_its_own_with_all_rows() {
    let home = TempHome::new();
    let mut lineage = in_folder(titled(1, "Plan", &["go", "on it", r#"{"exit_code": 2}"#]), "/home/u/work");
    lineage.sessions[0].model = Some("some-model".to_owned());
    lineage.sessions[0].git_branch = Some("main".to_owned());
    lineage.messages[1].reasoning = Some("let me see".to_owned());
    lineage.messages[1].tool_calls =
        vec![ToolCall { id: "a".to_owned(), name: "terminal".to_owned(), arguments: "{}".to_owned() }];
    lineage.messages[2].role = MessageRole::Tool;
    lineage.messages[2].call_id = Some("a".to_owned());
    put(&home, [lineage, titled(2, "Newer", &["x"])]).await;
    home.store.session_pin(pin(1, None)).await.expect("pinned");
    home.store.session_mark(SessionMarkRequest { id: session_id(1), unread: true }).await.expect("marked");
    let before = home.store.session_get(SessionRef { id: session_id(1) }).await.expect("a row");

    let copy = branched(&home, 1, None).await.expect("a copy");
    let expected = SessionRow {
        id: copy.id.clone(),
        title: Some("Plan #2".to_owned()),
        created_at: NOON,
        last_active: NOON,
        is_active: true,
        unread: false,
        pinned: false,
        pin_rank: None,
        ..before.clone()
    };
    assert_eq!(copy, expected);
    assert_eq!(
        (copy.message_count, copy.model.as_deref(), copy.git_branch.as_deref()),
        (3, Some("some-model"), Some("main"))
    );
    let first = &list(&home, SessionListRequest::default()).await.rows[0];
    assert_eq!(first.id, copy.id, "at the top, though another was active later than now");
    let (old, new) = (transcript(&home, &before.id).await, transcript(&home, &copy.id).await);
    assert!(old.iter().zip(&new).all(|(a, b)| a.id != b.id));
    assert_eq!(with_ids_of(&new, &old), old);
    assert_eq!(
        new[2].tool.as_ref().and_then(|tool| tool.arguments.as_deref()),
        Some("{}"),
        "linked to its call"
    );
    assert_eq!(sessions(&home, &copy.id), [("root".to_owned(), None, false)]);
    assert_eq!(home.store.session_get(SessionRef { id: session_id(1) }).await.expect("a row"), before);
    assert!(home.store.counts_hold().await.expect("counts"));
}

#[tokio::test]
async fn a_fork_ends_with_its_row_and_names_where_it_came_from() {
    let home = TempHome::new();
    put(&home, [titled(1, "Plan", &["one", "two needles", "three", "four"]), chat(2, NOON, &["x"])]).await;
    let copy = branched(&home, 1, Some("message-1-1")).await.expect("a fork");
    assert_eq!(kept(&home, &copy.id), ["one", "two needles"]);
    assert_eq!((copy.message_count, copy.preview.as_deref()), (2, Some("one")));
    assert_eq!(sessions(&home, &copy.id), [("branch".to_owned(), Some("session-1".to_owned()), false)]);
    let again = branched(&home, 1, Some("message-1-0")).await.expect("a fork");
    assert_eq!(again.title.as_deref(), Some("Plan #3"));
    assert_eq!(branched(&home, 2, None).await.expect("a copy").title, None, "untitled stays so");
    let search = SearchRequest {
        query: "needles".to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    };
    let found = home.store.session_search(search).await.expect("an answer");
    let mut ids: Vec<_> = found.messages.iter().map(|hit| hit.row.id.as_str()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [copy.id.as_str(), "session-1"], "both say it");
}

#[tokio::test]
async fn a_copy_keeps_what_the_model_was_told_of_a_compression() {
    let home = TempHome::new();
    put(&home, [compressed()]).await;
    let all = branched(&home, 21, None).await.expect("a copy");
    assert_eq!(kept(&home, &all.id), kept(&home, &session_id(21)));
    assert_eq!((all.message_count, all.model.as_deref()), (6, Some("second-model")));
    let told = sessions(&home, &all.id);
    assert_eq!((told.len(), told[0].2, told[1].2), (2, true, false), "the second goes on");
    assert_eq!((told[0].0.as_str(), told[1].0.as_str()), ("root", "continuation"));
    assert!(told[1].1.as_deref().is_some_and(|parent| parent.len() == 36), "{told:?}");

    let at_divider = branched(&home, 1, Some("message-1-4")).await.expect("a fork");
    assert_eq!(kept(&home, &at_divider.id), ["a", "b", "c", "d", "summary", "(c)", "(d)"]);
    assert_eq!(at_divider.message_count, 4);
    assert_eq!(sessions(&home, &at_divider.id)[0].1.as_deref(), Some("session-21"));

    let before = branched(&home, 21, Some("message-1-1")).await.expect("a fork");
    assert_eq!(kept(&home, &before.id), ["a", "b"]);
    assert_eq!(sessions(&home, &before.id), [("branch".to_owned(), Some("session-1".to_owned()), false)]);
    assert_eq!(before.model.as_deref(), Some("first-model"), "as it was then");
    let old = transcript(&home, &session_id(21)).await;
    for copy in [all, at_divider, before] {
        let new = transcript(&home, &copy.id).await;
        assert_eq!(with_ids_of(&new, &old), old[..new.len()]);
    }
}

#[tokio::test]
async fn a_copy_can_be_made_of_an_archived_session_and_of_a_sub_agents_but_not_from_the_trash() {
    let home = TempHome::new();
    let mut child = titled(3, "Child", &["goal"]);
    child.kind = LineageKind::Delegate { owner: session_id(1) };
    put(&home, [archived(titled(1, "Old", &["x"])), titled(2, "Gone", &["x"]), child]).await;
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("deleted");
    let copy = branched(&home, 1, None).await.expect("a copy");
    assert_eq!((copy.archived, copy.title.as_deref()), (false, Some("Old #2")));
    let of_child = branched(&home, 3, Some("message-3-0")).await.expect("a fork");
    assert_eq!(of_child.title.as_deref(), Some("Child"), "a title that no listed session has");
    home.store
        .session_pin(SessionPinRequest { id: of_child.id.clone(), pinned: true, rank: None })
        .await
        .expect("a listed session");
    let listed = list(&home, SessionListRequest::default()).await;
    assert_eq!((listed.rows.len(), listed.counts.active, listed.counts.archived), (2, 2, 1));
    let refused = branched(&home, 2, None).await.expect_err("refused");
    assert_eq!(code(refused), ErrorCode::BadRequest);
    home.store.session_delete(delete(1, DeleteMode::Purge)).await.expect("gone");
    assert_eq!(
        list(&home, SessionListRequest::default()).await.rows.len(),
        2,
        "copies stay when the first goes"
    );
    assert!(home.store.counts_hold().await.expect("counts"));
}

#[tokio::test]
async fn a_session_or_a_row_that_is_not_there_cannot_be_copied() {
    let home = TempHome::new();
    put(&home, [compressed(), titled(2, "Other", &["x"])]).await;
    for (n, message) in [(9, None), (1, Some("message-2-0")), (1, Some("unknown")), (1, Some("message-1-5"))]
    {
        assert_eq!(code(branched(&home, n, message).await.expect_err("refused")), ErrorCode::NotFound);
    }
    assert_eq!(home.store.counts().await.expect("counts").active, 2, "nothing is left of a refused copy");
}

#[tokio::test]
async fn an_import_takes_no_copy_for_what_it_brought() {
    let home = TempHome::new();
    let mut lineage = titled(1, "Plan", &["one", "two"]);
    lineage.sessions[0].origin = Some(Origin { id: "origin".to_owned(), mark: "2".to_owned() });
    for (at, message) in lineage.messages.iter_mut().enumerate() {
        message.origin_seq = Some(at as i64);
    }
    put(&home, [lineage.clone()]).await;
    let copy = branched(&home, 1, None).await.expect("a copy");
    let mut grown = titled(1, "Plan", &["one", "two", "three"]);
    grown.sessions[0].origin = Some(Origin { id: "origin".to_owned(), mark: "3".to_owned() });
    for (at, message) in grown.messages.iter_mut().enumerate() {
        message.origin_seq = Some(at as i64);
    }
    let put = home.store.lineage_put(Arc::new(grown)).await.expect("an answer");
    assert_eq!(put, Put::Extended { sessions: 0, messages: 1 }, "the first is still the import's");
    assert_eq!(kept(&home, &copy.id), ["one", "two"]);
    home.store
        .session_delete(SessionDeleteRequest { id: copy.id, mode: DeleteMode::Purge })
        .await
        .expect("gone");
    let put = home.store.lineage_put(Arc::new(lineage)).await.expect("an answer");
    assert_ne!(put, Put::Deleted, "a copy that was deleted leaves no mark on its first");
}

#[tokio::test]
async fn a_session_without_messages_can_be_duplicated() {
    let home = TempHome::new();
    put(&home, [titled(1, "Empty", &[])]).await;
    let copy = branched(&home, 1, None).await.expect("a copy");
    assert_eq!((copy.message_count, copy.title.as_deref(), copy.preview), (0, Some("Empty #2"), None));
}

#[tokio::test]
async fn fifty_thousand_messages_are_copied_in_their_order() {
    let home = TempHome::new();
    let texts: Vec<String> = (0..50_000).map(|n| format!("text {n} of many")).collect();
    let mut lineage = chat(1, NOON, &texts);
    // Many in one millisecond: their keys run far ahead of their time.
    for message in &mut lineage.messages[20_000..30_000] {
        message.created_at = NOON;
    }
    put(&home, [lineage]).await;
    let copy = branched(&home, 1, None).await.expect("a copy");
    assert_eq!(copy.message_count, 50_000);
    assert_eq!(kept(&home, &copy.id), texts);
    let request =
        MessagePageRequest { session_id: copy.id, anchor: PageAnchor::From { index: 25_000 }, limit: 1 };
    assert_eq!(home.store.message_page(request).await.expect("a page").messages[0].text, texts[25_000]);
}
