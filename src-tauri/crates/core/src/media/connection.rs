//! One connection of the loopback listener, on a thread of its own: reads heads, writes answers, in blocking calls.
//!
//! A thread costs a few kilobytes, and no answer waits for another thread to read its file. A file is copied through one
//! buffer and never handed to the socket by `sendfile`: bytes that wait in a socket would then be pages of the file, and
//! when it shrinks in that moment its reader gets zeros (measured: 2 MB of them), which is padding. Copying is not slower
//! (measured). Nor does an answer wake a thread of the runtime, which costs a small one a seventh of its speed (measured):
//! that the right to read has ended is seen here between two chunks, and by `peers` while the peer takes nothing. Who may
//! ask and what is answered is the caller's.

use super::body::Body;
use super::handle::ReadAt;
use super::head::{self, BadHead, MAX_HEAD};
use super::peers::Peer;
use super::serve::words;
use crate::clock::{Clock, SystemClock};
use http::request::Parts;
use http::{Method, Response, StatusCode};
use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a peer may take for a request's head, or rest between two.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// How much of a file one connection holds in memory, in bytes. Measured: smaller ones are slower, larger ones win
/// nothing.
const CHUNK: usize = 256 * 1024;
/// How long, and for how many bytes, a peer that was refused is still listened to. Closing on unread bytes resets the
/// connection, and the peer might never see why.
const PARTING: (Duration, usize) = (Duration::from_secs(1), 64 * 1024);

/// What a request gets.
pub struct Answer {
    /// What is sent.
    pub response: Response<Body>,
    /// The peer may ask again on this connection.
    pub goes_on: bool,
}

/// Serves requests until one side ends it. That the peer goes away in the middle is normal: it seeks.
pub fn run(peer: &Peer, answer: &dyn Fn(&Parts) -> Answer) {
    if let Err(error) = try_run(peer, answer) {
        tracing::trace!(%error, "a media connection ended early");
    }
}

fn try_run(peer: &Peer, answer: &dyn Fn(&Parts) -> Answer) -> io::Result<()> {
    let stream = peer.stream();
    // Answers are written in large pieces; the last small one must not wait for an acknowledgement.
    stream.set_nodelay(true)?;
    let mut received = Vec::new();
    let mut chunk = Vec::new();
    loop {
        let asked = match receive(stream, &mut received)? {
            Some(Ok(asked)) => asked,
            None => return Ok(()),
            Some(Err(bad)) => {
                let status = match bad {
                    BadHead::Malformed => StatusCode::BAD_REQUEST,
                    BadHead::TooLong => StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
                };
                send(peer, words(status, bad.to_string()), false, &mut chunk)?;
                return part(stream);
            }
        };
        let is_read = matches!(asked.parts.method, Method::GET | Method::HEAD);
        let Answer { response, goes_on } = match asked.has_content && is_read {
            true => Answer {
                response: words(StatusCode::BAD_REQUEST, "A request for a file has no content."),
                goes_on: false,
            },
            false => answer(&asked.parts),
        };
        let goes_on = goes_on && !asked.has_content;
        let keep_alive = asked.keep_alive && goes_on;
        send(peer, response, keep_alive, &mut chunk)?;
        if !goes_on {
            return part(stream);
        }
        if !keep_alive {
            return Ok(());
        }
        received.drain(..asked.length);
    }
}

/// Reads until `received` begins with a whole head, or with what is none; `None` when the peer has nothing more to ask
/// or took too long.
fn receive(
    mut stream: &TcpStream,
    received: &mut Vec<u8>,
) -> io::Result<Option<Result<head::Asked, BadHead>>> {
    let deadline = Instant::now() + HEAD_TIMEOUT;
    let mut known = 0;
    loop {
        if let Some(read) = head::read(received, known).transpose() {
            return Ok(Some(read));
        }
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Ok(None);
        }
        stream.set_read_timeout(Some(left))?;
        known = received.len();
        received.resize(MAX_HEAD.max(known), 0);
        let count = stream.read(&mut received[known..]);
        received.truncate(known + count.as_ref().copied().unwrap_or(0));
        match count {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(error) if is_retried(&error) => {}
            Err(error) => return Err(error),
        }
    }
}

/// Nothing came in time, or a signal did.
fn is_retried(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

/// Writes an answer; the head goes with the first bytes of its content. `chunk` is kept from answer to answer.
fn send(peer: &Peer, response: Response<Body>, keep_alive: bool, chunk: &mut Vec<u8>) -> io::Result<()> {
    let mut head = head::written(&response, keep_alive, SystemClock.now());
    match response.into_body() {
        Body::Empty => {}
        Body::Text(text) => head.extend_from_slice(text.as_bytes()),
        Body::Part { source, start, length, ended } => {
            let room = (CHUNK as u64).min(head.len() as u64 + length) as usize;
            if chunk.len() < room {
                chunk.resize(room, 0);
            }
            return peer.under(&ended, || stream_file(peer, &*source, start, length, &head, chunk, &ended));
        }
    }
    write_all(peer, &head)
}

/// Writes the head, then the part of the file, chunk by chunk as the peer takes it.
fn stream_file(
    peer: &Peer,
    file: &dyn ReadAt,
    start: u64,
    length: u64,
    head: &[u8],
    chunk: &mut [u8],
    ended: &CancellationToken,
) -> io::Result<()> {
    chunk[..head.len()].copy_from_slice(head);
    let mut filled = head.len();
    let (mut next, mut left) = (start, length);
    // Once also for an empty file, which has a head.
    loop {
        let wanted = left.min((chunk.len() - filled) as u64) as usize;
        let read = file.read_up_to(&mut chunk[filled..filled + wanted], next)?;
        if ended.is_cancelled() {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        write_all(peer, &chunk[..filled + read])?;
        if read < wanted {
            // The length was promised, so the connection is cut; never padded.
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        (next, left) = (next + wanted as u64, left - wanted as u64);
        if left == 0 {
            return Ok(());
        }
        filled = 0;
    }
}

/// Waits as long as the peer takes nothing: a paused player does for minutes. Whoever needs the place ends it (`peers`).
fn write_all(peer: &Peer, mut bytes: &[u8]) -> io::Result<()> {
    let mut stream = peer.stream();
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => {
                peer.moved();
                bytes = &bytes[count..];
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Ends the own side and lets the peer read why.
fn part(mut stream: &TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let (time, mut bytes) = PARTING;
    let deadline = Instant::now() + time;
    let mut scrap = [0; 4096];
    while bytes > 0 {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut scrap) {
            Ok(0) => break,
            Ok(count) => bytes = bytes.saturating_sub(count),
            Err(error) if is_retried(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
