//! Field report G8: a window that stays white, and what must not make one.

use crate::steps::{bring_in_answer, open_app, open_session, stage_with_sample};
use app_tests::desktop::{App, Page, Stage};
use serde_json::Value;

/// What the first start leaves when it shows nothing, and the choice that follows.
const MARKS: [&str; 2] = ["unpainted", "safe-graphics"];
const VARIABLE: &str = "WEBKIT_DISABLE_DMABUF_RENDERER=1";

/// Calls a command as the page does.
async fn call(page: &Page, name: &str) -> Value {
    let ask = "window.answer = undefined;
        window.__TAURI_INTERNALS__.invoke(args[0], {}).then((answer) => (window.answer = { answer }));
        return true";
    page.run(ask, &[name.into()]).await;
    page.wait_for(name, "return window.answer !== undefined").await;
    page.run("return window.answer.answer", &[]).await
}

fn marks(stage: &Stage) -> [bool; 2] {
    MARKS.map(|name| stage.talaria_home().join(name).exists())
}

/// Whether the process that draws the page was given the variable.
fn draws_safely(app: &App) -> bool {
    let id = app.process("WebKitWebProcess");
    let environment = std::fs::read(format!("/proc/{id}/environ")).expect("a process of this user");
    environment.split(|byte| *byte == 0).any(|set| set == VARIABLE.as_bytes())
}

#[tokio::test]
async fn the_start_after_a_white_window_draws_without_acceleration() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    assert!(!draws_safely(&app));
    assert_eq!(call(&app.page, "boot_status").await["safe_graphics"], false);
    app.close().await;
    assert_eq!(marks(&stage), [false, false], "a window that was drawn leaves no mark");

    // What a start leaves that has shown nothing for five seconds.
    std::fs::write(stage.talaria_home().join(MARKS[0]), "").expect("the mark");
    for start in ["the next start", "and the one after it"] {
        let app = open_app(&stage).await;
        assert!(draws_safely(&app), "{start}");
        assert_eq!(call(&app.page, "boot_status").await["safe_graphics"], true, "{start}");
        assert_eq!(marks(&stage), [false, true], "{start}");
        if start.starts_with("and") {
            call(&app.page, "graphics_reset").await;
        }
        app.close().await;
    }

    let app = open_app(&stage).await;
    assert!(!draws_safely(&app), "taken back");
    app.close().await;
}

#[tokio::test]
async fn a_chat_of_a_hundred_thousand_words_holds_up_neither_the_start_nor_the_window() {
    let stage = Stage::new();
    let text = "token ".repeat(100_000);
    bring_in_answer(&stage, "Huge", &format!("Its first words.\n\n{text}")).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    page.click_on(&page.row("Huge").await).await;
    page.find("heading", "Huge").await;
    page.wait_for("its first words", "return document.body.innerText.includes('Its first words.')").await;
    // The window goes on: another session opens.
    open_session(page, "Plain chat").await;
    // As the newest session of the home it does not hold up the next start either.
    app.close().await;
    let app = open_app(&stage).await;
    app.page.row("Huge").await;
    app.close().await;
}
