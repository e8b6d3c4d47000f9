//! How a tool call ended, read from its result. Pure.
//!
//! Results are what tools wrote for a model: mostly a JSON object with `exit_code` and `error` (reference section 8.6),
//! sometimes plain text. What does not say that it failed is taken as done.

use serde_json::Value;
use talaria_wire::ToolState;

/// The state that a result's text tells.
pub(super) fn of(text: &str) -> ToolState {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(result)) => of_object(&result),
        _ if text.trim_start().starts_with("Error") => ToolState::Failed,
        _ => ToolState::Done,
    }
}

fn of_object(result: &serde_json::Map<String, Value>) -> ToolState {
    let error = match result.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => None,
        Some(Value::String(words)) if words.trim().is_empty() => None,
        Some(Value::String(words)) => Some(words.as_str()),
        Some(_) => Some(""),
    };
    let status = result.get("status").and_then(Value::as_str);
    if status == Some("denied") || status == Some("blocked") || error.is_some_and(is_denial) {
        return ToolState::Denied;
    }
    let exit_code = result.get("exit_code").and_then(Value::as_i64);
    let failed = error.is_some()
        || exit_code.is_some_and(|code| code != 0)
        || result.get("success") == Some(&Value::Bool(false))
        || status.is_some_and(|status| matches!(status, "error" | "failed" | "timeout"));
    if failed { ToolState::Failed } else { ToolState::Done }
}

fn is_denial(error: &str) -> bool {
    error.starts_with("BLOCKED") || error.to_lowercase().contains("denied by user")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_tells_how_it_ended() {
        use ToolState::{Denied, Done, Failed};
        for (text, state) in [
            (r#"{"output": "hi", "exit_code": 0, "error": null}"#, Done),
            (r#"{"output": "", "exit_code": 130, "error": null}"#, Failed),
            (r#"{"output": "", "exit_code": 0, "error": "no such file"}"#, Failed),
            (
                r#"{"output": "", "exit_code": -1, "error": "BLOCKED: Command denied by user.", "status": "blocked"}"#,
                Denied,
            ),
            (r#"{"error": ""}"#, Done),
            (r#"{"success": false}"#, Failed),
            (r#"{"todos": []}"#, Done),
            ("an error is explained in this text", Done),
            ("Error executing tool: x", Failed),
            ("[1, 2]", Done),
            ("", Done),
        ] {
            assert_eq!(of(text), state, "{text}");
        }
    }
}
