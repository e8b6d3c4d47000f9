//! Live sessions through the command table, with a scripted model server.

mod clients;
#[cfg(unix)]
mod killed;
mod life;
mod prompts;
mod stage;
mod tools;
mod windows;

use app_tests::model_server::{Reply, Step, chunk};
use serde_json::json;
use stage::{Page, Stage, only_ids, revs, text_of};
use talaria_wire::*;

/// A streamed answer of `first`, a gate, and `rest`.
fn gated(first: &str, gate: &str, rest: &str) -> Reply {
    let mut reply = Reply::events([chunk(json!({ "content": first }))]);
    reply.steps.push(Step::Gate(gate.to_owned()));
    reply.steps.push(Step::Event(chunk(json!({ "content": rest }))));
    reply.end("stop", 2)
}

/// A call of the terminal.
fn terminal(id: &str, command: &str) -> Reply {
    Reply::calls(&[(id, "terminal", json!({ "command": command }))])
}
