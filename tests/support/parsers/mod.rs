//! What must hold of any input of the parsers that read hostile text: one property a parser, by an oracle of its own where
//! there is one.
//!
//! Three drivers give the inputs: the kept corpus and 20,000 generated ones (`integration/media/generated.rs`), and
//! cargo-fuzz (`make fuzz`, of which this is the library). A property panics when it is broken.

mod frames;
mod head;
mod ranges;
mod urls;

pub use frames::socket_frames;
pub use head::request_head;
pub use ranges::range_header;
pub use urls::{URL_GRANT, stream_url};

use std::path::Path;
use talaria_core::media::{PathStyle, resolve_text, tags};

/// A parser under its name, which is also its corpus folder's.
pub struct Parser {
    /// The name.
    pub name: &'static str,
    /// Its property.
    pub holds: fn(&[u8]),
    /// Pieces of which hostile inputs are made.
    pub pieces: &'static [&'static str],
}

/// All of them.
pub const PARSERS: &[Parser] = &[
    Parser {
        name: "range",
        holds: range_header,
        pieces: &[
            "bytes=",
            "BYTES=",
            "bytes",
            "=",
            "-",
            ",",
            " ",
            "\t",
            "0",
            "1",
            "9",
            "10",
            "999",
            "00",
            "*",
            "+",
            "x",
            "18446744073709551615",
            "18446744073709551616",
            "99999999999999999999999999999999999999999999",
            ";",
            "items=",
            "\u{661}",
            "0-0",
            "0-",
            "-1",
            "5-4",
            "-0",
        ],
    },
    Parser {
        name: "url",
        holds: stream_url,
        pieces: &[
            "hermes-media://localhost",
            "http://hermes-media.localhost",
            "/stream/",
            URL_GRANT,
            "/",
            "a.mp4",
            "..",
            "%2f",
            "%2e",
            "%00",
            "%25",
            "?",
            "#",
            "\\",
            "//",
            "stream",
            "localhost",
            "@",
            ":80",
            "é",
            "%c0%af",
            ";",
            "0",
            "+",
        ],
    },
    Parser {
        name: "path",
        holds: path_text,
        pieces: &[
            "/",
            "\\",
            "~",
            "~/",
            "~\\",
            "file:",
            "file://",
            "FILE:///",
            "localhost",
            "host",
            "C:",
            "..",
            ".",
            "%2e",
            "%2f",
            "%5c",
            "%25",
            "%00",
            "\0",
            "\\\\?\\",
            "\\??\\",
            "\\\\.\\",
            "a.mp4",
            ".ssh",
            "NUL",
            "com1",
            ":s",
            " ",
            "é",
            "http://",
            "#",
            "?",
        ],
    },
    Parser {
        name: "tags",
        holds: media_tags,
        pieces: &[
            "MEDIA:",
            "media:",
            "`",
            "\"",
            "'",
            "/",
            "~/",
            "a.mp4",
            "b c.png",
            ".",
            ",",
            ")",
            "(",
            " ",
            "\n",
            "\r\n",
            "```\n",
            "~~~\n",
            "http://x/y.mp4",
            "file:///",
            "C:\\",
            "\\",
            "é",
            "\u{1f3ac}",
            "\u{202e}",
            "data:image/png;base64,",
            "**",
            "|",
            "x",
            ".tar.gz",
            "1.5",
        ],
    },
    Parser {
        name: "head",
        holds: request_head,
        pieces: &[
            "GET / HTTP/1.1\r\n",
            "HEAD /a/b/c?d HTTP/1.0\r\n",
            "OPTIONS * HTTP/1.1\r\n",
            "CONNECT a:1 HTTP/1.1\r\n",
            "GET http://a:1/b HTTP/1.1\r\n",
            "POST",
            " ",
            "\t",
            "/",
            "HTTP/1.1",
            "HTTP/2.0",
            "\r\n",
            "\r\n\r\n",
            "\r",
            "\n",
            "\0",
            "Host: a:1\r\n",
            "Range: bytes=0-\r\n",
            "Content-Length: 0\r\n",
            "Content-Length: 5\r\n",
            "content-length:",
            "Transfer-Encoding: chunked\r\n",
            "transfer-encoding:",
            "Connection: close\r\n",
            "Connection: keep-alive\r\n",
            "connection:",
            "close",
            "CLOSE",
            ",",
            ":",
            "0",
            "+0",
            "x",
            "é",
        ],
    },
    Parser {
        name: "frames",
        holds: socket_frames,
        pieces: &[
            "HMED",
            "HMED\u{1}\u{1}\0\0",
            "HMED\u{1}\u{2}\0\0",
            "HMED\u{2}\u{1}\0\0",
            "\0",
            "\u{1}",
            "\u{2}",
            "\u{6}",
            "\u{7}",
            "\0\0\0",
            "\0\0\0\0\0\0\0\0",
            "\0\u{10}\0\0",
            "\0\u{10}\0\u{1}",
            "\0\u{1}\0\0",
            "0123456789abcdef",
            "ABCDEF",
        ],
    },
];

/// A path from a message's text, by the rules of both systems. Never leaves what the text says it names.
pub fn path_text(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    for (style, home) in [(PathStyle::Posix, "/home/u"), (PathStyle::Windows, r"C:\Users\u")] {
        let Ok(path) = resolve_text(&text, Path::new(home), style) else { continue };
        let path = path.as_os_str().as_encoded_bytes();
        let parts = || path.split(|byte| matches!(byte, b'/' | b'\\'));
        assert!(!path.contains(&0), "a NUL in {text:?}");
        assert!(parts().all(|part| part != b".."), "a way up in {text:?}");
        let is_unc = path.len() > 1 && path[..2].iter().all(|byte| matches!(byte, b'/' | b'\\'));
        assert!(!is_unc, "another computer in {text:?}");
        let is_drive = matches!(path, [letter, b':', b'/' | b'\\', ..] if letter.is_ascii_alphabetic());
        match style {
            PathStyle::Posix => assert!(path.starts_with(b"/"), "not a full path in {text:?}"),
            PathStyle::Windows => {
                assert!(is_drive, "not a full path in {text:?}");
                assert!(!path[2..].contains(&b':'), "an alternate stream in {text:?}");
            }
        }
        if text.starts_with("~/") {
            assert!(path.starts_with(home.as_bytes()), "{text:?} leaves the home");
        } else if !text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:")) {
            assert!(path == text.as_bytes() || text.starts_with('~'), "{text:?} was changed");
        }
    }
}

/// The tags of a message: in order, without overlap, each the exact slice it says; and none is taken back as the text grows.
pub fn media_tags(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let units: Vec<u16> = text.encode_utf16().collect();
    let tags = tags::parse(&text);
    let mut from = 0;
    for tag in &tags {
        assert!(from <= tag.start && tag.start < tag.end && tag.end <= units.len(), "{tag:?} in {text:?}");
        let slice = String::from_utf16(&units[tag.start..tag.end]).expect("a tag never cuts a letter");
        assert!(slice.contains("MEDIA:") && slice.contains(&tag.target), "{tag:?} in {text:?}");
        assert!(
            !slice.contains('\n') && !tag.name.is_empty() && !tag.target.is_empty(),
            "{tag:?} in {text:?}"
        );
        assert!(!tag.name.contains('/') && tag.target.len() <= 4096, "{tag:?} in {text:?}");
        from = tag.end;
    }
    let cut = text
        .floor_char_boundary(input.iter().map(|byte| usize::from(*byte)).sum::<usize>() % (text.len() + 1));
    for tag in tags::parse_streaming(&text[..cut]) {
        assert!(tags.contains(&tag), "{tag:?} of the first {cut} bytes is gone in {text:?}");
    }
}
