//! What the shell asks: whether a session has a window already, and whether the last one may close.

use super::*;

fn is_session(client: &ClientId) -> bool {
    client.as_str().starts_with("session-")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_window_is_asked_while_a_turn_runs_and_not_after_it() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    let app = &stage.host.app;
    assert!(!app.ask_before_quit(&"main".into()).await, "nothing runs");
    stage.server.say(gated("Once upon", "go", " a time"));
    let live = page.draft().await;
    page.submit(&live, "tell").await;
    page.streamed("Once upon").await;
    assert!(app.ask_before_quit(&"main".into()).await);
    page.until("the question", |event| matches!(event, AppEvent::QuitAsked).then_some(())).await;
    assert!(!app.ask_before_quit(&"nobody".into()).await, "a window without a page cannot be asked");
    stage.server.open("go");
    page.idle(&live).await;
    assert!(!app.ask_before_quit(&"main".into()).await, "it has ended");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_gets_one_window_of_its_own() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(Reply::text("yes"));
    let (_, id) = page.turn("one").await;
    let app = &stage.host.app;
    assert_eq!(app.session_to_open(id.clone()).await.unwrap().id, id);
    let gone = app.session_to_open("gone".into()).await.unwrap_err();
    assert_eq!(gone.code, ErrorCode::NotFound);

    page.ask::<Empty>("session_show", json!({ "id": id })).await.unwrap();
    assert_eq!(app.claim(&"session-1".into(), &id, is_session), None, "the main window does not count");
    assert_eq!(app.claim(&"session-2".into(), &id, is_session), Some("session-1".into()));
    // Its page loads, and shows something else later.
    app.page_gone(&"session-1".into());
    app.will_show(&"session-1".into(), id.clone());
    assert_eq!(app.claim(&"session-2".into(), &id, is_session), Some("session-1".into()));
    stage.page("session-1").ask::<Empty>("session_show", json!({})).await.unwrap();
    assert_eq!(app.claim(&"session-2".into(), &id, is_session), None);
    app.client_gone(&"session-2".into());
    assert_eq!(app.claim(&"session-3".into(), &id, is_session), None, "a closed window has nothing");
}
