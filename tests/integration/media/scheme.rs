//! The scheme: the same handler with one buffer for an answer, and only for the grant's own window.

use super::ranges::{READ, header_text, table};
use super::{open, put, rig};
use app_tests::range_table::rig::Rig;
use app_tests::range_table::{Answer, make_file, pattern};
use http::{HeaderValue, Request, Response};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::Path;
use talaria_core::media::{CAPPED_BYTES, MAX_PICTURE_BYTES, MediaError, Opened};

fn ask(rig: &Rig, uri: &str, method: &str, headers: &[(&str, &[u8])]) -> Response<Vec<u8>> {
    let request =
        headers.iter().fold(Request::builder().method(method).uri(uri), |request, (name, value)| {
            request.header(*name, HeaderValue::from_bytes(value).expect("a header value"))
        });
    rig.media.scheme(&rig.client(), request.body(Vec::new()).expect("a request"))
}

fn get(rig: &Rig, opened: &Opened, range: Option<&str>) -> Response<Vec<u8>> {
    let headers: Vec<_> = range.iter().map(|range| ("Range", range.as_bytes())).collect();
    ask(rig, &rig.media.scheme_url(opened), "GET", &headers)
}

/// The answer in the table's words; its content must be the file's.
fn answer(response: &Response<Vec<u8>>, path: &Path) -> Answer {
    use std::os::unix::fs::FileExt;
    let (start, answer) = match response.status().as_u16() {
        200 => (0, Answer::Whole),
        206 => {
            let text = response.headers()["content-range"].to_str().expect("ASCII");
            let (range, _) =
                text.strip_prefix("bytes ").and_then(|text| text.split_once('/')).expect("a range");
            let (first, last) = range.split_once('-').expect("two ends");
            let ends: (u64, u64) = (first.parse().expect("first"), last.parse().expect("last"));
            assert_eq!(response.body().len() as u64, ends.1 + 1 - ends.0);
            (ends.0, Answer::Ranges(vec![(ends.0, ends.1 + 1)]))
        }
        416 => return Answer::Unsatisfiable,
        405 => return Answer::NotAllowed,
        status => return Answer::Wrong(status.to_string()),
    };
    let mut expected = vec![0; response.body().len()];
    let file = std::fs::File::open(path).expect("the file");
    file.read_exact_at(&mut expected, start).expect("the file's bytes");
    assert_eq!(*response.body(), expected);
    answer
}

#[test]
fn every_row_of_the_table_without_if_range_holds_over_the_scheme() {
    let rig = rig();
    let mut run = 0;
    for row in table().iter().filter(|row| row.if_range.is_none()) {
        let path = rig.folder().join(format!("{}.mp4", row.id));
        make_file(row, &path).expect("the row's file");
        let opened = rig.media.grant_below_the_checks(&rig.client(), &path).expect("a grant");
        let response =
            ask(&rig, &rig.media.scheme_url(&opened), row.method(), &[("Range", row.header.as_bytes())]);
        let answer = answer(&response, &path);
        assert!(row.allowed().expect("words").contains(&answer), "{row:?}: {answer}");
        run += 1;
    }
    assert_eq!(run, 147);
}

#[test]
fn a_player_that_follows_capped_answers_gets_the_whole_file() {
    let rig = rig();
    let size = 2 * CAPPED_BYTES + 12_345;
    let content = pattern(0, size);
    let opened = open(&rig, &put(&rig, "long.mp4", &content));
    let mut whole = Vec::new();
    while (whole.len() as u64) < size {
        let response = get(&rig, &opened, Some(&format!("bytes={}-", whole.len())));
        assert_eq!(response.status(), 206);
        assert!(response.body().len() as u64 <= CAPPED_BYTES);
        let last = whole.len() + response.body().len() - 1;
        assert_eq!(response.headers()["content-range"], format!("bytes {}-{last}/{size}", whole.len()));
        whole.extend_from_slice(response.body());
    }
    assert!(whole == content);
}

#[test]
fn a_whole_file_over_the_cap_is_an_error_that_names_the_size_and_never_short() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "long.mp4", pattern(0, CAPPED_BYTES + 1)));
    for range in [None, Some("nonsense"), Some("bytes=0-0,2-2")] {
        let response = get(&rig, &opened, range);
        assert_eq!(response.status(), 416);
        assert_eq!(response.headers()["content-range"], format!("bytes */{}", CAPPED_BYTES + 1));
        assert!(String::from_utf8_lossy(response.body()).contains("Range header"));
    }
    let head = ask(&rig, &rig.media.scheme_url(&opened), "HEAD", &[]);
    assert_eq!((head.status().as_u16(), head.body().len()), (200, 0));
    assert_eq!(head.headers()["content-length"], (CAPPED_BYTES + 1).to_string());
    let fits = open(&rig, &put(&rig, "fits.mp4", pattern(0, CAPPED_BYTES)));
    assert_eq!(get(&rig, &fits, None).body().len() as u64, CAPPED_BYTES);
}

#[test]
fn a_picture_is_answered_whole_and_one_over_the_limit_is_unsupported() {
    let rig = rig();
    let path = put(&rig, "a.png", pattern(0, 3 * CAPPED_BYTES));
    let opened = open(&rig, &path);
    let response = get(&rig, &opened, None);
    assert_eq!((response.status().as_u16(), response.body().len() as u64), (200, 3 * CAPPED_BYTES));
    let file = std::fs::OpenOptions::new().write(true).open(&path).expect("the picture");
    file.set_len(MAX_PICTURE_BYTES + 1).expect("a larger picture");
    assert_eq!(get(&rig, &opened, None).status(), 415);
    assert!(rig.open(&path).expect_err("too large").to_string().contains("too large"));
    let source =
        rig.media.source(path.to_str().expect("a name in Unicode")).expect("a copy of it can be made");
    assert_eq!(source.size, MAX_PICTURE_BYTES + 1);
}

#[test]
fn a_grant_answers_only_its_own_window_and_only_while_it_lives() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", "ID3"));
    let url = rig.media.scheme_url(&opened);
    let request = || Request::builder().uri(&url).body(Vec::new()).expect("a request");
    assert_eq!(rig.media.scheme(&"window-2".into(), request()).status(), 403);
    assert_eq!(rig.media.scheme(&rig.client(), request()).status(), 200);
    rig.media.drop_client(&rig.client());
    assert_eq!(rig.media.scheme(&rig.client(), request()).status(), 403);
}

#[test]
fn only_the_scheme_s_own_route_leads_to_a_file() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", "ID3"));
    let grant = &opened.grant;
    for (uri, status) in [
        (format!("hermes-media://localhost/stream/{grant}/anything"), 200),
        (format!("http://hermes-media.localhost/stream/{grant}/a.mp4"), 200),
        (format!("hermes-media://localhost/stream/{grant}/a.mp4?x=/etc/passwd"), 200),
        (format!("hermes-media://localhost/stream/{grant}/..%2f..%2fetc%2fpasswd"), 200),
        (format!("hermes-media://localhost/stream/{grant}/"), 404),
        (format!("hermes-media://localhost/stream/{grant}/a/b"), 404),
        (format!("hermes-media://evil/stream/{grant}/a.mp4"), 404),
        (format!("hermes-media://localhost/other/{grant}/a.mp4"), 404),
        (format!("hermes-media://localhost/stream/{}/a.mp4", "0".repeat(32)), 403),
        ("hermes-media://localhost/stream/..%2f..%2fetc%2fpasswd/a.mp4".to_owned(), 403),
        ("hermes-media://localhost/stream/%252e%252e/passwd".to_owned(), 403),
        ("hermes-media://localhost/etc/passwd".to_owned(), 404),
    ] {
        let response = ask(&rig, &uri, "GET", &[]);
        assert_eq!(response.status(), status, "{uri}");
        assert!(status != 200 || response.body() == b"ID3");
        // What no address has is refused before anybody looks where it would lead.
        let other = ask(&rig, &uri, "POST", &[]);
        assert_eq!((other.status().as_u16(), &other.headers()["allow"] == "GET, HEAD"), (405, true), "{uri}");
    }
}

#[test]
fn ten_thousand_headers_never_panic_and_never_make_a_server_error() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", pattern(0, 100)));
    let url = rig.media.scheme_url(&opened);
    let headers = prop::collection::vec((prop::sample::select(READ.to_vec()), header_text()), 0..4);
    let mut runner =
        TestRunner::new(Config { cases: 10_000, failure_persistence: None, ..Config::default() });
    runner
        .run(&headers, |headers| {
            let headers: Vec<_> = headers.iter().map(|(name, value)| (*name, value.as_bytes())).collect();
            let status = ask(&rig, &url, "GET", &headers).status().as_u16();
            prop_assert!(matches!(status, 200 | 206 | 304 | 412 | 416), "{status}");
            Ok(())
        })
        .expect("every header");
}

#[test]
fn what_a_page_asked_before_it_loaded_anew_is_not_granted_to_the_next() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "ID3");
    let before = rig.media.era(&rig.client());
    rig.media.drop_client(&rig.client());
    let text = path.to_str().expect("Unicode");
    assert_eq!(rig.media.open_in(&rig.client(), before, text), Err(MediaError::Gone));
    let opened = rig.media.open_in(&rig.client(), rig.media.era(&rig.client()), text);
    assert!(opened.is_ok(), "{opened:?}");
}
