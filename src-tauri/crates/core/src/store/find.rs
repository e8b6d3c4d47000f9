//! `message_find`: where a text occurs in one transcript.
//!
//! The text is taken as it stands, blanks too, in any case. Found is what the search finds: text, and the names and
//! arguments of tool calls. Read from the newest row on, so that a text that is everywhere costs little.

use super::error::StoreError;
use super::lineages;
use super::text;
use super::words;
use rusqlite::Connection;
use talaria_wire::{CappedCount, FoundMessage, MessageFindRequest, MessageFindResponse, MessageId};

/// Rows that are named, and counted.
const MOST: usize = 1_000;

pub(super) fn message_find(
    db: &Connection,
    request: &MessageFindRequest,
) -> Result<MessageFindResponse, StoreError> {
    let lineage = lineages::find(db, &request.session_id)?.lineage;
    words::check_length(&request.query)?;
    let needle = text::folded(&request.query);
    if needle.is_empty() {
        return Ok(MessageFindResponse::default());
    }
    let mut statement = db.prepare_cached(
        "SELECT id, place, words FROM message_words WHERE lineage = ?1 AND place IS NOT NULL ORDER BY place DESC",
    )?;
    let mut rows = statement.query([lineage])?;
    let (mut messages, mut buffer, mut more) = (Vec::new(), String::new(), false);
    while let Some(row) = rows.next()? {
        text::fold_into(row.get_ref(2)?.as_str().unwrap_or_default(), &mut buffer);
        if !buffer.contains(&needle) {
            continue;
        }
        if messages.len() == MOST {
            more = true;
            break;
        }
        messages.push(FoundMessage { message_id: MessageId(row.get(0)?), index: row.get(1)? });
    }
    messages.reverse();
    let count = CappedCount { n: messages.len() as i64, more };
    Ok(MessageFindResponse { messages, count })
}
