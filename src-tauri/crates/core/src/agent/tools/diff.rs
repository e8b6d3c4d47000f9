//! What a write changed, as a unified diff for the card. Pure.

use similar::TextDiff;
use std::time::Duration;

/// Bytes of a diff.
const LONGEST: usize = 64 * 1024;
/// After so long the diff is a coarser one.
const PATIENCE: Duration = Duration::from_millis(500);

/// `name` as the card shows it.
pub(super) fn unified(name: &str, before: Option<&[u8]>, after: &str) -> String {
    let Ok(old) = std::str::from_utf8(before.unwrap_or_default()) else {
        let bytes = before.map_or(0, <[u8]>::len);
        return format!("{name}: {bytes} bytes that are no text were replaced by text.\n");
    };
    let old_name = if before.is_some() { name } else { "/dev/null" };
    let diff = TextDiff::configure().timeout(PATIENCE).diff_lines(old, after);
    let mut text = diff.unified_diff().context_radius(3).header(old_name, name).to_string();
    if text.len() > LONGEST {
        let left = text.len() - LONGEST;
        text.truncate(text.floor_char_boundary(LONGEST));
        text.push_str(&format!("\n[... {left} more bytes of changes ...]\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_shown_with_their_neighbours() {
        let diff = unified("a.txt", Some(b"1\n2\n3\n"), "1\ntwo\n3\n");
        assert_eq!(diff, "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n");
        assert_eq!(unified("a.txt", None, "1\n"), "--- /dev/null\n+++ a.txt\n@@ -0,0 +1 @@\n+1\n");
    }

    #[test]
    fn a_long_diff_is_cut_and_what_was_no_text_is_told() {
        let long = unified("a", None, &"\u{e9}\n".repeat(60_000));
        assert!(long.len() < LONGEST + 100 && long.ends_with("more bytes of changes ...]\n"));
        assert!(unified("a", Some(&[0xff]), "b").contains("1 bytes that are no text"));
    }
}
