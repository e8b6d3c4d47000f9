//! What the programs of this world really write passes the look at its first bytes: files made by ffmpeg, and the odd ones.

use super::{put, rig};
use app_tests::generated_media::ffmpeg;
use app_tests::range_table::rig::Rig;
use std::path::Path;

/// A tone and a test card of a fifth of a second, in a container.
fn made(rig: &Rig, name: &str, how: &str) -> std::path::PathBuf {
    let path = rig.folder().join(name);
    let inputs =
        "-f lavfi -i sine=frequency=440:duration=0.2 -f lavfi -i testsrc2=size=64x48:rate=10:duration=0.2";
    let arguments: Vec<String> = format!("{inputs} {how}").split_whitespace().map(str::to_owned).collect();
    ffmpeg(&arguments, &path).expect(name);
    path
}

fn opens(rig: &Rig, path: &Path) {
    let opened = rig.open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert!(opened.size > 0, "{}", path.display());
}

#[test]
fn every_extension_of_the_list_passes_as_ffmpeg_makes_it() {
    let rig = rig();
    for (name, how) in [
        ("a.mp3", "-map 0 -c:a libmp3lame"),
        ("no-tag.mp3", "-map 0 -c:a libmp3lame -id3v2_version 0 -write_xing 0"),
        ("a.aac", "-map 0 -c:a aac"),
        ("a.m4a", "-map 0 -c:a aac"),
        ("a.wav", "-map 0 -c:a pcm_s16le"),
        ("a.ogg", "-map 0 -c:a libvorbis"),
        ("a.oga", "-map 0 -c:a libvorbis"),
        ("a.opus", "-map 0 -c:a libopus"),
        ("a.flac", "-map 0 -c:a flac"),
        ("a.mp4", "-c:a aac -c:v libx264"),
        ("fragmented.mp4", "-c:a aac -c:v libx264 -movflags +frag_keyframe+empty_moov"),
        ("a.m4v", "-an -c:v libx264"),
        ("a.mov", "-c:a aac -c:v libx264"),
        ("a.mkv", "-c:a aac -c:v libx264"),
        ("a.webm", "-c:a libopus -c:v libvpx"),
        ("a.ogv", "-c:a libvorbis -c:v libtheora"),
        ("a.avi", "-c:a libmp3lame -c:v mpeg4"),
        ("a.png", "-map 1 -frames:v 1"),
        ("a.jpg", "-map 1 -frames:v 1"),
        ("a.jpeg", "-map 1 -frames:v 1"),
        ("a.gif", "-map 1"),
        ("a.bmp", "-map 1 -frames:v 1"),
        ("a.webp", "-map 1 -frames:v 1 -c:v libwebp"),
    ] {
        opens(&rig, &made(&rig, name, how));
    }
}

#[test]
fn a_stream_behind_zeros_or_a_large_tag_passes() {
    let rig = rig();
    let plain = made(&rig, "plain.mp3", "-map 0 -c:a libmp3lame -id3v2_version 0 -write_xing 0");
    let frames = std::fs::read(plain).expect("the stream");
    for zeros in [1, 1000, 4096] {
        opens(&rig, &put(&rig, "padded.mp3", [vec![0; zeros], frames.clone()].concat()));
    }
    assert!(rig.open(&put(&rig, "padded.mp3", [vec![0; 5000], frames].concat())).is_err());
    let long = "x".repeat(10_000);
    let tagged = made(&rig, "tagged.mp3", &format!("-map 0 -c:a libmp3lame -metadata comment={long}"));
    assert!(std::fs::metadata(&tagged).expect("the file").len() > 10_000);
    opens(&rig, &tagged);
}

#[test]
fn a_movie_of_the_old_kind_that_begins_with_its_data_passes() {
    let rig = rig();
    let movie = std::fs::read(made(&rig, "new.mov", "-c:a aac -c:v libx264")).expect("the movie");
    // QuickTime wrote no `ftyp`: the first box was `wide` or the data.
    let length = u32::from_be_bytes(movie[..4].try_into().expect("four bytes")) as usize;
    assert_eq!(&movie[4..8], b"ftyp");
    let rest = &movie[length..];
    assert!(matches!(&rest[4..8], b"wide" | b"mdat" | b"free"), "{:?}", &rest[4..8]);
    opens(&rig, &put(&rig, "old.mov", rest));
    opens(&rig, &put(&rig, "oldest.mov", &rest[8..]));
}

#[test]
fn a_file_under_the_name_of_another_medium_passes_and_an_empty_one_too() {
    let rig = rig();
    for (name, content) in [
        ("sound-in-a-video.mp4", &b"ID3\x04"[..]),
        ("jpeg.png", b"\xFF\xD8\xFF\xE0"),
        ("matroska.webm", b"\x1A\x45\xDF\xA3"),
    ] {
        opens(&rig, &put(&rig, name, content));
    }
    for name in ["empty.mp3", "empty.mp4", "empty.png"] {
        assert_eq!(rig.open(&put(&rig, name, "")).expect(name).size, 0);
    }
}

#[test]
fn a_file_that_is_written_while_it_plays_is_looked_at_again() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "");
    let opened = super::open(&rig, &path);
    assert_eq!(super::get(&rig, &opened, &[]).status, 200);
    std::fs::write(&path, "#!/bin/sh\n").expect("written");
    let reply = super::get(&rig, &opened, &[]);
    let (status, words) = super::taken(reply);
    assert_eq!(status, 415);
    let words = String::from_utf8(words).expect("Unicode");
    assert_eq!(words, "Not a media file. a.mp4 has the name of a video, but not its content.");
}
