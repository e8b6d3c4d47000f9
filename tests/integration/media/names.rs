//! Any file name that the system allows is served, under its own name.

use super::{get, open, put, rig, taken};
use percent_encoding::percent_decode_str;

#[test]
fn any_name_is_served_and_told_whole() {
    let rig = rig();
    let long = format!("{}.mp4", "x".repeat(251));
    assert_eq!(long.len(), 255);
    for name in [
        "a#b.mp4",
        "a?b.mp4",
        "100%.mp4",
        "a b+c.mp4",
        "%23.mp4",
        "é.mp4",
        "e\u{301}.mp4",
        "视频.mp4",
        "🎬.mp4",
        "مقطع.mp4",
        "\u{202e}4pm.mp4",
        "-leading.mp4",
        "a\"b'c.mp4",
        "a\\b.mp4",
        "a\nb.mp4",
        "a;b,c&d=e.mp4",
        ".hidden.mp4",
        &long,
    ] {
        let path = put(&rig, name, format!("ID3{name}"));
        let opened = open(&rig, &path);
        assert_eq!(opened.name, name);
        assert_eq!(opened.mime, "video/mp4");
        for url in [rig.loopback.url(&opened), rig.media.scheme_url(&opened)] {
            assert!(url.bytes().all(|byte| byte.is_ascii_graphic() && !b"\"\\<>".contains(&byte)), "{url}");
            let last = url.rsplit('/').next().expect("a last piece");
            assert_eq!(percent_decode_str(last).decode_utf8().expect("Unicode"), name);
        }
        let reply = get(&rig, &opened, &[]);
        let disposition = reply.header("content-disposition").expect("a disposition").to_owned();
        let (_, whole) = disposition.split_once("; filename*=UTF-8''").expect("the whole name");
        assert_eq!(percent_decode_str(whole).decode_utf8().expect("Unicode"), name);
        assert_eq!(taken(reply), (200, format!("ID3{name}").into_bytes()));
    }
}

#[test]
fn two_spellings_of_one_letter_are_two_files() {
    let rig = rig();
    let composed = open(&rig, &put(&rig, "é.mp4", "ID3 composed"));
    let decomposed = open(&rig, &put(&rig, "e\u{301}.mp4", "ID3 decomposed"));
    assert_ne!(composed.grant, decomposed.grant);
    assert_eq!(taken(get(&rig, &composed, &[])).1, b"ID3 composed");
    assert_eq!(taken(get(&rig, &decomposed, &[])).1, b"ID3 decomposed");
}
