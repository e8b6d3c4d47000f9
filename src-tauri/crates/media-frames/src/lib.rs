//! The frames by which the GStreamer element (`gst-hermes-media`, in the web view's process) asks the app for bytes of
//! a granted file, over a Unix socket.
//!
//! One request, one reply, one after the other; all numbers big endian:
//!
//! | request: 36 bytes | |
//! |---|---|
//! | 0..4 | [`MAGIC`] |
//! | 4 | [`VERSION`] |
//! | 5 | what is asked: 1 open, 2 read |
//! | 6..8 | zero |
//! | 8..24 | the grant |
//! | 24..32 | offset in bytes; zero for open |
//! | 32..36 | length in bytes, at most [`MAX_READ`]; zero for open |
//!
//! | reply: 24 bytes, then the content | |
//! |---|---|
//! | 0 | [`Status`] |
//! | 1..4 | zero |
//! | 4..8 | length of the content in bytes, at most [`MAX_READ`] |
//! | 8..16 | the file's size now, in bytes |
//! | 16..24 | the file's number: another for another file |
//!
//! Pure: no IO, no allocation, no words. What is decoded is hostile until it has passed here. The app and the element
//! are built together; [`VERSION`] tells a left-over plugin of another build from ours.

#![forbid(unsafe_code)]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")
)]

mod reply;
mod request;

pub use reply::{ForeignReply, Reply, Status};
pub use request::{BadRequest, Grant, Op, Request};

/// What every request begins with.
pub const MAGIC: [u8; 4] = *b"HMED";
/// The version of these frames.
pub const VERSION: u8 = 1;
/// The longest content of one reply, in bytes.
pub const MAX_READ: u32 = 1024 * 1024;
/// The environment variable that tells the element where the app's socket is.
pub const SOCKET_VARIABLE: &str = "HERMES_MEDIA_SOCKET";

/// The `N` bytes at `at`.
fn bytes<const N: usize>(frame: &[u8], at: usize) -> [u8; N] {
    frame[at..at + N].try_into().expect("a slice of N bytes is an array of N bytes")
}

/// 20,000 inputs a property. Nothing is written: what once failed becomes a test of its own.
#[cfg(test)]
fn generated() -> proptest::test_runner::Config {
    proptest::test_runner::Config { cases: 20_000, failure_persistence: None, ..Default::default() }
}
