//! What a message names, as a path.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parsers::path_text(input));
