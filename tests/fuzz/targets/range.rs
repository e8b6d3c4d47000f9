//! The Range header.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parsers::range_header(input));
