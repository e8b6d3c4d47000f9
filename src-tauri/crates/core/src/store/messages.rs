//! Messages: pages of a transcript by index, so a page costs the same in 50 rows and in 50,000.

use super::error::StoreError;
use super::lineages;
use super::page::rows;
use super::{text, tool_state};
use rusqlite::{Connection, OptionalExtension, Row};
use talaria_wire::{
    FileChange, MessageId, MessagePageRequest, MessagePageResponse, MessageRole, MessageRow, Millis, Notice,
    PageAnchor, SessionId, ToolCall, ToolResult,
};

/// Rows when the request says 0.
const ROWS: u32 = 100;

/// The word the column holds.
pub(super) fn role_word(role: MessageRole) -> &'static str {
    match role {
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
        MessageRole::Tool => "tool",
        MessageRole::Notice => "notice",
        MessageRole::Summary => "summary",
        MessageRole::System => "system",
    }
}

/// The role of a column's word; the column allows no other words.
pub(super) fn role(word: &str) -> MessageRole {
    match word {
        "user" => MessageRole::User,
        "assistant" => MessageRole::Assistant,
        "tool" => MessageRole::Tool,
        "notice" => MessageRole::Notice,
        "summary" => MessageRole::Summary,
        _ => MessageRole::System,
    }
}

/// `around`: a row that does not read leaves a hole rather than nothing, for a store that is known to be damaged.
pub(super) fn message_page(
    db: &Connection,
    request: &MessagePageRequest,
    now: Millis,
    around: bool,
) -> Result<MessagePageResponse, StoreError> {
    let lineage = lineages::find(db, &request.session_id)?.lineage;
    let listed = lineages::get(db, lineage, now)?;
    let total = listed.row_count;
    let limit = rows(request.limit, ROWS) as i64;
    let (from, to) = match &request.anchor {
        PageAnchor::End => (total - limit, total),
        PageAnchor::Before { index } => (index.min(&total).saturating_sub(limit), *index.min(&total)),
        PageAnchor::From { index } => (*index, index.saturating_add(limit)),
        PageAnchor::Message { id } => {
            // The found row in the middle; near an end the page reaches up to it.
            let place = place_of(db, lineage, id)?;
            let from = (place - limit / 2).min(total - limit).max(0);
            (from, from + limit)
        }
    };
    let from = from.max(0);
    let messages = match range(db, lineage, from, to) {
        Err(StoreError::Sql(error)) if around && is_damage(&error) => {
            around_damage(db, lineage, from, to.min(total)).ok_or(error)?
        }
        read => read?,
    };
    Ok(MessagePageResponse { session: listed.row, messages, total })
}

fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt)
}

/// Row by row what reads; `None` when none does, which must not look like an empty page.
fn around_damage(db: &Connection, lineage: i64, from: i64, to: i64) -> Option<Vec<MessageRow>> {
    let rows: Vec<_> =
        (from..to).filter_map(|place| range(db, lineage, place, place + 1).ok()).flatten().collect();
    (!rows.is_empty()).then_some(rows)
}

/// The row's place in the transcript. Errors: `NotFound` when it is in another lineage, or not shown.
pub(super) fn place_of(db: &Connection, lineage: i64, id: &MessageId) -> Result<i64, StoreError> {
    db.prepare_cached("SELECT place FROM messages WHERE id = ?1 AND lineage = ?2 AND place IS NOT NULL")?
        .query_row((id.as_str(), lineage), |row| row.get(0))
        .optional()?
        .ok_or(StoreError::NotFound("This message is not here any more."))
}

fn range(db: &Connection, lineage: i64, from: i64, to: i64) -> Result<Vec<MessageRow>, StoreError> {
    let mut statement = db.prepare_cached(
        "SELECT m.id, m.place, m.role, m.text, m.created_at, m.tool_calls, m.call_id, m.tool_name, c.tool_calls, \
         m.notice, m.reasoning, m.finish_reason, EXISTS (SELECT 1 FROM sessions s WHERE \
         s.id = CASE WHEN json_valid(m.notice) THEN json_extract(m.notice, '$.child_session_id') END), \
         m.duration_ms, f.path, f.diff, f.undone_at IS NOT NULL \
         FROM messages m LEFT JOIN messages c ON c.seq = m.call_seq LEFT JOIN changes f ON f.message = m.seq \
         WHERE m.lineage = ?1 AND m.place >= ?2 AND m.place < ?3 ORDER BY m.place",
    )?;
    let rows = statement.query_map((lineage, from, to), read)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>) -> rusqlite::Result<MessageRow> {
    let role = role(&row.get::<_, String>(2)?);
    let text = text::read(row, 3)?.unwrap_or_default();
    let tool = if role == MessageRole::Tool { Some(tool_result(row, &text)?) } else { None };
    let notice = text::read(row, 9)?.and_then(|json| serde_json::from_str::<Notice>(&json).ok());
    let child_is_here: bool = row.get(12)?;
    Ok(MessageRow {
        id: MessageId(row.get(0)?),
        index: row.get(1)?,
        role,
        text,
        created_at: row.get(4)?,
        tool_calls: calls(text::read(row, 5)?),
        tool,
        notice: notice.map(|notice| Notice {
            child_session_id: notice.child_session_id.filter(|_| child_is_here),
            ..notice
        }),
        // Tags are found by the media parser, which the store does not know.
        media: Vec::new(),
        reasoning: text::read(row, 10)?,
        finish_reason: row.get(11)?,
    })
}

fn tool_result(row: &Row<'_>, text: &str) -> rusqlite::Result<ToolResult> {
    let call_id: Option<String> = row.get(6)?;
    let call = calls(text::read(row, 8)?).into_iter().find(|call| Some(&call.id) == call_id.as_ref());
    let name: Option<String> = row.get(7)?;
    Ok(ToolResult {
        name: name
            .or_else(|| call.as_ref().map(|call| call.name.clone()))
            .unwrap_or_else(|| "tool".to_owned()),
        arguments: call.map(|call| call.arguments),
        state: tool_state::of(text),
        call_id,
        duration_ms: row.get(13)?,
        change: match text::read(row, 14)? {
            Some(path) => Some(FileChange {
                path,
                diff: text::read(row, 15)?.unwrap_or_default(),
                undone: row.get(16)?,
            }),
            None => None,
        },
    })
}

fn calls(json: Option<String>) -> Vec<ToolCall> {
    json.and_then(|json| serde_json::from_str(&json).ok()).unwrap_or_default()
}

/// The visible user and assistant texts of a lineage that hold `needle` and a media tag, oldest first. For the check
/// that a file is named in its session; exact letters.
pub(super) fn texts_naming(db: &Connection, id: &SessionId, needle: &str) -> Result<Vec<String>, StoreError> {
    let lineage = lineages::find(db, id)?.lineage;
    // The condition of the index `messages_media`, word for word.
    let mut statement = db.prepare_cached(
        "SELECT text FROM messages WHERE lineage = ?1 AND place IS NOT NULL AND role IN ('user', 'assistant') \
         AND instr(text, 'MEDIA:') > 0 AND instr(text, ?2) > 0 ORDER BY seq",
    )?;
    let rows = statement.query_map((lineage, needle), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The same of texts that hold the needle, with a media tag or without.
pub(super) fn texts_holding(
    db: &Connection,
    id: &SessionId,
    needle: &str,
) -> Result<Vec<String>, StoreError> {
    let lineage = lineages::find(db, id)?.lineage;
    let mut statement = db.prepare_cached(
        "SELECT text FROM messages WHERE lineage = ?1 AND place IS NOT NULL AND role IN ('user', 'assistant') \
         AND instr(text, ?2) > 0 ORDER BY seq",
    )?;
    let rows = statement.query_map((lineage, needle), |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}
