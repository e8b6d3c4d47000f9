//! The arguments of a call: hostile text that should be JSON. What is wrong is told to the model in words, and nothing is
//! done. Pure.

use serde::Deserialize;
use serde_json::Value;
use std::time::Duration;

const DEFAULT_TIME: u64 = 180;
const LONGEST_TIME: u64 = 600;
const DEFAULT_LINES: u64 = 500;
const MOST_LINES: u64 = 2000;
/// Longest content of a file, in bytes: both states of it are kept for the undo.
pub(super) const LONGEST_CONTENT: usize = 4 * 1024 * 1024;
/// Longest command, pattern or path, in bytes. Systems refuse longer commands.
const LONGEST_TEXT: usize = 100 * 1024;

/// A call that can be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    Terminal {
        command: String,
        timeout: Duration,
    },
    ReadFile {
        path: String,
        /// First line, from 1.
        offset: u64,
        /// Lines.
        limit: u64,
    },
    WriteFile {
        path: String,
        content: String,
    },
    SearchFiles {
        pattern: String,
        path: Option<String>,
        glob: Option<String>,
    },
}

#[derive(Deserialize)]
struct Terminal {
    command: String,
    timeout: Option<Value>,
}

#[derive(Deserialize)]
struct ReadFile {
    path: String,
    offset: Option<Value>,
    limit: Option<Value>,
}

#[derive(Deserialize)]
struct WriteFile {
    path: String,
    content: String,
}

#[derive(Deserialize)]
struct SearchFiles {
    pattern: String,
    path: Option<String>,
    glob: Option<String>,
}

/// Reads a call.
///
/// # Errors
/// Words for the model.
pub(super) fn parse(tool: &str, text: &str) -> Result<Arguments, String> {
    match tool {
        "terminal" => {
            let Terminal { command, timeout } = read(text)?;
            let time = number("timeout", timeout.as_ref(), DEFAULT_TIME)?.clamp(1, LONGEST_TIME);
            let command = checked("command", command)?;
            Ok(Arguments::Terminal { command, timeout: Duration::from_secs(time) })
        }
        "read_file" => {
            let ReadFile { path, offset, limit } = read(text)?;
            let offset = number("offset", offset.as_ref(), 1)?.max(1);
            let limit = number("limit", limit.as_ref(), DEFAULT_LINES)?.clamp(1, MOST_LINES);
            Ok(Arguments::ReadFile { path: checked("path", path)?, offset, limit })
        }
        "write_file" => {
            let WriteFile { path, content } = read(text)?;
            if content.len() > LONGEST_CONTENT {
                return Err(format!("\"content\" is longer than {LONGEST_CONTENT} bytes."));
            }
            Ok(Arguments::WriteFile { path: checked("path", path)?, content })
        }
        "search_files" => {
            let SearchFiles { pattern, path, glob } = read(text)?;
            let path = path.filter(|path| !path.is_empty()).map(|path| checked("path", path)).transpose()?;
            let glob = glob.filter(|glob| !glob.is_empty()).map(|glob| checked("glob", glob)).transpose()?;
            Ok(Arguments::SearchFiles { pattern: checked("pattern", pattern)?, path, glob })
        }
        _ => Err(format!(
            "There is no tool {tool:?}. The tools are terminal, read_file, write_file and search_files."
        )),
    }
}

/// A field given twice is an error, so no reader of the same text sees another value; a field that is not known does
/// nothing.
fn read<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, String> {
    let text = if text.trim().is_empty() { "{}" } else { text };
    let wrong = |error: &dyn std::fmt::Display| {
        format!("The arguments are not what the tool takes: {error}. They must be one JSON object.")
    };
    // A list would be taken for the fields in their order.
    if !text.trim_start().starts_with('{') {
        return Err(wrong(&"no object"));
    }
    serde_json::from_str(text).map_err(|error| wrong(&error))
}

/// A whole number, also as small models write it: `180`, `180.0`, `"180"`.
fn number(name: &str, value: Option<&Value>, default: u64) -> Result<u64, String> {
    let wrong = || format!("\"{name}\" must be a whole number.");
    match value {
        None | Some(Value::Null) => Ok(default),
        Some(Value::Number(number)) => {
            let float = || number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as u64);
            // A negative one becomes 0 and is then brought into its range.
            number.as_u64().or_else(float).ok_or_else(wrong)
        }
        Some(Value::String(text)) => text.trim().parse().map_err(|_| wrong()),
        Some(_) => Err(wrong()),
    }
}

fn checked(name: &str, text: String) -> Result<String, String> {
    match text {
        text if text.trim().is_empty() => Err(format!("\"{name}\" is empty.")),
        text if text.contains('\0') => Err(format!("\"{name}\" holds a NUL character.")),
        text if text.len() > LONGEST_TEXT => Err(format!("\"{name}\" is longer than {LONGEST_TEXT} bytes.")),
        text => Ok(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terminal(command: &str, seconds: u64) -> Arguments {
        Arguments::Terminal { command: command.into(), timeout: Duration::from_secs(seconds) }
    }

    #[test]
    fn numbers_are_taken_as_models_write_them_and_brought_into_their_range() {
        for (text, seconds) in [
            (r#"{"command":"ls"}"#, 180),
            (r#"{"command":"ls","timeout":null}"#, 180),
            (r#"{"command":"ls","timeout":5}"#, 5),
            (r#"{"command":"ls","timeout":5.0}"#, 5),
            (r#"{"command":"ls","timeout":"5"}"#, 5),
            (r#"{"command":"ls","timeout":0}"#, 1),
            (r#"{"command":"ls","timeout":-3}"#, 1),
            (r#"{"command":"ls","timeout":1e300}"#, 600),
            (r#"{"command":"ls","timeout":99999999999999999999}"#, 600),
            (r#"{"command":"ls","reason":"to look"}"#, 180),
        ] {
            assert_eq!(parse("terminal", text), Ok(terminal("ls", seconds)), "{text}");
        }
        assert_eq!(
            parse("read_file", r#"{"path":"a","offset":-1,"limit":100000}"#),
            Ok(Arguments::ReadFile { path: "a".into(), offset: 1, limit: MOST_LINES })
        );
        assert_eq!(
            parse("search_files", r#"{"pattern":"a","path":"","glob":null}"#),
            Ok(Arguments::SearchFiles { pattern: "a".into(), path: None, glob: None })
        );
    }

    #[test]
    fn wrong_arguments_are_told_and_do_nothing() {
        for (tool, text, words) in [
            ("terminal", "", "missing field `command`"),
            ("terminal", "{", "EOF"),
            ("terminal", r#"["ls", 5]"#, "JSON object"),
            ("terminal", "null", "JSON object"),
            ("terminal", r#"{"command":7}"#, "expected a string"),
            ("terminal", r#"{"command":"  "}"#, "empty"),
            ("terminal", r#"{"command":"ls","command":"rm -r x"}"#, "duplicate field"),
            ("terminal", r#"{"command":"ls\u0000"}"#, "NUL"),
            ("terminal", r#"{"command":"ls","timeout":"soon"}"#, "whole number"),
            ("terminal", r#"{"command":"ls","timeout":1.5}"#, "whole number"),
            ("terminal", r#"{"command":"ls","timeout":{}}"#, "whole number"),
            ("write_file", r#"{"path":"a"}"#, "missing field `content`"),
            ("read_file", r#"{"path":""}"#, "empty"),
            ("rm", "{}", "There is no tool"),
        ] {
            let said = parse(tool, text).unwrap_err();
            assert!(said.contains(words), "{tool} {text}: {said}");
        }
        let deep = "[".repeat(100_000);
        assert!(parse("terminal", &deep).is_err());
        let long = serde_json::json!({"path": "a", "content": "x".repeat(LONGEST_CONTENT + 1)});
        assert!(parse("write_file", &long.to_string()).unwrap_err().contains("longer"));
    }

    proptest! {
        #[test]
        fn any_text_is_answered(tool in "terminal|read_file|write_file|search_files|[a-z]{0,4}", text in "\\PC{0,60}") {
            let _ = parse(&tool, &text);
        }
    }
}
