use super::*;

async fn draft(home: &TempHome, client: &str, n: Option<usize>) -> Draft {
    let request = DraftGetRequest { session_id: n.map(session_id) };
    home.store.draft_get(&ClientId::from(client), request).await.expect("a draft")
}

async fn type_draft(home: &TempHome, client: &str, n: Option<usize>, text: &str, folder: Option<&str>) {
    let request = DraftSetRequest {
        session_id: n.map(session_id),
        text: text.to_owned(),
        folder: folder.map(str::to_owned),
    };
    home.store.draft_set(&ClientId::from(client), request).await.expect("stored");
}

#[tokio::test]
async fn drafts_belong_to_one_session_or_one_window_and_survive() {
    let home = TempHome::new();
    put(&home, [titled(1, "a", &["x"]), titled(2, "b", &["x"])]).await;
    type_draft(&home, "main", Some(1), "for a", None).await;
    type_draft(&home, "main", None, "unsaved", Some("/home/user")).await;
    type_draft(&home, "second", None, "other window", None).await;
    let home = home.reopened().await;
    assert_eq!(draft(&home, "second", Some(1)).await.text, "for a", "whichever window asks");
    assert_eq!(draft(&home, "main", Some(2)).await, Draft::default());
    let unsaved = Draft { text: "unsaved".to_owned(), folder: Some("/home/user".to_owned()) };
    assert_eq!(draft(&home, "main", None).await, unsaved);
    assert_eq!(draft(&home, "second", None).await.text, "other window");
    type_draft(&home, "main", Some(1), "", None).await;
    type_draft(&home, "main", None, "", None).await;
    assert_eq!(draft(&home, "main", Some(1)).await, Draft::default());
    assert_eq!(draft(&home, "main", None).await, Draft::default());
    let unknown = DraftGetRequest { session_id: Some(session_id(9)) };
    let refused = home.store.draft_get(&ClientId::from("main"), unknown).await.expect_err("refused");
    assert_eq!(code(refused), ErrorCode::NotFound);
}

#[tokio::test]
async fn a_draft_does_not_move_its_session() {
    let home = TempHome::new();
    put(&home, [titled(1, "a", &["x"]), titled(2, "b", &["x"])]).await;
    type_draft(&home, "main", Some(1), "text", None).await;
    assert_eq!(numbers(&list(&home, SessionListRequest::default()).await.rows), [2, 1]);
}

#[tokio::test]
async fn settings_have_defaults_keep_what_is_given_and_survive() {
    let home = TempHome::new();
    assert_eq!(home.store.settings_get().await.expect("settings"), Settings::default());
    let patch = SettingsPatch {
        theme: Some(Theme::Dark),
        sidebar_width: Some(9999),
        closed_groups: Some(vec!["/a".to_owned()]),
        ..SettingsPatch::default()
    };
    let wanted = Settings {
        theme: Theme::Dark,
        sidebar_width: 480,
        closed_groups: vec!["/a".to_owned()],
        ..Settings::default()
    };
    assert_eq!(home.store.settings_update(patch).await.expect("stored"), wanted);
    let home = home.reopened().await;
    let done = SettingsPatch { setup_done: Some(true), ..SettingsPatch::default() };
    let wanted = Settings { setup_done: true, ..wanted };
    assert_eq!(home.store.settings_update(done).await.expect("stored"), wanted);
}

#[tokio::test]
async fn a_strange_value_loses_only_itself() {
    let home = TempHome::new();
    home.raw()
        .execute_batch(
            "INSERT INTO settings VALUES ('theme', '\"neon\"'), ('sidebar_width', '7'), ('show_empty', 'true'), \
             ('of_a_later_version', '1'), ('setup_done', 'not json')",
        )
        .expect("rows by hand");
    let settings = home.store.settings_get().await.expect("settings");
    assert_eq!(settings, Settings { show_empty: true, ..Settings::default() });
}

#[tokio::test]
async fn a_store_is_empty_until_it_has_a_session_of_any_state() {
    let home = TempHome::new();
    assert!(home.store.is_empty().await.expect("an answer"));
    put(&home, [titled(1, "a", &[])]).await;
    home.store.session_delete(delete(1, DeleteMode::Trash)).await.expect("deleted");
    assert!(!home.store.is_empty().await.expect("an answer"));
}
