use super::*;
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn the_report_of_the_sample_adds_up() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    let probe = import::probe(&hermes.path()).await.expect("a probe");
    assert_eq!((probe.schema, probe.sessions, probe.messages, probe.archived), (22, 28, 204, 1));
    let report = imported(&home, &hermes.path()).await;
    let wanted = ImportReport {
        path: hermes.path().display().to_string(),
        source_sessions: 28,
        source_messages: 204,
        sessions: 28,
        messages: 204,
        // 28 rows, less three children of delegations and one continuation.
        listed: 24,
        lineages: 2,
        branches: 1,
        delegate_children: 3,
        notices: report.notices,
        tool_calls: report.tool_calls,
        archived: 1,
        empty: 1,
        // 15 copies in each of the two compressed sessions.
        unshown_messages: 30,
        unchanged: 0,
        skipped: Vec::new(),
        before: SessionCounts::default(),
        after: SessionCounts { active: 23, archived: 1, ..SessionCounts::default() },
        cancelled: false,
        elapsed_ms: report.elapsed_ms,
    };
    assert_eq!(report, wanted);
    let db = hermes.db();
    let count = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).expect("a count");
    let notices = "SELECT count(*) FROM messages WHERE role = 'user' AND (content LIKE '[IMPORTANT: %' \
                   OR content LIKE '[ASYNC DELEGATION%')";
    assert_eq!(report.notices, count(notices));
    let calls = "SELECT sum(json_array_length(tool_calls)) FROM messages WHERE tool_calls IS NOT NULL";
    assert_eq!(report.tool_calls, count(calls));
    assert!(home.store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn twenty_two_rows_are_listed_one_is_hidden_and_one_archived() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let said = rows(&home, ArchivedFilter::Exclude, 1).await;
    assert_eq!((said.rows.len(), said.counts.hidden), (22, 1));
    assert!(said.rows.is_sorted_by_key(|row| std::cmp::Reverse(row.last_active)));
    let archived = rows(&home, ArchivedFilter::Only, 0).await.rows;
    assert_eq!(archived.iter().map(|row| row.title.as_deref()).collect::<Vec<_>>(), [Some("Archived one")]);
    let empty = row(&home, "Titled empty draft").await;
    assert_eq!((empty.message_count, empty.preview), (0, None));
    let plain = row(&home, "Plain chat").await;
    assert_eq!(
        (plain.message_count, plain.workspace.as_deref(), plain.source.as_str(), plain.model.as_deref()),
        (4, Some("project"), "desktop", Some("fake-model"))
    );
    assert_eq!(row(&home, "Auto title 3b6f").await.folder, None);
    // The times of the file, in milliseconds.
    assert_eq!(plain.created_at, 1_796_070_048_683);
    assert!(row(&home, "Grüße 日本語 🚀").await.message_count > 0);
}

#[tokio::test]
async fn both_compressed_lineages_show_eighteen_messages_and_a_divider() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    for (title, last) in [
        ("Rotating project talk #2", "Echo: after rotation question"),
        ("Long project talk", "Echo: after compression question"),
    ] {
        let row = row(&home, title).await;
        let page = transcript(&home, &row.id).await;
        assert_eq!((row.message_count, page.total), (18, 19), "{title}");
        let dividers: Vec<i64> =
            page.messages.iter().filter(|m| m.role == MessageRole::Summary).map(|m| m.index).collect();
        assert_eq!(dividers, [16], "{title}: behind what was compressed");
        assert_eq!(texts(&page).last(), Some(&last));
        assert_eq!(page.messages.iter().filter(|m| m.text == "short question 7").count(), 1);
        assert_eq!(page.messages.iter().map(|m| m.index).collect::<Vec<_>>(), (0..19).collect::<Vec<_>>());
    }
    let all = rows(&home, ArchivedFilter::Include, 0).await.rows;
    let rotated =
        all.iter().filter(|row| row.title.as_deref().is_some_and(|t| t.starts_with("Rotating"))).count();
    assert_eq!(rotated, 1, "one row a lineage");
    let search = |query: &str| SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    };
    let found = home.store.session_search(search("short question 7")).await.expect("an answer");
    assert_eq!(found.message_count.n, 2, "a copy is not found twice");
}

#[tokio::test]
async fn tool_rows_have_their_calls_and_how_they_ended() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let page = transcript(&home, &row(&home, "Auto title 6014").await.id).await;
    let tools: Vec<_> = page.messages.iter().filter_map(|m| m.tool.as_ref()).collect();
    let names: Vec<_> = tools.iter().map(|tool| (tool.name.as_str(), tool.state)).collect();
    let done = ToolState::Done;
    assert_eq!(
        names,
        [("terminal", done), ("terminal", done), ("terminal", done), ("write_file", done), ("todo", done)]
    );
    assert_eq!(tools[0].arguments.as_deref(), Some(r#"{"command": "echo hi from tool"}"#));
    assert!(page.messages.iter().any(|m| m.reasoning.as_deref() == Some("Let me think about it.")));
    let asked = transcript(&home, &row(&home, "Auto title e139").await.id).await;
    let states: Vec<_> =
        asked.messages.iter().filter_map(|m| m.tool.as_ref()).map(|tool| tool.state).collect();
    assert_eq!(states, [ToolState::Done, ToolState::Denied]);
    let stopped = transcript(&home, &row(&home, "Auto title 7fe7").await.id).await;
    assert!(
        stopped.messages.iter().filter_map(|m| m.tool.as_ref()).any(|tool| tool.state == ToolState::Failed)
    );
}

#[tokio::test]
async fn notices_are_taken_apart_and_lead_to_the_child() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let notices = |title: &'static str| {
        let home = &home;
        async move {
            let page = transcript(home, &row(home, title).await.id).await;
            page.messages.into_iter().filter_map(|message| message.notice).collect::<Vec<_>>()
        }
    };
    let busy = notices("Auto title 00d5").await;
    assert!(busy.iter().all(|n| n.kind == NoticeKind::Completion && n.state == "exit 0" && !n.failed));
    assert!(busy.iter().any(|n| n.command.as_deref() == Some("sleep 2; echo x2") && n.output == "x2"));
    let watch = notices("Auto title 471c").await;
    assert_eq!((watch[0].kind, watch[0].state.as_str()), (NoticeKind::WatchMatch, "READY matched"));
    assert_eq!(watch[0].source_id.as_deref(), Some("proc_c88bb3678fa3"));
    for title in ["Auto title fd5f", "Auto title 97d1", "Sync delegation"] {
        let notice = notices(title).await.pop().expect("a notice");
        assert_eq!((notice.kind, notice.state.as_str()), (NoticeKind::Delegation, "done"));
        assert_eq!(notice.command.as_deref(), Some("CHILD echo hello"));
        assert_eq!(notice.output, "Echo: CHILD echo hello");
        let child = notice.child_session_id.expect("a link");
        let page = transcript(&home, &child).await;
        assert_eq!(texts(&page), ["CHILD echo hello", "Echo: CHILD echo hello"]);
        assert_eq!(page.session.source, "subagent");
    }
}

#[tokio::test]
async fn a_branch_is_a_row_of_its_own() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let (root, branch) = (row(&home, "Auto title 7fe7").await, row(&home, "Auto title 7fe7 #2").await);
    assert_eq!((root.message_count, branch.message_count), (8, 4));
    assert_ne!(root.id, branch.id);
}

#[tokio::test]
async fn media_tags_are_kept_word_for_word() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    imported(&home, &hermes.path()).await;
    let id = row(&home, "Media reply").await.id;
    let text = transcript(&home, &id)
        .await
        .messages
        .into_iter()
        .find(|m| m.text.contains("MEDIA:"))
        .expect("a tag")
        .text;
    let original: String = hermes
        .db()
        .query_row(
            "SELECT content FROM messages WHERE session_id = '20261130_203129_da0cd6' AND role = 'assistant'",
            [],
            |row| row.get(0),
        )
        .expect("the original");
    assert_eq!(text, original);
    assert_eq!(home.store.texts_naming(&id, "/").await.expect("an answer"), [text]);
}

#[tokio::test]
async fn progress_goes_up_to_the_end() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell = Arc::clone(&told);
    let progress = move |progress: ImportProgress| tell.lock().expect("a lock").push(progress);
    import::run(&home.store, &hermes.path(), CancellationToken::new(), progress).await.expect("an import");
    let told = told.lock().expect("a lock");
    assert!(told.is_sorted_by_key(|progress| progress.done));
    assert!(told.iter().all(|progress| progress.total == 28));
    let last = told.last().expect("progress");
    assert_eq!((told[0].done, last.done, last.current.as_deref()), (0, 28, None));
    assert!(told.iter().any(|progress| progress.current.as_deref() == Some("Plain chat")));
}

#[tokio::test]
async fn cancelling_keeps_whole_sessions_and_a_later_import_the_rest() {
    let (home, hermes) = (TempHome::new(), Hermes::sample());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let mut at_hand = 0;
    let progress = move |_: ImportProgress| {
        at_hand += 1;
        if at_hand == 10 {
            stop.cancel();
        }
    };
    let report = import::run(&home.store, &hermes.path(), cancel, progress).await.expect("a report");
    assert!(report.cancelled);
    assert!((10..28).contains(&report.sessions), "{}", report.sessions);
    for session in rows(&home, ArchivedFilter::Include, 0).await.rows {
        let page = transcript(&home, &session.id).await;
        let counted = page.messages.iter().filter(|m| m.role != MessageRole::Summary).count();
        assert_eq!(counted as i64, session.message_count, "{:?} is whole", session.title);
    }
    let rest = imported(&home, &hermes.path()).await;
    assert_eq!((rest.sessions + report.sessions, rest.unchanged), (28, report.sessions));
    assert_eq!(rest.before, report.after);
    assert_eq!(rows(&home, ArchivedFilter::Exclude, 1).await.rows.len(), 22);
}
