//! Output of any length in bounded memory: its beginning and its end, and how much lies between. Pure.

/// A beginning and an end.
#[derive(Debug)]
pub(super) struct Kept {
    head_bytes: usize,
    tail_bytes: usize,
    head: String,
    /// Up to twice as long as it is kept, so that it is moved seldom.
    tail: String,
    /// Bytes that are in neither.
    dropped: u64,
}

impl Kept {
    /// Bytes of text that are kept from the beginning and from the end.
    pub(super) fn new(head_bytes: usize, tail_bytes: usize) -> Self {
        Self { head_bytes, tail_bytes, head: String::new(), tail: String::new(), dropped: 0 }
    }

    pub(super) fn push(&mut self, text: &str) {
        // The head is closed with the first text behind it, even when a short one would still fit.
        let room =
            if self.tail.is_empty() && self.dropped == 0 { self.head_bytes - self.head.len() } else { 0 };
        let (front, rest) = text.split_at(text.floor_char_boundary(room));
        self.head.push_str(front);
        self.tail.push_str(rest);
        if self.tail.len() > self.tail_bytes.saturating_mul(2) {
            self.trim();
        }
    }

    fn trim(&mut self) {
        let from = self.tail.ceil_char_boundary(self.tail.len().saturating_sub(self.tail_bytes));
        self.tail.drain(..from);
        self.dropped += from as u64;
    }

    /// The text, with a line that says how much is missing.
    pub(super) fn finish(mut self) -> String {
        if self.head.len() + self.tail.len() > self.head_bytes + self.tail_bytes {
            self.trim();
        }
        if self.dropped == 0 {
            return self.head + &self.tail;
        }
        let Self { head, tail, dropped, .. } = self;
        format!("{head}\n[... {dropped} bytes left out ...]\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kept(head: usize, tail: usize, pieces: &[&str]) -> String {
        let mut kept = Kept::new(head, tail);
        pieces.iter().for_each(|piece| kept.push(piece));
        kept.finish()
    }

    #[test]
    fn what_fits_is_kept_whole() {
        assert_eq!(kept(4, 4, &["ab", "cd", "efgh"]), "abcdefgh");
        assert_eq!(kept(4, 4, &[]), "");
    }

    #[test]
    fn of_what_does_not_fit_the_beginning_and_the_end_are_kept_and_the_gap_is_told() {
        assert_eq!(kept(3, 2, &["abcdefgh"]), "abc\n[... 3 bytes left out ...]\ngh");
        assert_eq!(kept(3, 2, &["ab", "cdef", "g", "h", "ijklm"]), "abc\n[... 8 bytes left out ...]\nlm");
    }

    #[test]
    fn a_cut_falls_between_characters() {
        assert_eq!(kept(2, 2, &["a\u{e9}\u{e9}\u{e9}z"]), "a\n[... 6 bytes left out ...]\nz");
    }

    proptest! {
        #[test]
        fn memory_is_bounded_and_nothing_is_lost_unsaid(
            pieces in proptest::collection::vec("[a-z\u{e9}\u{1f600}]{0,20}", 0..40),
        ) {
            let mut kept = Kept::new(16, 16);
            for piece in &pieces {
                kept.push(piece);
                prop_assert!(kept.head.len() <= 16 && kept.tail.len() <= 32);
            }
            let all = pieces.concat();
            let text = kept.finish();
            match text.split_once("\n[... ") {
                None => prop_assert_eq!(text, all),
                Some((head, rest)) => {
                    let (count, tail) = rest.split_once(" bytes left out ...]\n").expect("the whole line");
                    prop_assert!(all.starts_with(head) && all.ends_with(tail));
                    prop_assert_eq!(head.len() + tail.len() + count.parse::<usize>().expect("a number"), all.len());
                }
            }
        }
    }
}
