//! A second process for the tests of live sessions: `live-child <home> <folder>`.
//!
//! Opens the app on the home, whose settings name a model, and sends one prompt after the other, each into a session of
//! its own that works in the folder. Says `sent <n> <session>` once the prompt was acknowledged and `ended <n>` after its
//! turn, until it is killed.

use app_tests::host;
use serde_json::{Value, json};
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use talaria_core::clock::SystemClock;
use talaria_core::command::{App, dispatch};
use talaria_wire::{BootPhase, ClientId};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let home = arguments.next().expect("a home");
    let folder = arguments.next().expect("a folder");
    let home = Path::new(&home);
    let app = App::start(host::config(home, Arc::new(SystemClock)), host::door(home));
    app.boot.watch().wait_for(|now| now.phase == BootPhase::Ready).await.expect("it opens");
    for n in 0.. {
        let live = call(&app, "session_create", json!({ "folder": folder })).await["live_id"].clone();
        let sent =
            call(&app, "prompt_submit", json!({ "live_id": live, "text": format!("prompt {n}") })).await;
        say(&format!("sent {n} {}", sent["session_id"].as_str().expect("an id")));
        while call(&app, "live_get", json!({ "live_id": live })).await["state"] != "idle" {
            tokio::task::yield_now().await;
        }
        say(&format!("ended {n}"));
    }
}

async fn call(app: &App, name: &str, body: Value) -> Value {
    dispatch(app, &ClientId::from("main"), name, body).await.expect("it is done")
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").and_then(|()| out.flush()).expect("somebody listens");
}
