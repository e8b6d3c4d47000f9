//! `MEDIA:` tags in a message.
#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| parsers::media_tags(input));
