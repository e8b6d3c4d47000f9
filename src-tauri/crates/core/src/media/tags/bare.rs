//! Where a path without quotes ends.

use super::{MARKER, MAX_TARGET, Seen, Unsettled};
use crate::media::path::remote_host;

/// Extensions at which a bare path with blanks in it may end: what an agent delivers.
const DELIVERABLE: &[&str] = &[
    "mp3", "m4a", "wav", "ogg", "opus", "flac", "oga", "aac", "mp4", "mov", "mkv", "webm", "avi", "m4v",
    "ogv", "png", "jpg", "jpeg", "gif", "webp", "bmp", "svg", "pdf", "txt", "md", "csv", "tsv", "json",
    "xml", "yaml", "yml", "html", "htm", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "odt", "ods", "odp",
    "rtf", "epub", "zip", "tar", "gz", "tgz", "7z", "log",
];

/// Ends a sentence, never a bare path.
const SENTENCE: &str = ".,;:!?。，；：！？、…";
/// Closes something that was opened before the tag, or emphasis around it.
const CLOSERS: &str = ")]}>'*_|）】」』》";

/// Whether the text begins a full path: `/`, `~/`, a drive, UNC, or a file address.
pub fn is_anchored(text: &str) -> bool {
    text.starts_with('/')
        || text.starts_with("~/")
        || is_windows_path(text)
        || super::starts_any_case(text, "file:/")
}

/// A drive (`C:\`, `C:/`), UNC, or the home with a backslash.
pub fn is_windows_path(text: &str) -> bool {
    let bytes = text.as_bytes();
    let drive = matches!(bytes, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
    drive || text.starts_with(r"\\") || text.starts_with(r"~\")
}

/// Bytes of the bare target at the beginning of `text`; `None` when there is none.
pub fn length(text: &str, line_ended: bool) -> Seen<usize> {
    let stop = stop(text);
    // What stopped it is there for good; only the end of an unfinished line is not.
    let settled = line_ended || stop < text.len();
    let reach = &text[..stop];
    if is_anchored(text)
        && let Some(length) = deliverable(reach, settled)?
    {
        return Ok(Some(length));
    }
    let word = reach.find(char::is_whitespace).unwrap_or(stop);
    // A full path may go on behind the blank, up to a known extension.
    if !settled && (word == stop || is_anchored(text)) {
        return Err(Unsettled);
    }
    let length = trimmed(&reach[..word], remote_host(text).is_some());
    Ok((1..=MAX_TARGET).contains(&length).then_some(length))
}

/// How far a bare target can reach at most: to a backtick, a double quote, the next tag, or over the limit of a target.
fn stop(text: &str) -> usize {
    let window = &text[..text.floor_char_boundary(MAX_TARGET + 64)];
    // One pass, which ends at the first of them: a hostile text holds many tags.
    let stops = |at: usize, byte: u8| match byte {
        b'`' | b'"' => true,
        b'M' => text[at..].starts_with(MARKER) && text[..at].ends_with(char::is_whitespace),
        _ => false,
    };
    window.bytes().enumerate().find(|(at, byte)| stops(*at, *byte)).map_or(window.len(), |(at, _)| at)
}

/// Bytes up to the end of the first known extension that ends a word.
fn deliverable(reach: &str, settled: bool) -> Seen<usize> {
    for (dot, _) in reach.match_indices('.') {
        let behind = &reach[dot + 1..];
        let letters = behind.bytes().take_while(u8::is_ascii_alphanumeric).count();
        if !is_deliverable(&behind[..letters]) {
            continue;
        }
        let after = behind[letters..].trim_start_matches(|c| SENTENCE.contains(c) || CLOSERS.contains(c));
        match after.chars().next() {
            Some(c) if c.is_whitespace() || c == '<' => return Ok(Some(dot + 1 + letters)),
            Some(_) => {}
            None if settled => return Ok(Some(dot + 1 + letters)),
            None => return Err(Unsettled),
        }
    }
    Ok(None)
}

fn is_deliverable(extension: &str) -> bool {
    (2..=5).contains(&extension.len())
        && DELIVERABLE.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Bytes of a word without the punctuation of the sentence around it.
fn trimmed(word: &str, remote: bool) -> usize {
    // An address in angle brackets, or before a tag of HTML.
    let mut kept = if remote { word.split(['<', '>']).next().unwrap_or_default() } else { word };
    loop {
        let shorter = kept.trim_end_matches(|c| SENTENCE.contains(c));
        let shorter = match shorter.chars().next_back() {
            Some(last) if CLOSERS.contains(last) && last != '_' && !is_opened(shorter, last) => {
                &shorter[..shorter.len() - last.len_utf8()]
            }
            _ => shorter,
        };
        if shorter.len() == kept.len() {
            return kept.len();
        }
        kept = shorter;
    }
}

/// Whether a closing bracket at the end has its opening one inside.
fn is_opened(text: &str, closer: char) -> bool {
    let opener = match closer {
        ')' => '(',
        ']' => '[',
        '}' => '{',
        '>' => '<',
        '）' => '（',
        _ => return false,
    };
    let count = |sign| text.chars().filter(|c| *c == sign).count();
    count(opener) >= count(closer)
}
