//! Heads of HTTP/1.1 messages for the loopback listener: a request's is read, an answer's is written. Pure; what to
//! answer is `serve`'s, and bytes are moved by `connection`.
//!
//! `httparse` reads the lines. The listener takes only requests without content, so everything by which two readers could
//! disagree where a request ends (Content-Length, Transfer-Encoding, a bare line feed) ends the connection.

use super::conditions::http_date;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, Uri, Version};
use talaria_wire::Millis;

/// The longest head that is read, in bytes. A web view's has under 2 KiB.
pub const MAX_HEAD: usize = 16 * 1024;
/// The most header lines of a request.
const MAX_HEADERS: usize = 64;

/// What a request's head says.
#[derive(Debug)]
pub struct Asked {
    /// Method, target and headers.
    pub parts: Parts,
    /// Bytes of the head; what follows is the next request, or content.
    pub length: usize,
    /// Content is announced. It is never read, so the connection ends behind the answer.
    pub has_content: bool,
    /// The peer wants to ask again on this connection.
    pub keep_alive: bool,
}

/// Why a head cannot be read. The connection ends: where the next request begins is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadHead {
    /// Not the grammar of RFC 9112.
    #[error("This is not a request of HTTP/1.1.")]
    Malformed,
    /// More than [`MAX_HEAD`] bytes or [`MAX_HEADERS`] lines.
    #[error("The head of the request is too long.")]
    TooLong,
}

/// Reads the head at the beginning of `bytes`; `None` when its end has not come yet. `known` of them were there at the
/// last call for this head: each byte is looked at once, and the lines are read when all are there.
///
/// # Errors
/// [`BadHead`], as soon as it is certain.
pub fn read(bytes: &[u8], known: usize) -> Result<Option<Asked>, BadHead> {
    match end(bytes, known)? {
        Some(length) if length <= MAX_HEAD => parsed(&bytes[..length]).map(Some),
        None if bytes.len() < MAX_HEAD => Ok(None),
        _ => Err(BadHead::TooLong),
    }
}

/// Where the head ends, unless a byte comes first that can stand in none.
fn end(bytes: &[u8], known: usize) -> Result<Option<usize>, BadHead> {
    for (at, byte) in bytes.iter().enumerate().skip(known) {
        match byte {
            b'\n' if bytes[..=at].ends_with(b"\r\n\r\n") => return Ok(Some(at + 1)),
            // RFC 9112 lets a reader take a lone line feed for the end of a line; another one may take it for something else.
            b'\n' if !bytes[..at].ends_with(b"\r") => return Err(BadHead::Malformed),
            b'\t' | b'\r' | b'\n' => {}
            byte if byte.is_ascii_control() => return Err(BadHead::Malformed),
            _ => {}
        }
    }
    Ok(None)
}

fn parsed(head: &[u8]) -> Result<Asked, BadHead> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    match request.parse(head) {
        Ok(httparse::Status::Complete(length)) if length == head.len() => {}
        Err(httparse::Error::TooManyHeaders) => return Err(BadHead::TooLong),
        // Nothing but empty lines is no request.
        Ok(_) | Err(_) => return Err(BadHead::Malformed),
    }
    let parts = parts_of(&request).ok_or(BadHead::Malformed)?;
    Ok(Asked {
        has_content: announces_content(&parts.headers),
        keep_alive: parts.version == Version::HTTP_11 && !wants_close(&parts.headers),
        parts,
        length: head.len(),
    })
}

/// The head of an answer at `now`, with Date (RFC 9110, section 6.6.1).
pub fn written<B>(answer: &Response<B>, keep_alive: bool, now: Millis) -> Vec<u8> {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).into_bytes();
    let mut line = |name: &HeaderName, value: &[u8]| {
        for piece in [name.as_str().as_bytes(), b": ", value, b"\r\n"] {
            head.extend_from_slice(piece);
        }
    };
    for (name, value) in answer.headers() {
        line(name, value.as_bytes());
    }
    line(&DATE, http_date(now.max(0) as u64 / 1000).as_bytes());
    if !keep_alive {
        line(&CONNECTION, b"close");
    }
    head.extend_from_slice(b"\r\n");
    head
}

fn parts_of(request: &httparse::Request<'_, '_>) -> Option<Parts> {
    let (mut parts, ()) = Request::new(()).into_parts();
    parts.method = Method::from_bytes(request.method?.as_bytes()).ok()?;
    parts.uri = Uri::try_from(request.path?).ok()?;
    parts.version = if request.version? == 1 { Version::HTTP_11 } else { Version::HTTP_10 };
    for header in &*request.headers {
        let name = HeaderName::from_bytes(header.name.as_bytes()).ok()?;
        parts.headers.append(name, HeaderValue::from_bytes(header.value).ok()?);
    }
    Some(parts)
}

/// Anything but the one well-formed way to say "no content".
fn announces_content(headers: &HeaderMap) -> bool {
    let mut lengths = headers.get_all(CONTENT_LENGTH).iter();
    let says_none = match (lengths.next(), lengths.next()) {
        (None, _) => true,
        (Some(length), None) => length.as_bytes() == b"0",
        _ => false,
    };
    !says_none || headers.contains_key(TRANSFER_ENCODING)
}

fn wants_close(headers: &HeaderMap) -> bool {
    let options =
        headers.get_all(CONNECTION).iter().flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    options.map(<[u8]>::trim_ascii).any(|option| option.eq_ignore_ascii_case(b"close"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(head: &str) -> Asked {
        read(head.as_bytes(), 0).expect("well-formed").expect("complete")
    }

    #[test]
    fn a_head_is_read_up_to_its_end_and_no_further() {
        let text = "GET /a/b/c?d HTTP/1.1\r\nHost: x:1\r\nrange:  bytes=0-1 \r\n\r\n";
        for end in 0..text.len() {
            assert!(read(&text.as_bytes()[..end], 0).expect("well-formed so far").is_none(), "{end}");
        }
        let head = asked(&format!("{text}GET /next"));
        assert_eq!(head.length, text.len());
        assert_eq!((head.parts.method, head.parts.uri.path()), (Method::GET, "/a/b/c"));
        assert_eq!(head.parts.headers["range"], "bytes=0-1");
        assert!(head.keep_alive && !head.has_content);
    }

    #[test]
    fn the_connection_goes_on_unless_it_is_told_otherwise() {
        for (lines, keep_alive) in [
            ("HTTP/1.1\r\n\r\n", true),
            ("HTTP/1.0\r\n\r\n", false),
            ("HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", false),
            ("HTTP/1.1\r\nConnection: Close\r\n\r\n", false),
            ("HTTP/1.1\r\nConnection: x, close\r\n\r\n", false),
            ("HTTP/1.1\r\nConnection: x\r\nConnection:close\r\n\r\n", false),
            ("HTTP/1.1\r\nConnection: closed\r\n\r\n", true),
        ] {
            assert_eq!(asked(&format!("GET / {lines}")).keep_alive, keep_alive, "{lines:?}");
        }
    }

    #[test]
    fn every_way_to_announce_content_is_seen() {
        for (lines, has_content) in [
            ("", false),
            ("Content-Length: 0\r\n", false),
            ("Content-Length: 1\r\n", true),
            ("Content-Length: +0\r\n", true),
            ("Content-Length: 0, 0\r\n", true),
            ("Content-Length: 0\r\nContent-Length: 0\r\n", true),
            ("Content-Length:\r\n", true),
            ("Transfer-Encoding: chunked\r\n", true),
            ("Transfer-Encoding: identity\r\n", true),
            ("Content-Length: 0\r\nTransfer-Encoding: x\r\n", true),
        ] {
            assert_eq!(
                asked(&format!("GET / HTTP/1.1\r\n{lines}\r\n")).has_content,
                has_content,
                "{lines:?}"
            );
        }
    }

    #[test]
    fn what_two_readers_could_read_differently_is_no_request() {
        for text in [
            "GET / HTTP/1.1\nHost: x\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\n\r\n",
            "GET / HTTP/1.1\r\nHost: x\r\n\n",
            "\nGET / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost : x\r\n\r\n",
            "GET / HTTP/1.1\r\n Host: x\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n folded\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\0c\r\n\r\n",
            "GET / HTTP/1.1\r\nnothing\r\n\r\n",
            "GET / HTTP/1.1\r\n: x\r\n\r\n",
            "GET  / HTTP/1.1\r\n\r\n",
            "GET / HTTP/2.0\r\n\r\n",
            "GET / HTTP/1.1 \r\n\r\n",
            "\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "GET /\r\n\r\n",
            "G{T / HTTP/1.1\r\n\r\n",
            "\x16\x03\x01\x02",
        ] {
            assert_eq!(read(text.as_bytes(), 0).expect_err(text), BadHead::Malformed, "{text:?}");
        }
    }

    #[test]
    fn a_head_without_end_is_too_long() {
        let line = "A: b\r\n";
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", line.repeat(MAX_HEADERS + 1));
        assert_eq!(read(many.as_bytes(), 0).expect_err("too many"), BadHead::TooLong);
        let long = format!("GET /{}", "a".repeat(MAX_HEAD));
        assert_eq!(read(long.as_bytes(), 0).expect_err("too long"), BadHead::TooLong);
        let ended = format!("GET / HTTP/1.1\r\nA: {}\r\n\r\n", "a".repeat(MAX_HEAD));
        assert_eq!(read(ended.as_bytes(), 0).expect_err("too long"), BadHead::TooLong);
    }

    /// A head that comes byte by byte costs as much as one that comes at once.
    #[test]
    fn what_was_looked_at_is_not_looked_at_again_and_no_line_is_read_before_the_last() {
        assert!(read(b"\0ET / HTTP/1.1\r\n", 1).expect("the first byte was known").is_none());
        // No grammar allows it, which only a reader of the line can know.
        assert!(read(b"GET  /  x  HTTP/9\r\n", 0).expect("not read yet").is_none());
        let text = b"GET / HTTP/1.1\r\n\r\n";
        for known in 0..text.len() {
            assert_eq!(read(text, known).expect("well-formed").expect("complete").length, text.len());
        }
    }

    #[test]
    fn an_answer_has_its_date_and_says_when_it_is_the_last() {
        let mut answer = Response::new(());
        answer.headers_mut().insert(CONTENT_LENGTH, 3.into());
        for (keep_alive, end) in [(true, "GMT\r\n\r\n"), (false, "GMT\r\nconnection: close\r\n\r\n")] {
            let text = String::from_utf8(written(&answer, keep_alive, 999)).expect("ASCII");
            let start = "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ndate: Thu, 01 Jan 1970 00:00:00 ";
            assert_eq!(text, format!("{start}{end}"));
        }
    }
}
