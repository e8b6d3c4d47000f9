//! The last window is closed while a turn is under way.

use super::*;
use crate::steps::open_session;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_last_window_asks_before_it_ends_a_turn() {
    let connected = Connected::new().await;
    connected.server.say(in_parts(&[words(0..5), words(5..10)]));
    let app = connected.open().await;
    let page = &app.page;
    send(page, "Count for me").await;
    connected.server.reached("1").await;
    has_said(page, 5).await;
    let title = page.client().title().await.expect("a title");
    connected.stage.close_window(&title);
    page.find("heading", "Quit while work runs?").await;
    page.screenshot("live-quit").await;
    page.click("button", "Cancel").await;
    page.gone("heading", "Quit while work runs?").await;
    page.find("button", "Stop").await;

    connected.stage.close_window(&title);
    // By the page's own hand and a moment later: the driver has no answer for a click that ends the app.
    page.find("button", "Stop and quit").await;
    page.run("const stop = page.first('button', 'Stop and quit'); setTimeout(() => stop.click())", &[]).await;
    app.ended().await;
    connected.server.wait_left(1).await;

    let app = connected.open().await;
    open_session(&app.page, "Count for me").await;
    has_said(&app.page, 5).await;
    app.page
        .wait_for(
            "words for the end",
            "return page.all('article').some((row) => page.text(row).includes('Stopped before it was finished.'))",
        )
        .await;
    app.close().await;
}
