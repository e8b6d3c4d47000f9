//! Names that every system takes, made of what a person wrote.
//!
//! Letters of any script stay. What Windows or Unix forbid in a name becomes a hyphen, what is not seen becomes a blank.

use crate::store::is_unseen;
use unicode_segmentation::UnicodeSegmentation;

/// The longest name, ending included. Some systems that encrypt names take no more than 143.
pub const MAX_BYTES: usize = 120;
/// Kept free in a [`stem`] for a number, an ending and an underscore.
const ROOM: usize = 20;

/// Not allowed on Windows; `/` nowhere.
const FORBIDDEN: &[char] = &['<', '>', ':', '"', '/', '\\', '|', '?', '*'];

/// Devices on Windows, with any ending ("Naming Files, Paths, and Namespaces").
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];

/// The text as a name without an ending. `None`: nothing of it is left.
pub fn stem(text: &str) -> Option<String> {
    let chars = text.chars().map(|c| match c {
        c if FORBIDDEN.contains(&c) => '-',
        // A joiner makes one letter of several; the others are not seen.
        '\u{200c}' | '\u{200d}' => c,
        c if is_unseen(c) || c.is_whitespace() => ' ',
        c => c,
    });
    let line =
        chars.collect::<String>().split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    // A dot at the start hides a file, a hyphen there is an option to many programs; Windows drops dots at the end.
    let line = line.trim_start_matches(['.', '-', ' ']);
    let name = cut(line, MAX_BYTES - ROOM);
    let seen = name.chars().any(|c| c != '-' && c != '.' && !is_unseen(c));
    seen.then(|| if is_device(name) { format!("_{name}") } else { name.to_owned() })
}

/// The beginning of the text in at most `bytes`, between graphemes, without a blank or a dot at its end.
fn cut(text: &str, bytes: usize) -> &str {
    let borders = text.grapheme_indices(true).map(|(start, grapheme)| start + grapheme.len());
    let end = borders.take_while(|end| *end <= bytes).last().unwrap_or(0);
    text[..end].trim_end_matches(['.', ' '])
}

fn is_device(name: &str) -> bool {
    let base = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let port = base.strip_prefix("com").or_else(|| base.strip_prefix("lpt"));
    DEVICES.contains(&base.as_str())
        || port.is_some_and(|n| {
            matches!(n, "¹" | "²" | "³") || (n.len() == 1 && n.as_bytes()[0].is_ascii_digit())
        })
}

/// The name with its ending, and from 2 on its number.
pub fn numbered(stem: &str, n: u32, extension: &str) -> String {
    if n == 1 { format!("{stem}.{extension}") } else { format!("{stem} ({n}).{extension}") }
}

/// The name for a copy of a file: that of the file as far as every system takes it, its ending kept. Never empty.
pub fn of_file(name: &str) -> String {
    let short = |extension: &&str| {
        (1..ROOM / 2).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let named = |text: &str| stem(text).unwrap_or_else(|| "File".to_owned());
    match name.rsplit_once('.').map(|(before, extension)| (before, Some(extension).filter(short))) {
        Some((before, Some(extension))) => numbered(&named(before), 1, extension),
        _ => named(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::path::Path;

    fn name(title: &str) -> String {
        stem(title).unwrap_or_default()
    }

    #[test]
    fn letters_of_any_script_stay() {
        for title in [
            "Grüße, Привет",
            "日本語のメモ",
            "مرحبا 123",
            "हिन्दी",
            "👩\u{200d}👩\u{200d}👧 family",
            "می\u{200c}خواهم",
        ] {
            assert_eq!(name(title), title);
        }
    }

    #[test]
    fn what_a_system_forbids_or_nobody_sees_is_replaced() {
        for (title, expected) in [
            ("a/b\\c:d*e?f\"g<h>i|j", "a-b-c-d-e-f-g-h-i-j"),
            ("../../etc/passwd", "etc-passwd"),
            ("report\u{202e}fdp.exe", "report fdp.exe"),
            ("a\u{200b}b\tc\u{0}\nd\u{feff}", "a b c d"),
            ("  -rf. . ", "rf"),
            ("ends with dots...", "ends with dots"),
            (".hidden", "hidden"),
        ] {
            assert_eq!(name(title), expected);
        }
        for title in ["", " ", "...", "???", "\u{202e}", "-", "/", "\u{200d}"] {
            assert_eq!(stem(title), None, "{title:?}");
        }
    }

    #[test]
    fn devices_of_windows_are_avoided() {
        for (title, expected) in [
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("Com1", "_Com1"),
            ("lpt².md", "_lpt².md"),
            ("con fig", "con fig"),
            ("COM10", "COM10"),
            ("console", "console"),
        ] {
            assert_eq!(name(title), expected);
        }
    }

    #[test]
    fn a_file_keeps_its_ending_whatever_its_name() {
        for (name, expected) in [
            ("clip.mp4", "clip.mp4"),
            ("a#b?c.MP4", "a#b-c.MP4"),
            ("-.wav", "File.wav"),
            (".wav", "File.wav"),
            ("100%.tar.gz", "100%.tar.gz"),
            ("no ending", "no ending"),
            ("Seite 1. und dann", "Seite 1. und dann"),
            ("\u{202e}4pm.wav", "4pm.wav"),
        ] {
            assert_eq!(of_file(name), expected);
        }
        let long = of_file(&format!("{}.mp4", "\u{e9}".repeat(125)));
        assert!(long.len() <= MAX_BYTES && long.ends_with("\u{e9}.mp4"), "{long}");
    }

    #[test]
    fn a_cut_falls_between_whole_letters() {
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(name(&family.repeat(20)), family.repeat(5), "5 of 18 bytes fit into 100");
        assert_eq!(stem(&format!("a{}", "\u{301}".repeat(100))), None, "one letter of 201 bytes");
    }

    proptest! {
        #[test]
        fn any_text_gives_a_name_that_every_system_takes(title in ".{0,200}|[./\\\\ -]{0,9}", n in 1..=u32::MAX) {
            let stem = stem(&title).unwrap_or_else(|| "Session".to_owned());
            let name = numbered(&stem, n, "jsonl");
            prop_assert!(name.len() <= MAX_BYTES);
            prop_assert!(!name.starts_with(['.', ' ', '-']) && name.len() > ".jsonl".len(), "{name:?}");
            prop_assert!(!name.contains(FORBIDDEN) && !name.chars().any(char::is_control), "{name:?}");
            prop_assert!(!is_device(&name), "{name:?}");
            prop_assert_eq!(Path::new(&name).file_name().and_then(|name| name.to_str()), Some(name.as_str()));
        }

        #[test]
        fn letters_and_digits_of_a_short_title_all_stay(title in "[\\p{L}\\p{Nd} ]{1,20}") {
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(letters(&name(&title)), letters(&title));
        }
    }
}
