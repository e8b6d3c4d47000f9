//! The Range header, against an oracle written from RFC 9110, sections 14.1.1 and 14.2, with numbers of any length.

use http::{HeaderMap, HeaderValue, Method};
use std::sync::Arc;
use talaria_core::media::{Ask, ReadAt, Refusal, Representation, Resolver, Transport, Validators, serve};
use talaria_wire::MediaKind;

/// Sizes of the files that every header is asked of.
const SIZES: [u64; 5] = [0, 1, 10, 1000, u64::MAX];

/// What a header must be answered with.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Whole,
    /// First and last byte.
    Part(u64, u64),
    Unsatisfiable,
}

/// A file of any size that nobody reads.
struct Unread;

impl ReadAt for Unread {
    fn read_at(&self, buffer: &mut [u8], _offset: u64) -> std::io::Result<usize> {
        Ok(buffer.len())
    }
}

struct OfSize(u64);

impl Resolver for OfSize {
    fn resolve(&self, _grant: &str) -> Result<Representation, Refusal> {
        Ok(Representation {
            source: Arc::new(Unread),
            size: self.0,
            validators: Validators { etag: "\"x\"".into(), modified: None },
            kind: MediaKind::Video,
            mime: "video/mp4".into(),
            name: "a.mp4".into(),
            ended: Default::default(),
        })
    }
}

/// The answer's head says what the oracle says, for files of every size.
pub fn range_header(input: &[u8]) {
    let Ok(value) = HeaderValue::from_bytes(input) else { return };
    let headers = HeaderMap::from_iter([(http::header::RANGE, value)]);
    for size in SIZES {
        let ask = Ask { method: &Method::GET, headers: &headers, grant: "" };
        let (head, _) = serve(&ask, &OfSize(size), Transport::Streamed).into_parts();
        let header = |name: &str| head.headers.get(name).and_then(|value| value.to_str().ok());
        let wanted = expected(input, size);
        let (status, range, length) = match wanted {
            Answer::Whole => (200, None, Some(size)),
            Answer::Part(first, last) => {
                (206, Some(format!("bytes {first}-{last}/{size}")), Some(last - first + 1))
            }
            Answer::Unsatisfiable => (416, Some(format!("bytes */{size}")), None),
        };
        let shown = String::from_utf8_lossy(input);
        assert_eq!(head.status.as_u16(), status, "{shown:?} of {size}: {wanted:?}");
        assert_eq!(header("content-range"), range.as_deref(), "{shown:?} of {size}");
        if let Some(length) = length {
            assert_eq!(header("content-length"), Some(length.to_string().as_str()), "{shown:?} of {size}");
        }
    }
}

fn expected(header: &[u8], size: u64) -> Answer {
    let Some(specs) = specs(header) else { return Answer::Whole };
    if size == 0 {
        return Answer::Whole;
    }
    let inside: Vec<_> = specs.iter().filter_map(|spec| within(spec, size)).collect();
    match inside[..] {
        [] => Answer::Unsatisfiable,
        [(first, last)] => Answer::Part(first, last),
        _ => Answer::Whole,
    }
}

/// First and last as digits without leading zeros; a suffix has no first.
type Spec = (Option<String>, Option<String>);

/// `None` when it is no byte range set.
fn specs(header: &[u8]) -> Option<Vec<Spec>> {
    let text = std::str::from_utf8(header).ok()?;
    let unit = text.get(..6).filter(|unit| unit.eq_ignore_ascii_case("bytes="))?;
    let members = text[unit.len()..].split(',').map(|member| member.trim_matches([' ', '\t']));
    let specs: Vec<Spec> = members.filter(|member| !member.is_empty()).map(spec).collect::<Option<_>>()?;
    (!specs.is_empty()).then_some(specs)
}

fn spec(member: &str) -> Option<Spec> {
    let mut ends = member.splitn(2, '-').map(|end| {
        let is_number = end.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| (!end.is_empty()).then(|| format!("0{end}").trim_start_matches('0').to_owned()))
    });
    let (first, last) = (ends.next()??, ends.next()??);
    let is_backward =
        matches!((&first, &last), (Some(first), Some(last)) if (last.len(), last) < (first.len(), first));
    ((first.is_some() || last.is_some()) && !is_backward).then_some((first, last))
}

/// The part of the range that lies inside a file of `size` bytes, which is at least 1.
fn within((first, last): &Spec, size: u64) -> Option<(u64, u64)> {
    let number = |digits: &String| if digits.is_empty() { Some(0) } else { digits.parse::<u64>().ok() };
    match (first, last) {
        (Some(first), last) => {
            let first = number(first).filter(|first| *first < size)?;
            let last = last.as_ref().and_then(number).unwrap_or(u64::MAX).min(size - 1);
            Some((first, last))
        }
        (None, Some(suffix)) => match number(suffix) {
            Some(0) => None,
            suffix => Some((size - suffix.unwrap_or(u64::MAX).min(size), size - 1)),
        },
        (None, None) => None,
    }
}
