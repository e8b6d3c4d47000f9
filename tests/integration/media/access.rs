//! Who gets an answer over loopback, and with which headers.

use super::{get, open, put, rig, send, taken};
use app_tests::range_table::wire::Ask;

#[test]
fn a_file_is_described_by_its_headers() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.wav", "RIFF\0\0\0\0WAVE"));
    let reply = get(&rig, &opened, &[("Range", "bytes=4-7")]);
    assert_eq!(reply.status, 206);
    for (name, value) in [
        ("content-type", "audio/wav"),
        ("content-length", "4"),
        ("content-range", "bytes 4-7/12"),
        ("accept-ranges", "bytes"),
        ("x-content-type-options", "nosniff"),
        ("cache-control", "no-cache"),
        ("content-disposition", "inline; filename=\"a.wav\"; filename*=UTF-8''a.wav"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name}");
    }
    let tag = reply.header("etag").expect("a tag");
    assert!(tag.starts_with('"') && tag.ends_with('"'));
    assert!(reply.header("last-modified").is_some_and(|date| date.ends_with(" GMT")));
}

#[test]
fn head_tells_the_same_as_get_and_sends_nothing() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", app_tests::range_table::pattern(0, 5000)));
    let head = send(&rig, &Ask::new("HEAD", &rig.target(&opened)).header("Range", "bytes=0-1"));
    let get = get(&rig, &opened, &[]);
    for name in
        ["content-type", "content-length", "etag", "last-modified", "accept-ranges", "content-disposition"]
    {
        assert!(head.header(name).is_some(), "{name}");
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
    assert_eq!(taken(head), (200, Vec::new()));
}

#[test]
fn a_known_state_is_not_sent_again() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", "ID3"));
    let first = get(&rig, &opened, &[]);
    let (tag, date) = (first.header("etag").expect("a tag"), first.header("last-modified").expect("a date"));
    for headers in [[("If-None-Match", tag)], [("If-Modified-Since", date)]] {
        let reply = get(&rig, &opened, &headers);
        assert_eq!(reply.header("etag"), Some(tag));
        assert_eq!(taken(reply), (304, Vec::new()));
    }
    assert_eq!(taken(get(&rig, &opened, &[("If-Match", "\"x\"")])).0, 412);
    assert_eq!(
        taken(get(&rig, &opened, &[("If-Range", date), ("Range", "bytes=1-1")])),
        (206, b"D".to_vec())
    );
}

#[test]
fn an_ended_or_guessed_grant_is_forbidden_and_an_unknown_route_is_nothing() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", "ID3"));
    let target = rig.target(&opened);
    let token = target.split('/').nth(1).expect("the run token");
    assert_eq!((token.len(), opened.grant.len()), (64, 32));
    let (grant, zeros) = (&opened.grant, "0".repeat(32));
    for (target, status) in [
        (format!("/{token}/{grant}/x"), 200),
        (format!("/{token}/{grant}/..%2f..%2fetc%2fpasswd"), 200),
        (format!("/{token}/{zeros}/a.mp4"), 403),
        (
            format!("/{token}/{}/a.mp4", grant.to_uppercase()),
            if grant.to_uppercase() == *grant { 200 } else { 403 },
        ),
        (format!("/{token}/..%2f..%2fetc%2fpasswd/a"), 403),
        (format!("/{token}/{grant}"), 404),
        (format!("/{token}/{grant}/"), 404),
        (format!("/{token}/{grant}/a/b"), 404),
        (format!("/{token}/../{token}/{grant}/a"), 404),
        (format!("/{}/{grant}/a.mp4", "0".repeat(64)), 404),
        (format!("/{}/{grant}/a.mp4", &token[..63]), 404),
        (format!("/{token}0/{grant}/a.mp4"), 404),
        (format!("//{grant}/a.mp4"), 404),
        ("/".to_owned(), 404),
        ("/favicon.ico".to_owned(), 404),
        ("/etc/passwd".to_owned(), 404),
    ] {
        assert_eq!(send(&rig, &Ask::new("GET", &target)).status, status, "{target}");
    }
    rig.media.drop_client(&rig.client());
    assert_eq!(send(&rig, &Ask::new("GET", &target)).status, 403);
}

#[test]
fn a_grant_that_its_client_pushed_out_is_forbidden() {
    let rig = rig();
    let first = open(&rig, &put(&rig, "first.mp4", "ID3"));
    for number in 0..talaria_core::media::MAX_GRANTS {
        open(&rig, &put(&rig, &format!("{number}.mp4"), "ID3"));
    }
    assert_eq!(get(&rig, &first, &[]).status, 403);
}

#[test]
fn a_host_that_is_not_exactly_ours_is_forbidden() {
    let rig = rig();
    let target = rig.target(&open(&rig, &put(&rig, "a.mp4", "ID3")));
    let port = rig.address().port();
    for host in [
        "evil.example".to_owned(),
        format!("localhost:{port}"),
        "127.0.0.1".into(),
        format!("127.0.0.1:{port}.evil"),
    ] {
        assert_eq!(send(&rig, &Ask::new("GET", &target).host(&host)).status, 403, "{host}");
    }
    let twice = Ask::new("GET", &target).header("Host", &rig.address().to_string());
    assert_ne!(send(&rig, &twice).status, 200);
    let absolute = |host: &str| send(&rig, &Ask::new("GET", &format!("http://{host}{target}"))).status;
    assert_eq!(absolute("evil.example"), 403);
    assert_eq!(absolute(&rig.address().to_string()), 200);
}

#[test]
fn other_methods_are_not_allowed() {
    let rig = rig();
    let target = rig.target(&open(&rig, &put(&rig, "a.mp4", "ID3")));
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND"] {
        let reply = send(&rig, &Ask::new(method, &target));
        assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD")), "{method}");
    }
}

#[test]
fn only_the_apps_own_page_may_read_the_answer() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp4", "ID3"));
    for (origin, allowed) in [
        ("tauri://localhost", Some("tauri://localhost")),
        // The page's origin on Windows: here any local server can have it.
        ("http://tauri.localhost", None),
        ("https://evil.example", None),
        ("null", None),
    ] {
        let reply = get(&rig, &opened, &[("Origin", origin)]);
        assert_eq!(reply.header("access-control-allow-origin"), allowed, "{origin}");
        assert_eq!(reply.header("vary"), Some("Origin"));
    }
}

#[test]
fn an_error_says_why_in_words_that_no_browser_runs() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "ID3");
    let opened = open(&rig, &path);
    std::fs::remove_file(&path).expect("the file goes");
    let reply = get(&rig, &opened, &[]);
    assert_eq!(reply.header("content-type"), Some("text/plain; charset=utf-8"));
    assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
    let (status, words) = taken(reply);
    assert_eq!(status, 404);
    assert!(String::from_utf8(words).expect("Unicode").starts_with("File is missing. It was moved"));
}
