//! JSON: one object, `{"session": ..., "messages": [...]}`, every field as on the wire, a message a line. Pure.

use super::jsonl::text;
use talaria_wire::{MessageRow, SessionRow};

/// What stands behind the last message.
pub(super) const TAIL: &str = "\n]}\n";

/// What stands before the first message.
pub(super) fn head(session: &SessionRow) -> String {
    format!("{{\"session\":{},\"messages\":[", text(session))
}

/// A message, and what parts it from the one before.
pub(super) fn message(row: &MessageRow, first: bool) -> String {
    let comma = if first { "" } else { "," };
    format!("{comma}\n{}", text(row))
}
