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
async fn a_command_waits_until_it_is_allowed_and_then_its_output_appears() {
    let connected = Connected::new().await;
    let app = asked(&connected).await;
    let page = &app.page;
    assert!(composer_is_in_focus(page).await, "the card took the focus");
    let whole = "return page.first('group', 'What it would do')?.textContent === args[0]";
    page.wait_with("the whole command", whole, &[json!(COMMAND)]).await;
    page.find_holding("row", "1 approval needed").await;
    page.axe_finds_nothing_serious("a question for approval").await;
    page.screenshot("live-approval").await;
    // Enter where one writes answers nothing, with and without a text.
    page.press(&[Key::Enter.into()]).await;
    send(page, "Also this").await;
    page.find("group", "Next message").await;
    page.find("group", "Approval: terminal").await;
    assert_eq!(connected.server.unsaid(), 1, "the command was answered by Enter");
    page.click("button", "Remove the next message").await;
    page.gone("group", "Next message").await;

    page.click("button", "Allow once").await;
    page.gone("group", "Approval: terminal").await;
    at_rest(page).await;
    let asked = connected.server.wait_asked(2).await;
    let told = asked.iter().any(|asked| {
        asked.messages().iter().any(|message| {
            message["role"] == "tool"
                && message["content"].as_str().is_some_and(|text| text.contains("the-last-word"))
        })
    });
    assert!(told, "the model did not get the output");
    let line = page.find_starting("button", "terminal Done").await;
    page.click_on(&line).await;
    let output = "return page.text(page.first('group', 'Output')).includes('it-ran')";
    page.wait_for("the output", output).await;
    page.screenshot("live-output").await;
    app.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn by_keyboard_the_first_stop_is_deny_and_the_model_is_told() {
    let connected = Connected::new().await;
    let app = asked(&connected).await;
    let page = &app.page;
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
