//! JSONL: the session's line, then a line a message, every field as on the wire. Pure.

use serde::Serialize;

/// One line. JSON writes a line break within a text as two letters.
pub(super) fn line(value: &impl Serialize) -> String {
    let mut line = text(value);
    line.push('\n');
    line
}

pub(super) fn text(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("wire types are plain data")
}
