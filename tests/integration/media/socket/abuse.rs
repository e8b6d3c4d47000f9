//! Who does not keep to the rules: it gets nothing, and nobody else loses anything.

use super::{Grant, LIMIT, MAX_READ, Op, Peer, Reply, Request, Served, Status};
use std::time::Instant;

/// Whether the other side closes without a byte.
fn is_closed_unheard(peer: &mut Peer) -> bool {
    peer.rest().is_empty()
}

/// Requests that the frames do not allow: a valid read, spoiled.
fn spoiled(grant: Grant, spoil: impl Fn(&mut [u8; Request::BYTES])) -> [u8; Request::BYTES] {
    let mut frame = Request { grant, op: Op::Read { offset: 0, length: 10 } }.encode();
    spoil(&mut frame);
    frame
}

#[test]
fn guessed_and_ended_grants_are_refused_alike_and_say_nothing() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let mut peer = served.connect();
    let no_grant = Reply::refusal(Status::NoGrant);
    for bit in 0..128 {
        let mut guess = grant;
        guess.0[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(peer.read(guess, 0, 10).0, no_grant);
        assert_eq!(peer.ask(guess, Op::Open).expect("an answer").0, no_grant);
    }
    assert_eq!(peer.read(grant, 0, 10).0.status, Status::Ok);
    served.rig.media.drop_client(&served.rig.client());
    assert_eq!(peer.read(grant, 0, 10).0, no_grant);
    assert_eq!(peer.ask(grant, Op::Open).expect("an answer").0, no_grant);
}

#[test]
fn another_language_and_another_version_are_closed_without_a_word() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let http = b"GET /stream/000102030405060708090a0b0c0d0e0f/a.mp3 HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let version_2 = spoiled(grant, |frame| frame[4] = 2);
    let version_0 = spoiled(grant, |frame| frame[4] = 0);
    let lower_case = spoiled(grant, |frame| frame[..4].copy_from_slice(b"hmed"));
    for bytes in [&http[..], &version_2, &version_0, &lower_case, &[0; 36], &[255; 36]] {
        let mut peer = served.connect();
        peer.send(bytes).expect("taken");
        assert!(is_closed_unheard(&mut peer), "{:?}", &bytes[..8]);
    }
}

#[test]
fn a_frame_that_is_malformed_is_told_so_and_nothing_behind_it_is_heard() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let good = spoiled(grant, |_| {});
    for frame in [
        spoiled(grant, |frame| frame[5] = 0),
        spoiled(grant, |frame| frame[5] = 3),
        spoiled(grant, |frame| frame[5] = 255),
        spoiled(grant, |frame| frame[6] = 1),
        spoiled(grant, |frame| frame[7] = 1),
        // An open with a length.
        spoiled(grant, |frame| frame[5] = 1),
        spoiled(grant, |frame| frame[32..].copy_from_slice(&(MAX_READ + 1).to_be_bytes())),
        spoiled(grant, |frame| frame[32..].copy_from_slice(&u32::MAX.to_be_bytes())),
    ] {
        let mut peer = served.connect();
        // The first is answered, the second refused, the third never read.
        peer.send(&[good, frame, good].concat()).expect("taken");
        assert_eq!(peer.reply().expect("an answer").0.status, Status::Ok);
        assert_eq!(peer.rest(), Reply::refusal(Status::BadRequest).encode(), "{frame:?}");
    }
}

#[test]
fn silent_and_half_finished_connections_take_no_place_from_one_that_asks() {
    let served = Served::start();
    let (content, grant) = served.file("a.mp3", 100_000);
    let frame = spoiled(grant, |_| {});
    // More than there are places: one half says nothing, the other half of a request.
    let mut idle: Vec<Peer> = (0..200)
        .map(|number| {
            let mut peer = served.connect();
            // Whose place was taken already meets a closed connection.
            let _ = peer.send(&frame[..if number % 2 == 0 { 0 } else { 20 }]);
            peer
        })
        .collect();
    let mut peer = served.connect();
    for offset in [0, 50_000] {
        assert!(peer.read(grant, offset, 1000).1 == content[offset as usize..offset as usize + 1000]);
    }
    // The oldest made room.
    assert!(is_closed_unheard(&mut idle[0]));
    // The youngest is still heard.
    let last = idle.last_mut().expect("there are 200");
    last.send(&frame[20..]).expect("taken");
    assert_eq!(last.reply().expect("an answer").0.status, Status::Ok);
}

/// Takes the 30 seconds that a connection may rest.
#[test]
fn a_connection_that_rests_too_long_is_closed_and_so_is_one_with_half_a_request() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let (mut used, mut half) = (served.connect(), served.connect());
    assert_eq!(used.read(grant, 0, 10).0.status, Status::Ok);
    half.send(&spoiled(grant, |_| {})[..35]).expect("taken");
    assert!(is_closed_unheard(&mut used) && is_closed_unheard(&mut half));
}

#[test]
fn who_asks_and_does_not_read_harms_nobody() {
    let served = Served::start();
    let (content, grant) = served.file("a.mp3", 4 << 20);
    let whole = Request { grant, op: Op::Read { offset: 0, length: MAX_READ } }.encode();
    let _stuck: Vec<Peer> = (0..64)
        .map(|_| {
            let mut peer = served.connect();
            for _ in 0..8 {
                let _ = peer.send(&whole);
            }
            peer
        })
        .collect();
    let mut peer = served.connect();
    for offset in [0, 1 << 20, 3 << 20] {
        assert!(peer.read(grant, offset, MAX_READ).1 == content[offset as usize..][..MAX_READ as usize]);
    }
}

#[test]
fn under_a_flood_of_connections_a_reader_goes_on_and_afterwards_nothing_is_left() {
    let served = Served::start();
    let (content, grant) = served.file("a.mp3", 1_000_000);
    let descriptors = || std::fs::read_dir("/proc/self/fd").expect("procfs").count();
    let before = descriptors();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for number in 0..250_usize {
                    let mut peer = served.connect();
                    let garbage: Vec<u8> = (0..number % 80).map(|byte| byte as u8).collect();
                    let _ = peer.send(&garbage);
                }
            });
        }
        // Its place may be taken while it rests; then it comes again, as the element does.
        let mut peer = served.connect();
        for step in 0..200_u64 {
            let (offset, length) = (step * 4000, 4000);
            let op = Op::Read { offset, length };
            let (_, bytes) = loop {
                match peer.ask(grant, op) {
                    Ok(answer) => break answer,
                    Err(_) => peer = served.connect(),
                }
            };
            assert!(bytes == content[offset as usize..][..4000], "at {offset}");
        }
    });
    let started = Instant::now();
    while descriptors() > before {
        assert!(started.elapsed() < LIMIT, "{} descriptors, {before} before", descriptors());
        std::thread::yield_now();
    }
}
