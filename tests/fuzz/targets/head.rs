//! Heads of the loopback listener's requests.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parsers::request_head(input));
