use super::*;

#[tokio::test]
async fn a_typed_title_is_cleaned_stored_and_cleared() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"])]).await;
    let answer = home.store.session_update(rename(1, "  new\u{202e}\n name ")).await.expect("renamed");
    assert_eq!((answer.title.as_deref(), answer.archived), (Some("new name"), None));
    let kept = home.store.session_update(archive(1, true)).await.expect("archived");
    assert_eq!(kept.title.as_deref(), Some("new name"), "absent is unchanged");
    let cleared = home.store.session_update(rename(1, "")).await.expect("cleared");
    assert_eq!((cleared.title, cleared.row.title), (None, None));
}

#[tokio::test]
async fn a_session_may_keep_its_own_title_and_take_one_from_the_trash() {
    let home = TempHome::new();
    put(&home, [titled(1, "one", &["x"]), titled(2, "two", &["x"])]).await;
    home.store.session_update(rename(1, "one")).await.expect("its own");
    home.store.session_delete(delete(2, DeleteMode::Trash)).await.expect("in the trash");
    home.store.session_update(rename(1, "two")).await.expect("free while it is in the trash");
    let back = home.store.session_restore(restore(2)).await.expect("restored");
    assert_eq!(back.title.as_deref(), Some("two #2"));
}

#[tokio::test]
async fn automatic_clashes_take_the_lowest_free_number() {
    let home = TempHome::new();
    put(&home, [titled(1, "Fix", &["x"]), titled(2, "Fix", &["x"]), titled(3, "Fix #2", &["x"])]).await;
    let titles: Vec<_> = list(&home, SessionListRequest::default()).await.rows;
    let titles: Vec<_> = titles.iter().filter_map(|row| row.title.as_deref()).collect();
    assert_eq!(titles, ["Fix #3", "Fix #2", "Fix"]);
}

#[tokio::test]
async fn a_number_fits_into_a_full_title() {
    let home = TempHome::new();
    let full = "x".repeat(100);
    put(&home, [titled(1, &full, &["x"]), titled(2, &full, &["x"])]).await;
    let row = home.store.session_get(SessionRef { id: session_id(2) }).await.expect("a row");
    let title = row.title.expect("a title");
    assert_eq!((title.chars().count(), title.ends_with("… #2")), (100, true), "{title}");
}
