//! Turns from the first letter to the stored row; how they are stopped, how they fail.

use super::*;
use crate::steps::open_session;

/// Where the model is asked.
const CHAT: &str = "POST /v1/chat/completions";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_first_prompt_streams_and_its_session_stands_after_a_restart() {
    let connected = Connected::new().await;
    connected.server.say(in_parts(&[words(0..5), words(5..10)]));
    let app = connected.open().await;
    let page = &app.page;
    send(page, "Count for me").await;
    connected.server.reached("1").await;
    has_said(page, 5).await;
    page.find_starting("row", "Count for me, running").await;
    page.screenshot("live-streaming").await;
    connected.server.open("1");
    at_rest(page).await;
    has_said(page, 10).await;
    let quiet = "return page.all('row', args[0], 'starts').length === 1
        && !page.first('row', `${args[0]}, running`, 'starts')";
    page.wait_with("the row without its mark", quiet, &[json!(NAME)]).await;
    app.close().await;

    let app = connected.open().await;
    open_session(&app.page, NAME).await;
    has_said(&app.page, 10).await;
    app.page.wait_for(
        "the prompt",
        "return page.all('article').filter((row) => page.text(row).includes('Count for me')).length === 1",
    )
    .await;
    assert_eq!(connected.server.unsaid(), 0);
    app.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn stop_ends_a_stream_and_keeps_what_came() {
    let connected = Connected::new().await;
    connected.server.say(in_parts(&[words(0..5), words(5..10)]));
    let app = connected.open().await;
    let page = &app.page;
    send(page, "Count for me").await;
    connected.server.reached("1").await;
    has_said(page, 5).await;
    page.click("button", "Stop").await;
    // The model's connection is let go while its stream still has more to say.
    connected.server.wait_left(1).await;
    at_rest(page).await;
    has_said(page, 5).await;
    page.wait_for(
        "words for the end",
        "return page.all('article').some((row) => page.text(row).includes('Stopped before it was finished.'))",
    )
    .await;
    page.screenshot("live-stopped").await;
    app.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_failed_turn_says_why_and_is_tried_again() {
    let connected = Connected::new().await;
    let app = connected.open().await;
    let page = &app.page;
    // Each request gets it: the client tries such a failure again by itself.
    connected.server.route(CHAT, Reply::error(500, "The machine is on fire"));
    send(page, "Count for me").await;
    page.reads("alert", "The machine is on fire").await;
    page.screenshot("live-failed").await;
    connected.server.route(CHAT, Reply::text(&words(0..5)));
    page.click("button", "Retry").await;
    has_said(page, 5).await;
    at_rest(page).await;
    page.wait_for(
        "one prompt and no failure",
        "return page.all('article', 'You', 'starts').length === 1
        && !page.first('alert')",
    )
    .await;
    app.close().await;
}
