//! The headers that say what a file is.

use super::address::encode;
use http::header::{
    ACCEPT_RANGES, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CACHE_CONTROL,
    CONTENT_DISPOSITION, CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, LAST_MODIFIED, ORIGIN, VARY,
    X_CONTENT_TYPE_OPTIONS,
};

use super::conditions::{Validators, http_date};

/// Where the app's own pages come from, as this system's web view spells it. On Linux and macOS the name of Windows' form
/// is one that any local server can answer to.
const PAGE_ORIGIN: &str = if cfg!(windows) { "http://tauri.localhost" } else { "tauri://localhost" };

/// The validators and what a cache must know: these also stand on a 304.
pub fn put_validators(headers: &mut HeaderMap, validators: &Validators) {
    headers.insert(ETAG, value(&validators.etag));
    if let Some(modified) = validators.modified {
        headers.insert(LAST_MODIFIED, value(&http_date(modified)));
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
}

/// Type, name, and that ranges are answered.
pub fn put_description(headers: &mut HeaderMap, mime: &str, name: &str) {
    headers.insert(CONTENT_TYPE, value(mime));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(CONTENT_DISPOSITION, value(&content_disposition(name)));
    headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
}

/// Lets a page of the app read the answer, and nobody else's page.
pub fn allow_own_page(request: &HeaderMap, response: &mut HeaderMap) {
    response.insert(VARY, HeaderValue::from_static("Origin"));
    let Some(origin) = request.get(ORIGIN) else { return };
    if origin.as_bytes() == PAGE_ORIGIN.as_bytes() {
        response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        response.insert(
            ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("Accept-Ranges, Content-Length, Content-Range, ETag"),
        );
    }
}

/// `inline` with the name twice: an ASCII fallback (RFC 6266) and the whole of it (RFC 8187).
fn content_disposition(name: &str) -> String {
    let plain = |c: char| (c.is_ascii_graphic() || c == ' ') && !matches!(c, '"' | '\\' | '%');
    let fallback: String = name.chars().map(|c| if plain(c) { c } else { '_' }).collect();
    format!("inline; filename=\"{fallback}\"; filename*=UTF-8''{}", encode(name))
}

/// All values here are built from visible ASCII.
fn value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_name_is_given_in_ascii_and_whole() {
        assert_eq!(
            content_disposition("é \"x\"\r\n.mp4"),
            "inline; filename=\"_ _x___.mp4\"; filename*=UTF-8''%C3%A9%20%22x%22%0D%0A.mp4"
        );
    }

    #[test]
    fn only_the_apps_own_page_may_read_across_origins() {
        for (origin, allowed) in [
            (Some("tauri://localhost"), !cfg!(windows)),
            (Some("http://tauri.localhost"), cfg!(windows)),
            (Some("https://evil.example"), false),
            (Some("null"), false),
            (Some("tauri://localhost.evil.example"), false),
            (None, false),
        ] {
            let mut request = HeaderMap::new();
            if let Some(origin) = origin {
                request.insert(ORIGIN, HeaderValue::from_static(origin));
            }
            let mut response = HeaderMap::new();
            allow_own_page(&request, &mut response);
            assert_eq!(response.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN), allowed, "{origin:?}");
            assert_eq!(response[VARY], "Origin");
        }
    }

    proptest! {
        #[test]
        fn any_name_makes_a_header_value(name in any::<String>()) {
            let text = content_disposition(&name);
            prop_assert!(text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' '));
            prop_assert!(HeaderValue::from_str(&text).is_ok());
        }
    }
}
