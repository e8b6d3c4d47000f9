//! The fourth check: whether a file begins like a media file. A positive list, from the formats' own documents.
//!
//! Pure, over the first bytes. It asks only whether they are those of some medium, not of the one that the name promises:
//! a sound in a video's container and a JPEG named `.png` play, and the player finds out by itself. It proves nothing
//! about the rest of the file; it keeps scripts, archives, programs, documents and databases out of reach of a name.

/// How many bytes of zeros may stand before the first frame of an MP3 or AAC stream (encoders pad, cutters blank).
const MAX_ZEROS: usize = 4096;
/// How many bytes of a file [`is_media`] needs to see: the zeros, and a frame's header behind them.
pub const HEAD_BYTES: usize = MAX_ZEROS + FRAME_HEADER;
/// The bytes of a frame's header that are looked at.
const FRAME_HEADER: usize = 3;

/// What a file may begin with.
const STARTS: &[&[u8]] = &[
    b"OggS",
    b"fLaC",
    b"ID3",
    // EBML: Matroska and WebM.
    b"\x1A\x45\xDF\xA3",
    b"\x89PNG\r\n\x1A\n",
    b"\xFF\xD8\xFF",
    b"GIF87a",
    b"GIF89a",
    b"BM",
];
/// The first box of a file of the ISO family (MP4, MOV, M4A), after its four bytes of length.
const BOXES: &[&[u8]] = &[b"ftyp", b"styp", b"moov", b"mdat", b"free", b"wide", b"skip"];
/// The forms of RIFF that are media, after its four bytes of length.
const RIFF_FORMS: &[&[u8]] = &[b"WAVE", b"AVI ", b"WEBP"];

/// Whether a file that begins with `head` is sound, video or a picture by its content. `head` is the first
/// [`HEAD_BYTES`] bytes, fewer only when the file is shorter. An empty file passes: it is a recording that has yet to
/// begin, and holds nothing that could leak.
pub fn is_media(head: &[u8]) -> bool {
    let has_at = |at: usize, wanted: &[u8]| head.get(at..).is_some_and(|rest| rest.starts_with(wanted));
    head.is_empty()
        || STARTS.iter().any(|start| has_at(0, start))
        || BOXES.iter().any(|name| has_at(4, name))
        || has_at(0, b"RIFF") && RIFF_FORMS.iter().any(|form| has_at(8, form))
        || begins_with_frame(head)
}

/// Whether an MPEG audio or ADTS frame begins after zeros only.
fn begins_with_frame(head: &[u8]) -> bool {
    let zeros = head.iter().take_while(|byte| **byte == 0).count();
    zeros <= MAX_ZEROS
        && match head[zeros..] {
            [0xFF, second, third, ..] => is_mpeg(second, third) || is_adts(second, third),
            [0xFF, second] => is_mpeg(second, 0) || is_adts(second, 0),
            _ => false,
        }
}

/// The second and third byte of an MPEG audio frame (ISO 11172-3, section 2.4.2.3): eleven bits of sync, a version
/// and a layer that exist, a bit rate and a sample rate that are not the forbidden ones. Layer I is left out: no
/// extension of the list holds it, and `FF FE` begins every text in UTF-16.
fn is_mpeg(second: u8, third: u8) -> bool {
    let (version, layer) = (second >> 3 & 0b11, second >> 1 & 0b11);
    second >= 0b1110_0000
        && version != 0b01
        && matches!(layer, 0b01 | 0b10)
        && third >> 4 != 0b1111
        && third >> 2 & 0b11 != 0b11
}

/// The second and third byte of an ADTS header (ISO 13818-7, section 6.2.1): twelve bits of sync, layer 0, one of the
/// thirteen sample rates.
fn is_adts(second: u8, third: u8) -> bool {
    second & 0b1111_0110 == 0b1111_0000 && third >> 2 & 0b1111 < 13
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signature_of_the_list_is_media() {
        for head in [
            &b"\0\0\0\x20ftypisom"[..],
            b"\0\0\0\x18stypmsdh",
            b"\0\0\x10\0moov",
            b"\0\0\0\x01mdat",
            b"\0\0\0\x08free",
            b"\0\0\0\x08wide\0\0\x10\0mdat",
            b"\0\0\0\x08skip",
            b"RIFF\x24\0\0\0WAVEfmt ",
            b"RIFF\xFF\xFF\xFF\xFFAVI LIST",
            b"RIFF\0\0\0\0WEBPVP8 ",
            b"OggS\0\x02",
            b"fLaC\0\0\0\x22",
            b"\x1A\x45\xDF\xA3\x01",
            b"ID3\x04\0\0\x7F\x7F\x7F\x7F",
            b"\xFF\xFB\x90\x64",
            b"\xFF\xF3\x40\xC4",
            b"\xFF\xE3\x18\xC4",
            b"\xFF\xFD\xA4\x04",
            b"\xFF\xF1\x50\x80",
            b"\xFF\xF9\x4C\x80",
            b"\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR",
            b"\xFF\xD8\xFF\xE0\0\x10JFIF",
            b"\xFF\xD8\xFF\xDB",
            b"GIF87a\x01\0",
            b"GIF89a\x01\0",
            b"BM\x46\0\0\0\0\0\0\0",
        ] {
            assert!(is_media(head), "{:?}", head.escape_ascii().to_string());
        }
    }

    #[test]
    fn what_only_looks_like_a_signature_is_not_media() {
        for head in [
            &b"\0\0\0ftypisom"[..],
            b"\0\0\0\0\x18ftypisom",
            b"\0\0\0\x18FTYPisom",
            b"\0\0\0\x18moof",
            b"RIFF\x24\0\0\0ACONanih",
            b"RIFF\x24\0\0\0wave",
            b"RIFX\0\0\0\x24WAVE",
            b"RIFFWAVE",
            b"oggs\0\x02",
            b" OggS",
            b"FLaC",
            b"I D3",
            b"\x1A\x45\xDF",
            b"\x89PNG\n\x1A\n",
            b"\x89PNG\r\n",
            b"\xFF\xD8\xFE",
            b"GIF88a",
            b"GIF8",
            b"bm",
            // UTF-16, in both orders of bytes.
            b"\xFF\xFEh\0i\0",
            b"\xFE\xFF\0h\0i",
            // A version, a layer, a bit rate, a sample rate that no frame has.
            b"\xFF\xEB\x90\0",
            b"\xFF\xF8\xFF\0",
            b"\xFF\xFB\xF0\0",
            b"\xFF\xFB\x9C\0",
            b"\xFF\xF1\x7C\0",
            b"\xFF\x7B\x90\0",
            b"\xFF",
            b"\0",
            b"\0\0\0\0\0\0\0\0",
        ] {
            assert!(!is_media(head), "{:?}", head.escape_ascii().to_string());
        }
    }

    #[test]
    fn other_files_under_a_name_of_media_are_not_media() {
        for head in [
            &b"#!/bin/sh\nrm -rf ~\n"[..],
            b"PK\x03\x04\x14\0",
            b"\x1F\x8B\x08\0",
            b"7z\xBC\xAF\x27\x1C",
            b"\x7FELF\x02\x01\x01",
            b"MZ\x90\0\x03",
            b"\xCF\xFA\xED\xFE\x07",
            b"<!doctype html><script>",
            b"<html>",
            b"<?xml version='1.0'?><svg/>",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            b"%PDF-1.7\n",
            b"SQLite format 3\0",
            b"-----BEGIN OPENSSH PRIVATE KEY-----\n",
            b"root:x:0:0:root:/root:/bin/bash\n",
            b"{\"token\": 1}",
            b"\xEF\xBB\xBFtext",
            b"text",
        ] {
            assert!(!is_media(head), "{:?}", head.escape_ascii().to_string());
        }
    }

    #[test]
    fn a_file_that_ends_in_the_middle_of_its_signature_is_media_only_when_the_signature_is_whole() {
        for whole in
            [&b"\0\0\0\x18ftyp"[..], b"RIFF\0\0\0\0WAVE", b"OggS", b"ID3", b"\xFF\xFB", b"BM", b"GIF89a"]
        {
            assert!(is_media(whole), "{whole:?}");
            assert!(!is_media(&whole[..whole.len() - 1]), "{whole:?} cut");
        }
        assert!(is_media(b""));
    }

    #[test]
    fn a_stream_may_begin_with_four_kibibytes_of_zeros_and_no_more() {
        let after = |zeros: usize, frame: &[u8]| {
            let mut file = vec![0; zeros];
            file.extend_from_slice(frame);
            file.truncate(HEAD_BYTES);
            file
        };
        for frame in [&b"\xFF\xFB\x90\x64"[..], b"\xFF\xF1\x50\x80"] {
            for zeros in [1, 3, 4, 417, MAX_ZEROS] {
                assert!(is_media(&after(zeros, frame)), "{zeros}");
            }
            assert!(!is_media(&after(MAX_ZEROS + 1, frame)));
        }
        // The other signatures stand at the very beginning.
        assert!(!is_media(&after(1, b"OggS")));
        assert!(!is_media(&after(4, b"#!/bin/sh")));
    }
}
