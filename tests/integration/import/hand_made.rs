//! Lineages that the sample does not have.

use super::*;

#[tokio::test]
async fn a_chain_of_sixty_is_one_row_with_every_message_once() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    let name = |n: usize| format!("s{n:02}");
    for n in 0..60 {
        let parent = (n > 0).then(|| name(n - 1));
        hermes.session(&name(n), n as i64 * 10, parent.as_deref(), (n < 59).then_some("compression"));
        if n > 0 {
            hermes.message(&name(n), "assistant", &format!("[CONTEXT COMPACTION] {n}"), n as i64 * 10);
            hermes.message(&name(n), "assistant", &format!("answer {}", n - 1), n as i64 * 10 + 1);
        }
        hermes.message(&name(n), "user", &format!("question {n}"), n as i64 * 10 + 2);
        hermes.message(&name(n), "assistant", &format!("answer {n}"), n as i64 * 10 + 3);
    }
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.sessions, report.listed, report.lineages), (60, 1, 1));
    let list = rows(&home, ArchivedFilter::Include, 1).await.rows;
    assert_eq!(list.len(), 1);
    assert_eq!((list[0].title.as_deref(), list[0].message_count), (Some("Title s59"), 120));
    let page = transcript(&home, &list[0].id).await;
    let said: Vec<_> =
        page.messages.iter().filter(|m| m.role != MessageRole::Summary).map(|m| m.text.clone()).collect();
    let wanted: Vec<_> = (0..60).flat_map(|n| [format!("question {n}"), format!("answer {n}")]).collect();
    assert_eq!(said, wanted);
    assert_eq!(page.total, 120 + 59);
}

#[tokio::test]
async fn a_circle_of_parents_loses_nothing() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    for (id, parent, at) in [("a", "c", 0), ("b", "a", 1), ("c", "b", 2), ("self", "self", 3)] {
        hermes.session(id, at, Some(parent), Some("compression"));
        hermes.message(id, "user", &format!("said in {id}"), at);
    }
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.sessions, report.listed, report.skipped.len()), (4, 2, 0));
    let page = transcript(&home, &row(&home, "Title c").await.id).await;
    assert_eq!(texts(&page), ["said in a", "said in b", "said in c"]);
    assert_eq!(texts(&transcript(&home, &row(&home, "Title self").await.id).await), ["said in self"]);
}

#[tokio::test]
async fn a_child_whose_parent_is_gone_is_a_plain_row() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    hermes.session("orphan", 0, Some("gone"), None);
    hermes.message("orphan", "user", "still here", 0);
    hermes.db().execute("UPDATE sessions SET title = NULL", []).expect("untitled");
    imported(&home, &hermes.path()).await;
    let list = rows(&home, ArchivedFilter::Exclude, 1).await.rows;
    assert_eq!((list[0].title.as_deref(), list[0].preview.as_deref()), (None, Some("still here")));
}

#[tokio::test]
async fn undone_messages_and_unknown_roles_are_kept_and_not_shown() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    hermes.session("s", 0, None, None);
    hermes.message("s", "user", "undone", 0);
    hermes.message("s", "session_meta", "{}", 1);
    hermes.message("s", "user", "kept", 2);
    hermes.db().execute("UPDATE messages SET active = 0 WHERE content = 'undone'", []).expect("undone");
    let report = imported(&home, &hermes.path()).await;
    assert_eq!((report.messages, report.unshown_messages), (3, 2));
    let row = row(&home, "Title s").await;
    assert_eq!((row.message_count, row.preview.as_deref()), (1, Some("kept")));
    assert_eq!(texts(&transcript(&home, &row.id).await), ["kept"]);
}

#[tokio::test]
async fn structured_content_and_strange_times_are_read() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    hermes.session("s", 0, None, None);
    let parts = "\0json:[{\"type\":\"text\",\"text\":\"look at\"},{\"type\":\"image_url\",\"image_url\":{}}]";
    hermes.message("s", "user", parts, 0);
    hermes.message("s", "assistant", "second", 50);
    hermes.message("s", "user", "third", 20);
    hermes
        .db()
        .execute("UPDATE messages SET timestamp = '2026-05-01T14:10:34Z' WHERE content = 'second'", [])
        .expect("text");
    imported(&home, &hermes.path()).await;
    let page = transcript(&home, &row(&home, "Title s").await.id).await;
    assert_eq!(
        texts(&page),
        ["look at\n[image_url]", "second", "third"],
        "by number, although times go back"
    );
    assert_eq!(page.messages[1].created_at, 1_777_644_634_000);
    assert_eq!(page.session.last_active, (START + 20) * 1000);
}

#[tokio::test]
async fn lineages_of_the_same_moment_have_an_order_of_their_own() {
    let (home, hermes) = (TempHome::new(), Hermes::empty());
    for n in 0..5 {
        let id = format!("s{n}");
        hermes.session(&id, 0, None, None);
        hermes.message(&id, "user", "hi", 0);
    }
    imported(&home, &hermes.path()).await;
    let mut seen = Vec::new();
    let mut cursor = None;
    loop {
        let request = SessionListRequest { limit: 2, cursor, ..SessionListRequest::default() };
        let page = home.store.session_list(request).await.expect("a list");
        assert!(page.rows.iter().all(|row| row.last_active == START * 1000));
        seen.extend(page.rows.into_iter().filter_map(|row| row.title));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, ["Title s4", "Title s3", "Title s2", "Title s1", "Title s0"]);
}
