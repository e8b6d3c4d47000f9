//! The parsers under their kept corpus and 20,000 generated inputs each, always the same ones.

use app_tests::parsers::{PARSERS, Parser};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::path::Path;

const INPUTS: u32 = 20_000;

fn parser(name: &str) -> &'static Parser {
    PARSERS.iter().find(|parser| parser.name == name).expect("a parser of the table")
}

/// The kept inputs, picked by hand or found by a run, by their files' names.
fn kept(parser: &Parser) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/corpus").join(parser.name);
    let entries = std::fs::read_dir(folder).expect("the parser's corpus");
    let files = entries.map(|entry| entry.expect("a kept input").path());
    let mut kept: Vec<_> =
        files.map(|path| (path.display().to_string(), std::fs::read(&path).expect("a kept input"))).collect();
    kept.sort();
    assert!(kept.len() >= 5, "the corpus of {} is nearly empty", parser.name);
    kept
}

/// Pieces of the parser's grammar in any order, a kept input with some of them put into it, or bytes without sense.
fn inputs(parser: &'static Parser) -> impl Strategy<Value = Vec<u8>> {
    let piece = || {
        prop_oneof![
            12 => prop::sample::select(parser.pieces).prop_map(|piece| piece.as_bytes().to_vec()),
            1 => prop::collection::vec(any::<u8>(), 1..4),
        ]
    };
    let pieces =
        move |most: usize| prop::collection::vec(piece(), 0..most).prop_map(|pieces| pieces.concat());
    let seeds: Vec<Vec<u8>> = kept(parser).into_iter().map(|(_, seed)| seed).collect();
    let changed = (prop::sample::select(seeds), any::<prop::sample::Index>(), 0..4_usize, pieces(3))
        .prop_map(|(mut seed, at, taken, put)| {
            let at = at.index(seed.len() + 1);
            let end = (at + taken).min(seed.len());
            seed.splice(at..end, put);
            seed
        });
    prop_oneof![5 => pieces(14), 4 => changed, 1 => prop::collection::vec(any::<u8>(), 0..80)]
}

fn run(name: &str) {
    let parser = parser(name);
    for (file, input) in kept(parser) {
        if std::panic::catch_unwind(|| (parser.holds)(&input)).is_err() {
            panic!("the kept input {file} breaks the parser {name}; see above");
        }
    }
    let config = Config { cases: INPUTS, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let holds = parser.holds;
    let outcome = runner.run(&inputs(parser), move |input| {
        holds(&input);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}\nKeep this input as a file of its own in tests/fixtures/corpus/{name}.");
    }
}

#[test]
fn any_range_header_is_answered_as_the_rfc_says() {
    run("range");
}

#[test]
fn any_address_leads_to_the_granted_file_or_nowhere() {
    run("url");
}

#[test]
fn any_frame_is_refused_or_means_what_it_says() {
    run("frames");
}

#[test]
fn any_head_is_one_request_to_every_reader_or_none() {
    run("head");
}

#[test]
fn any_text_is_a_plain_path_or_none() {
    run("path");
}

#[test]
fn any_message_has_tags_that_are_its_own_slices() {
    run("tags");
}
