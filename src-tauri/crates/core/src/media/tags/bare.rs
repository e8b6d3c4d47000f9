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

/// How many closers are taken off a word; no sentence has more.
const MAX_CLOSERS: usize = 8;

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

/// A line in which bare targets are measured. What was searched once is kept: a hostile line holds a tag every few
/// bytes, and each would search the same rest.
pub struct Line<'a> {
    text: &'a str,
    /// Whether no more letters will come.
    ended: bool,
    stop: Next,
    blank: Next,
    deliverable: Next,
}

/// The next place of something at or behind a place, as far as it is known.
#[derive(Default)]
struct Next {
    known: Option<(usize, Option<usize>)>,
}

impl Next {
    fn at(&mut self, from: usize, find: impl FnOnce() -> Option<usize>) -> Option<usize> {
        match self.known {
            Some((searched, place)) if searched <= from && place.is_none_or(|place| place >= from) => place,
            _ => {
                let place = find();
                self.known = Some((from, place));
                place
            }
        }
    }
}

impl<'a> Line<'a> {
    /// The line without its break.
    pub fn new(text: &'a str, ended: bool) -> Self {
        Self { text, ended, stop: Next::default(), blank: Next::default(), deliverable: Next::default() }
    }

    /// Bytes of the bare target that begins at `from`; `None` when there is none.
    pub fn length(&mut self, from: usize) -> Seen<usize> {
        let text = self.text;
        let limit = text.floor_char_boundary(from + MAX_TARGET + 1);
        let stop = self.stop(from).unwrap_or(text.len()).min(limit);
        let is_full_path = is_anchored(&text[from..]);
        if is_full_path
            && let Some(dot) = self.deliverable(from)
            && dot < stop
        {
            let (end, rest) = after_extension(text, dot);
            // What follows at the end of an unfinished line may go on: `.mp4` to `.mp4.bak`.
            return if rest.is_empty() && !self.ended { Err(Unsettled) } else { Ok(Some(end - from)) };
        }
        let word = self.blank(from).unwrap_or(text.len()).min(stop);
        // A full path may go on behind the blank, up to a known extension; a word only at the end of the line.
        let open_end = if is_full_path { stop } else { word };
        if open_end == text.len() && !self.ended {
            return Err(Unsettled);
        }
        let length = trimmed(&text[from..word], remote_host(&text[from..]).is_some());
        Ok((1..=MAX_TARGET).contains(&length).then_some(length))
    }

    /// The next backtick, double quote or further tag.
    fn stop(&mut self, from: usize) -> Option<usize> {
        let text = self.text;
        let is_stop = |at: usize, byte: u8| match byte {
            b'`' | b'"' => true,
            b'M' => text[at..].starts_with(MARKER) && text[..at].ends_with(char::is_whitespace),
            _ => false,
        };
        let find =
            || text.bytes().enumerate().skip(from).find(|(at, byte)| is_stop(*at, *byte)).map(|(at, _)| at);
        self.stop.at(from, find)
    }

    fn blank(&mut self, from: usize) -> Option<usize> {
        let text = self.text;
        self.blank.at(from, || text[from..].find(char::is_whitespace).map(|at| from + at))
    }

    /// The dot of the next known extension that ends a word.
    fn deliverable(&mut self, from: usize) -> Option<usize> {
        let text = self.text;
        let ends_word = |dot: &usize| {
            let (end, rest) = after_extension(text, *dot);
            let next = rest.chars().next();
            is_deliverable(&text[dot + 1..end])
                && next.is_none_or(|next| next.is_whitespace() || matches!(next, '<' | '`' | '"'))
        };
        let find = || text[from..].match_indices('.').map(|(at, _)| from + at).find(ends_word);
        self.deliverable.at(from, find)
    }
}

/// Where the letters behind a dot end, and what follows the punctuation behind them.
fn after_extension(text: &str, dot: usize) -> (usize, &str) {
    let behind = &text[dot + 1..];
    let letters = behind.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let rest = behind[letters..].trim_start_matches(|c| SENTENCE.contains(c) || CLOSERS.contains(c));
    (dot + 1 + letters, rest)
}

fn is_deliverable(extension: &str) -> bool {
    (2..=5).contains(&extension.len())
        && DELIVERABLE.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Bytes of a word without the punctuation of the sentence around it.
fn trimmed(word: &str, remote: bool) -> usize {
    // An address in angle brackets, or before a tag of HTML.
    let mut kept = if remote { word.split(['<', '>']).next().unwrap_or_default() } else { word };
    for _ in 0..MAX_CLOSERS {
        let shorter = kept.trim_end_matches(|c| SENTENCE.contains(c));
        let shorter = match shorter.chars().next_back() {
            Some(last) if CLOSERS.contains(last) && last != '_' && !is_opened(shorter, last) => {
                &shorter[..shorter.len() - last.len_utf8()]
            }
            _ => shorter,
        };
        if shorter.len() == kept.len() {
            break;
        }
        kept = shorter;
    }
    kept.len()
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
