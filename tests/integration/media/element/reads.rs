//! The element alone: the right bytes at any place, and how often the app is asked for them.

use super::stand_in::{Act, StandIn, Tap, honest};
use super::{ADDRESS, Stage, address, put};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Bytes that begin as an mp3 and differ by their place.
fn content(length: usize) -> Vec<u8> {
    let mut content: Vec<u8> = (0..length).map(|at| (at / 251 + at) as u8).collect();
    content[..10].copy_from_slice(b"ID3\x04\0\0\0\0\0\0");
    content
}

fn expect(tap: &Tap, content: &[u8], offset: usize, length: usize) {
    let read = tap.read(offset as u64, length as u32).unwrap_or_else(|error| panic!("{error} at {offset}"));
    assert!(read == content[offset..content.len().min(offset + length)], "{length} bytes at {offset}");
}

#[test]
fn any_place_and_any_length_gives_the_bytes_of_the_file() {
    let stage = Stage::start();
    let content = content(5_000_000);
    let path = put(&stage.rig, "a.mp3", &content);
    let tap = stage.tap(&path);
    assert_eq!(tap.size(), 5_000_000);
    for (offset, length) in [
        (0, 16),
        (262_140, 8),
        (4_999_990, 100),
        (1_000_000, 3_000_000),
        (0, 5_000_000),
        (4_000_000, 4095),
        (4_000_000, 4096),
        (262_143, 1),
        (786_430, 300_000),
    ] {
        expect(&tap, &content, offset, length);
    }
    for offset in [5_000_000, 5_000_001, 1 << 40] {
        assert_eq!(tap.read(offset, 10), Err(gstreamer::FlowError::Eos), "at {offset}");
    }
}

#[test]
fn small_reads_in_a_row_ask_the_app_seldom_and_for_every_byte_once() {
    let content = content(4 << 20);
    let app = StandIn::serving(content.clone());
    let tap = Tap::open(ADDRESS, &app.socket()).expect("it opens");
    for offset in (0..content.len()).step_by(1000) {
        expect(&tap, &content, offset, 1000);
    }
    let reads = app.reads();
    let kib: Vec<_> = reads.iter().map(|(_, length)| length / 1024).collect();
    assert_eq!(kib, [256, 512, 1024, 1024, 1024, 1024]);
    assert_eq!(app.connections(), 1);
}

#[test]
fn jumping_between_an_index_at_the_end_and_the_samples_reads_nothing_twice() {
    let content = content(8 << 20);
    let app = StandIn::serving(content.clone());
    let tap = Tap::open(ADDRESS, &app.socket()).expect("it opens");
    for step in 0..50 {
        expect(&tap, &content, step * 10_000, 10_000);
        expect(&tap, &content, (7 << 20) + step * 100, 100);
        expect(&tap, &content, (4 << 20) + step * 2_000, 2_000);
    }
    let mut places: Vec<_> = app.reads().iter().map(|(offset, _)| *offset).collect();
    let asked = places.len();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), asked, "{:?}", app.reads());
    assert!(asked <= 5, "{:?}", app.reads());
}

#[test]
fn a_connection_that_the_app_closed_while_it_rested_is_made_again() {
    let content = content(3 << 20);
    let served = content.clone();
    let app = StandIn::new(move |request, _| Act::SayAndClose(honest(&served, request)));
    let tap = Tap::open(ADDRESS, &app.socket()).expect("it opens");
    for offset in [0, 2 << 20, 1 << 20] {
        expect(&tap, &content, offset, 100);
    }
    assert_eq!(app.connections(), 4);
    assert_eq!(tap.words(), None);
}

#[test]
fn a_file_that_grows_is_read_to_its_new_end() {
    let stage = Stage::start();
    let (short, long) = (content(1000), content(700_000));
    let path = put(&stage.rig, "a.mp3", &short);
    let tap = stage.tap(&path);
    expect(&tap, &short, 0, 2000);
    std::fs::write(&path, &long).expect("written");
    // What it was told a moment ago holds for a moment.
    until(|| tap.read(500, 700_000).is_ok_and(|bytes| bytes.len() == 699_500));
    expect(&tap, &long, 0, 700_000);
    assert_eq!(tap.size(), 700_000);
}

#[test]
fn a_file_that_shrinks_ends_where_it_ends_now() {
    let stage = Stage::start();
    let long = content(4 << 20);
    let path = put(&stage.rig, "a.mp3", &long);
    let tap = stage.tap(&path);
    expect(&tap, &long, 0, 1000);
    let file = std::fs::File::options().write(true).open(&path).expect("opened");
    file.set_len(500_000).expect("shortened");
    assert!(tap.read(400_000, 1 << 20).expect("the rest") == long[400_000..500_000]);
    assert_eq!(tap.read(600_000, 10), Err(gstreamer::FlowError::Eos));
    assert_eq!(tap.words(), None);
}

#[test]
fn another_file_in_its_place_is_an_error_and_never_a_mixture() {
    let stage = Stage::start();
    let first = content(2 << 20);
    let path = put(&stage.rig, "a.mp3", &first);
    let tap = stage.tap(&path);
    expect(&tap, &first, 0, 1000);
    let other = put(&stage.rig, "b.mp3", content(3 << 20));
    std::fs::rename(other, &path).expect("renamed");
    assert_eq!(tap.read(1 << 20, 1000), Err(gstreamer::FlowError::Error));
    let words = tap.words().expect("an error is posted");
    assert!(words.contains("replaced by another"), "{words}");
}

#[test]
fn a_file_that_was_deleted_is_an_error_without_its_path() {
    let stage = Stage::start();
    let first = content(2 << 20);
    let path = put(&stage.rig, "a.mp3", &first);
    let tap = stage.tap(&path);
    expect(&tap, &first, 0, 1000);
    std::fs::remove_file(&path).expect("deleted");
    assert_eq!(tap.read(1 << 20, 1000), Err(gstreamer::FlowError::Error));
    let words = tap.words().expect("an error is posted");
    assert!(words.contains("missing"), "{words}");
    assert!(!words.contains("a.mp3") && !words.contains(&*stage.rig.home().to_string_lossy()), "{words}");
}

#[test]
fn a_read_that_waits_ends_at_once_when_the_element_stops_and_is_no_error() {
    let content = content(2 << 20);
    let waits = Arc::new(AtomicBool::new(false));
    let app = {
        let waits = Arc::clone(&waits);
        StandIn::new(move |request, before| {
            if before < 2 {
                return Act::Say(honest(&content, request));
            }
            waits.store(true, Ordering::SeqCst);
            Act::Nothing
        })
    };
    let tap = Arc::new(Tap::open(ADDRESS, &app.socket()).expect("it opens"));
    assert_eq!(tap.read(0, 10).expect("the first part").len(), 10);
    let reading = {
        let tap = Arc::clone(&tap);
        std::thread::spawn(move || tap.read(1 << 20, 10))
    };
    until(|| waits.load(Ordering::SeqCst));
    tap.stop();
    // The time limit of a read would be another flow and a message.
    assert_eq!(reading.join().expect("the thread ends well"), Err(gstreamer::FlowError::Flushing));
    assert_eq!(tap.words(), None);
}

#[test]
fn only_addresses_of_the_scheme_are_taken() {
    use gstreamer::prelude::*;
    super::player::load_plugin();
    for address in
        ["file:///etc/passwd", "http://localhost/", "hermes-media://elsewhere/stream/x/y", "hermes-media://"]
    {
        assert!(
            gstreamer::Element::make_from_uri(gstreamer::URIType::Src, address, None)
                .map_or(true, |element| {
                    element.factory().is_none_or(|factory| factory.name() != "hermesmediasrc")
                })
        );
    }
    let element = gstreamer::Element::make_from_uri(gstreamer::URIType::Src, ADDRESS, None).expect("ours");
    assert_eq!(element.factory().expect("a factory").name(), "hermesmediasrc");
    let nobody = Tap::open(&address_without_grant(), Path::new("/nonexistent"));
    assert!(nobody.err().expect("no address, no bytes").contains("No address"));
}

fn address_without_grant() -> String {
    "hermes-media://localhost/stream//name".to_owned()
}

/// Waits for a fact.
fn until(fact: impl Fn() -> bool) {
    let started = std::time::Instant::now();
    while !fact() {
        assert!(started.elapsed() < super::player::LIMIT, "it never came to be");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn the_address_may_have_any_name_behind_the_grant() {
    let stage = Stage::start();
    let content = content(1000);
    let path = put(&stage.rig, "a#b?c%23 \u{e9}\u{1f3ac}.mp3", &content);
    let opened = super::open(&stage.rig, &path);
    for address in [address(&opened), stage.rig.media.scheme_url(&opened)] {
        let tap = Tap::open(&address, stage.socket.path()).expect("it opens");
        expect(&tap, &content, 0, 1000);
    }
}
