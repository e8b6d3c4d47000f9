//! What a full check found stands for the next requests only as long as nothing of the file changes. The times of a file
//! that has just been written do not tell its next change, so these files rest until they do.

use super::{get, open, put, rig, taken, write};
use app_tests::range_table::rig::Rig;
use std::fs::OpenOptions;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use talaria_core::media::Opened;

/// As `handle` has it: longer than the time of a file stands still on any disk.
const TICK: Duration = Duration::from_secs(3);
const POLL: Duration = Duration::from_millis(50);
const DEADLINE: Duration = Duration::from_secs(60);

/// Waits until the file's last change is told from the next one.
fn settle(path: &Path) {
    let deadline = Instant::now() + DEADLINE;
    let changed = |path| {
        let found = std::fs::metadata(path).expect("the file");
        UNIX_EPOCH + Duration::new(found.ctime() as u64, found.ctime_nsec() as u32)
    };
    while changed(path) + TICK >= SystemTime::now() {
        assert!(Instant::now() < deadline, "the clock of the disk is ahead");
        std::thread::sleep(POLL);
    }
}

/// A file that has rested and passed: asked for, and read once.
fn passed(rig: &Rig, name: &str, content: &[u8]) -> (PathBuf, Opened) {
    let path = put(rig, name, content);
    settle(&path);
    let opened = open(rig, &path);
    assert_eq!(taken(get(rig, &opened, &[])), (200, content.to_vec()));
    (path, opened)
}

#[test]
fn a_file_that_has_rested_is_answered_the_same_again_and_again() {
    let rig = rig();
    let (_, opened) = passed(&rig, "a.mp3", b"ID3 content");
    let first = get(&rig, &opened, &[]);
    for _ in 0..3 {
        let again = get(&rig, &opened, &[]);
        for name in ["content-type", "etag", "last-modified", "content-disposition", "content-length"] {
            assert_eq!(again.header(name), first.header(name), "{name}");
        }
        assert_eq!(taken(again), (200, b"ID3 content".to_vec()));
    }
}

#[test]
fn a_file_that_has_rested_and_is_rewritten_in_place_is_checked_again_whatever_its_size_and_time_say() {
    let rig = rig();
    let (path, opened) = passed(&rig, "a.mp3", b"ID3 content");
    let before = std::fs::metadata(&path).expect("the file").modified().expect("a time");
    let file = OpenOptions::new().write(true).open(&path).expect("it opens");
    file.write_all_at(b"#!/bin/bash", 0).expect("as long as before");
    file.set_modified(before).expect("its old time");
    assert_eq!(get(&rig, &opened, &[]).status, 415);
}

#[test]
fn a_file_that_has_rested_and_got_another_name_is_compared_with_the_private_ones() {
    let rig = rig();
    let (path, opened) = passed(&rig, "a.mp3", b"ID3 content");
    write(&rig.home().join(".ssh/config"), "x");
    std::fs::hard_link(&path, rig.home().join(".ssh/stolen")).expect("a hard link");
    assert_eq!(get(&rig, &opened, &[]).status, 403);
}

#[test]
fn a_file_that_has_rested_and_lies_elsewhere_by_now_is_checked_where_it_lies() {
    let rig = rig();
    let (_, opened) = passed(&rig, "below/a.mp3", b"ID3 content");
    let (below, private) = (rig.folder().join("below"), rig.home().join(".ssh"));
    // The folder goes there with all in it: of the file itself nothing changes.
    std::fs::rename(&below, &private).expect("moved");
    symlink(&private, &below).expect("a link");
    assert_eq!(get(&rig, &opened, &[]).status, 403);
}

#[test]
fn another_file_that_has_rested_takes_the_place_and_is_checked_for_itself() {
    let rig = rig();
    let (path, opened) = passed(&rig, "a.mp3", b"ID3 content");
    let tag = get(&rig, &opened, &[]).header("etag").expect("a tag").to_owned();
    let other = put(&rig, "other.mp3", "ID3 another");
    let script = put(&rig, "script", "#!/bin/bash");
    settle(&script);
    std::fs::rename(&other, &path).expect("replaced");
    let replaced = get(&rig, &opened, &[]);
    assert_ne!(replaced.header("etag"), Some(tag.as_str()));
    assert_eq!(taken(replaced), (200, b"ID3 another".to_vec()));
    std::fs::rename(&script, &path).expect("replaced");
    assert_eq!(get(&rig, &opened, &[]).status, 415);
    std::fs::remove_file(&path).expect("gone");
    assert_eq!(get(&rig, &opened, &[]).status, 404);
}

/// Why a file has to rest: where times go by ticks, a file that is written, checked and written again within one has the
/// same size and the same times both times. (Linux tells them apart since 6.13, when somebody has looked between.)
#[test]
fn a_file_that_is_rewritten_in_the_tick_of_its_check_is_checked_again() {
    let rig = rig();
    let path = put(&rig, "a.mp3", "ID3 content");
    let mut in_one_tick = 0;
    for round in 0..200 {
        let facts = || {
            let found = std::fs::metadata(&path).expect("the file");
            (found.size(), found.mtime_nsec(), found.ctime(), found.ctime_nsec())
        };
        let file = OpenOptions::new().write(true).open(&path).expect("it opens");
        file.write_all_at(b"ID3 content", 0).expect("written");
        let before = facts();
        let opened = open(&rig, &path);
        file.write_all_at(b"#!/bin/bash", 0).expect("written");
        in_one_tick += usize::from(facts() == before);
        assert_eq!(get(&rig, &opened, &[]).status, 415, "round {round}, {in_one_tick} in one tick");
    }
    println!("{in_one_tick} of 200 in one tick");
}
