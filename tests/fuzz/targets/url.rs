//! Addresses of the scheme.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parsers::stream_url(input));
