//! The first check: what a path may look like, decided on the text alone.
//!
//! Pure. Nothing here touches the disk: on Windows the mere look at `\\host\share` sends the user's password hash to
//! that host, so such a form is refused before any stat. The rules of both systems are always compiled and tested.

use super::error::{Blocked, MediaError};
use percent_encoding::percent_decode_str;
use std::path::{Path, PathBuf};

/// Whose rules a path follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathStyle {
    /// `/a/b`; a backslash is a letter like any other, a colon too.
    Posix,
    /// `C:\a\b`; `/` and `\` both separate, some names are devices.
    Windows,
}

impl PathStyle {
    /// The style of the system this was built for.
    pub const HOST: Self = if cfg!(windows) { Self::Windows } else { Self::Posix };
}

/// Turns a message's text into an absolute path, or says why it is none.
///
/// `~/` becomes `home`, `file://` (any case, no host or `localhost`) is percent-decoded exactly once, everything else
/// is taken literally: `#`, `?`, `%` and blanks are letters of the name.
///
/// # Errors
/// [`MediaError::Remote`] for `http` and `https`; [`MediaError::Blocked`] for `..`, NUL, UNC, `\\?\` and device forms;
/// [`MediaError::Missing`] for text that is no absolute path (it is never read against the working folder).
pub fn resolve_text(text: &str, home: &Path, style: PathStyle) -> Result<PathBuf, MediaError> {
    if let Some(host) = remote_host(text) {
        return Err(MediaError::Remote { host: host.to_owned() });
    }
    if is_forbidden(text.as_bytes(), style) {
        return Err(MediaError::Blocked(Blocked::Path));
    }
    let missing = || MediaError::Missing { path: text.to_owned() };
    if let Some(rest) = strip_prefix_any_case(text, "file:") {
        let decoded = decode_file_url(rest)?;
        if is_forbidden(&decoded, style) {
            return Err(MediaError::Blocked(Blocked::Path));
        }
        // `file:///C:/clip.mp4`: the slash before the drive belongs to the URL.
        let bytes = match decoded.strip_prefix(b"/") {
            Some(path) if style == PathStyle::Windows && starts_with_drive(path) => path.to_vec(),
            _ => decoded,
        };
        if !is_absolute(&bytes, style) {
            return Err(missing());
        }
        return path_from_bytes(bytes).ok_or_else(missing);
    }
    if let Some(rest) = text.strip_prefix("~/").or_else(|| home_rest_on_windows(text, style)) {
        // A second separator would make the rest a full path, on Windows also one of another computer.
        let separators: &[char] = if style == PathStyle::Windows { &['/', '\\'] } else { &['/'] };
        return Ok(home.join(rest.trim_start_matches(separators)));
    }
    if !is_absolute(text.as_bytes(), style) {
        // `%5c%5chost` is no path, but a layer that decodes it would see a network path: refuse what it would refuse.
        let decoded: Vec<u8> = percent_decode_str(text).collect();
        return Err(if is_forbidden(&decoded, style) {
            MediaError::Blocked(Blocked::Path)
        } else {
            missing()
        });
    }
    Ok(PathBuf::from(text))
}

/// The host of an `http` or `https` address.
pub fn remote_host(text: &str) -> Option<&str> {
    let rest = strip_prefix_any_case(text, "https://").or_else(|| strip_prefix_any_case(text, "http://"))?;
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    // Credentials before `@` must not pose as the host.
    Some(authority.rsplit('@').next().unwrap_or_default())
}

/// The text after a `file:` prefix as decoded path bytes.
fn decode_file_url(rest: &str) -> Result<Vec<u8>, MediaError> {
    let path = match rest.strip_prefix("//") {
        // `file:/clip.mp4` is allowed by RFC 8089, appendix B.
        None => rest,
        Some(with_host) => {
            let (host, _) = with_host.split_at(with_host.find('/').unwrap_or(with_host.len()));
            if !host.is_empty() && !host.eq_ignore_ascii_case("localhost") {
                return Err(MediaError::Blocked(Blocked::Path));
            }
            &with_host[host.len()..]
        }
    };
    Ok(percent_decode_str(path).collect())
}

/// NUL, a `..` part, a network or a device form: nothing an agent has a reason to write.
fn is_forbidden(text: &[u8], style: PathStyle) -> bool {
    let separates = |byte: &u8| matches!(byte, b'/' | b'\\');
    // Two separators in front, also behind the slash of a file URL: UNC, `\\?\`, `\\.\`, `//host`, `/\\host`.
    let unc = |text: &[u8]| text.len() >= 2 && separates(&text[0]) && separates(&text[1]);
    text.contains(&0)
        || unc(text)
        || text.starts_with(br"\??\")
        || text.split(separates).any(|part| part == b"..")
        || (style == PathStyle::Windows && is_windows_device(text))
}

/// `CON`, `nul.mp4`, `COM1:` as any part, a colon behind the drive (an alternate stream), or a part that ends with a dot
/// or a blank (another spelling of the name without them).
fn is_windows_device(text: &[u8]) -> bool {
    let is_url = strip_prefix_any_case(&String::from_utf8_lossy(text), "file:").is_some();
    let without_slash = text.strip_prefix(b"/").unwrap_or(text);
    let rest = if starts_with_drive(without_slash) { &without_slash[2..] } else { text };
    if !is_url && rest.contains(&b':') {
        return true;
    }
    rest.split(|byte| matches!(byte, b'/' | b'\\')).any(|part| {
        let part = String::from_utf8_lossy(part);
        let stem = part.split(['.', ':']).next().unwrap_or_default().trim_end().to_ascii_uppercase();
        let numbered = |prefix| {
            stem.strip_prefix(prefix).is_some_and(|rest: &str| {
                rest.chars().count() == 1 && rest.contains(|c: char| c.is_ascii_digit() || "¹²³".contains(c))
            })
        };
        let is_alias = part != "." && part.ends_with(['.', ' ']);
        is_alias
            || matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$" | "CLOCK$")
            || numbered("COM")
            || numbered("LPT")
    })
}

fn is_absolute(text: &[u8], style: PathStyle) -> bool {
    match style {
        PathStyle::Posix => text.starts_with(b"/"),
        PathStyle::Windows => starts_with_drive(text) && matches!(text.get(2), Some(b'/' | b'\\')),
    }
}

fn starts_with_drive(text: &[u8]) -> bool {
    matches!(text, [letter, b':', ..] if letter.is_ascii_alphabetic())
}

fn home_rest_on_windows(text: &str, style: PathStyle) -> Option<&str> {
    (style == PathStyle::Windows).then(|| text.strip_prefix(r"~\")).flatten()
}

fn strip_prefix_any_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let head = text.get(..prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then(|| &text[prefix.len()..])
}

#[cfg(unix)]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStringExt;
    Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
}

#[cfg(not(unix))]
fn path_from_bytes(bytes: Vec<u8>) -> Option<PathBuf> {
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posix(text: &str) -> Result<PathBuf, MediaError> {
        resolve_text(text, Path::new("/home/u"), PathStyle::Posix)
    }

    fn windows(text: &str) -> Result<PathBuf, MediaError> {
        resolve_text(text, Path::new(r"C:\Users\u"), PathStyle::Windows)
    }

    const BLOCKED: Result<PathBuf, MediaError> = Err(MediaError::Blocked(Blocked::Path));

    #[test]
    fn dangerous_forms_are_blocked_on_every_system() {
        for text in [
            "/a/../b.mp4",
            "~/../b.mp4",
            "../b.mp4",
            "/a/b\0.mp4",
            r"\\host\s\x.mp4",
            "//host/s/x.mp4",
            r"/\host/s/x.mp4",
            "file://host/s/x.mp4",
            "FILE://HOST/s/x.mp4",
            "file:////host/s/x.mp4",
            "file:///%5c%5chost/s/x.mp4",
            "file:///%2fhost/s/x.mp4",
            "file:%5c%5chost%5cs%5cx.mp4",
            "file:///a/%2e%2e/b.mp4",
            "file:///a/b%00.mp4",
            "%5c%5chost%5cs%5cx.mp4",
            "%2f%2fhost/s/x.mp4",
            r"\\?\C:\x.mp4",
            r"\\.\PhysicalDrive0",
            r"\??\C:\x.mp4",
            r"C:\a\..\b.mp4",
            "//?/C:/x.mp4",
        ] {
            assert_eq!(posix(text), BLOCKED, "posix {text:?}");
            assert_eq!(windows(text), BLOCKED, "windows {text:?}");
        }
    }

    #[test]
    fn windows_device_names_and_streams_are_blocked_there_only() {
        for text in [
            r"C:\con.mp4",
            r"C:\a\NUL",
            r"C:/a/com1.wav",
            r"C:\a\LPT9.mp4",
            r"C:\a.mp4:stream",
            r"C:\u\.ssh.\a.mp4",
            r"C:\u\.ssh \a.mp4",
            r"C:\a.mp4.",
            r"C:\...\a.mp4",
        ] {
            assert_eq!(windows(text), BLOCKED, "{text:?}");
        }
        assert_eq!(windows("file:///C:/aux.mp4"), BLOCKED);
        for text in ["/a/con.mp4", "/a/nul", "/a/b:c.mp4"] {
            assert_eq!(posix(text), Ok(PathBuf::from(text)));
        }
        assert_eq!(windows(r"C:\console.mp4"), Ok(PathBuf::from(r"C:\console.mp4")));
    }

    #[test]
    fn a_file_url_is_decoded_exactly_once() {
        for (text, path) in [
            ("file:///a/b%20c.mp4", "/a/b c.mp4"),
            ("file://localhost/a.mp4", "/a.mp4"),
            ("File:/a.mp4", "/a.mp4"),
            ("file:///a/%252e%252e/b.mp4", "/a/%2e%2e/b.mp4"),
            ("file:///a/100%.mp4", "/a/100%.mp4"),
            ("file:///a#b?c.mp4", "/a#b?c.mp4"),
            ("file:///%C3%A9.mp4", "/é.mp4"),
        ] {
            assert_eq!(posix(text), Ok(PathBuf::from(path)), "{text}");
        }
        assert_eq!(windows("file:///C:/a%20b.mp4"), Ok(PathBuf::from("C:/a b.mp4")));
    }

    #[test]
    fn a_plain_path_is_taken_letter_by_letter() {
        for text in ["/a#b.mp4", "/a?b.mp4", "/100%.mp4", "/%23.mp4", "/a b+c.mp4", "/....//x.mp4", "/-x.mp4"]
        {
            assert_eq!(posix(text), Ok(PathBuf::from(text)));
        }
    }

    #[test]
    fn home_is_expanded_only_as_a_whole_first_part() {
        assert_eq!(posix("~/v/a.mp4"), Ok(PathBuf::from("/home/u/v/a.mp4")));
        assert_eq!(posix("~//etc/a.mp4"), Ok(PathBuf::from("/home/u/etc/a.mp4")));
        for text in [r"~/\\host\s\a.mp4", r"~\\\host\s\a.mp4", "~///host/s/a.mp4"] {
            let path = windows(text).expect("a path below the home");
            assert!(path.starts_with(r"C:\Users\u"), "{text}: {}", path.display());
        }
        assert!(matches!(posix("~root/a.mp4"), Err(MediaError::Missing { .. })));
    }

    #[test]
    fn a_relative_path_is_missing_and_never_read_against_the_working_folder() {
        for text in ["clip.mp4", "./clip.mp4", "", "C:clip.mp4"] {
            assert_eq!(posix(text), Err(MediaError::Missing { path: text.to_owned() }));
        }
    }

    #[test]
    fn a_web_address_names_its_host() {
        for (text, host) in [
            ("https://example.org/a.mp4", "example.org"),
            ("HTTP://example.org:80?x", "example.org:80"),
            ("https://bank.example@evil.example/a.mp4", "evil.example"),
        ] {
            assert_eq!(posix(text), Err(MediaError::Remote { host: host.to_owned() }));
        }
    }
}
