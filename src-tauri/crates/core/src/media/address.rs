//! The addresses of a granted file, and how a request's path is read back.
//!
//! The name at the end is for people and for "Save as"; nothing here ever reads it.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stays as it is in a name: the unreserved letters of RFC 3986.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Where the scheme's addresses begin, as the web view of this system spells them.
const SCHEME_BASE: &str =
    if cfg!(windows) { "http://hermes-media.localhost/stream" } else { "hermes-media://localhost/stream" };

/// The scheme's name, as it is registered.
pub const SCHEME: &str = "hermes-media";

/// `hermes-media://localhost/stream/<grant>/<name>`, on Windows `http://hermes-media.localhost/stream/<grant>/<name>`.
pub fn scheme_url(grant: &str, name: &str) -> String {
    format!("{SCHEME_BASE}/{grant}/{}", encode(name))
}

/// The grant of a file's address over the scheme; nothing else has one.
pub fn grant_of(url: &str) -> Option<&str> {
    let (grant, name) = url.strip_prefix(SCHEME_BASE)?.strip_prefix('/')?.split_once('/')?;
    (!name.is_empty() && !name.contains('/')).then_some(grant)
}

/// `<origin>/<token>/<grant>/<name>`.
pub fn loopback_url(origin: &str, token: &str, grant: &str, name: &str) -> String {
    format!("{origin}/{token}/{grant}/{}", encode(name))
}

/// A name as one encoded piece of a path.
pub fn encode(name: &str) -> String {
    utf8_percent_encode(name, NAME).to_string()
}

/// A path of exactly three pieces, `/<first>/<grant>/<name>`: the first and the grant, both still encoded.
pub fn route(path: &str) -> Option<(&str, &str)> {
    let mut pieces = path.strip_prefix('/')?.split('/');
    let (first, grant, name) = (pieces.next()?, pieces.next()?, pieces.next()?);
    (pieces.next().is_none() && !name.is_empty()).then_some((first, grant))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_name_is_one_encoded_piece() {
        for (name, encoded) in [
            ("a#b?c.mp4", "a%23b%3Fc.mp4"),
            ("100%.mp4", "100%25.mp4"),
            ("a b+c/d\\e.mp4", "a%20b%2Bc%2Fd%5Ce.mp4"),
            ("é.mp4", "%C3%A9.mp4"),
            ("-x_~.mp4", "-x_~.mp4"),
        ] {
            assert_eq!(encode(name), encoded);
            assert_eq!(route(&format!("/stream/g/{encoded}")), Some(("stream", "g")));
        }
    }

    #[test]
    fn the_grant_is_read_back_from_an_address_of_the_scheme_only() {
        assert_eq!(grant_of(&scheme_url("g", "a b/c.mp4")), Some("g"));
        let foreign = [
            loopback_url("http://127.0.0.1:9", "token", "g", "a.mp4"),
            format!("{SCHEME_BASE}/g"),
            format!("{SCHEME_BASE}/g/"),
            format!("{SCHEME_BASE}/g/a/b"),
            String::new(),
        ];
        for url in foreign {
            assert_eq!(grant_of(&url), None, "{url:?}");
        }
    }

    #[test]
    fn only_three_pieces_are_a_route() {
        for path in ["", "/", "/a", "/a/b", "/a/b/", "/a/b/c/d", "a/b/c"] {
            assert_eq!(route(path), None, "{path:?}");
        }
    }
}
