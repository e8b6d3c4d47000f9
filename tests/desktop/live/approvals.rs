//! A command that waits for its user.

use super::*;

/// Longer than a line, so that a shortened command would show.
const COMMAND: &str = "echo it-ran; echo a-first-word-that-is-rather-long; echo another-word-that-is-rather-long; \
    echo one-more-word-that-is-rather-long; echo the-last-word";

/// A session whose model asks for the command.
async fn asked(connected: &Connected) -> App {
    connected.server.say(terminal(COMMAND)).say(Reply::text("As you wish"));
    let app = connected.open().await;
    send(&app.page, "Run it").await;
    app.page.find("group", "Approval: terminal").await;
    app
}

/// Whether the field of the message has the focus.
async fn composer_is_in_focus(page: &Page) -> bool {
    page.run("return document.activeElement === page.first('textbox', 'Message')", &[]).await == json!(true)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_command_waits_without_taking_the_focus_and_by_keyboard_its_first_stop_is_deny() {
    let connected = Connected::new().await;
    let app = asked(&connected).await;
    let page = &app.page;
    assert!(composer_is_in_focus(page).await, "the card took the focus");
    let whole = "return page.first('group', 'What it would do')?.textContent === args[0]";
    page.wait_with("the whole command", whole, &[json!(COMMAND)]).await;
    page.find_holding("row", "1 approval needed").await;
    page.axe_finds_nothing_serious("a question for approval").await;
    page.screenshot("live-approval").await;
    let first = "const card = page.first('group', 'Approval: terminal');
        const [stop] = [...card.querySelectorAll('button, [tabindex=\"0\"]')].filter((node) => node.tabIndex >= 0);
        return page.name(stop)";
    assert_eq!(page.run(first, &[]).await, json!("Deny"));
    let deny = page.find("button", "Deny").await;
    page.focus(&deny).await;
    page.press(&[Key::Enter.into()]).await;
    page.gone("group", "Approval: terminal").await;
    at_rest(page).await;
    page.find_starting("button", "terminal Denied").await;
    app.close().await;
}
