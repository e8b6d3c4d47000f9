//! Media: custom protocols and Range.
//!
//! E1 (a black player on Linux) and E15 (a player that does not seek), in the real web view, by the scheme and by the
//! fallback, for every format: `tests/desktop/media_formats.rs`. E10 (a name cut at a sign): `media::names::any_name_goes_from_its_tag_to_both_addresses`,
//! `media::names::any_name_is_served_and_told_whole`. E4 also:
//! `media::scheme::ten_thousand_headers_never_panic_and_never_make_a_server_error`,
//! `media::generated::any_range_header_is_answered_as_the_rfc_says`. E5, E7 and E9 also:
//! `media::ranges::every_row_of_the_table_is_answered_as_the_rfc_allows`.

use app_tests::range_table::pattern;
use app_tests::range_table::rig::Rig;
use app_tests::range_table::wire::{Ask, Kept};
use http::Response;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use talaria_core::media::{CAPPED_BYTES, Opened};

/// An open file in a listening handler.
fn file(name: &str, content: &[u8]) -> (Rig, Opened) {
    let rig = Rig::start().expect("a handler with its listener");
    let path = rig.folder().join(name);
    std::fs::write(&path, content).expect("a file");
    let opened = rig.open(&path).expect("the file passes the checks");
    (rig, opened)
}

/// Status, Content-Range and content of an answer.
type Answer = (u16, Option<String>, Vec<u8>);

fn over_loopback(rig: &Rig, opened: &Opened, range: Option<&str>) -> Answer {
    let ask = Ask::new("GET", &rig.target(opened));
    let ask = range.into_iter().fold(ask, |ask, range| ask.header("Range", range));
    let (reply, content) = Kept::new(rig.address()).get(&ask).expect("an answer");
    (reply.status, reply.header("content-range").map(str::to_owned), content)
}

fn over_scheme(rig: &Rig, opened: &Opened, range: Option<&str>) -> Answer {
    let request = http::Request::get(rig.media.scheme_url(opened));
    let request = range.into_iter().fold(request, |request, range| request.header("Range", range));
    let reply: Response<Vec<u8>> =
        rig.media.scheme(&rig.client(), request.body(Vec::new()).expect("a request"));
    let range = reply.headers().get("content-range").map(|range| range.to_str().expect("ASCII").to_owned());
    (reply.status().as_u16(), range, reply.into_body())
}

/// E2: a player whose first request has no Range got a part and never asked for the rest.
#[test]
fn a_request_without_range_gets_the_whole_file_or_is_told_its_size_but_never_a_part() {
    let size = 50 << 20;
    let content = pattern(0, size);
    let (rig, opened) = file("long.mp4", &content);
    let (status, range, whole) = over_loopback(&rig, &opened, None);
    assert!((status, range) == (200, None) && whole == content);
    let half = size / 2;
    let (status, range, tail) = over_loopback(&rig, &opened, Some(&format!("bytes={half}-")));
    assert_eq!((status, range), (206, Some(format!("bytes {half}-{}/{size}", size - 1))));
    assert!(tail == content[half as usize..], "an open end is never cut");
    // One buffer cannot hold it: the answer says how much there is.
    let (status, range, words) = over_scheme(&rig, &opened, None);
    assert_eq!((status, range), (416, Some(format!("bytes */{size}"))));
    assert!((words.len() as u64) < CAPPED_BYTES);
}

/// E4: `bytes=0-*` ended the program.
#[test]
fn no_range_header_of_ten_thousand_stops_the_listener_or_makes_a_server_error() {
    let content = pattern(0, 1000);
    let (rig, opened) = file("a.mp4", &content);
    let mut connection = Kept::new(rig.address());
    let near = "(bytes|Bytes|items|bytes )?[=:]?[ \t]?([0-9*xa+ -]{0,12}[,;]?[ \t]{0,2}){0,6}";
    let headers = prop_oneof![
        2 => "bytes=[0-9]{0,24}-[0-9]{0,24}",
        3 => near,
        1 => "[ -~\t\u{80}-\u{ff}]{0,60}",
        1 => Just("bytes=0-*".to_owned()),
    ];
    let config = Config { cases: 10_000, failure_persistence: None, ..Config::default() };
    let connection = std::cell::RefCell::new(&mut connection);
    TestRunner::new(config)
        .run(&headers, |header| {
            let ask = Ask::new("GET", &rig.target(&opened)).header("Range", &header);
            let (reply, body) = connection.borrow_mut().get(&ask).map_err(TestCaseError::fail)?;
            prop_assert!(matches!(reply.status, 200 | 206 | 416), "{}", reply.status);
            prop_assert!(reply.status != 200 || body == content);
            Ok(())
        })
        .expect("every header");
    assert_eq!(over_loopback(&rig, &opened, Some("bytes=0-*")), (200, None, content));
}

/// E5: a suffix was ignored, `0-0` gave everything, an end past the file was not cut, a start past it was an error.
#[test]
fn a_suffix_a_single_byte_and_both_kinds_of_past_the_end_are_answered_exactly() {
    let content = pattern(0, 1000);
    let (rig, opened) = file("a.mp4", &content);
    for ask in [over_loopback, over_scheme] {
        let part = |first: usize, last: usize| {
            (206, Some(format!("bytes {first}-{last}/1000")), content[first..=last].to_vec())
        };
        assert_eq!(ask(&rig, &opened, Some("bytes=-10")), part(990, 999));
        assert_eq!(ask(&rig, &opened, Some("bytes=0-0")), part(0, 0));
        assert_eq!(ask(&rig, &opened, Some("bytes=995-5000")), part(995, 999));
        let (status, range, _) = ask(&rig, &opened, Some("bytes=1000-"));
        assert_eq!((status, range.as_deref()), (416, Some("bytes */1000")));
    }
}

/// E7: a range of an empty file gave `bytes 0--1/0`, or a crash behind the headers.
#[test]
fn an_empty_file_is_answered_empty_whatever_range_is_asked() {
    let (rig, opened) = file("empty.mp3", b"");
    for range in
        [None, Some("bytes=-5"), Some("bytes=0-"), Some("bytes=0-0"), Some("bytes=-0"), Some("bytes=5-")]
    {
        assert_eq!(over_loopback(&rig, &opened, range), (200, None, Vec::new()), "{range:?}");
        assert_eq!(over_scheme(&rig, &opened, range), (200, None, Vec::new()), "{range:?}");
    }
}

/// E9: WKWebView asks for two bytes first, and plays nothing when it gets another count.
#[test]
fn the_first_two_bytes_are_exactly_two() {
    for size in [2, 3, 5000, 3 * CAPPED_BYTES] {
        let content = [b"BM".to_vec(), pattern(2, size - 2)].concat();
        let (rig, opened) = file("a.mp4", &content);
        for ask in [over_loopback, over_scheme] {
            let two = (206, Some(format!("bytes 0-1/{size}")), b"BM".to_vec());
            assert_eq!(ask(&rig, &opened, Some("bytes=0-1")), two);
        }
    }
}
