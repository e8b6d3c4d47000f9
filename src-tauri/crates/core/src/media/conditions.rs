//! Conditional requests (RFC 9110, section 13), as pure functions over the headers and the file's two validators.

use http::header::{
    HeaderMap, HeaderName, IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_RANGE, IF_UNMODIFIED_SINCE,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What tells one state of a file from another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validators {
    /// A strong entity tag, with its quotes.
    pub etag: String,
    /// Last-Modified in seconds since the epoch; `None` when HTTP cannot spell it (before 1970, after 9999).
    pub modified: Option<u64>,
}

/// The last second that an HTTP date can spell: 9999-12-31 23:59:59.
const LAST_HTTP_SECOND: u64 = 253_402_300_799;

/// A file's time as HTTP sees it: whole seconds, cut, never rounded up.
pub fn http_seconds(time: SystemTime) -> Option<u64> {
    let seconds = time.duration_since(UNIX_EPOCH).ok()?.as_secs();
    (seconds <= LAST_HTTP_SECOND).then_some(seconds)
}

/// The date's spelling in a header.
pub fn http_date(seconds: u64) -> String {
    httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(seconds.min(LAST_HTTP_SECOND)))
}

/// What the preconditions say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Answer as asked.
    Proceed,
    /// 304: the asker has this state already.
    NotModified,
    /// 412: the asker wants only a state that is gone.
    Failed,
}

/// The preconditions of a GET or HEAD, in the order of section 13.2.2 (If-Range is [`range_applies`]).
pub fn evaluate(headers: &HeaderMap, now: &Validators) -> Verdict {
    if headers.contains_key(IF_MATCH) {
        if !matches_any(headers, IF_MATCH, |tag| tag == "*" || tag == now.etag) {
            return Verdict::Failed;
        }
    } else if let (Some(since), Some(modified)) = (date(headers, IF_UNMODIFIED_SINCE), now.modified)
        && modified > since
    {
        return Verdict::Failed;
    }
    if headers.contains_key(IF_NONE_MATCH) {
        // Weak comparison: `W/` does not count.
        let same = |tag: &str| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == now.etag;
        if matches_any(headers, IF_NONE_MATCH, same) {
            return Verdict::NotModified;
        }
    } else if let (Some(since), Some(modified)) = (date(headers, IF_MODIFIED_SINCE), now.modified)
        && modified <= since
    {
        return Verdict::NotModified;
    }
    Verdict::Proceed
}

/// Whether the Range header counts: no If-Range, or one that names exactly this state. A weak tag never does.
pub fn range_applies(headers: &HeaderMap, now: &Validators) -> bool {
    if !headers.contains_key(IF_RANGE) {
        return true;
    }
    let Some(value) = single(headers, IF_RANGE) else { return false };
    value == now.etag || seconds(value).is_some_and(|wanted| Some(wanted) == now.modified)
}

/// The value of a field that may occur once, in visible ASCII.
fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() {
        return None;
    }
    value.to_str().ok().map(str::trim)
}

/// A date field; one that is no date, or occurs twice, is ignored (section 13.1.3).
fn date(headers: &HeaderMap, name: HeaderName) -> Option<u64> {
    seconds(single(headers, name)?)
}

fn seconds(text: &str) -> Option<u64> {
    http_seconds(httpdate::parse_http_date(text).ok()?)
}

/// Whether any entity tag of a list field fits. Commas inside the quotes belong to the tag.
fn matches_any(headers: &HeaderMap, name: HeaderName, fits: impl Fn(&str) -> bool) -> bool {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).any(|value| {
        let mut quoted = false;
        value
            .split(|c: char| {
                quoted ^= c == '"';
                c == ',' && !quoted
            })
            .any(|tag| fits(tag.trim()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    const DATE: &str = "Wed, 25 Jun 2014 17:12:18 GMT";
    const LATER: &str = "Wed, 25 Jun 2014 17:12:19 GMT";
    const EARLIER: &str = "Wed, 25 Jun 2014 17:12:17 GMT";

    fn now() -> Validators {
        Validators { etag: "\"a,b\"".into(), modified: seconds(DATE) }
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.append(name.clone(), HeaderValue::from_str(value).expect("a header value"));
        }
        map
    }

    #[test]
    fn the_same_state_is_not_modified() {
        for pairs in [
            [(IF_NONE_MATCH, "\"a,b\"")],
            [(IF_NONE_MATCH, "W/\"a,b\"")],
            [(IF_NONE_MATCH, "\"x\", \"a,b\"")],
            [(IF_NONE_MATCH, "*")],
            [(IF_MODIFIED_SINCE, DATE)],
            [(IF_MODIFIED_SINCE, LATER)],
        ] {
            assert_eq!(evaluate(&headers(&pairs), &now()), Verdict::NotModified, "{pairs:?}");
        }
    }

    #[test]
    fn another_state_or_a_bad_condition_proceeds() {
        for pairs in [
            vec![],
            vec![(IF_NONE_MATCH, "\"a\"")],
            vec![(IF_NONE_MATCH, "a,b")],
            vec![(IF_MODIFIED_SINCE, EARLIER)],
            vec![(IF_MODIFIED_SINCE, "yesterday")],
            vec![(IF_MODIFIED_SINCE, DATE), (IF_MODIFIED_SINCE, DATE)],
            // The tag wins over the date.
            vec![(IF_NONE_MATCH, "\"x\""), (IF_MODIFIED_SINCE, DATE)],
            vec![(IF_MATCH, "\"a,b\"")],
            vec![(IF_MATCH, "*")],
            vec![(IF_UNMODIFIED_SINCE, DATE)],
        ] {
            assert_eq!(evaluate(&headers(&pairs), &now()), Verdict::Proceed, "{pairs:?}");
        }
    }

    #[test]
    fn a_wanted_state_that_is_gone_fails() {
        for pairs in [[(IF_MATCH, "\"x\"")], [(IF_MATCH, "W/\"a,b\"")], [(IF_UNMODIFIED_SINCE, EARLIER)]] {
            assert_eq!(evaluate(&headers(&pairs), &now()), Verdict::Failed, "{pairs:?}");
        }
    }

    #[test]
    fn if_range_needs_the_strong_tag_or_the_exact_date() {
        let applies = |value: &str| range_applies(&headers(&[(IF_RANGE, value)]), &now());
        assert!(range_applies(&HeaderMap::new(), &now()));
        assert!(applies("\"a,b\""));
        assert!(applies(DATE));
        for value in ["W/\"a,b\"", "\"x\"", LATER, EARLIER, "", "*", "\"a,b\", \"x\""] {
            assert!(!applies(value), "{value:?}");
        }
        assert!(!range_applies(&headers(&[(IF_RANGE, DATE), (IF_RANGE, DATE)]), &now()));
    }

    #[test]
    fn a_time_that_http_cannot_spell_has_no_date() {
        assert_eq!(http_seconds(UNIX_EPOCH - Duration::from_secs(1)), None);
        assert_eq!(http_seconds(UNIX_EPOCH + Duration::from_secs(LAST_HTTP_SECOND + 1)), None);
        assert_eq!(http_date(LAST_HTTP_SECOND), "Fri, 31 Dec 9999 23:59:59 GMT");
    }
}
