//! The canonical text of an act: what the card shows, and what is remembered. Two acts never have the same text.

use std::fmt::Write as _;
use std::path::Path;

/// What makes of one command several, or of its output a file (security.md).
const COMPOUND: &[&str] = &[";", "&", "|", "`", "$(", ">", "\n", "\r"];

/// A single command without more rights than the user's, which may be remembered for good.
pub(super) fn is_single(command: &str) -> bool {
    // A shell drops these before it looks at a name.
    let bare: String = command.chars().filter(|letter| !matches!(letter, '\\' | '\'' | '"')).collect();
    !COMPOUND.iter().any(|sign| command.contains(sign)) && !bare.to_lowercase().contains("sudo")
}

/// The path; in quotes and with escapes when a person could take it for another one or for more than a path.
pub(super) fn of_path(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.contains(char::is_control) => text.to_owned(),
        // A quote is no beginning of a full path, so this is no other path's text.
        _ => format!("{path:?}"),
    }
}

pub(super) fn of_search(path: &Path, pattern: &str, glob: Option<&str>) -> String {
    let mut text = format!("{}\npattern: {pattern:?}", of_path(path));
    if let Some(glob) = glob {
        let _ = write!(text, "\nfiles: {glob:?}");
    }
    text
}

pub(super) fn of_write(path: &Path, content: &str) -> String {
    format!("{}\n\n{content}", of_path(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_act_has_the_same_text() {
        // A line break in a name or a pattern makes no second line.
        let write = of_write(Path::new("/ws/a\n\nb"), "c");
        assert_ne!(write, of_write(Path::new("/ws/a"), "b\n\nc"));
        assert!(write.starts_with("\"/ws/a\\n\\nb\"\n\n"), "{write}");
        let search = of_search(Path::new("/etc"), "a\"\nfiles: \"b", None);
        assert_ne!(search, of_search(Path::new("/etc"), "a", Some("b")));
    }

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_unicode_stay_apart() {
        use std::os::unix::ffi::OsStrExt;
        let path = |byte| of_path(Path::new(std::ffi::OsStr::from_bytes(&[b'/', byte])));
        assert_ne!(path(0xfe), path(0xff));
    }
}
