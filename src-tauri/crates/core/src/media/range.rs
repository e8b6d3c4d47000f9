//! The Range header (RFC 9110, sections 14.1 and 14.2), as a pure function.
//!
//! `http-range` computes the ranges. What it is given has passed our grammar: version 0.1.6 accepts blanks inside
//! `1 -2`, refuses numbers over 64 bit, and calls `20-5` merely out of reach when the file is shorter than 20.

use http::HeaderValue;
use http_range::{HttpRange, HttpRangeParseError};

/// What a Range header asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Everything: no header, one that is ignored, several ranges (they are never merged), or an empty file.
    Whole,
    /// One range; `length` is at least 1 and `start + length` at most the file's size.
    Part {
        /// First byte.
        start: u64,
        /// Bytes.
        length: u64,
    },
    /// Ranges of which none begins inside the file.
    Unsatisfiable,
}

/// Decides for a file of `size` bytes.
pub fn wanted(header: &HeaderValue, size: u64) -> Wanted {
    if size == 0 {
        return Wanted::Whole;
    }
    let Some(canonical) = canonical(header.as_bytes()) else { return Wanted::Whole };
    match HttpRange::parse(&canonical, size) {
        Ok(ranges) => match ranges.as_slice() {
            [one] => Wanted::Part { start: one.start, length: one.length },
            _ => Wanted::Whole,
        },
        Err(HttpRangeParseError::NoOverlap) => Wanted::Unsatisfiable,
        Err(HttpRangeParseError::InvalidRange) => Wanted::Whole,
    }
}

/// The header with its blanks and empty members dropped and its numbers clamped to 64 bit; `None` when it is not
/// `bytes=` with at least one well-formed range.
fn canonical(header: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(header).ok()?;
    let (unit, set) = text.split_once('=')?;
    if !unit.eq_ignore_ascii_case("bytes") {
        return None;
    }
    let mut members = Vec::new();
    for member in set.split(',') {
        let member = member.trim_matches([' ', '\t']);
        if !member.is_empty() {
            members.push(canonical_member(member)?);
        }
    }
    (!members.is_empty()).then(|| format!("bytes={}", members.join(",")))
}

/// `a-b` with a at most b, `a-` or `-n`.
fn canonical_member(member: &str) -> Option<String> {
    let (first, last) = member.split_once('-')?;
    match (digits(first)?, digits(last)?) {
        ("", "") => None,
        ("", suffix) => Some(format!("-{}", clamp(suffix))),
        (first, "") => Some(format!("{}-", clamp(first))),
        // Compared before the clamp, which makes all large numbers equal.
        (first, last) if is_less(last, first) => None,
        (first, last) => Some(format!("{}-{}", clamp(first), clamp(last))),
    }
}

/// The text when it is decimal digits only, or nothing at all.
fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

fn clamp(digits: &str) -> u64 {
    // Only an overflow can fail: the text is decimal digits.
    digits.parse().unwrap_or(u64::MAX)
}

/// Whether one decimal number of any length is less than another.
fn is_less(a: &str, b: &str) -> bool {
    let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
    (a.len(), a) < (b.len(), b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ask(header: &str, size: u64) -> Wanted {
        wanted(&HeaderValue::from_bytes(header.as_bytes()).expect("a header value"), size)
    }

    const fn part(start: u64, end: u64) -> Wanted {
        Wanted::Part { start, length: end - start }
    }

    #[test]
    fn one_satisfiable_range_is_a_part() {
        for (header, start, end) in [
            ("bytes=0-1", 0, 2),
            ("bytes=3-", 3, 10),
            ("bytes=-4", 6, 10),
            ("bytes=-99", 0, 10),
            ("bytes=9-99", 9, 10),
            ("ByTeS=\t 0-0 ,, ", 0, 1),
            ("bytes=50-60,2-3", 2, 4),
            ("bytes=0-99999999999999999999999", 0, 10),
            ("bytes=-99999999999999999999999", 0, 10),
            ("bytes=00000000000000000000000000003-", 3, 10),
        ] {
            assert_eq!(ask(header, 10), part(start, end), "{header}");
        }
    }

    #[test]
    fn no_range_inside_the_file_is_unsatisfiable() {
        for header in
            ["bytes=10-", "bytes=-0", "bytes=50-60,20-", "bytes=18446744073709551616-", "bytes=10-11,-00"]
        {
            assert_eq!(ask(header, 10), Wanted::Unsatisfiable, "{header}");
        }
    }

    #[test]
    fn a_header_that_is_no_byte_range_is_ignored() {
        for header in [
            "",
            "bytes",
            "bytes=",
            "bytes= , ",
            "bytes=7",
            "bytes=5-4",
            "bytes=20-15",
            "bytes=1 -2",
            "bytes=1- 2",
            "bytes=--5",
            "bytes=-",
            "bytes=+1-2",
            "bytes=0x1-2",
            "bytes =0-1",
            " bytes=0-1",
            "bytes=0-1;2-3",
            "seconds=0-1",
            "bytes=0-1,x",
            "bytes=0-*",
            "bytes=\u{661}-\u{662}",
            "bytes=99999999999999999999999-99999999999999999999998",
        ] {
            assert_eq!(ask(header, 10), Wanted::Whole, "{header:?}");
        }
    }

    #[test]
    fn several_satisfiable_ranges_are_the_whole_file() {
        assert_eq!(ask("bytes=0-0,-1", 10), Wanted::Whole);
        assert_eq!(ask("bytes=0-0,0-0", 10), Wanted::Whole);
    }

    #[test]
    fn any_range_of_an_empty_file_is_the_whole_of_it() {
        for header in ["bytes=0-", "bytes=-5", "bytes=0-0", "bytes=-0"] {
            assert_eq!(ask(header, 0), Wanted::Whole);
        }
    }

    proptest! {
        #[test]
        fn a_part_lies_inside_the_file(
            header in prop_oneof![
                "bytes=[0-9]{0,25}-[0-9]{0,25}",
                "[bB]ytes=[ \t]?[0-9]{0,3}-[0-9]{0,3}([ ,\t]{0,3}[0-9]{0,3}-[0-9]{0,3}){0,3}",
                "[ -~\t]{0,40}",
            ],
            size in prop_oneof![0_u64..300, any::<u64>()],
        ) {
            match ask(&header, size) {
                Wanted::Part { start, length } => {
                    prop_assert!(length > 0);
                    prop_assert!(start.checked_add(length).is_some_and(|end| end <= size));
                }
                Wanted::Unsatisfiable => prop_assert!(size > 0),
                Wanted::Whole => {}
            }
        }

        #[test]
        fn first_and_last_of_any_length_are_compared_as_numbers(a in any::<u128>(), b in any::<u128>()) {
            prop_assert_eq!(is_less(&a.to_string(), &format!("00{b}")), a < b);
        }
    }
}
