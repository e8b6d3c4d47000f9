//! Live sessions in the real page, with a model whose words the test writes.

mod approvals;
mod reloads;
mod turns;
mod windows;

use crate::steps::{open_app, stage_with_sample};
use app_tests::desktop::{App, Page, Stage};
use app_tests::host;
use app_tests::model_server::{MODEL, ModelServer, Reply, Step, chunk};
use fantoccini::key::Key;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use talaria_core::clock::SystemClock;
use talaria_core::command;
use talaria_wire::{BootPhase, ClientId};

const DEADLINE: Duration = Duration::from_secs(60);

/// The name that every new session gets after its first turn.
const NAME: &str = "Counting aloud";

/// A computer whose user has the sample's sessions and a model.
struct Connected {
    stage: Stage,
    server: ModelServer,
}

impl Connected {
    async fn new() -> Self {
        let stage = stage_with_sample().await;
        let server = ModelServer::start();
        server.say(Reply::text(NAME).when("Name this conversation").always());
        connect(&stage, &server).await;
        Self { stage, server }
    }

    /// The app with a new session.
    async fn open(&self) -> App {
        let app = open_app(&self.stage).await;
        app.page.find("button", &format!("Model: {MODEL}")).await;
        app
    }
}

/// Writes the model into the settings as a start of the app before this one would have.
async fn connect(stage: &Stage, server: &ModelServer) {
    let home = stage.talaria_home();
    let app = command::App::start(host::config(&home, Arc::new(SystemClock)), host::door(&home));
    let mut status = app.boot.watch();
    let ready = status.wait_for(|now| now.phase == BootPhase::Ready);
    tokio::time::timeout(DEADLINE, ready).await.expect("the home opens in time").expect("the home opens");
    let settings = json!({ "choice": { "base_url": server.base_url(), "model": MODEL } });
    command::dispatch(&app, &ClientId::from("main"), "model_set", settings).await.expect("the model is set");
    app.close().await;
}

/// Writes a message and sends it with Enter.
async fn send(page: &Page, text: &str) {
    page.type_into("textbox", "Message", text).await;
    page.press(&[Key::Enter.into()]).await;
}

/// Words with their number, so that what is lost, doubled or out of order shows.
fn words(range: std::ops::Range<usize>) -> String {
    range.map(|number| format!("w{number} ")).collect()
}

/// An answer that comes in these parts, each followed by a gate of its number but the last.
fn in_parts(parts: &[String]) -> Reply {
    let mut steps = Vec::new();
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            steps.push(Step::Gate(number.to_string()));
        }
        steps.push(Step::Event(chunk(json!({ "content": part }))));
    }
    let mut reply = Reply::events([]);
    reply.steps = steps;
    reply.end("stop", parts.len())
}

/// A call of the terminal.
fn terminal(command: &str) -> Reply {
    Reply::calls(&[("call-1", "terminal", json!({ "command": command }))])
}

/// Numbered words in the assistant's articles of the transcript, as they stand.
const NUMBERED: &str = "const log = page.first('log', 'Transcript');
    const said = log ? [...log.querySelectorAll('article[data-role=assistant]')].map(page.text).join(' ') : '';
    const numbers = (said.match(/\\bw\\d+\\b/g) ?? []).map((word) => Number(word.slice(1)));";

/// Waits until the assistant has said exactly the words up to this number, each once and in order.
async fn has_said(page: &Page, count: usize) {
    let script = format!(
        "{NUMBERED} return (numbers.length === args[0] && numbers.every((number, at) => number === at))
            || (numbers.length > args[0] && 'too many')"
    );
    let said = page.wait_with(&format!("{count} words in order"), &script, &[json!(count)]).await;
    assert_eq!(said, json!(true), "words came twice");
}

/// Waits until no turn is under way on this page: the whole answer is a stored row.
async fn at_rest(page: &Page) {
    let script = "return !page.first('button', 'Stop') && !page.first('button', 'Stopping')
        && !document.querySelector('article[data-live]')";
    page.wait_for("the end of the turn", script).await;
}

/// Calls a command as the page does, and answers what came: `{ answer }` or `{ error }`.
async fn invoke(page: &Page, name: &str, request: Value) -> Value {
    let ask = "window.answered = null;
        window.__TAURI_INTERNALS__.invoke(args[0], args[1]).then(
            (answer) => (window.answered = { answer }), (error) => (window.answered = { error }));";
    page.run(ask, &[json!(name), request]).await;
    page.wait_with(&format!("the answer to {name}"), "return window.answered", &[]).await
}
