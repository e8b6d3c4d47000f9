//! Frames of the element's socket.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parsers::socket_frames(input));
