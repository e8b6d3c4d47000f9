use super::*;
use proptest::prelude::*;

fn targets(text: &str) -> Vec<String> {
    parse(text).into_iter().map(|tag| tag.target).collect()
}

/// The text between two UTF-16 offsets; panics inside a pair.
fn slice(text: &str, start: usize, end: usize) -> String {
    let units: Vec<u16> = text.encode_utf16().collect();
    String::from_utf16(&units[start..end]).expect("an offset inside a surrogate pair")
}

#[test]
fn one_tag_is_found_where_upstream_finds_it() {
    for (text, target) in [
        ("MEDIA:/home/u/out/clip.mp4", "/home/u/out/clip.mp4"),
        ("Done.\nMEDIA:/a.mp4\nEnjoy.", "/a.mp4"),
        ("Here: MEDIA:/a.mp4, as asked.", "/a.mp4"),
        ("Here (MEDIA:/a.mp4).", "/a.mp4"),
        ("**MEDIA:/a.mp4**", "/a.mp4"),
        ("视频：MEDIA:/视频.mp4。", "/视频.mp4"),
        ("MEDIA:~/v/a.webm", "~/v/a.webm"),
        ("MEDIA: /a b.mp4", "/a b.mp4"),
        ("MEDIA:/a b c.MP4 is it", "/a b c.MP4"),
        ("MEDIA:/a b.tar.gz here", "/a b.tar.gz"),
        ("MEDIA:/my file", "/my"),
        ("MEDIA:/out/report.xyz!", "/out/report.xyz"),
        ("MEDIA:`/a b.unknown`", "/a b.unknown"),
        ("MEDIA:\"/a, b.mp4.\"", "/a, b.mp4."),
        ("MEDIA:'/a \"b\".mp4' x", "/a \"b\".mp4"),
        ("`MEDIA:/a b.xyz`", "/a b.xyz"),
        ("\"MEDIA:/a b.mp4\" x", "/a b.mp4"),
        ("`MEDIA:\"/a b.xyz\"`", "/a b.xyz"),
        ("say \"x\"MEDIA:/a.mp4 and \"y\"", "/a.mp4"),
        ("MEDIA:/a#b.mp4", "/a#b.mp4"),
        ("MEDIA:/a?b.mp4", "/a?b.mp4"),
        ("MEDIA:/100%.mp4", "/100%.mp4"),
        ("MEDIA:/it's.mp4", "/it's.mp4"),
        ("MEDIA:/v1.mp4.bak/x.wav", "/v1.mp4.bak/x.wav"),
        ("MEDIA:/a(1).mp4)", "/a(1).mp4"),
        ("MEDIA:/a/b_(1) x", "/a/b_(1)"),
        ("MEDIA:/a.mp4<br>", "/a.mp4"),
        (r"MEDIA:C:\My Videos\a.mp4", r"C:\My Videos\a.mp4"),
        (r"MEDIA:\\host\s\x.mp4", r"\\host\s\x.mp4"),
        ("MEDIA:file:///a%20b.mp4", "file:///a%20b.mp4"),
        ("MEDIA:clip.mp4.", "clip.mp4"),
        ("MEDIA:out/clip", "out/clip"),
        ("MEDIA:https://example.org/a.mp4?x=1, there", "https://example.org/a.mp4?x=1"),
        ("MEDIA:/a.mp4\r\nnext", "/a.mp4"),
    ] {
        assert_eq!(targets(text), [target], "{text:?}");
    }
}

#[test]
fn several_tags_on_a_line_are_all_found() {
    assert_eq!(
        targets("MEDIA:/a.mp4 MEDIA:/b.wav, `MEDIA:/c d.png` MEDIA:\"/e\""),
        ["/a.mp4", "/b.wav", "/c d.png", "/e"]
    );
    assert_eq!(targets("MEDIA:/no ext MEDIA:/b.wav"), ["/no", "/b.wav"]);
}

#[test]
fn what_is_no_complete_tag_stays_text() {
    for text in [
        "MEDIA:",
        "MEDIA: ",
        "MEDIA:/",
        "MEDIA:word",
        "MEDIA: the best of",
        "MEDIA: clip.mp4 is in the folder",
        "MEDIA:1.5",
        "MEDIA:...",
        "MEDIA:<absolute path>",
        "MEDIA:\"/never closed.mp4",
        "MEDIA:``",
        "media:/a.mp4",
        "MULTIMEDIA:/a.mp4",
        "X_MEDIA:/a.mp4",
        "/MEDIA:/a.mp4",
        "MEDIA:data:image/png;base64,AAAA/BBB",
        "MEDIA:https://",
        "```\nMEDIA:/a.mp4\n```",
        "~~~ text\nMEDIA:/a.mp4",
        "  ```sh\nMEDIA:/a.mp4\n  ```",
        "MEDIA\n:/a.mp4",
    ] {
        assert_eq!(targets(text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn code_ends_with_its_own_fence() {
    assert_eq!(targets("````\n```\nMEDIA:/a.mp4\n````\nMEDIA:/b.mp4"), ["/b.mp4"]);
    assert_eq!(targets("```MEDIA:/a.mp4```"), ["/a.mp4"]);
}

#[test]
fn code_in_a_quote_is_code_until_the_fence_or_the_quote_ends() {
    for (text, found) in [
        ("> ```\n> MEDIA:/a.mp4\n> ```\n> MEDIA:/b.mp4", &["/b.mp4"][..]),
        (">~~~sh\n>MEDIA:/a.mp4\nMEDIA:/b.mp4", &["/b.mp4"]),
        (" > > ```\n > > MEDIA:/a.mp4\n > MEDIA:/b.mp4", &["/b.mp4"]),
        ("> ```\n> > MEDIA:/a.mp4\n> > ```\n> MEDIA:/c.mp4", &[]),
        ("> ```\n```\nMEDIA:/a.mp4", &[]),
        ("```\n> ```\nMEDIA:/a.mp4\n```\nMEDIA:/b.mp4", &["/b.mp4"]),
        ("> MEDIA:/a.mp4", &["/a.mp4"]),
    ] {
        assert_eq!(targets(text), found, "{text:?}");
    }
}

#[test]
fn kind_and_name_are_by_the_real_name() {
    for (target, kind, name) in [
        ("/a/clip.MP4", TagKind::Video, "clip.MP4"),
        ("/a/x?.png", TagKind::Picture, "x?.png"),
        ("/a/clip.mp4?x", TagKind::File, "clip.mp4?x"),
        ("/a/i.svg", TagKind::File, "i.svg"),
        ("/a/dir/", TagKind::File, "dir"),
        (r"C:\v\a.ogg", TagKind::Audio, "a.ogg"),
        (r"/v/a\b.ogg", TagKind::Audio, r"a\b.ogg"),
        ("file:///v/a%20b.flac", TagKind::Audio, "a b.flac"),
        ("HTTPS://Example.org/a.mp4", TagKind::Remote, "Example.org"),
    ] {
        let tags = parse(&format!("MEDIA:\"{target}\""));
        assert_eq!(tags.len(), 1, "{target}");
        assert_eq!((tags[0].kind, tags[0].name.as_str()), (kind, name), "{target}");
    }
}

#[test]
fn offsets_are_utf_16_units_and_quotes_belong_to_the_tag() {
    let text = "🎬 é\n`MEDIA:/🎬 b.mp4` 🎵 MEDIA:\"/c.wav\"!";
    let tags = parse(text);
    let slices: Vec<_> = tags.iter().map(|tag| slice(text, tag.start, tag.end)).collect();
    assert_eq!(slices, ["`MEDIA:/🎬 b.mp4`", "MEDIA:\"/c.wav\""]);
    assert_eq!(tags[0].start, 5);
}

#[test]
fn half_a_path_is_no_tag_while_the_text_grows() {
    let text = "MEDIA:/a/my clip.mp4 done";
    for (end, _) in text.char_indices() {
        let expected = usize::from(end > "MEDIA:/a/my clip.mp4".len());
        assert_eq!(parse_streaming(&text[..end]).len(), expected, "{:?}", &text[..end]);
    }
    for (text, count) in [
        ("MEDIA:/a.mp4", 0),
        ("MEDIA:/a.mp4.", 0),
        ("MEDIA:/a.mp4\n", 1),
        ("MEDIA:/a b", 0),
        ("MEDIA:/a b\n", 1),
        ("MEDIA:`/a b", 0),
        ("MEDIA:`/a b`", 1),
        ("`MEDIA:/a.mp4 x", 0),
        ("MEDIA:https://h/a ", 1),
        ("MEDIA:https://h/a", 0),
    ] {
        assert_eq!(parse_streaming(text).len(), count, "{text:?}");
    }
}

#[test]
fn a_hostile_text_of_a_mebibyte_is_read_in_bounded_work() {
    for piece in [
        "MEDIA:",
        "MEDIA:/",
        "MEDIA:\"/",
        "MEDIA:/a ",
        "(MEDIA:/.mp4",
        "(MEDIA:/.x ",
        "`MEDIA:",
        "MEDIA:/))))",
        "(MEDIA:",
        " MEDIA:'",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        let tags = parse(&text);
        assert!(tags.iter().all(|tag| tag.target.len() <= MAX_TARGET), "{piece}");
    }
}

/// Texts made of what matters to the parser.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => Just("MEDIA:".to_owned()),
        6 => prop::sample::select(vec![
            "/", "~/", "a", "b c", ".mp4", ".x", ".", ",", " ", "\n", "\r\n", "`", "\"", "'", "```", "C:\\", "\\",
            "https://h", "file:///", "é", "🎬", "\u{301}", "(", ")", "*", "<", "%20", "\0", "\t", "：",
        ]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn tags_never_overlap_and_their_slices_hold_marker_and_target(text in text()) {
        let mut from = 0;
        for tag in parse(&text) {
            prop_assert!(from <= tag.start && tag.start < tag.end);
            let slice = slice(&text, tag.start, tag.end);
            prop_assert!(slice.contains(MARKER) && slice.contains(&tag.target), "{slice:?} {tag:?}");
            prop_assert!(!slice.contains('\n') && !tag.name.is_empty());
            from = tag.end;
        }
        prop_assert!(from <= text.encode_utf16().count());
    }

    #[test]
    fn a_tag_seen_while_the_text_grows_is_in_the_finished_text(text in text(), cut in any::<prop::sample::Index>()) {
        let cut = text.floor_char_boundary(cut.index(text.len() + 1));
        let finished = parse(&text);
        for tag in parse_streaming(&text[..cut]) {
            prop_assert!(finished.contains(&tag), "{:?}: {tag:?} not in {finished:?}", &text[..cut]);
        }
    }
}
