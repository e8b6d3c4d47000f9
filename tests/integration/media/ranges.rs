//! Ranges: the shared table, and what must hold for any range and any header.

use super::{get, open, put, rig, taken};
use app_tests::range_table::{self, pattern, wire::Ask};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::path::PathBuf;

/// The shared table.
pub fn table() -> Vec<range_table::Row> {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/range-cases.json");
    range_table::read(&file).expect("the shared table")
}

#[test]
fn every_row_of_the_table_is_answered_as_the_rfc_allows() {
    let rig = rig();
    let rows = table();
    assert_eq!(rows.len(), 157);
    for row in &rows {
        let answer = range_table::run(&rig, row);
        assert!(row.allowed().expect("words").contains(&answer), "{row:?}: {answer}");
    }
}

#[test]
fn a_row_that_allows_another_answer_is_seen_to_fail() {
    let rig = rig();
    let row = |header: &str, allowed: &str| {
        let text = format!(r#"{{"id":"x","header":"{header}","size":10,"rfc9110_ok":{allowed}}}"#);
        serde_json::from_str::<range_table::Row>(&text).expect("a row")
    };
    for (header, wrong) in [
        ("bytes=0-1", r#"["ignore(200)"]"#),
        ("bytes=0-1", "[[[0,1]]]"),
        ("bytes=20-", "[[[0,10]]]"),
        ("x", r#"["416"]"#),
    ] {
        let row = row(header, wrong);
        assert!(!row.allowed().expect("words").contains(&range_table::run(&rig, &row)), "{header}");
    }
}

#[test]
fn a_file_that_is_no_table_is_told_in_one_line() {
    let rig = rig();
    for (name, content, words) in [
        ("no.json", "nonsense", "not a table"),
        ("object.json", "{}", "not a table"),
        ("field.json", r#"[{"id":"R1","size":1,"rfc9110_ok":[]}]"#, "header"),
        ("word.json", r#"[{"id":"R1","header":"","size":1,"rfc9110_ok":["302"]}]"#, "row R1"),
        ("break.json", r#"[{"id":"R2","header":"a\r\nb","size":1,"rfc9110_ok":["416"]}]"#, "row R2"),
        (
            "date.json",
            r#"[{"id":"R3","header":"","size":1,"last_modified":"now","rfc9110_ok":[]}]"#,
            "row R3",
        ),
    ] {
        let error = range_table::read(&put(&rig, name, content)).expect_err("no table");
        assert!(error.contains(words) && error.lines().count() == 1, "{name}: {error}");
    }
    assert!(range_table::read(&rig.folder().join("none.json")).is_err());
}

#[test]
fn any_partition_reassembles_the_file() {
    let rig = rig();
    let parts = (4_u64..400_000).prop_flat_map(|size| (Just(size), prop::collection::vec(0..=size, 0..6)));
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    runner
        .run(&parts, |(size, mut cuts)| {
            let content = pattern(0, size);
            let opened = open(&rig, &put(&rig, "part.mp4", &content));
            cuts.extend([0, size]);
            cuts.sort_unstable();
            cuts.dedup();
            let mut whole = vec![0; size as usize];
            // From the end to the beginning, as no player asks.
            for pair in cuts.windows(2).rev() {
                let range = format!("bytes={}-{}", pair[0], pair[1] - 1);
                let (status, part) = taken(get(&rig, &opened, &[("Range", &range)]));
                prop_assert_eq!(status, 206);
                whole[pair[0] as usize..pair[1] as usize].copy_from_slice(&part);
            }
            prop_assert!(whole == content);
            Ok(())
        })
        .expect("every partition");
}

/// Header texts: some near to what is right, some anything that a header line can carry.
pub fn header_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "bytes=[0-9]{0,24}-[0-9]{0,24}",
        "(bytes|Bytes|items)[ =]{0,2}([0-9*a-]{0,6}[, \t]{0,2}){0,5}",
        "(W/)?\"[a-z,-]{0,8}\"(, ?\"x\")?",
        "[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT",
        "[ -~\t\u{80}-\u{ff}é🎬]{0,60}",
    ]
}

/// The headers that the handler reads.
pub const READ: [&str; 6] =
    ["Range", "If-Range", "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since"];

#[test]
fn any_header_is_answered_without_a_server_error() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", pattern(0, 1000)));
    let headers = prop::collection::vec((prop::sample::select(READ.to_vec()), header_text()), 0..4);
    let mut runner = TestRunner::new(Config { cases: 400, failure_persistence: None, ..Config::default() });
    runner
        .run(&headers, |headers| {
            let ask = Ask::new("GET", &rig.target(&opened));
            let ask = headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value));
            let (status, content) = taken(rig.send(&ask).map_err(TestCaseError::fail)?);
            prop_assert!(matches!(status, 200 | 206 | 304 | 400 | 412 | 416), "{status}");
            prop_assert!(status != 200 || content == pattern(0, 1000));
            Ok(())
        })
        .expect("every header");
}
