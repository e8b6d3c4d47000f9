//! Text with the found words marked. Pure.

use super::text;
use super::words::Words;
use std::ops::Range;
use talaria_wire::SnippetPart;
use unicode_segmentation::GraphemeCursor;

/// Characters before the first hit, and in all.
const BEFORE: usize = 48;
const LENGTH: usize = 200;

/// The whole text in parts, hits marked.
pub(super) fn marked(text: &str, words: &Words) -> Vec<SnippetPart> {
    let chars: Vec<char> = text.chars().collect();
    let mut parts = Vec::new();
    let mut at = 0;
    let mut push = |range: Range<usize>, hit| {
        if !range.is_empty() {
            parts.push(SnippetPart { text: chars[range].iter().collect(), hit });
        }
    };
    for hit in hits(&chars, words) {
        push(at..hit.start, false);
        at = hit.end;
        push(hit, true);
    }
    push(at..chars.len(), false);
    parts
}

/// One line around the first hit, hits marked, an ellipsis where text was left out.
pub(super) fn around(text: &str, words: &Words) -> Vec<SnippetPart> {
    let chars: Vec<char> = text.chars().collect();
    let first = hits(&chars, words).first().map_or(0, |hit| hit.start);
    let start = border(&chars, first.saturating_sub(BEFORE), first);
    let end = (start + LENGTH).max(first + 1).min(chars.len());
    let (start, end) = (whole(text, start), whole(text, end));
    // The joiner of emoji families stays, as in a preview.
    let line = text::one_line(&text[start..end], |c| text::is_unseen(c) && c != '\u{200d}');
    let left = if start > 0 { "…" } else { "" };
    let right = if end < text.len() { "…" } else { "" };
    marked(&format!("{left}{line}{right}"), words)
}

/// The first start of a word at or after `from`, when there is one before the hit; else `from`.
fn border(chars: &[char], from: usize, hit: usize) -> usize {
    if from == 0 {
        return 0;
    }
    chars[from..hit].iter().position(|c| c.is_whitespace()).map_or(from, |blank| from + blank + 1)
}

/// The offset in bytes of the character with this number, or of the grapheme that it is inside of.
fn whole(text: &str, chars: usize) -> usize {
    let at = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => cursor.prev_boundary(text, 0).ok().flatten().unwrap_or(0),
        // The text is given whole, so it can always be told.
        Ok(true) | Err(_) => at,
    }
}

/// Where words occur, in order, overlapping ones joined.
fn hits(chars: &[char], words: &Words) -> Vec<Range<usize>> {
    let folded: Vec<char> = chars.iter().map(|c| text::fold(*c)).collect();
    let mut found: Vec<Range<usize>> = Vec::new();
    for word in words.iter() {
        let word: Vec<char> = word.chars().collect();
        let starts = folded.windows(word.len()).enumerate().filter(|(_, window)| *window == word);
        found.extend(starts.map(|(start, _)| start..start + word.len()));
    }
    found.sort_by_key(|hit| (hit.start, hit.end));
    found.into_iter().fold(Vec::new(), |mut joined, hit| {
        match joined.last_mut() {
            Some(last) if hit.start <= last.end => last.end = last.end.max(hit.end),
            _ => joined.push(hit),
        }
        joined
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(parts: &[SnippetPart]) -> String {
        parts.iter().map(|p| if p.hit { format!("[{}]", p.text) } else { p.text.clone() }).collect()
    }

    fn words(query: &str) -> Words {
        Words::parse(query).expect("short")
    }

    #[test]
    fn words_are_marked_in_any_case_and_script() {
        assert_eq!(
            show(&marked("Grüße an 日本語", &words("grüsse GRÜSSE grüße 日本"))),
            "[Grüße] an [日本]語"
        );
        assert_eq!(show(&marked("ababa", &words("aba"))), "[ababa]", "overlapping hits are one");
        assert_eq!(show(&marked("100% _sure_", &words("% _"))), "100[%] [_]sure[_]");
    }

    #[test]
    fn a_snippet_starts_at_a_word_and_says_what_is_left_out() {
        let text = format!("{} needle\nin {}", "hay ".repeat(50), "straw ".repeat(50));
        let shown = show(&around(&text, &words("needle")));
        assert!(shown.starts_with("…hay"), "{shown}");
        assert!(shown.contains("[needle] in straw"), "{shown}");
        assert!(shown.ends_with('…'), "{shown}");
    }

    #[test]
    fn a_text_without_the_word_shows_its_start() {
        assert_eq!(show(&around("short text", &words("zzz"))), "short text");
    }
}
