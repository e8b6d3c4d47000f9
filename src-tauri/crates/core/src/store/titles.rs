//! Titles: what may be one, and that no two listed sessions share one.
//!
//! Unique among active and archived, by exact letters. A clash of an automatic, imported or restored title gets ` #2`;
//! only a title typed by the user is refused.

use super::error::StoreError;
use super::text;
use rusqlite::{Connection, OptionalExtension};

/// Longer is refused, never cut. Counted in characters (code points).
pub const MAX_CHARS: usize = 100;

/// A title as it is stored: no unseen characters, white space folded. `None`: nothing is left, so untitled.
///
/// Errors: `TitleTooLong`.
pub fn cleaned(typed: &str) -> Result<Option<String>, StoreError> {
    let title = text::one_line(typed, text::is_unseen);
    match title.chars().count() {
        0 => Ok(None),
        1..=MAX_CHARS => Ok(Some(title)),
        length => Err(StoreError::TitleTooLong { length }),
    }
}

/// A title that nobody typed here: cut where a typed one is refused.
pub fn automatic(text: &str) -> Option<String> {
    let title = text::one_line(text, text::is_unseen);
    (!title.is_empty()).then(|| cut(&title, MAX_CHARS))
}

fn cut(title: &str, chars: usize) -> String {
    // A grapheme has one character or more, so the first try is the longest that can fit.
    (1..=chars)
        .rev()
        .map(|graphemes| text::shortened(title, graphemes))
        .find(|cut| cut.chars().count() <= chars)
        .unwrap_or_default()
}

/// Refuses a title that another listed lineage holds.
pub(super) fn check_free(db: &Connection, title: &str, lineage: i64) -> Result<(), StoreError> {
    match holder(db, title, lineage)? {
        None => Ok(()),
        Some(archived) => Err(StoreError::TitleTaken { holder: title.to_owned(), archived }),
    }
}

/// The title, or it with the lowest free number behind it.
pub(super) fn numbered(db: &Connection, title: &str, lineage: i64) -> Result<String, StoreError> {
    if holder(db, title, lineage)?.is_none() {
        return Ok(title.to_owned());
    }
    let base = without_number(title);
    for n in 2_u64.. {
        let suffix = format!(" #{n}");
        let candidate = format!("{}{suffix}", cut(base, MAX_CHARS - suffix.len()));
        if holder(db, &candidate, lineage)?.is_none() {
            return Ok(candidate);
        }
    }
    unreachable!("there are fewer sessions than numbers")
}

/// Whether somebody else has the title, and then whether that one is archived.
pub(super) fn holder(db: &Connection, title: &str, lineage: i64) -> Result<Option<bool>, StoreError> {
    Ok(db
        .prepare_cached("SELECT place = 1 FROM lineages WHERE title = ?1 AND place IN (0, 1) AND id <> ?2")?
        .query_row((title, lineage), |row| row.get(0))
        .optional()?)
}

/// The titles of the sessions that were last active, wherever they are, at most `most`.
pub(super) fn newest(db: &Connection, most: u32) -> Result<Vec<String>, StoreError> {
    let sql = "SELECT title FROM lineages WHERE title IS NOT NULL ORDER BY recency DESC LIMIT ?1";
    let mut statement = db.prepare_cached(sql)?;
    let titles = statement.query_map([most], |row| text::read(row, 0))?;
    Ok(titles.flat_map(Result::transpose).collect::<Result<_, _>>()?)
}

fn without_number(title: &str) -> &str {
    match title.rsplit_once(" #") {
        Some((base, n)) if !base.is_empty() && !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()) => base,
        _ => title,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_characters_go_and_white_space_folds() {
        let typed = "  a\u{202e}b\u{200b}\tc\u{0}\n\u{2066}d ";
        assert_eq!(cleaned(typed).expect("short").as_deref(), Some("ab c d"));
        assert_eq!(cleaned(" \u{200d}\u{feff}").expect("short"), None);
    }

    #[test]
    fn a_typed_title_over_100_characters_is_refused_and_an_automatic_one_is_cut() {
        let long = "é".repeat(101);
        assert!(matches!(cleaned(&long), Err(StoreError::TitleTooLong { length: 101 })));
        assert!(cleaned(&long[2..]).is_ok(), "100 are allowed");
        let cut = automatic(&long).expect("not empty");
        assert_eq!((cut.chars().count(), cut.ends_with('…')), (100, true));
    }

    #[test]
    fn only_a_number_is_taken_for_a_number() {
        assert_eq!(without_number("Fix #12"), "Fix");
        assert_eq!(without_number("C #"), "C #");
        assert_eq!(without_number("Fix #a1"), "Fix #a1");
        assert_eq!(without_number(" #2"), " #2");
    }
}
