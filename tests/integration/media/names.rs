//! Any file name that the system allows is served, under its own name.

use super::{get, open, put, rig, taken};
use crate::command::Host;
use app_tests::range_table::wire::Ask;
use percent_encoding::percent_decode_str;
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use talaria_core::media::tags;
use talaria_wire::ClientId;

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

/// The spec's names, and some that a shell, an address or a text would trip over.
const ODD: &[&str] = &[
    "a#b.mp4",
    "a?b.mp4",
    "100%.mp4",
    "a b+c.mp4",
    "%23.mp4",
    "%2e%2e.mp4",
    "\u{e9}.mp4",
    "e\u{301}.mp4",
    "\u{89c6}\u{9891}.mp4",
    "\u{1f3ac}.mp4",
    "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}.mp4",
    "\u{645}\u{642}\u{637}\u{639}.mp4",
    "\u{202e}4pm.mp4",
    "-leading.mp4",
    "--help.mp4",
    ".hidden.mp4",
    "a\\b.mp4",
    "a:b.mp4",
    "a;b,c&d=e.mp4",
    "it's \"quoted\".mp4",
    "(a) [b] {c}.mp4",
    "trailing blank .mp4",
    "two..dots...mp4",
    "con.mp4",
    "MEDIA:a.mp4",
];

#[tokio::test(flavor = "multi_thread")]
async fn any_name_goes_from_its_tag_to_both_addresses() {
    let host = Host::ready().await;
    let folder = host.folder.path().join("out");
    let long = format!("{}.mp4", "\u{e9}".repeat(125) + "x");
    assert_eq!(long.len(), 255);
    let names: Vec<&str> = ODD.iter().copied().chain([long.as_str()]).collect();
    let mut message = String::new();
    for name in &names {
        super::write(&folder.join(name), format!("ID3{name}"));
        message.push_str(&format!("MEDIA:`{}/{name}`\n", folder.display()));
    }
    let targets: Vec<String> = tags::parse(&message).into_iter().map(|tag| tag.target).collect();
    let session = host.session_saying(&message).await;
    for (name, target) in names.iter().zip(&targets) {
        assert_eq!(*target, format!("{}/{name}", folder.display()));
        let opened = host.call("media_open", json!({ "session_id": session, "path": target })).await;
        let opened = opened.unwrap_or_else(|error| panic!("{name:?}: {error:?}"));
        assert_eq!((&opened["name"], &opened["mime"]), (&json!(name), &json!("video/mp4")));
        let content = format!("ID3{name}").into_bytes();
        // The host plays over the port; its grant is the same over the scheme.
        let url = opened["url"].as_str().unwrap();
        let (_, rest) = url.split_once("127.0.0.1:").unwrap();
        let (port, path) = rest.split_once('/').unwrap();
        let reply = Ask::new("GET", &format!("/{path}")).send(format!("127.0.0.1:{port}").parse().unwrap());
        assert_eq!(taken(reply.unwrap()), (200, content.clone()), "{name:?} over loopback");
        let (_, stream) = path.split_once('/').unwrap();
        let request =
            http::Request::get(format!("hermes-media://localhost/stream/{stream}")).body(Vec::new());
        let reply = host.app.media.media.scheme(&ClientId::from("main"), request.unwrap());
        assert_eq!((reply.status().as_u16(), reply.body()), (200, &content), "{name:?} over the scheme");
    }
    assert_eq!(targets.len(), names.len());
}

/// A message is Unicode and a name need not be: it is reached by its bytes in a file address, and otherwise the card says
/// what is wrong.
#[test]
fn a_name_that_is_not_unicode_plays_by_its_address_and_is_told_clearly_otherwise() {
    let rig = rig();
    let name = OsStr::from_bytes(b"caf\xe9.mp4");
    super::write(&rig.folder().join(name), "ID3 coffee");
    let folder = rig.folder().display().to_string();
    let opened = rig.media.open(&rig.client(), &format!("file://{folder}/caf%e9.mp4")).expect("by its bytes");
    assert_eq!(opened.name, "caf\u{fffd}.mp4");
    assert_eq!(taken(get(&rig, &opened, &[])), (200, b"ID3 coffee".to_vec()));
    let text = format!("{folder}/caf\u{fffd}.mp4");
    let error = rig.media.open(&rig.client(), &text).expect_err("no such name");
    assert_eq!(
        error.to_string(),
        format!(
            "File is missing. Looked for {text}. Its name is not Unicode and was lost in the message. Rename the file."
        )
    );
}
