//! A tool's answer: one JSON object, as Hermes writes it.

use crate::agent::ports::ToolOutcome;
use serde_json::{Value, json};

/// It did what it should.
pub(super) fn done(answer: Value) -> ToolOutcome {
    ToolOutcome { text: answer.to_string(), failed: false, change: None }
}

/// It did not; the words are for the model and the user.
pub(super) fn failed(words: impl std::fmt::Display) -> ToolOutcome {
    ToolOutcome { text: json!({ "error": words.to_string() }).to_string(), failed: true, change: None }
}
