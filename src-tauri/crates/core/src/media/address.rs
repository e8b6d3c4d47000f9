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
    fn only_three_pieces_are_a_route() {
        for path in ["", "/", "/a", "/a/b", "/a/b/", "/a/b/c/d", "a/b/c"] {
            assert_eq!(route(path), None, "{path:?}");
        }
    }
}
