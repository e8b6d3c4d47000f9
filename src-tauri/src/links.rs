//! Which addresses may leave the app for the system's own programs.

use talaria_wire::{ErrorCode, IpcError};

/// Longer than any address a person follows; shorter than any limit of the systems' openers.
const LONGEST: usize = 8192;

/// `http`, `https` and `mailto` only, in any letter case, and no control characters (an opener is a program that parses
/// its argument).
///
/// # Errors
/// `blocked`, naming the scheme.
pub(crate) fn check(url: &str) -> Result<(), IpcError> {
    let scheme = url.split_once(':').map_or("", |(scheme, _)| scheme).to_ascii_lowercase();
    let known = matches!(scheme.as_str(), "http" | "https" | "mailto");
    if known && url.len() <= LONGEST && !url.chars().any(char::is_control) {
        return Ok(());
    }
    Err(IpcError::new(
        ErrorCode::Blocked,
        "This link was not opened. Talaria opens only web and mail addresses outside.",
    ))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn only_web_and_mail_addresses_leave_the_app() {
        for url in ["https://example.org/a?b#c", "HTTP://example.org", "mailto:a@example.org"] {
            assert!(check(url).is_ok(), "{url}");
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
        ] {
            assert!(check(url).is_err(), "{url}");
        }
    }
}
