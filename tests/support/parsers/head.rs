//! Heads of the loopback listener's requests, against `httparse` over all bytes at once and rules of RFC 9112 written anew.

use talaria_core::media::head::{Asked, BadHead, MAX_HEAD, read};

/// The most header lines that the oracle takes: more than the listener does.
const MANY: usize = 4096;

/// However it comes, the head means the same: nothing yet, a refusal, or exactly what another reader sees in it.
pub fn request_head(input: &[u8]) {
    let at_once = read(input, 0);
    let mut piecewise = Ok(None);
    let mut known = 0;
    for end in 0..=input.len() {
        piecewise = read(&input[..end], known);
        known = end;
        if !matches!(piecewise, Ok(None)) {
            break;
        }
    }
    assert_eq!(outcome(&at_once), outcome(&piecewise), "{:?}", shown(input));

    let mut headers = vec![httparse::EMPTY_HEADER; MANY];
    let mut other = httparse::Request::new(&mut headers);
    let parsed = other.parse(input);
    match at_once {
        Ok(Some(asked)) => {
            assert_eq!(parsed, Ok(httparse::Status::Complete(asked.length)), "{:?}", shown(input));
            is_the_same(&asked, &other, input);
        }
        Ok(None) => {
            let is_complete = matches!(parsed, Ok(httparse::Status::Complete(_)));
            assert!(!is_complete && input.len() < MAX_HEAD, "{:?}", shown(input));
        }
        Err(BadHead::TooLong) => {
            assert!(
                input.len() >= MAX_HEAD || other.headers.len() > 64 || parsed.is_err(),
                "{:?}",
                shown(input)
            );
        }
        Err(BadHead::Malformed) => {
            if let Ok(httparse::Status::Complete(length)) = parsed {
                let has_reason = has_bare_line_feed(&input[..length])
                    || input.starts_with(b"\r\n\r\n")
                    || other.path.is_none_or(|target| target.parse::<http::Uri>().is_err());
                assert!(has_reason, "{:?}", shown(input));
            }
        }
    }
}

fn outcome(read: &Result<Option<Asked>, BadHead>) -> Result<Option<(usize, bool, bool)>, BadHead> {
    read.as_ref()
        .map(|asked| asked.as_ref().map(|asked| (asked.length, asked.keep_alive, asked.has_content)))
        .map_err(|bad| *bad)
}

fn is_the_same(asked: &Asked, other: &httparse::Request<'_, '_>, input: &[u8]) {
    let shown = shown(input);
    let head = &input[..asked.length];
    assert!(head.ends_with(b"\r\n\r\n") && !has_bare_line_feed(head), "{shown:?}");
    assert_eq!(Some(asked.parts.method.as_str()), other.method, "{shown:?}");
    assert_eq!(asked.parts.headers.len(), other.headers.len(), "{shown:?}");
    let values = |name: &str| -> Vec<&[u8]> {
        let named = other.headers.iter().filter(|header| header.name.eq_ignore_ascii_case(name));
        named.map(|header| header.value).collect()
    };
    let says_close = values("connection")
        .iter()
        .flat_map(|value| value.split(|byte| *byte == b','))
        .any(|option| option.trim_ascii().eq_ignore_ascii_case(b"close"));
    assert_eq!(asked.keep_alive, other.version == Some(1) && !says_close, "{shown:?}");
    let has_none =
        matches!(values("content-length")[..], [] | [b"0"]) && values("transfer-encoding").is_empty();
    assert_eq!(asked.has_content, !has_none, "{shown:?}");
}

fn has_bare_line_feed(head: &[u8]) -> bool {
    head.split_inclusive(|byte| *byte == b'\n').any(|line| line.ends_with(b"\n") && !line.ends_with(b"\r\n"))
}

fn shown(input: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(input)
}
