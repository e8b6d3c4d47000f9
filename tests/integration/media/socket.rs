//! The app's end of the element's socket, spoken to in frames: what is answered, what is refused, where it lies.

mod abuse;
mod place;

use super::{open, put, rig};
use app_tests::range_table::rig::Rig;
use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::time::Duration;
use talaria_core::media::{MediaSocket, Opened};
use talaria_media_frames::{Grant, MAX_READ, Op, Reply, Request, Status};
use tokio::runtime::Runtime;

/// Far longer than an answer takes, so that only a hang meets it.
const LIMIT: Duration = Duration::from_secs(60);

/// A served socket.
pub(super) struct Served {
    pub(super) rig: Rig,
    pub(super) socket: MediaSocket,
    _runtime: Runtime,
}

impl Served {
    pub(super) fn start() -> Self {
        let rig = rig();
        let socket = MediaSocket::bind(Some(rig.home())).expect("a socket");
        let runtime = runtime();
        socket.serve(&rig.media, runtime.handle()).expect("it is served");
        Self { rig, socket, _runtime: runtime }
    }

    pub(super) fn connect(&self) -> Peer {
        Peer::connect(self.socket.path()).expect("a connection")
    }

    /// A file of `length` bytes that differ by their place, and its grant.
    pub(super) fn file(&self, name: &str, length: usize) -> (Vec<u8>, Grant) {
        let content = content(length);
        let path = put(&self.rig, name, &content);
        (content, grant(&open(&self.rig, &path)))
    }
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime")
}

/// Bytes that begin as an mp3 and differ by their place.
pub(super) fn content(length: usize) -> Vec<u8> {
    let mut content: Vec<u8> = (0..length).map(|at| (at / 251 + at) as u8).collect();
    let head = b"ID3\x04\0\0\0\0\0\0";
    let count = head.len().min(length);
    content[..count].copy_from_slice(&head[..count]);
    content
}

fn grant(opened: &Opened) -> Grant {
    Grant::from_hex(&opened.grant).expect("a grant is 32 hex digits")
}

/// Who speaks frames to the socket.
pub(super) struct Peer(UnixStream);

impl Peer {
    pub(super) fn connect(path: &Path) -> io::Result<Self> {
        let stream = UnixStream::connect(path)?;
        stream.set_read_timeout(Some(LIMIT))?;
        stream.set_write_timeout(Some(LIMIT))?;
        Ok(Self(stream))
    }

    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.0.write_all(bytes)
    }

    fn reply(&mut self) -> io::Result<(Reply, Vec<u8>)> {
        let mut head = [0; Reply::BYTES];
        self.0.read_exact(&mut head)?;
        let reply = Reply::decode(&head).expect("the app keeps to the frames");
        let mut content = vec![0; reply.length as usize];
        self.0.read_exact(&mut content)?;
        Ok((reply, content))
    }

    fn ask(&mut self, grant: Grant, op: Op) -> io::Result<(Reply, Vec<u8>)> {
        self.send(&Request { grant, op }.encode())?;
        self.reply()
    }

    pub(super) fn read(&mut self, grant: Grant, offset: u64, length: u32) -> (Reply, Vec<u8>) {
        self.ask(grant, Op::Read { offset, length }).expect("an answer")
    }

    /// What comes until the other side closes; the time limit is an error.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        let mut rest = Vec::new();
        match self.0.read_to_end(&mut rest) {
            // Closed with something of ours unread.
            Err(error) if error.kind() == io::ErrorKind::ConnectionReset => {}
            read => {
                read.expect("the connection is closed");
            }
        }
        rest
    }
}

#[test]
fn a_granted_file_is_read_at_any_place_and_ends_where_it_ends() {
    let served = Served::start();
    let (content, grant) = served.file("a.mp3", 3_000_000);
    let mut peer = served.connect();
    let (opened, nothing) = peer.ask(grant, Op::Open).expect("an answer");
    assert_eq!((opened.status, opened.size, nothing.len()), (Status::Ok, 3_000_000, 0));
    for (offset, length) in [
        (0, 16),
        (16, 1),
        (5, 0),
        (0, MAX_READ),
        (1_999_999, MAX_READ),
        (2_999_999, 1),
        (2_999_990, 100),
        (3_000_000, 1),
    ] {
        let (reply, bytes) = peer.read(grant, offset, length);
        let end = content.len().min(offset as usize + length as usize);
        assert!(bytes == content[offset as usize..end], "{length} bytes at {offset}");
        assert_eq!((reply.status, reply.size, reply.file), (Status::Ok, opened.size, opened.file));
    }
    for offset in [3_000_001, i64::MAX as u64, i64::MAX as u64 + 1, u64::MAX] {
        let (reply, bytes) = peer.read(grant, offset, MAX_READ);
        assert_eq!((reply.status, bytes.len()), (Status::Ok, 0), "at {offset}");
    }
}

#[test]
fn requests_that_are_sent_together_are_answered_in_their_order() {
    let served = Served::start();
    let (content, grant) = served.file("a.mp3", 2_000_000);
    let mut peer = served.connect();
    let asked: Vec<u64> = (0..40).map(|step| step * 40_000).collect();
    let frames: Vec<u8> = asked
        .iter()
        .flat_map(|offset| Request { grant, op: Op::Read { offset: *offset, length: 30_000 } }.encode())
        .collect();
    peer.send(&frames).expect("they are taken");
    for offset in asked {
        let (_, bytes) = peer.reply().expect("an answer");
        assert!(bytes == content[offset as usize..offset as usize + 30_000], "at {offset}");
    }
}

#[test]
fn two_files_have_two_numbers_and_a_file_that_took_the_place_of_another_has_its_own() {
    let served = Served::start();
    let (_, one) = served.file("one.mp3", 100);
    let (_, two) = served.file("two.mp3", 100);
    let mut peer = served.connect();
    let first = peer.ask(one, Op::Open).expect("an answer").0;
    assert_ne!(first.file, peer.ask(two, Op::Open).expect("an answer").0.file);
    let other = put(&served.rig, "other.mp3", content(50));
    std::fs::rename(other, served.rig.folder().join("one.mp3")).expect("renamed");
    let now = peer.ask(one, Op::Open).expect("an answer").0;
    assert_eq!((now.status, now.size), (Status::Ok, 50));
    assert_ne!(now.file, first.file);
}

#[test]
fn every_read_repeats_the_checks_and_a_refusal_is_a_number_alone() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let path = served.rig.folder().join("a.mp3");
    let mut peer = served.connect();
    assert_eq!(peer.read(grant, 0, 10).0.status, Status::Ok);

    let secret = put(&served.rig, "../.ssh/a.mp3", content(100));
    std::fs::remove_file(&path).expect("deleted");
    std::os::unix::fs::symlink(secret, &path).expect("a link");
    assert_eq!(peer.read(grant, 0, 10).0, Reply::refusal(Status::Blocked));

    std::fs::remove_file(&path).expect("deleted");
    assert_eq!(peer.read(grant, 0, 10).0, Reply::refusal(Status::Missing));

    std::fs::create_dir(&path).expect("a folder");
    assert_eq!(peer.ask(grant, Op::Open).expect("an answer").0, Reply::refusal(Status::Unsupported));

    std::fs::remove_dir(&path).expect("removed");
    put(&served.rig, "a.mp3", b"#!/bin/sh\necho this is no music\n");
    assert_eq!(peer.read(grant, 0, 10).0, Reply::refusal(Status::Unsupported));

    put(&served.rig, "a.mp3", content(200));
    assert_eq!(peer.read(grant, 150, 10).0.status, Status::Ok);
}

#[test]
fn a_file_that_grows_and_shrinks_is_told_as_it_is() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 1000);
    let mut peer = served.connect();
    let first = peer.read(grant, 990, 100);
    assert_eq!((first.0.size, first.1.len()), (1000, 10));
    put(&served.rig, "a.mp3", content(5000));
    let grown = peer.read(grant, 990, 100);
    assert_eq!((grown.0.size, grown.1.len(), grown.0.file), (5000, 100, first.0.file));
    put(&served.rig, "a.mp3", content(10));
    let shrunk = peer.read(grant, 990, 100);
    assert_eq!((shrunk.0.status, shrunk.0.size, shrunk.1.len()), (Status::Ok, 10, 0));
}
