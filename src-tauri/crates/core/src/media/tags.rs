//! `MEDIA:` tags in a message's text.
//!
//! The one parser: what it finds is what the page shows as a card and what a session may open. It reads lines, so a
//! tag never spans two; inside a fenced code block `MEDIA:` is text.

mod bare;
mod fence;

use super::kind;
use super::path::remote_host;
pub(crate) use fence::Fences;
use talaria_wire::{MediaTag, MessageRole, MessageRow, TagKind};

/// What a tag begins with. Upper case only.
const MARKER: &str = "MEDIA:";
/// The longest target, in bytes. Longer than any path a system takes; keeps a hostile text cheap.
const MAX_TARGET: usize = 4096;
/// What may stand around a tag or its path.
const QUOTES: [char; 3] = ['`', '"', '\''];

/// All tags of a finished text, in order, without overlap.
pub fn parse(text: &str) -> Vec<MediaTag> {
    scan(text, true)
}

/// The tags of a text that is still growing: only those that no further letter can change. What this finds,
/// [`parse`] finds in the finished text as well.
pub fn parse_streaming(text: &str) -> Vec<MediaTag> {
    scan(text, false)
}

/// Writes into rows, as the store gives them, which tags their texts have. Only users and assistants name media.
pub fn fill(messages: &mut [MessageRow]) {
    for message in messages {
        if matches!(message.role, MessageRole::User | MessageRole::Assistant) {
            message.media = parse(&message.text);
        }
    }
}

fn scan(text: &str, finished: bool) -> Vec<MediaTag> {
    let mut tags = Vec::new();
    let mut fences = Fences::default();
    let mut units = Units { text, byte: 0, count: 0 };
    let mut line_start = 0;
    for line in text.split_inclusive('\n') {
        let content = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
        let line_ended = finished || line.len() > content.len();
        if !fences.is_code(content) {
            for found in tags_of_line(content, line_ended) {
                tags.push(MediaTag {
                    start: units.at(line_start + found.start),
                    end: units.at(line_start + found.end),
                    target: found.target.to_owned(),
                    kind: found.kind,
                    name: found.name,
                });
            }
        }
        line_start += line.len();
    }
    tags
}

/// A tag in its line; offsets in bytes.
struct Found<'a> {
    start: usize,
    end: usize,
    target: &'a str,
    kind: TagKind,
    name: String,
}

/// More letters could still change what stands at the end of an unfinished line.
struct Unsettled;

/// What stands at a marker: a tag, text, or not to be said yet.
type Seen<T> = Result<Option<T>, Unsettled>;

fn tags_of_line(line: &str, line_ended: bool) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    let mut bare = bare::Line::new(line, line_ended);
    let mut from = 0;
    let mut taken = 0;
    while let Some(at) = line[from..].find(MARKER) {
        let marker = from + at;
        from = marker + MARKER.len();
        match tag_at(line, marker, taken, line_ended, &mut bare) {
            Ok(Some(tag)) => {
                from = tag.end;
                taken = tag.end;
                found.push(tag);
            }
            Ok(None) => {}
            // It may become a tag that holds the rest of the line.
            Err(Unsettled) => break,
        }
    }
    found
}

/// What stands at `marker`; everything before `taken` belongs to earlier tags.
fn tag_at<'a>(
    line: &'a str,
    marker: usize,
    taken: usize,
    line_ended: bool,
    bare: &mut bare::Line<'a>,
) -> Seen<Found<'a>> {
    let value_start = marker + MARKER.len();
    let (before, value) = (&line[..marker], &line[value_start..]);
    let neighbour = before.chars().next_back();
    if before.ends_with(MARKER)
        || neighbour.is_some_and(|c| c.is_alphanumeric() || r"_-/\.#@=&%+~$".contains(c))
    {
        // Part of a longer word.
        return Ok(None);
    }
    if let Some(quote) = opening_quote(&line[taken..marker]) {
        // `MEDIA:/a b.mp4` in quotes as a whole.
        match closing(value, quote) {
            Some(length) => {
                let target = unquoted(value[..length].trim());
                let (start, end) = (marker - quote.len_utf8(), value_start + length + quote.len_utf8());
                return Ok(found(start, end, target));
            }
            None if !line_ended => return Err(Unsettled),
            None => {}
        }
    }
    let path = value.trim_start_matches([' ', '\t']);
    let path_start = value_start + value.len() - path.len();
    if let Some(quote) = path.chars().next().filter(|c| QUOTES.contains(c)) {
        let inside = &path[quote.len_utf8()..];
        return match closing(inside, quote) {
            Some(length) => Ok(found(marker, path_start + length + 2 * quote.len_utf8(), &inside[..length])),
            None if !line_ended => Err(Unsettled),
            None => Ok(None),
        };
    }
    let length = bare.length(path_start)?;
    // "MEDIA: the best of" is a sentence: behind a blank only a full path or an address counts.
    if path_start > value_start && !bare::is_anchored(path) && remote_host(path).is_none() {
        return Ok(None);
    }
    Ok(length.and_then(|length| found(marker, path_start + length, &path[..length])))
}

/// The quote directly before a marker, unless it closes a word.
fn opening_quote(before: &str) -> Option<char> {
    let mut before = before.chars().rev();
    let quote = before.next().filter(|c| QUOTES.contains(c))?;
    (!before.next().is_some_and(char::is_alphanumeric)).then_some(quote)
}

/// Where the quote closes.
fn closing(text: &str, quote: char) -> Option<usize> {
    text[..text.floor_char_boundary(MAX_TARGET + quote.len_utf8())].find(quote)
}

/// The text without a pair of quotes around it.
fn unquoted(text: &str) -> &str {
    QUOTES.iter().find_map(|quote| text.strip_prefix(*quote)?.strip_suffix(*quote)).unwrap_or(text)
}

/// The tag, if its target is one: it has a slash, a backslash or a dotted extension, and a name.
fn found(start: usize, end: usize, target: &str) -> Option<Found<'_>> {
    if target.is_empty() || target.len() > MAX_TARGET || starts_any_case(target, "data:") {
        return None;
    }
    if let Some(host) = remote_host(target) {
        let name = host.to_owned();
        return (!host.is_empty()).then_some(Found { start, end, target, kind: TagKind::Remote, name });
    }
    let name = name_of(target);
    if name.is_empty() || !target.contains(['/', '\\']) && !has_extension(&name) {
        return None;
    }
    Some(Found { start, end, target, kind: kind::tag_kind(&name), name })
}

/// The last part of a path; a file address is decoded.
fn name_of(target: &str) -> String {
    if starts_any_case(target, "file:") {
        let last = target.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let decoded = percent_encoding::percent_decode_str(last).decode_utf8_lossy();
        // An encoded slash makes more parts.
        return decoded.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
    }
    let separators: &[char] = if bare::is_windows_path(target) { &['/', '\\'] } else { &['/'] };
    target.trim_end_matches(separators).rsplit(separators).next().unwrap_or_default().to_owned()
}

/// `.mp4`, not `1.5` and not a sentence's dot.
fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=8).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
    })
}

fn starts_any_case(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix))
}

/// Counts UTF-16 units up to a byte; the bytes asked for only grow, so the whole text is walked once.
struct Units<'a> {
    text: &'a str,
    byte: usize,
    count: usize,
}

impl Units<'_> {
    fn at(&mut self, byte: usize) -> usize {
        self.count += self.text[self.byte..byte].encode_utf16().count();
        self.byte = byte;
        self.count
    }
}

#[cfg(test)]
mod tests;
