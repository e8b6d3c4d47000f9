//! The words of a query. Every character is a letter: `%`, `_`, `"` and `*` mean themselves.

use super::error::StoreError;
use super::text;

/// The search index knows pieces of three characters; shorter words are looked for by reading.
const INDEXED: usize = 3;
/// Longer queries are refused, never cut.
const MAX_CHARS: usize = 500;

/// Folded words, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Words(Vec<String>);

impl Words {
    /// Errors: `BadRequest` for over 500 characters.
    pub(super) fn parse(query: &str) -> Result<Self, StoreError> {
        check_length(query)?;
        let mut words: Vec<String> = Vec::new();
        for word in query.split(|c: char| c.is_whitespace() || c == '\0').filter(|word| !word.is_empty()) {
            let word = text::folded(word);
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Ok(Self(words))
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Whether all words occur in an already folded text.
    pub(super) fn all_in(&self, folded: &str) -> bool {
        self.iter().all(|word| folded.contains(word))
    }

    /// The expression for the index: all words that it can find, as literal phrases. `None`: it can find none.
    pub(super) fn indexed(&self) -> Option<String> {
        let phrases: Vec<String> = self
            .iter()
            .filter(|word| is_indexed(word))
            .map(|word| format!("\"{}\"", word.replace('"', "\"\"")))
            .collect();
        (!phrases.is_empty()).then(|| phrases.join(" AND "))
    }

    /// Whether some word is too short for the index.
    pub(super) fn has_short(&self) -> bool {
        self.iter().any(|word| !is_indexed(word))
    }
}

/// Errors: `BadRequest` for over 500 characters.
pub(super) fn check_length(query: &str) -> Result<(), StoreError> {
    if query.chars().count() > MAX_CHARS {
        return Err(StoreError::bad(format!("A search has at most {MAX_CHARS} characters. Shorten it.")));
    }
    Ok(())
}

fn is_indexed(word: &str) -> bool {
    word.chars().nth(INDEXED - 1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_letters_in_the_expression() {
        let words = Words::parse("say \"hi\"* 100%").expect("short");
        assert_eq!(words.indexed().as_deref(), Some("\"say\" AND \"\"\"hi\"\"*\" AND \"100%\""));
        assert!(!words.has_short());
    }

    #[test]
    fn one_and_two_letters_are_not_for_the_index() {
        let words = Words::parse("日本 a").expect("short");
        assert_eq!(words.indexed(), None);
        assert!(words.has_short());
        assert!(Words::parse("日本語").expect("short").indexed().is_some());
    }

    #[test]
    fn a_query_over_500_characters_is_refused() {
        assert!(Words::parse(&"x".repeat(501)).is_err());
    }
}
