//! Rows of a Hermes store, read leniently: a value of a strange type costs itself, not its row.

use super::time::millis;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use talaria_wire::{Millis, ToolCall};

/// The columns a table really has.
pub(super) struct Columns(HashSet<String>);

impl Columns {
    pub(super) fn of(db: &Connection, table: &str) -> rusqlite::Result<Self> {
        let mut statement = db.prepare("SELECT name FROM pragma_table_info(?1)")?;
        Ok(Self(statement.query_map([table], |row| row.get(0))?.collect::<Result<_, _>>()?))
    }

    pub(super) fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.0.contains(*name))
    }

    /// The names as a select list, with NULL for those that are not there.
    fn select(&self, names: &[&str]) -> String {
        let column = |name: &&str| {
            if self.0.contains(*name) { format!("\"{name}\"") } else { "NULL".to_owned() }
        };
        names.iter().map(column).collect::<Vec<_>>().join(", ")
    }
}

/// A session row (reference section 8.2).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct ForeignSession {
    pub id: String,
    pub source: String,
    pub model: Option<String>,
    pub parent: Option<String>,
    pub delegate_from: Option<String>,
    pub branched_from: Option<String>,
    pub started_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    pub end_reason: Option<String>,
    pub cwd: Option<String>,
    pub git_branch: Option<String>,
    pub title: Option<String>,
    pub archived: bool,
    /// The time of its newest message.
    pub newest: Option<Millis>,
    /// Changes when messages come, are hidden or are compressed.
    pub mark: String,
}

/// A session row that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Unread {
    pub id: String,
    pub title: Option<String>,
    pub why: String,
}

/// A message row (reference section 8.6).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct ForeignMessage {
    pub id: i64,
    pub role: String,
    pub text: String,
    pub tool_calls: Vec<ToolCall>,
    pub call_id: Option<String>,
    pub tool_name: Option<String>,
    pub at: Option<Millis>,
    pub finish_reason: Option<String>,
    pub reasoning: Option<String>,
    pub active: bool,
    pub compacted: bool,
}

const SESSION: &[&str] = &[
    "id",
    "source",
    "model",
    "parent_session_id",
    "model_config",
    "started_at",
    "ended_at",
    "end_reason",
    "cwd",
    "git_branch",
    "title",
    "archived",
];

pub(super) fn sessions(
    db: &Connection,
    columns: &Columns,
    message_columns: &Columns,
) -> rusqlite::Result<(Vec<ForeignSession>, Vec<Unread>)> {
    let marks = match marks(db, message_columns, true) {
        // Times and flags lie behind the texts; where a text is damaged, numbers from the index must do.
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt) => {
            marks(db, message_columns, false)?
        }
        marks => marks?,
    };
    let mut statement =
        db.prepare(&format!("SELECT {} FROM sessions ORDER BY rowid", columns.select(SESSION)))?;
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        match session(row, &marks)? {
            Ok(session) => read.push(session),
            Err(row) => unread.push(row),
        }
    }
    Ok((read, unread))
}

fn session(
    row: &Row<'_>,
    marks: &HashMap<String, (String, Option<Millis>)>,
) -> rusqlite::Result<Result<ForeignSession, Unread>> {
    let title = text(row.get_ref(10)?);
    let Some(id) = text(row.get_ref(0)?).filter(|id| !id.is_empty()) else {
        let id = match row.get_ref(0)? {
            ValueRef::Blob(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            _ => "?".to_owned(),
        };
        return Ok(Err(Unread { id, title, why: "it has no readable id".to_owned() }));
    };
    let config = text(row.get_ref(4)?).and_then(|json| serde_json::from_str::<Value>(&json).ok());
    let marker =
        |name: &str| config.as_ref()?.get(name)?.as_str().filter(|id| !id.is_empty()).map(str::to_owned);
    let (mark, newest) = marks.get(&id).cloned().unwrap_or_else(|| ("0".to_owned(), None));
    let end_reason = text(row.get_ref(7)?);
    Ok(Ok(ForeignSession {
        source: text(row.get_ref(1)?).unwrap_or_else(|| "hermes".to_owned()),
        model: text(row.get_ref(2)?),
        parent: text(row.get_ref(3)?).filter(|parent| !parent.is_empty()),
        delegate_from: marker("_delegate_from"),
        branched_from: marker("_branched_from"),
        started_at: millis(row.get_ref(5)?),
        ended_at: millis(row.get_ref(6)?),
        mark: format!("{mark}/{}", end_reason.as_deref().unwrap_or_default()),
        end_reason,
        cwd: text(row.get_ref(8)?).filter(|cwd| !cwd.is_empty()),
        git_branch: text(row.get_ref(9)?).filter(|branch| !branch.is_empty()),
        title,
        archived: matches!(row.get_ref(11)?, ValueRef::Integer(n) if n != 0),
        newest,
        id,
    }))
}

/// Per session: how many messages it has, the highest id, how many are live and compressed; and the newest time. Not
/// `whole`: only what an index holds.
fn marks(
    db: &Connection,
    columns: &Columns,
    whole: bool,
) -> rusqlite::Result<HashMap<String, (String, Option<Millis>)>> {
    let sum =
        |name: &str| if whole && columns.has(&[name]) { format!("total({name})") } else { "0".to_owned() };
    let newest = if whole && columns.has(&["timestamp"]) { "max(timestamp)" } else { "NULL" };
    let mut statement = db.prepare(&format!(
        "SELECT session_id, count(*), max(id), {}, {}, {newest} FROM messages GROUP BY session_id",
        sum("active"),
        sum("compacted"),
    ))?;
    let mut marks = HashMap::new();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let Some(id) = text(row.get_ref(0)?) else { continue };
        let (n, newest): (i64, Option<Millis>) = (row.get(1)?, millis(row.get_ref(5)?));
        let number = |value: ValueRef<'_>| match value {
            ValueRef::Integer(n) => n,
            ValueRef::Real(n) => n as i64,
            _ => 0,
        };
        let (last, active) = (number(row.get_ref(2)?), number(row.get_ref(3)?));
        let compacted = number(row.get_ref(4)?);
        marks.insert(id, (format!("{n}.{last}.{active}.{compacted}"), newest));
    }
    Ok(marks)
}

const MESSAGE: &[&str] = &[
    "id",
    "role",
    "content",
    "tool_call_id",
    "tool_calls",
    "tool_name",
    "timestamp",
    "finish_reason",
    "reasoning",
    "reasoning_content",
    "active",
    "compacted",
];

pub(super) fn messages(
    db: &Connection,
    columns: &Columns,
    session: &str,
) -> rusqlite::Result<(Vec<ForeignMessage>, Vec<String>)> {
    // By number: times may go back.
    let sql = format!("SELECT {} FROM messages WHERE session_id = ?1 ORDER BY id", columns.select(MESSAGE));
    let mut statement = db.prepare_cached(&sql)?;
    let (mut read, mut unread) = (Vec::new(), Vec::new());
    let mut rows = statement.query([session])?;
    while let Some(row) = rows.next()? {
        match message(row)? {
            Ok(message) => read.push(message),
            Err(why) => unread.push(why),
        }
    }
    Ok((read, unread))
}

fn message(row: &Row<'_>) -> rusqlite::Result<Result<ForeignMessage, String>> {
    let ValueRef::Integer(id) = row.get_ref(0)? else {
        return Ok(Err("a message without a number".to_owned()));
    };
    let Some(role) = text(row.get_ref(1)?) else { return Ok(Err(format!("message {id} has no role"))) };
    let content = match row.get_ref(2)? {
        ValueRef::Null => String::new(),
        ValueRef::Blob(_) => return Ok(Err(format!("the text of message {id} is not text"))),
        value => text(value).unwrap_or_default(),
    };
    let flag = |value: ValueRef<'_>, missing: bool| match value {
        ValueRef::Integer(n) => n != 0,
        _ => missing,
    };
    Ok(Ok(ForeignMessage {
        id,
        role,
        text: plain(content),
        call_id: text(row.get_ref(3)?).filter(|id| !id.is_empty()),
        tool_calls: text(row.get_ref(4)?).map(|json| calls(&json)).unwrap_or_default(),
        tool_name: text(row.get_ref(5)?).filter(|name| !name.is_empty()),
        at: millis(row.get_ref(6)?),
        finish_reason: text(row.get_ref(7)?).filter(|reason| !reason.is_empty()),
        reasoning: [text(row.get_ref(8)?), text(row.get_ref(9)?)]
            .into_iter()
            .flatten()
            .find(|reasoning| !reasoning.trim().is_empty()),
        active: flag(row.get_ref(10)?, true),
        compacted: flag(row.get_ref(11)?, false),
    }))
}

/// Text of a value; numbers are written out, bytes that are no UTF-8 are replaced.
fn text(value: ValueRef<'_>) -> Option<String> {
    match value {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        ValueRef::Integer(n) => Some(n.to_string()),
        ValueRef::Real(n) => Some(n.to_string()),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

/// Structured content is NUL, `json:` and a list of parts; what of it is text is its text. Other parts are named.
fn plain(content: String) -> String {
    let Some(json) = content.strip_prefix("\0json:") else { return content };
    match serde_json::from_str::<Value>(json) {
        Ok(value) => value_text(&value),
        // Not decodable: the letters are worth more than nothing.
        Err(_) => json.to_owned(),
    }
}

fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            parts.iter().map(value_text).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
        }
        Value::Object(part) => match part.get("text").or_else(|| part.get("content")) {
            Some(text) => value_text(text),
            None => format!("[{}]", part.get("type").and_then(Value::as_str).unwrap_or("part")),
        },
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The calls of an assistant row, in the form of the chat completions API. Bad JSON has none.
fn calls(json: &str) -> Vec<ToolCall> {
    let Ok(Value::Array(calls)) = serde_json::from_str::<Value>(json) else { return Vec::new() };
    let call = |call: &Value| {
        let function = call.get("function").unwrap_or(call);
        let id = call.get("id").or_else(|| call.get("call_id")).and_then(Value::as_str);
        let arguments = match function.get("arguments") {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => String::new(),
            Some(other) => other.to_string(),
        };
        Some(ToolCall {
            id: id.unwrap_or_default().to_owned(),
            name: function.get("name")?.as_str()?.to_owned(),
            arguments,
        })
    };
    calls.iter().filter_map(call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_content_becomes_its_text() {
        let parts = "\0json:[{\"type\":\"text\",\"text\":\"look\"},{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:x\"}}]";
        assert_eq!(plain(parts.to_owned()), "look\n[image_url]");
        assert_eq!(plain("\0json:broken".to_owned()), "broken");
        assert_eq!(plain("json:[]".to_owned()), "json:[]");
    }

    #[test]
    fn calls_are_read_in_both_forms_and_bad_ones_left_out() {
        let json = r#"[{"id":"a","function":{"name":"terminal","arguments":"{\"x\":1}"}},{"call_id":"b","name":"todo","arguments":{"y":2}},{"id":"c"}]"#;
        let calls = calls(json);
        assert_eq!(calls.len(), 2);
        assert_eq!((calls[0].id.as_str(), calls[0].arguments.as_str()), ("a", r#"{"x":1}"#));
        assert_eq!((calls[1].id.as_str(), calls[1].arguments.as_str()), ("b", r#"{"y":2}"#));
        assert_eq!(super::calls("nonsense"), vec![]);
    }
}
