//! `terminal`: a command of the shell, in the foreground.

use crate::agent::ports::ToolOutcome;
use crate::process::{Ending, Environment, Limits, run, shell};
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Bytes of output that the model gets, from the beginning and from the end. Together as much as Hermes gives: about
/// 12,000 tokens, which a small context still holds.
const HEAD: usize = 20 * 1024;
const TAIL: usize = 30 * 1024;

/// Runs it in `folder`.
pub(super) async fn terminal(
    command: &str,
    time: Duration,
    folder: &Path,
    environment: &Environment,
    output: mpsc::Sender<String>,
    stop: CancellationToken,
) -> ToolOutcome {
    let limits = Limits { time, head: HEAD, tail: TAIL };
    let command = shell(command, folder.to_owned(), environment);
    let (answer, failed) = match run(&command, limits, output, stop).await {
        Ok(end) => {
            let mut answer = json!({
                "output": end.output,
                "exit_code": end.ending.code(),
                "error": end.ending.words(),
            });
            if end.left_running {
                answer["note"] = "A process that the command started is still running.".into();
            }
            (answer, end.ending != Ending::Exited(0))
        }
        Err(error) => {
            let words = format!("The command could not be started in {}: {error}.", folder.display());
            (json!({ "output": "", "exit_code": -1, "error": words }), true)
        }
    };
    ToolOutcome { text: answer.to_string(), failed, change: None }
}
