//! Text as lists and search see it. Pure.

use rusqlite::Row;
use rusqlite::types::ValueRef;
use unicode_segmentation::UnicodeSegmentation;

/// A column's text. Of letters that a broken disk has changed the others are still worth reading.
pub(super) fn read(row: &Row<'_>, column: usize) -> rusqlite::Result<Option<String>> {
    Ok(match row.get_ref(column)? {
        ValueRef::Text(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    })
}

/// Characters that are not seen but change what is seen: control, zero-width, bidi, byte order, object replacement.
/// White space is not among them.
pub(crate) fn is_unseen(c: char) -> bool {
    (c.is_control() && !c.is_whitespace())
        || is_direction(c)
        || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{fff9}'..='\u{fffc}' | '\u{ad}')
}

fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}')
}

/// White space runs become one blank; none at the ends. Characters that `drop` names go.
pub(crate) fn one_line(text: &str, drop: impl Fn(char) -> bool) -> String {
    let mut line = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.chars() {
        if c.is_whitespace() {
            blank = !line.is_empty();
        } else if !drop(c) {
            if std::mem::take(&mut blank) {
                line.push(' ');
            }
            line.push(c);
        }
    }
    line
}

/// At most `graphemes` of the text, with an ellipsis when some was left out (which is one of them).
pub(super) fn shortened(text: &str, graphemes: usize) -> String {
    let mut at = text.grapheme_indices(true).map(|(start, _)| start);
    let Some(last) = at.by_ref().nth(graphemes.saturating_sub(1)) else { return text.to_owned() };
    if at.next().is_none() { text.to_owned() } else { format!("{}…", text[..last].trim_end()) }
}

/// The line a row shows under its title: at most 60 graphemes. The joiner of emoji families stays, so that a cut falls
/// between whole ones.
pub(super) fn preview(text: &str) -> Option<String> {
    const GRAPHEMES: usize = 60;
    // A pasted file has megabytes; a preview needs its beginning.
    let start = &text[..text.floor_char_boundary(8 * 1024)];
    let line = one_line(start, |c| is_unseen(c) && c != '\u{200d}');
    (!line.is_empty()).then(|| shortened(&line, GRAPHEMES))
}

/// Lower case, one character for one, as the search index folds it: offsets in characters stay the same.
pub(super) fn folded(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    fold_into(text, &mut folded);
    folded
}

/// [`folded`] into a buffer: for many texts one after the other.
pub(super) fn fold_into(text: &str, buffer: &mut String) {
    buffer.clear();
    if text.is_ascii() {
        buffer.push_str(text);
        buffer.make_ascii_lowercase();
    } else {
        buffer.extend(text.chars().map(fold));
    }
}

/// The lower case of a character when that is one character, else itself.
pub(super) fn fold(c: char) -> char {
    if c.is_ascii() {
        return c.to_ascii_lowercase();
    }
    let mut lower = c.to_lowercase();
    match (lower.next(), lower.next()) {
        (Some(one), None) => one,
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_never_falls_inside_an_emoji_family() {
        let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        let text = format!("{}{family}{family}", "x".repeat(58));
        assert_eq!(preview(&text), Some(text.clone()), "60 graphemes fit");
        let longer = format!("{text}!");
        assert_eq!(preview(&longer), Some(format!("{}{family}…", "x".repeat(58))));
    }

    #[test]
    fn a_preview_is_one_line_without_direction_marks() {
        assert_eq!(preview("a\r\n\tb \u{202e}c").as_deref(), Some("a b c"));
        assert_eq!(preview(" \n"), None);
    }

    #[test]
    fn folding_keeps_the_number_of_characters() {
        for text in ["Straße İstanbul ΣΟΦΟΣ", "日本語", "ŸÇ"] {
            assert_eq!(folded(text).chars().count(), text.chars().count());
        }
    }
}
