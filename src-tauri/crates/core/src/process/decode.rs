//! Bytes of a pipe as text: a character that two reads share is put together; what is no UTF-8 becomes U+FFFD. Pure.

/// Keeps the first bytes of a character whose rest has not come.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    carried: Vec<u8>,
}

impl Decoder {
    /// The text that is certain by now.
    pub(super) fn push(&mut self, bytes: &[u8]) -> String {
        self.carried.extend_from_slice(bytes);
        let mut text = String::with_capacity(self.carried.len());
        let mut rest = self.carried.as_slice();
        while let Err(error) = std::str::from_utf8(rest) {
            let (valid, after) = rest.split_at(error.valid_up_to());
            text.push_str(&String::from_utf8_lossy(valid));
            rest = after;
            let Some(wrong) = error.error_len() else {
                self.carried = rest.to_vec();
                return text;
            };
            text.push(char::REPLACEMENT_CHARACTER);
            rest = &rest[wrong..];
        }
        text.push_str(&String::from_utf8_lossy(rest));
        self.carried.clear();
        text
    }

    /// The rest, when nothing more comes.
    pub(super) fn finish(&mut self) -> String {
        String::from_utf8_lossy(&std::mem::take(&mut self.carried)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_character_that_two_reads_share_is_put_together() {
        let mut decoder = Decoder::default();
        let bytes = "a\u{1f600}b".as_bytes();
        assert_eq!(decoder.push(&bytes[..3]), "a");
        assert_eq!(decoder.push(&bytes[3..4]), "");
        assert_eq!(decoder.push(&bytes[4..]), "\u{1f600}b");
        assert_eq!(decoder.finish(), "");
    }

    #[test]
    fn half_a_character_at_the_end_is_said_to_be_one() {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.push(b"a\xf0\x9f"), "a");
        assert_eq!(decoder.finish(), "\u{fffd}");
    }

    proptest! {
        #[test]
        fn where_the_reads_are_cut_changes_nothing(
            pieces in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..6), 0..12),
        ) {
            let mut decoder = Decoder::default();
            let mut text: String = pieces.iter().map(|piece| decoder.push(piece)).collect();
            text.push_str(&decoder.finish());
            let all = pieces.concat();
            prop_assert_eq!(text, String::from_utf8_lossy(&all));
        }
    }
}
