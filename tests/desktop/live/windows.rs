//! One session, two windows: who hears what, and how it moves.

use super::*;
use crate::steps::{choose_for, titles};
use fantoccini::wd::WindowHandle;
use std::time::Instant;

const POLL: Duration = Duration::from_millis(50);

/// Writes down all that comes by a channel of this page, as whoever runs in it could. What the page itself set up stays.
const SPY: &str = "window.heard = [];
    const { callbacks } = window.__TAURI_INTERNALS__;
    for (const [id, callback] of [...callbacks]) {
        callbacks.set(id, (data) => { window.heard.push(JSON.stringify(data)); return callback(data); });
    }
    return callbacks.size";

async fn second_window(page: &Page, main: &WindowHandle) -> WindowHandle {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let all = page.client().windows().await.expect("the driver lists the windows");
        if let Some(own) = all.into_iter().find(|window| window != main) {
            return own;
        }
        assert!(Instant::now() < deadline, "there is no second window");
        tokio::time::sleep(POLL).await;
    }
}

async fn turn_to(page: &Page, window: &WindowHandle) {
    page.client().switch_to_window(window.clone()).await.expect("the window is there");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_is_heard_by_its_window_alone_and_moves_whole() {
    let connected = Connected::new().await;
    connected.server.say(in_parts(&[words(0..500), words(500..1000), words(1000..1500)]));
    let app = connected.open().await;
    let page = &app.page;
    let main = page.client().window().await.expect("a window");
    let title = titles(page).await.swap_remove(0);
    choose_for(page, &title, "Open in new window").await;
    let own = second_window(page, &main).await;
    assert!(
        page.run(SPY, &[]).await.as_u64().is_some_and(|channels| channels > 0),
        "no channel to listen at"
    );
    let listened = invoke(
        page,
        "plugin:event|listen",
        json!({
        "event": "tauri://any", "target": { "kind": "Any" }, "handler": 1 }),
    )
    .await;
    assert!(listened.get("error").is_some(), "a page may listen to all: {listened}");

    turn_to(page, &own).await;
    page.find("heading", &title).await;
    send(page, "Count for me").await;
    connected.server.reached("1").await;
    has_said(page, 500).await;

    turn_to(page, &main).await;
    page.find_starting("row", &format!("{title}, running")).await;
    let heard: Vec<String> =
        serde_json::from_value(page.run("return window.heard", &[]).await).expect("texts");
    assert!(heard.iter().any(|event| event.contains("sessions_changed")), "the spy is deaf: {heard:?}");
    let content = |event: &&String| event.contains("live_changed") || event.contains("w1 ");
    assert_eq!(heard.iter().find(content), None, "another window's stream was heard");

    page.click_on(&page.row(&title).await).await;
    page.reads("status", "This session is open in another window.").await;
    page.screenshot("live-elsewhere").await;
    page.click("button", "Move to this window").await;
    has_said(page, 500).await;
    connected.server.open("1");
    connected.server.reached("2").await;
    has_said(page, 1000).await;
    turn_to(page, &own).await;
    page.reads("status", "Moved to another window").await;
    page.screenshot("live-moved").await;
    turn_to(page, &main).await;
    connected.server.open("2");
    at_rest(page).await;
    has_said(page, 1500).await;
    app.close().await;
}
