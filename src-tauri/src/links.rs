//! Which addresses may leave the app for the system's own programs.

use talaria_wire::{ErrorCode, IpcError};
use tauri::Url;

/// Longer than any address a person follows; shorter than any limit of the systems' openers.
const LONGEST: usize = 8192;

/// The address as the opener gets it: `http`, `https` and `mailto` only, in any letter case, and spelled by the URL
/// standard, so that the opener (a program that parses its argument) reads what was checked. A mail address must not
/// name files: some mail programs attach them unasked.
///
/// # Errors
/// `blocked`.
pub(crate) fn checked(address: &str) -> Result<Url, IpcError> {
    let is_plain = address.len() <= LONGEST && !address.chars().any(char::is_control);
    let is_allowed = |url: &Url| match url.scheme() {
        "http" | "https" => url.has_host(),
        "mailto" => !url.query_pairs().any(|(name, _)| name.to_ascii_lowercase().starts_with("attach")),
        _ => false,
    };
    // The standard also takes blanks around an address; a page that writes them means something else.
    let url = Url::parse(address).ok().filter(|_| is_plain && address.trim() == address);
    url.filter(is_allowed).ok_or_else(|| {
        IpcError::new(
            ErrorCode::Blocked,
            "This link was not opened. Talaria opens only web and mail addresses outside.",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::checked;

    #[test]
    fn only_web_and_mail_addresses_leave_the_app() {
        for url in ["https://example.org/a?b#c", "HTTP://example.org", "mailto:a@example.org"] {
            assert!(checked(url).is_ok(), "{url}");
        }
        for url in [
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "vbscript:x",
            "hermes-media://localhost/x",
            "//example.org",
            "example.org",
            "",
            "https://example.org/\n--flag",
            " https://example.org",
            "https://",
            "https://exa mple.org/",
            "mailto:a@example.org?subject=x&Attach=/etc/passwd",
            "mailto:a@example.org?attachment=~/.netrc",
        ] {
            assert!(checked(url).is_err(), "{url}");
        }
    }
    #[test]
    fn the_opener_reads_what_was_checked() {
        for (address, opened) in [
            ("https:\\\\example.org\\a", "https://example.org/a"),
            ("https://example.org/a b\"c", "https://example.org/a%20b%22c"),
            ("https:example.org", "https://example.org/"),
        ] {
            assert_eq!(checked(address).unwrap().as_str(), opened);
        }
    }
}
