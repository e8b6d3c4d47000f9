//! Files that change while they are played, large files, and many askers at a time.

use super::{get, open, put, rig, taken};
use app_tests::range_table::pattern;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;
#[cfg(target_os = "linux")]
use std::time::Instant;

#[cfg(target_os = "linux")]
const DEADLINE: Duration = Duration::from_secs(60);
#[cfg(target_os = "linux")]
const POLL: Duration = Duration::from_millis(20);

fn writable(path: &Path) -> File {
    OpenOptions::new().write(true).open(path).expect("the file")
}

#[test]
fn a_file_that_grows_has_the_size_and_tag_of_now() {
    let rig = rig();
    let path = put(&rig, "a.mp4", pattern(0, 100));
    let opened = open(&rig, &path);
    let before = get(&rig, &opened, &[]).header("etag").expect("a tag").to_owned();
    writable(&path).write_all_at(&pattern(100, 100), 100).expect("more");
    let reply = get(&rig, &opened, &[("Range", "bytes=150-")]);
    assert_eq!(reply.header("content-range"), Some("bytes 150-199/200"));
    assert_ne!(reply.header("etag"), Some(before.as_str()));
    assert_eq!(taken(reply).1, pattern(150, 50));
    let stale = get(&rig, &opened, &[("Range", "bytes=0-1"), ("If-Range", &before)]);
    assert_eq!(taken(stale), (200, pattern(0, 200)));
}

#[test]
fn a_file_that_grew_or_was_replaced_is_told_as_it_is_when_it_is_asked_for_again() {
    let rig = rig();
    let path = put(&rig, "a.mp4", pattern(0, 100));
    let first = open(&rig, &path);
    writable(&path).write_all_at(&pattern(100, 100), 100).expect("more");
    let grown = open(&rig, &path);
    assert_eq!((first.size, grown.size), (100, 200));
    std::fs::rename(put(&rig, "new", pattern(0, 50)), &path).expect("replaced");
    let replaced = open(&rig, &path);
    assert_eq!((replaced.size, &replaced.grant), (50, &first.grant));
    assert_eq!(taken(get(&rig, &replaced, &[])), (200, pattern(0, 50)));
}

#[test]
fn a_file_that_shrank_has_the_size_of_now() {
    let rig = rig();
    let path = put(&rig, "a.mp4", pattern(0, 100));
    let opened = open(&rig, &path);
    writable(&path).set_len(10).expect("shorter");
    let reply = get(&rig, &opened, &[("Range", "bytes=50-")]);
    assert_eq!((reply.status, reply.header("content-range")), (416, Some("bytes */10")));
    assert_eq!(taken(get(&rig, &opened, &[])), (200, pattern(0, 10)));
}

#[test]
fn a_file_that_shrinks_under_the_stream_ends_it_short_and_never_padded() {
    let rig = rig();
    let size = 64 << 20;
    let path = put(&rig, "a.mp4", "");
    let file = writable(&path);
    file.set_len(size).expect("longer");
    file.write_all_at(&pattern(0, 4096), 0).expect("a beginning");
    let opened = open(&rig, &path);
    let mut reply = get(&rig, &opened, &[]);
    assert_eq!(reply.header("content-length"), Some(size.to_string().as_str()));
    assert_eq!(reply.read(4096).expect("the beginning"), pattern(0, 4096));
    // Back-pressure keeps the rest unread: far more is left than the sockets hold.
    file.set_len(8192).expect("shorter");
    let rest = reply.read_to_end().map(|rest| rest.len() as u64);
    assert!(rest.is_err() || rest.is_ok_and(|rest| rest < size - 4096));
}

#[test]
fn a_replaced_file_is_checked_again_and_has_a_new_tag() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "ID3 old");
    let opened = open(&rig, &path);
    let before = get(&rig, &opened, &[]).header("etag").expect("a tag").to_owned();
    std::fs::rename(put(&rig, "new", "ID3 new!"), &path).expect("replaced");
    let reply = get(&rig, &opened, &[]);
    assert_ne!(reply.header("etag"), Some(before.as_str()));
    assert_eq!(taken(reply), (200, b"ID3 new!".to_vec()));

    super::write(&rig.home().join(".ssh/id_rsa"), "key");
    std::fs::remove_file(&path).expect("gone");
    std::os::unix::fs::symlink(rig.home().join(".ssh/id_rsa"), &path).expect("a symlink");
    assert_eq!(get(&rig, &opened, &[]).status, 403);

    std::fs::remove_file(&path).expect("gone");
    assert_eq!(get(&rig, &opened, &[]).status, 404);

    std::fs::create_dir(&path).expect("a folder");
    assert_eq!(get(&rig, &opened, &[]).status, 415);
}

#[test]
fn a_time_that_http_cannot_spell_is_left_out() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "ID3");
    let opened = open(&rig, &path);
    let before_1970 = std::time::UNIX_EPOCH - Duration::from_secs(1_000_000);
    writable(&path).set_modified(before_1970).expect("an old time");
    let reply = get(&rig, &opened, &[("If-Modified-Since", "Thu, 01 Jan 1970 00:00:00 GMT")]);
    assert_eq!((reply.status, reply.header("last-modified")), (200, None));
}

#[test]
fn sixty_four_parallel_ranges_are_all_right() {
    let rig = rig();
    let part = 32 * 1024;
    let opened = open(&rig, &put(&rig, "a.mp4", pattern(0, 64 * part)));
    std::thread::scope(|scope| {
        for number in 0..64 {
            let (rig, opened) = (&rig, &opened);
            scope.spawn(move || {
                let range = format!("bytes={}-{}", number * part, (number + 1) * part - 1);
                assert_eq!(
                    taken(get(rig, opened, &[("Range", &range)])),
                    (206, pattern(number * part, part))
                );
            });
        }
    });
}

/// A sparse file of 5 GB with a pattern around 4 GiB.
fn five_gigabytes(rig: &app_tests::range_table::rig::Rig) -> std::path::PathBuf {
    let path = put(rig, "huge.mp4", "");
    let file = writable(&path);
    file.set_len(5_000_000_000).expect("a sparse file");
    file.write_all_at(&pattern(0, 16), 0).expect("a beginning");
    file.write_all_at(&pattern((4 << 30) - 8, 16), (4 << 30) - 8).expect("a pattern");
    path
}

#[test]
fn two_bytes_at_four_gibibytes_come_back_right() {
    let rig = rig();
    let opened = open(&rig, &five_gigabytes(&rig));
    assert_eq!(opened.size, 5_000_000_000);
    let reply = get(&rig, &opened, &[("Range", "bytes=4294967296-4294967297")]);
    assert_eq!(reply.header("content-range"), Some("bytes 4294967296-4294967297/5000000000"));
    assert_eq!(taken(reply), (206, pattern(4 << 30, 2)));
    let open_ended = get(&rig, &opened, &[("Range", "bytes=4294967295-")]);
    assert_eq!(open_ended.header("content-length"), Some("705032705"));
}

/// A figure of `/proc/self/status` in KiB.
#[cfg(target_os = "linux")]
fn resident_kib() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("procfs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches(" kB").parse().expect("a number")
}

/// Set in the process that runs the measurement alone.
#[cfg(target_os = "linux")]
const MEASURING: &str = "TALARIA_TEST_MEASURES_ITS_PROCESS";

#[cfg(target_os = "linux")]
#[test]
fn eight_streams_of_a_huge_file_take_little_memory_and_leave_no_descriptor() {
    if std::env::var_os(MEASURING).is_some() {
        return eight_streams_measured();
    }
    // Memory and descriptors are those of a process, and other tests may run in this one.
    let own = std::env::current_exe().expect("a test knows its own binary");
    let name =
        concat!(module_path!(), "::eight_streams_of_a_huge_file_take_little_memory_and_leave_no_descriptor");
    let (_, name) = name.split_once("::").expect("a test's name has no crate before it");
    let output = std::process::Command::new(own)
        .args(["--exact", name, "--nocapture"])
        .env(MEASURING, "1")
        .output()
        .expect("the test's binary starts");
    let (said, complained) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}\n{complained}");
}

/// Counts what belongs to the whole process, so nothing else may run in it.
#[cfg(target_os = "linux")]
fn eight_streams_measured() {
    let descriptors = || std::fs::read_dir("/proc/self/fd").expect("procfs").count();
    let files_open = |path: &Path| {
        let links = std::fs::read_dir("/proc/self/fd").expect("procfs").flatten();
        links.filter(|link| std::fs::read_link(link.path()).is_ok_and(|target| target == path)).count()
    };
    let rig = rig();
    let path = five_gigabytes(&rig);
    let opened = open(&rig, &path);
    assert_eq!(taken(get(&rig, &opened, &[("Range", "bytes=0-1")])).0, 206);
    let (before, descriptors_before) = (resident_kib(), descriptors());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut reply = get(&rig, &opened, &[]);
                for _ in 0..64 {
                    reply.skip(1 << 20).expect("a mebibyte");
                    let grown = resident_kib() - before;
                    assert!(grown < 16 * 1024, "{grown} KiB");
                }
            });
        }
    });
    // The players are gone in the middle of the file; the server notices on its own.
    let deadline = Instant::now() + DEADLINE;
    while files_open(&path) > 0 || descriptors() > descriptors_before {
        if Instant::now() >= deadline {
            panic!(
                "the file is still open {} times, {} descriptors where {descriptors_before} were",
                files_open(&path),
                descriptors()
            );
        }
        std::thread::sleep(POLL);
    }
}
