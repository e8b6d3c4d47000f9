//! The table of Range cases: its format, its rows as real files, and each row over the real loopback listener.
//!
//! A row is sent as bytes on a raw socket, because an HTTP client would refuse or repair half of the headers.

pub mod rig;
pub mod wire;

use rig::Rig;
use serde::Deserialize;
use serde_json::Value;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::SystemTime;
use wire::{Ask, Reply};

/// One row. `expect`, `level`, `source` and the notes are for people.
#[derive(Clone, Debug, Deserialize)]
pub struct Row {
    /// Its name in the table.
    pub id: String,
    /// The value of the Range header, verbatim; an empty one is sent empty.
    pub header: String,
    /// The file's size in bytes.
    pub size: u64,
    /// GET when absent.
    pub method: Option<String>,
    /// Stands for the file's own entity tag: a strong one for itself, a weak one for its `W/` form.
    pub etag: Option<String>,
    /// Sent as If-Range: the file's own tag when it equals `etag`, else as it stands.
    pub if_range: Option<String>,
    /// The file's time as an HTTP date.
    pub last_modified: Option<String>,
    /// The answers that RFC 9110 allows.
    #[serde(rename = "rfc9110_ok")]
    allowed: Vec<Value>,
}

/// An answer in the words of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// `ignore(200)`: the whole file.
    Whole,
    /// `416`.
    Unsatisfiable,
    /// `405`.
    NotAllowed,
    /// Half-open ranges.
    Ranges(Vec<(u64, u64)>),
    /// What no table allows: what was wrong.
    Wrong(String),
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Whole => f.write_str("ignore(200)"),
            Self::Unsatisfiable => f.write_str("416"),
            Self::NotAllowed => f.write_str("405"),
            Self::Wrong(what) => f.write_str(what),
            Self::Ranges(ranges) => {
                let ranges: Vec<String> =
                    ranges.iter().map(|(start, end)| format!("[{start}, {end})")).collect();
                f.write_str(&ranges.join(" "))
            }
        }
    }
}

impl Row {
    /// The answers that the table allows.
    ///
    /// # Errors
    /// A word that the format does not know.
    pub fn allowed(&self) -> Result<Vec<Answer>, String> {
        self.allowed.iter().map(|value| answer_of(value).ok_or_else(|| self.complaint(value))).collect()
    }

    /// The method that is sent.
    pub fn method(&self) -> &str {
        self.method.as_deref().unwrap_or("GET")
    }

    fn complaint(&self, value: &Value) -> String {
        format!("row {}: {value} is no answer", self.id)
    }
}

/// Reads a table; every row is checked before any is run.
///
/// # Errors
/// One line: the file cannot be read, is no table, or a row is wrong.
pub fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let rows: Vec<Row> = serde_json::from_str(&text)
        .map_err(|error| format!("{}: not a table of cases: {error}", path.display()))?;
    for row in &rows {
        row.allowed()?;
        let is_line = |text: &String| !text.contains(['\r', '\n', '\0']);
        if !is_line(&row.header) || !row.if_range.iter().all(is_line) || !row.method.iter().all(is_line) {
            return Err(format!("row {}: a header or method may not hold a line break or a NUL", row.id));
        }
        if let Some(date) = &row.last_modified {
            parse_date(date).map_err(|error| format!("row {}: {error}", row.id))?;
        }
    }
    Ok(rows)
}

fn answer_of(value: &Value) -> Option<Answer> {
    match value {
        Value::String(word) => match word.as_str() {
            "ignore(200)" => Some(Answer::Whole),
            "416" => Some(Answer::Unsatisfiable),
            "405" => Some(Answer::NotAllowed),
            _ => None,
        },
        Value::Array(ranges) => {
            let range = |range: &Value| <(u64, u64)>::deserialize(range).ok();
            ranges.iter().map(range).collect::<Option<_>>().map(Answer::Ranges)
        }
        _ => None,
    }
}

/// Makes the row's file: every byte tells its place, or, in a file too large for that, the pieces that the table asks
/// for and the ends do.
///
/// # Errors
/// The disk's.
pub fn make_file(row: &Row, path: &Path) -> std::io::Result<()> {
    const WRITTEN_WHOLE: u64 = 4 << 20;
    const PIECE: u64 = 4096;
    let mut file = File::create(path)?;
    if row.size <= WRITTEN_WHOLE {
        file.write_all(&pattern(0, row.size))?;
    } else {
        file.set_len(row.size)?;
        let asked = row.allowed().unwrap_or_default().into_iter().flat_map(|answer| match answer {
            Answer::Ranges(ranges) => ranges,
            _ => Vec::new(),
        });
        for (start, _) in asked.chain([(0, 0), (row.size - PIECE, 0)]) {
            let length = PIECE.min(row.size.saturating_sub(start));
            file.seek(SeekFrom::Start(start))?;
            file.write_all(&pattern(start, length))?;
        }
    }
    if let Some(date) = &row.last_modified {
        file.set_modified(parse_date(date).map_err(std::io::Error::other)?)?;
    }
    Ok(())
}

/// Bytes that differ from place to place, with no short period. Those at the very beginning are a signature, so that a
/// file of the pattern passes for media.
pub fn pattern(start: u64, length: u64) -> Vec<u8> {
    let byte = |at: u64| (at ^ at >> 8 ^ at >> 16 ^ at >> 24 ^ at >> 32) as u8;
    (start..start + length)
        .map(|at| SIGNATURE.get(at as usize).copied().unwrap_or_else(|| byte(at)))
        .collect()
}

/// What Ogg files begin with.
const SIGNATURE: &[u8] = b"OggS";

/// Runs a row against the handler over its listener: makes the file, grants it below the checks, asks, and compares
/// every byte of the answer with the file.
pub fn run(rig: &Rig, row: &Row) -> Answer {
    let path = rig.folder().join(format!("{}.mp4", rig.next_number()));
    let answer = make_file(row, &path)
        .map_err(|error| format!("the file could not be made: {error}"))
        .and_then(|()| ask(rig, row, &path));
    // A file of many gigabytes is sparse, but a table may hold many.
    let removed = std::fs::remove_file(&path);
    match (answer, removed) {
        (Ok(answer), Ok(())) => answer,
        (Err(what), _) => Answer::Wrong(what),
        (_, Err(error)) => Answer::Wrong(format!("the file could not be removed: {error}")),
    }
}

fn ask(rig: &Rig, row: &Row, path: &Path) -> Result<Answer, String> {
    let target = rig.grant(path)?;
    let mut ask = Ask::new(row.method(), &target).header("Range", &row.header);
    if let Some(if_range) = &row.if_range {
        ask = ask.header("If-Range", &if_range_of(rig, row, &target, if_range)?);
    }
    let mut reply = rig.send(&ask)?;
    let file = File::open(path).map_err(|error| error.to_string())?;
    read_answer(row.method(), &file, row.size, &mut reply)
}

/// What the row's If-Range means for the file as it is.
fn if_range_of(rig: &Rig, row: &Row, target: &str, if_range: &str) -> Result<String, String> {
    if row.etag.as_deref() != Some(if_range) {
        return Ok(if_range.to_owned());
    }
    let reply = rig.send(&Ask::new("HEAD", target))?;
    let own = reply.header("etag").ok_or("the answer has no ETag")?;
    Ok(if if_range.starts_with("W/") { format!("W/{own}") } else { own.to_owned() })
}

/// The answer in the table's words; wrong when a header does not fit, or a byte is not the file's.
fn read_answer(method: &str, file: &File, size: u64, reply: &mut Reply) -> Result<Answer, String> {
    let (start, end, answer) = match reply.status {
        200 => (0, size, Answer::Whole),
        206 => {
            let (start, end) = content_range(reply, size)?;
            (start, end, Answer::Ranges(vec![(start, end)]))
        }
        416 => {
            let expected = format!("bytes */{size}");
            return match reply.header("content-range") {
                Some(range) if range == expected => Ok(Answer::Unsatisfiable),
                other => Err(format!("416 with Content-Range {other:?}")),
            };
        }
        405 => {
            return match reply.header("allow") {
                Some("GET, HEAD") => Ok(Answer::NotAllowed),
                other => Err(format!("405 with Allow {other:?}")),
            };
        }
        status => return Err(format!("status {status}")),
    };
    if reply.header("content-length") != Some(&(end - start).to_string()) {
        return Err(format!("Content-Length {:?} for {start}..{end}", reply.header("content-length")));
    }
    if method != "HEAD" {
        compare(file, start, end, reply)?;
    }
    Ok(answer)
}

fn content_range(reply: &Reply, size: u64) -> Result<(u64, u64), String> {
    let text = reply.header("content-range").ok_or("206 without Content-Range")?;
    let parse = || {
        let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
        let (first, last) = range.split_once('-')?;
        let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
        (total.parse() == Ok(size) && first <= last && last < size).then_some((first, last + 1))
    };
    parse().ok_or_else(|| format!("Content-Range {text} for {size} bytes"))
}

/// Compares the content with the file, and that it ends where it should. Of a huge one only the beginning.
fn compare(file: &File, start: u64, end: u64, reply: &mut Reply) -> Result<(), String> {
    const COMPARED: u64 = 64 << 20;
    const STEP: u64 = 64 * 1024;
    let until = end.min(start.saturating_add(COMPARED));
    let mut at = start;
    while at < until {
        let length = STEP.min(until - at) as usize;
        let mut expected = vec![0; length];
        file.read_exact_at(&mut expected, at).map_err(|error| error.to_string())?;
        if reply.read(length)? != expected {
            return Err(format!("wrong bytes in {at}..{}", at + length as u64));
        }
        at += length as u64;
    }
    if until == end && !reply.is_at_end()? {
        return Err(format!("content goes on behind {end}"));
    }
    Ok(())
}

/// An HTTP date in its preferred form.
fn parse_date(text: &str) -> Result<SystemTime, String> {
    httpdate::parse_http_date(text).map_err(|_| format!("{text:?} is no HTTP date"))
}
