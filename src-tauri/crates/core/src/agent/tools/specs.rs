//! The tools as the model is told of them.

use crate::agent::ports::ToolSpec;
use serde_json::{Value, json};

/// All of them.
pub(super) fn specs() -> Vec<ToolSpec> {
    vec![
        ToolSpec {
            name: "terminal",
            description: "Runs a shell command in the working folder and waits for its end. The user is asked first. \
                Answers what it printed and its exit code. There is no input and no terminal: programs that ask \
                something fail.",
            parameters: object(
                &["command"],
                json!({
                    "command": { "type": "string", "description": "The command." },
                    "timeout": { "type": "integer", "description": "Seconds until it is stopped: 1 to 600, else 180." },
                }),
            ),
        },
        ToolSpec {
            name: "read_file",
            description: "Reads lines of a text file. Each comes as NUMBER|LINE.",
            parameters: object(
                &["path"],
                json!({
                    "path": { "type": "string", "description": "Full, or from the working folder." },
                    "offset": { "type": "integer", "description": "The first line, from 1." },
                    "limit": { "type": "integer", "description": "How many lines: 1 to 2000, else 500." },
                }),
            ),
        },
        ToolSpec {
            name: "write_file",
            description: "Writes a text file whole: what was in it before is replaced. Missing folders are made. The \
                user is asked first and can undo it.",
            parameters: object(
                &["path", "content"],
                json!({
                    "path": { "type": "string", "description": "Full, or from the working folder." },
                    "content": { "type": "string", "description": "The whole content." },
                }),
            ),
        },
        ToolSpec {
            name: "search_files",
            description: "Finds lines that match a regular expression in the files below a folder. Hidden, ignored and \
                binary files are passed over.",
            parameters: object(
                &["pattern"],
                json!({
                    "pattern": { "type": "string", "description": "The regular expression, as in Rust's regex." },
                    "path": { "type": "string", "description": "The folder or file; else the working folder." },
                    "glob": { "type": "string", "description": "Only files with such names, as *.py or src/**." },
                }),
            ),
        },
    ]
}

fn object(required: &[&str], properties: Value) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}
