//! What a player does to a stream, and what happens to the file meanwhile: over the real listener, on plain sockets.

use super::{get, open, put, rig, taken};
use app_tests::range_table::pattern;
use app_tests::range_table::rig::Rig;
use app_tests::range_table::wire::Ask;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};
use talaria_core::media::Opened;

const DEADLINE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(20);
/// More than both sockets hold of an answer that nobody reads.
const LONG: u64 = 16 << 20;

/// Waits until it holds.
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + DEADLINE;
    while !holds() {
        assert!(Instant::now() < deadline, "not in time: {what}");
        std::thread::sleep(POLL);
    }
}

/// A connection to the listener on which nothing was asked yet.
fn connect(rig: &Rig) -> TcpStream {
    let stream = TcpStream::connect(rig.address()).expect("connected");
    stream.set_read_timeout(Some(DEADLINE)).expect("a limit");
    stream
}

fn request(rig: &Rig, opened: &Opened, lines: &str) -> String {
    format!("GET {} HTTP/1.1\r\nHost: {}\r\n{lines}\r\n", rig.target(opened), rig.address())
}

/// Asks for the whole file on a connection of its own and reads nothing until much of the answer waits in the socket.
fn stalled(rig: &Rig, opened: &Opened) -> TcpStream {
    let mut stream = connect(rig);
    stream.write_all(request(rig, opened, "Connection: close\r\n").as_bytes()).expect("asked");
    let mut waiting = vec![0; 64 * 1024];
    until("an answer waits", || stream.peek(&mut waiting).expect("an answer") == waiting.len());
    stream
}

/// Reads to the end, or to where the connection breaks: status and content.
fn rest(mut stream: TcpStream) -> (u16, Vec<u8>) {
    let mut all = Vec::new();
    let _ = stream.read_to_end(&mut all);
    let end = all.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    let status = std::str::from_utf8(&all[9..12]).expect("digits").parse().expect("a status");
    (status, all.split_off(end))
}

/// How often this process holds the file open.
#[cfg(target_os = "linux")]
fn times_open(path: &Path) -> usize {
    let links = std::fs::read_dir("/proc/self/fd").expect("procfs").flatten();
    links.filter(|link| std::fs::read_link(link.path()).is_ok_and(|target| target.starts_with(path))).count()
}

/// Bytes that wait in a socket must not be pages of the file: what a truncation wipes would be read as zeros.
#[test]
fn what_waits_in_the_socket_stays_what_it_was_when_the_file_shrinks() {
    let rig = rig();
    let content = pattern(0, LONG);
    for size in [0, 100, 70_000, LONG - 1] {
        let path = put(&rig, "a.mp4", &content);
        let stream = stalled(&rig, &open(&rig, &path));
        std::fs::OpenOptions::new()
            .write(true)
            .open(&path)
            .expect("the file")
            .set_len(size)
            .expect("shorter");
        let (status, got) = rest(stream);
        assert_eq!(status, 200);
        assert!(got.len() < content.len(), "{} of {LONG} bytes for a file of {size}", got.len());
        assert!(content.starts_with(&got), "other bytes than the file's for a file of {size}");
    }
}

#[test]
fn a_file_that_grows_under_the_stream_is_sent_as_long_as_was_promised() {
    let rig = rig();
    let content = pattern(0, LONG);
    let path = put(&rig, "a.mp4", &content);
    let stream = stalled(&rig, &open(&rig, &path));
    let mut file = std::fs::OpenOptions::new().append(true).open(&path).expect("the file");
    file.write_all(&[1; 1000]).expect("more");
    assert!(rest(stream) == (200, content));
}

#[test]
fn a_file_that_is_deleted_under_the_stream_is_sent_to_its_end_and_is_missing_then() {
    let rig = rig();
    let content = pattern(0, LONG);
    let path = put(&rig, "a.mp4", &content);
    let opened = open(&rig, &path);
    let stream = stalled(&rig, &opened);
    std::fs::remove_file(&path).expect("gone");
    assert_eq!(get(&rig, &opened, &[]).status, 404);
    assert!(rest(stream) == (200, content));
}

#[test]
fn a_file_that_is_replaced_under_the_stream_goes_on_as_the_old_one_and_is_the_new_one_next() {
    let rig = rig();
    let (old, new) = (pattern(0, LONG), pattern(0, 1000));
    let path = put(&rig, "a.mp4", &old);
    let opened = open(&rig, &path);
    let tag = get(&rig, &opened, &[("Range", "bytes=0-0")]).header("etag").expect("a tag").to_owned();
    let stream = stalled(&rig, &opened);
    std::fs::rename(put(&rig, "new", &new), &path).expect("replaced");
    assert!(rest(stream) == (200, old));
    // A player that goes on where it was gets no piece of another file.
    assert_eq!(taken(get(&rig, &opened, &[("Range", "bytes=500-"), ("If-Range", &tag)])), (200, new));
}

#[test]
fn no_answer_mixes_two_versions_of_a_file_that_is_replaced_again_and_again() {
    let rig = rig();
    let length = 300_000;
    let version = |number: u8| [pattern(0, 16), vec![number; length]].concat();
    let path = put(&rig, "a.mp4", version(0));
    let opened = open(&rig, &path);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(|| {
                    let mut answers = 0;
                    while !done.load(std::sync::atomic::Ordering::SeqCst) || answers == 0 {
                        let (status, got) = taken(get(&rig, &opened, &[]));
                        // Missing for the instant between two looks, at worst.
                        if status == 404 {
                            continue;
                        }
                        assert_eq!((status, got.len()), (200, 16 + length));
                        assert!(got[16..].iter().all(|byte| *byte == got[16]));
                        answers += 1;
                    }
                })
            })
            .collect();
        for number in 1..=100 {
            std::fs::rename(put(&rig, "new", version(number)), &path).expect("replaced");
        }
        done.store(true, std::sync::atomic::Ordering::SeqCst);
        readers.into_iter().for_each(|reader| reader.join().expect("every answer is one version"));
    });
}

#[test]
fn a_reader_that_takes_nothing_holds_nobody_up_and_gets_the_rest_when_it_goes_on() {
    let rig = rig();
    let content = pattern(0, LONG);
    let opened = open(&rig, &put(&rig, "a.mp4", &content));
    let paused: Vec<_> = (0..8).map(|_| stalled(&rig, &opened)).collect();
    for number in 0..64 {
        let first = number * 200_001;
        let range = format!("bytes={first}-{}", first + 9_999);
        assert_eq!(taken(get(&rig, &opened, &[("Range", &range)])), (206, pattern(first, 10_000)));
    }
    for stream in paused {
        assert!(rest(stream) == (200, content.clone()));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_reader_that_vanishes_at_any_point_leaves_no_file_open() {
    let rig = rig();
    let path = put(&rig, "a.mp4", pattern(0, LONG));
    let opened = open(&rig, &path);
    let whole = request(&rig, &opened, "");
    for round in 0..8 {
        drop(stalled(&rig, &opened));
        for sent in ["", "GET", &whole[..whole.len() - 2], &whole] {
            let mut stream = connect(&rig);
            stream.write_all(sent.as_bytes()).expect("sent");
        }
        let mut half_read = stalled(&rig, &opened);
        half_read.read_exact(&mut vec![0; 1 << 20]).expect("a mebibyte");
        assert_eq!(taken(get(&rig, &opened, &[("Range", "bytes=0-9")])).0, 206, "round {round}");
    }
    until("the file is closed everywhere", || times_open(&path) == 0);
}

#[test]
fn sixty_four_parallel_ranges_of_two_windows_are_all_right_over_both_forms() {
    let rig = rig();
    let part = 32 * 1024;
    let path = put(&rig, "a.mp4", pattern(0, 64 * part));
    let windows = ["window-1", "window-2"].map(|name| {
        let opened = rig.media.open(&name.into(), path.to_str().expect("Unicode")).expect("open");
        (name, opened)
    });
    assert_ne!(windows[0].1.grant, windows[1].1.grant);
    std::thread::scope(|scope| {
        for number in 0..64 {
            let (name, opened) = &windows[number as usize % 2];
            let (rig, range) = (&rig, format!("bytes={}-{}", number * part, (number + 1) * part - 1));
            scope.spawn(move || {
                let expected = pattern(number * part, part);
                assert_eq!(taken(get(rig, opened, &[("Range", &range)])), (206, expected.clone()));
                let request =
                    http::Request::builder().uri(rig.media.scheme_url(opened)).header("Range", range);
                let reply = rig.media.scheme(&(*name).into(), request.body(Vec::new()).expect("a request"));
                assert_eq!((reply.status().as_u16(), reply.into_body()), (206, expected));
            });
        }
    });
}

/// Every place taken by connections that stand still, some of them in the middle of an answer.
#[test]
fn connections_that_stand_still_do_not_lock_out_new_ones() {
    let rig = rig();
    let content = pattern(0, LONG);
    let opened = open(&rig, &put(&rig, "a.mp4", &content));
    let mut idle: Vec<_> = (0..240).map(|_| connect(&rig)).collect();
    for stream in idle.iter_mut().step_by(2) {
        stream.write_all(b"GET /half-a-head HTT").expect("sent");
    }
    let paused: Vec<_> = (0..16).map(|_| stalled(&rig, &opened)).collect();
    // As many again as a page with a few cards asks for.
    for number in 0..8 {
        assert_eq!(taken(get(&rig, &opened, &[("Range", "bytes=0-9")])), (206, pattern(0, 10)), "{number}");
    }
    // The longest at rest went first, so no player did.
    for stream in paused {
        assert!(rest(stream) == (200, content.clone()));
    }
}

/// Any user of this computer can connect and ask; only whoever knows the token may take a place from others.
#[test]
fn strangers_that_ask_every_second_do_not_lock_out_whoever_knows_the_token() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", pattern(0, 100)));
    let ask = format!("GET /none HTTP/1.1\r\nHost: {}\r\n\r\n", rig.address());
    let strangers = || -> Vec<_> {
        let asked = (0..256).map(|_| {
            let mut stream = connect(&rig);
            stream.set_nonblocking(true).expect("a mode");
            stream.write_all(ask.as_bytes()).expect("asked");
            stream
        });
        asked.collect()
    };
    let is_over = std::sync::atomic::AtomicBool::new(false);
    let inside = strangers();
    std::thread::scope(|scope| {
        let crowd = scope.spawn(|| {
            let mut inside = inside;
            while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                for stream in &mut inside {
                    // Whoever was sent away comes again.
                    let has_ended = matches!(stream.read(&mut [0; 4096]), Ok(0));
                    if has_ended || stream.write_all(ask.as_bytes()).is_err() {
                        *stream = connect(&rig);
                        stream.set_nonblocking(true).expect("a mode");
                        let _ = stream.write_all(ask.as_bytes());
                    }
                }
                std::thread::park_timeout(Duration::from_secs(1));
            }
        });
        let answers: Vec<_> = (0..8)
            .map(|_| {
                let ask = Ask::new("GET", &rig.target(&opened)).header("Range", "bytes=0-9");
                rig.send(&ask).map(taken)
            })
            .collect();
        is_over.store(true, std::sync::atomic::Ordering::SeqCst);
        crowd.thread().unpark();
        for answer in answers {
            assert_eq!(answer, Ok((206, pattern(0, 10))));
        }
    });
}

/// The page that was given the address is gone; its connection is not.
#[test]
fn a_stream_ends_with_its_grant_also_when_its_reader_takes_nothing() {
    let rig = rig();
    let path = put(&rig, "a.mp4", pattern(0, LONG));
    let windows = ["window-1", "window-2"].map(|name| {
        let opened = rig.media.open(&name.into(), path.to_str().expect("Unicode")).expect("open");
        stalled(&rig, &opened)
    });
    let [ended, other] = windows;
    let mut half_read = {
        let opened = rig.media.open(&"window-1".into(), path.to_str().expect("Unicode")).expect("open");
        stalled(&rig, &opened)
    };
    half_read.read_exact(&mut vec![0; 1 << 20]).expect("a mebibyte");
    rig.media.drop_client(&"window-1".into());
    // Nobody has read on.
    #[cfg(target_os = "linux")]
    until("only the other window's file is open", || times_open(&path) == 1);
    for stream in [ended, half_read] {
        let mut all = Vec::new();
        let _ = { stream }.read_to_end(&mut all);
        assert!((all.len() as u64) < LONG - (1 << 20), "{} bytes", all.len());
    }
    assert!(rest(other) == (200, pattern(0, LONG)));
}

#[test]
fn a_stream_ends_with_the_listener() {
    let rig = rig();
    let path = put(&rig, "a.mp4", pattern(0, LONG));
    let stream = stalled(&rig, &open(&rig, &path));
    let idle = connect(&rig);
    drop(rig);
    assert!((rest(stream).1.len() as u64) < LONG);
    let mut left = Vec::new();
    let _ = (&idle).read_to_end(&mut left);
    assert!(left.is_empty());
}

#[test]
fn requests_on_one_connection_are_answered_in_turn_and_none_is_read_into_another() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", pattern(0, 100)));
    let mut stream = connect(&rig);
    let asked = [
        request(&rig, &opened, "Range: bytes=0-9\r\n"),
        request(&rig, &opened, "Range: bytes=500-\r\n"),
        request(&rig, &opened, "").replacen("GET", "HEAD", 1),
        request(&rig, &opened, "Range: bytes=10-19\r\nConnection: close\r\n"),
    ];
    // In pieces that end anywhere.
    for piece in asked.concat().as_bytes().chunks(23) {
        stream.write_all(piece).expect("sent");
    }
    let mut all = Vec::new();
    stream.read_to_end(&mut all).expect("the answers");
    let lossy = String::from_utf8_lossy(&all);
    let statuses: Vec<_> = lossy.match_indices("HTTP/1.1 ").map(|(at, _)| &lossy[at + 9..at + 12]).collect();
    assert_eq!(statuses, ["206", "416", "200", "206"]);
    assert!(all.ends_with(&pattern(10, 10)));
}

#[test]
fn a_request_with_content_is_the_last_of_its_connection() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", pattern(0, 100)));
    let hidden = request(&rig, &opened, "");
    for (method, lines, status) in [
        ("GET", format!("Content-Length: {}\r\n", hidden.len()), 400),
        ("GET", "Transfer-Encoding: chunked\r\n".to_owned(), 400),
        ("GET", "Content-Length: 0\r\nContent-Length: 5\r\n".to_owned(), 400),
        ("POST", format!("Content-Length: {}\r\n", hidden.len()), 405),
    ] {
        let mut stream = connect(&rig);
        let visible = request(&rig, &opened, &lines).replacen("GET", method, 1);
        stream.write_all(format!("{visible}{hidden}").as_bytes()).expect("sent");
        let (got, content) = rest(stream);
        assert_eq!(got, status, "{method} {lines}");
        assert!(!String::from_utf8_lossy(&content).contains("HTTP/1.1"), "{method} {lines}");
    }
}
