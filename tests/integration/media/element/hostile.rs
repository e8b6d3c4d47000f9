//! An app that answers wrongly, late or not at all: an error in words, and never a hang, a crash or a great amount of
//! memory.

use super::stand_in::{Act, StandIn, Tap, honest};
use super::{ADDRESS, player::load_plugin};
use gstreamer::FlowError;
use std::path::Path;
use talaria_media_frames::{Op, Reply, Status};

/// The words when the first answer is this.
fn refused(act: impl Fn() -> Act + Send + Sync + 'static) -> String {
    let app = StandIn::new(move |_, _| act());
    Tap::open(ADDRESS, &app.socket()).err().expect("it does not open")
}

fn ok(length: u32, size: u64) -> Vec<u8> {
    Reply { status: Status::Ok, length, size, file: 1 }.encode().to_vec()
}

#[test]
fn an_answer_that_is_none_is_told_at_the_start() {
    for bytes in
        [vec![255; 24], b"HTTP/1.1 400 Bad Request\r\n\r\n".to_vec(), ok(u32::MAX, u64::MAX), ok(1, 100)]
    {
        let words = refused(move || Act::Say(bytes.clone()));
        assert!(words.contains("another version"), "{words}");
    }
}

#[test]
fn every_refusal_has_its_words() {
    for (status, expected) in [
        (Status::NoGrant, "has ended"),
        (Status::Missing, "missing"),
        (Status::Unsupported, "not a media file"),
        (Status::Blocked, "private"),
        (Status::BadRequest, "another version"),
        (Status::Failed, "could not be read"),
    ] {
        let words = refused(move || Act::Say(Reply::refusal(status).encode().to_vec()));
        assert!(words.contains(expected), "{status:?}: {words}");
    }
}

#[test]
fn an_app_that_hangs_up_again_and_again_is_gone() {
    for bytes in [vec![], vec![0; 23], ok(0, 5)[..1].to_vec()] {
        let words = refused(move || Act::SayAndClose(bytes.clone()));
        assert!(words.contains("it has ended"), "{words}");
    }
}

#[test]
fn no_app_and_no_socket_are_told() {
    load_plugin();
    let folder = tempfile::tempdir().expect("a temp folder");
    let left_over = folder.path().join("left-over");
    drop(std::os::unix::net::UnixListener::bind(&left_over).expect("a socket"));
    for socket in [
        Path::new(""),
        &folder.path().join("nothing"),
        folder.path(),
        &left_over,
        &folder.path().join("x".repeat(200)),
    ] {
        let words = Tap::open(ADDRESS, socket).err().expect("nobody answers");
        assert!(words.contains("it has ended"), "{words}");
        assert!(!words.contains(&*folder.path().to_string_lossy()), "{words}");
    }
}

#[test]
fn an_app_that_does_not_answer_is_told_after_a_while() {
    let words = refused(|| Act::Nothing);
    assert!(words.contains("too slow"), "{words}");
}

/// Opens well and then answers each read with `answer`.
fn spoiled(answer: impl Fn(&Op) -> Act + Send + Sync + 'static) -> (StandIn, Tap) {
    let app = StandIn::new(move |request, _| match request.op {
        Op::Open => Act::Say(ok(0, u64::MAX)),
        op => answer(&op),
    });
    let tap = Tap::open(ADDRESS, &app.socket()).expect("it opens");
    (app, tap)
}

#[test]
fn a_read_that_is_answered_wrongly_is_an_error() {
    let longer = |op: &Op| match op {
        Op::Open => 0,
        Op::Read { length, .. } => length + 1,
    };
    let (_app, tap) =
        spoiled(move |op| Act::Say([ok(longer(op), u64::MAX), vec![0; longer(op) as usize]].concat()));
    assert_eq!(tap.read(0, 16), Err(FlowError::Error));
    assert!(tap.words().expect("an error is posted").contains("another version"));

    // Closed in the midst of the content, each time.
    let (app, tap) = spoiled(|_| Act::SayAndClose([ok(1000, u64::MAX), vec![0; 999]].concat()));
    assert_eq!(tap.read(0, 16), Err(FlowError::Error));
    assert!(tap.words().expect("an error is posted").contains("it has ended"));
    assert_eq!(app.reads().len(), 2, "asked once more, and no further");
}

#[test]
fn a_size_that_cannot_be_takes_no_memory() {
    let resident_kib = || {
        let status = std::fs::read_to_string("/proc/self/status").expect("procfs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a process has a size");
        line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number")
    };
    // Each read gives one byte: a demuxer that believes the size and asks for 1 GiB gets what there is, and no more.
    let (_app, tap) = spoiled(|op| match op {
        Op::Read { offset: 0, .. } => Act::Say([ok(1, u64::MAX), vec![7]].concat()),
        _ => Act::Say(ok(0, u64::MAX)),
    });
    let before = resident_kib();
    assert_eq!(tap.read(0, 1 << 30), Ok(vec![7]));
    assert_eq!(tap.read(1 << 60, 1 << 30), Err(FlowError::Eos));
    let grown = resident_kib().saturating_sub(before);
    assert!(grown < 64 * 1024, "{grown} KiB more");
}

#[test]
fn a_fault_leaves_nothing_of_it_behind_for_the_next_read() {
    let content: Vec<u8> = (0..2 << 20).map(|at: u32| (at / 7) as u8).collect();
    let served = content.clone();
    let app = StandIn::new(move |request, before| match before {
        2 => Act::Say(Reply::refusal(Status::Failed).encode().to_vec()),
        4 => Act::Say(vec![9; 100]),
        _ => Act::Say(honest(&served, request)),
    });
    let tap = Tap::open(ADDRESS, &app.socket()).expect("it opens");
    assert_eq!(tap.read(0, 10).expect("read"), content[..10]);
    assert_eq!(tap.read(1 << 20, 10), Err(FlowError::Error));
    assert_eq!(tap.read(1 << 20, 10).expect("the disk is well again"), content[1 << 20..][..10]);
    assert_eq!(tap.read(600_000, 10), Err(FlowError::Error));
    assert_eq!(tap.read(600_000, 10).expect("a new connection"), content[600_000..][..10]);
}
