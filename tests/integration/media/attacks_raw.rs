//! Attacks on the real listener in bytes that no HTTP client would send: smuggled requests, broken heads, foreign hosts,
//! other methods. No smuggled request is ever answered, nothing is a server error, and no answer says a path or a secret.

use super::{open, put, rig};
use app_tests::range_table::rig::Rig;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use talaria_core::media::Opened;

/// How long the listener may be silent before a connection counts as hung. It drops an unfinished head by itself.
const SILENCE: Duration = Duration::from_secs(60);
const FIRST: &str = "ID3 first";
const SMUGGLED: &str = "ID3 SMUGGLED";

/// A listener with two open files: the one that is asked for, and the one that a smuggled request asks for.
struct Scene {
    rig: Rig,
    first: String,
    smuggled: String,
    host: String,
}

impl Scene {
    fn new() -> Self {
        let rig = rig();
        let target = |name: &str, content: &str| {
            let opened: Opened = open(&rig, &put(&rig, name, content));
            rig.target(&opened)
        };
        let (first, smuggled) = (target("first.mp3", FIRST), target("smuggled.mp3", SMUGGLED));
        let host = rig.address().to_string();
        Self { rig, first, smuggled, host }
    }

    /// `{first}`, `{smuggled}` and `{host}` in a shape; `{inner}` is a whole smuggled request.
    fn fill(&self, shape: &str) -> Vec<u8> {
        let inner = "GET {smuggled} HTTP/1.1\r\nHost: {host}\r\n\r\n";
        shape
            .replace("{inner}", inner)
            .replace("{first}", &self.first)
            .replace("{smuggled}", &self.smuggled)
            .replace("{host}", &self.host)
            .into_bytes()
    }

    /// Sends bytes, then a last request that ends the connection, and reads all that comes.
    fn talk(&self, sent: &[u8]) -> String {
        let last = self.fill("GET /last HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        self.exchange(&[sent, &last].concat())
    }

    fn exchange(&self, sent: &[u8]) -> String {
        let mut stream = TcpStream::connect(self.rig.address()).expect("connected");
        stream.set_read_timeout(Some(SILENCE)).expect("a timeout");
        // A listener that refuses the beginning need not take the rest.
        let _ = stream.write_all(sent);
        let mut answer = Vec::new();
        let mut piece = [0; 4096];
        loop {
            match stream.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => answer.extend_from_slice(&piece[..count]),
                // It closed with bytes of ours unread, which is its right.
                Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => {
                    break;
                }
                Err(error) => panic!("the listener hangs: {error}"),
            }
        }
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// What must hold of any answer to a hostile request.
    fn is_harmless(&self, shape: &str, answer: &str) {
        assert!(statuses(answer).iter().all(|status| *status < 500), "{shape:?}: {answer}");
        assert!(!answer.contains(SMUGGLED), "{shape:?}: {answer}");
        let home = self.rig.home().display().to_string();
        let token = self.first.split('/').nth(1).expect("the run token");
        for hidden in [home.as_str(), token] {
            assert!(!answer.contains(hidden), "{shape:?} is told {hidden}: {answer}");
        }
    }
}

/// The statuses of all answers, in order.
fn statuses(answer: &str) -> Vec<u16> {
    let after = answer.split("HTTP/1.").skip(1);
    after.filter_map(|rest| rest.get(2..5)?.parse().ok()).collect()
}

#[test]
fn a_request_hidden_in_another_is_never_answered() {
    let scene = Scene::new();
    let hidden = String::from_utf8(scene.fill("{inner}")).expect("Unicode");
    let length = hidden.len();
    let chunk = format!("{length:x}\r\n{{inner}}\r\n0\r\n\r\n");
    let head = "GET {first} HTTP/1.1\r\nHost: {host}\r\n";
    let shapes = [
        // Content that GET has no use for.
        format!("{head}Content-Length: {length}\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n{chunk}"),
        format!("HEAD {{first}} HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: {length}\r\n\r\n{{inner}}"),
        format!("POST {{first}} HTTP/1.1\r\nHost: {{host}}\r\nContent-Length: {length}\r\n\r\n{{inner}}"),
        format!("POST {{first}} HTTP/1.1\r\nHost: {{host}}\r\nTransfer-Encoding: chunked\r\n\r\n{chunk}"),
        format!("{head}Content-Length: {length}\r\nExpect: 100-continue\r\n\r\n{{inner}}"),
        // Two lengths, of which each party may believe another (RFC 9112, section 6.3).
        format!("{head}Content-Length: {length}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked\r\nContent-Length: {length}\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: 0\r\nContent-Length: {length}\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: {length}\r\nContent-Length: 0\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: 0, {length}\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: {length}, 0\r\n\r\n{{inner}}"),
        // Lengths and codings that are none.
        format!("{head}Content-Length: +{length}\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: -1\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: 0x0\r\n\r\n{{inner}}"),
        format!("{head}Content-Length: 99999999999999999999999\r\n\r\n{{inner}}"),
        format!("{head}Content-Length:\r\n\r\n{{inner}}"),
        format!("{head}Content-Length : {length}\r\n\r\n{{inner}}"),
        format!("{head}Content-Length\0: {length}\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: identity\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked\r\nTransfer-Encoding: x\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head} Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}X: y\r\n Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\n-1\r\n{{inner}}"),
        format!("{head}Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{{inner}}"),
        // In the old versions a length is the only end of content.
        "GET {first} HTTP/1.0\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{inner}"
            .to_owned(),
        format!("GET {{first}} HTTP/1.0\r\nHost: {{host}}\r\nContent-Length: {length}\r\n\r\n{{inner}}"),
        // Another protocol on the same connection.
        format!(
            "{head}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\nContent-Length: {length}\r\n\r\n{{inner}}"
        ),
    ];
    for shape in shapes {
        let answer = scene.talk(&scene.fill(&shape));
        scene.is_harmless(&shape, &answer);
        assert!(statuses(&answer).len() <= 2, "{shape:?}: {answer}");
    }
}

#[test]
fn a_broken_head_is_refused_or_dropped_and_never_a_server_error() {
    let scene = Scene::new();
    let many: String = (0..2000).map(|number| format!("X-{number}: y\r\n")).collect();
    let shapes = [
        "GET {first}\r\n\r\n".to_owned(),
        "GET {first} HTTP/0.9\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\n\r\n".into(),
        "GET {first} HTTP/1.0\r\n\r\n".into(),
        "GET {first} HTTP/2.0\r\nHost: {host}\r\n\r\n".into(),
        "GET {first} HTTP/9.9\r\nHost: {host}\r\n\r\n".into(),
        "GET {first} http/1.1\r\nHost: {host}\r\n\r\n".into(),
        "GET  {first} HTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
        "GET {first} x HTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
        "GET\t{first}\tHTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
        " GET {first} HTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
        "G\0T {first} HTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
        "GET {first}\0 HTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nX\0: b\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nX y: b\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nno colon\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\nHost: {host}\r\n: empty name\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nX: a\rb\r\n\r\n".into(),
        "GET {first} HTTP/1.1\rHost: {host}\r\r".into(),
        "GET {first} HTTP/1.1\r\nHost:\r\n {host}\r\n\r\n".into(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".into(),
        "\x16\x03\x01\x02\0\x01\0\x01\u{fc}\x03\x03".into(),
        "\r\n\r\n\r\n".into(),
        "\0\0\0\0\0\0\0\0\r\n\r\n".into(),
        format!("GET {{first}} HTTP/1.1\r\nHost: {{host}}\r\nX: {}\r\n\r\n", "y".repeat(1 << 20)),
        format!("GET /{} HTTP/1.1\r\nHost: {{host}}\r\n\r\n", "y".repeat(1 << 20)),
        format!("GET {{first}} HTTP/1.1\r\nHost: {{host}}\r\n{many}\r\n"),
    ];
    for shape in shapes {
        let answer = scene.talk(&scene.fill(&shape));
        let short: String = shape.chars().take(80).collect();
        scene.is_harmless(&short, &answer);
        assert!(!answer.contains(FIRST), "{short:?}: {answer}");
    }
}

#[test]
fn a_line_that_ends_without_a_carriage_return_starts_no_second_request() {
    let scene = Scene::new();
    for shape in [
        "GET {first} HTTP/1.1\nHost: {host}\n\n",
        "GET {first} HTTP/1.1\r\nHost: {host}\nX: y\r\n\r\n",
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nX: y\n\tGET {smuggled} HTTP/1.1\r\n\r\n",
        "GET {first} HTTP/1.1\r\nHost: {host}\r\nX: y\rGET {smuggled} HTTP/1.1\r\nHost: {host}\r\n\r\n",
    ] {
        let answer = scene.talk(&scene.fill(shape));
        scene.is_harmless(shape, &answer);
        assert!(statuses(&answer).len() <= 2, "{shape:?}: {answer}");
    }
}

#[test]
fn requests_in_a_row_are_each_answered_in_order() {
    let scene = Scene::new();
    let shape = "GET {first} HTTP/1.1\r\nHost: {host}\r\n\r\nGET {smuggled} HTTP/1.1\r\nHost: {host}\r\nRange: bytes=0-2\r\n\r\n\
        HEAD {first} HTTP/1.1\r\nHost: {host}\r\n\r\nGET /none HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n";
    let answer = scene.exchange(&scene.fill(shape));
    assert_eq!(statuses(&answer), [200, 206, 200, 404], "{answer}");
    assert_eq!(answer.matches(FIRST).count(), 1, "{answer}");
}

#[test]
fn a_foreign_host_gets_nothing_in_any_form() {
    let scene = Scene::new();
    let port = scene.rig.address().port();
    for host in [
        // What a name that was made to point here would send.
        format!("rebound.example:{port}"),
        "rebound.example".into(),
        format!("localhost:{port}"),
        format!("127.0.0.1:{}", port ^ 1),
        "127.0.0.1".into(),
        format!("127.0.0.2:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("0x7f.0.0.1:{port}"),
        format!("[::ffff:127.0.0.1]:{port}"),
        format!("user@127.0.0.1:{port}"),
        format!("127.0.0.1:{port}@evil.example"),
        format!("127.0.0.1:{port}, evil.example"),
        format!("127.0.0.1:0{port}"),
        String::new(),
    ] {
        for shape in [
            "GET {first} HTTP/1.1\r\nHost: HOST\r\n\r\n",
            "GET {first} HTTP/1.1\r\nHost: {host}\r\nHost: HOST\r\n\r\n",
            "GET {first} HTTP/1.1\r\nHost: HOST\r\nHost: {host}\r\n\r\n",
            "GET http://HOST{first} HTTP/1.1\r\nHost: {host}\r\n\r\n",
            "GET http://{host}{first} HTTP/1.1\r\nHost: HOST\r\n\r\n",
        ] {
            let shape = shape.replace("HOST", &host);
            let answer = scene.talk(&scene.fill(&shape));
            scene.is_harmless(&shape, &answer);
            assert!(!answer.contains(FIRST) && statuses(&answer)[..1] >= [400][..], "{shape:?}: {answer}");
        }
    }
    let twice = scene.fill("GET {first} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n");
    assert!(!scene.talk(&twice).contains(FIRST));
}

#[test]
fn a_foreign_page_may_not_read_the_answer() {
    let scene = Scene::new();
    for origin in [
        "https://evil.example",
        "http://localhost",
        "http://{host}",
        "null",
        "tauri://localhost.evil",
        "file://",
    ] {
        let shape = format!("GET {{first}} HTTP/1.1\r\nHost: {{host}}\r\nOrigin: {origin}\r\n\r\n");
        let answer = scene.talk(&scene.fill(&shape)).to_ascii_lowercase();
        assert!(!answer.contains("access-control-allow-origin"), "{origin}: {answer}");
    }
    // Nor may it ask whether it might.
    let asks = "OPTIONS {first} HTTP/1.1\r\nHost: {host}\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: GET\r\n\r\n";
    let answer = scene.talk(&scene.fill(asks)).to_ascii_lowercase();
    assert!(
        statuses(&answer.to_uppercase())[0] == 405 && !answer.contains("access-control-allow"),
        "{answer}"
    );
}

#[test]
fn a_method_that_is_not_get_or_head_does_nothing() {
    let scene = Scene::new();
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "get", "GETT", "X"] {
        let shape = format!("{method} {{first}} HTTP/1.1\r\nHost: {{host}}\r\nX-Secret: echo-me\r\n\r\n");
        let answer = scene.talk(&scene.fill(&shape));
        scene.is_harmless(&shape, &answer);
        assert_eq!(statuses(&answer)[0], 405, "{method}: {answer}");
        assert!(answer.to_ascii_lowercase().contains("allow: get, head"), "{method}: {answer}");
        assert!(!answer.contains("echo-me"), "{method}: {answer}");
    }
    // Nor one that comes without an address of ours.
    for shape in [
        "CONNECT {host} HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "POST /elsewhere HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "DELETE / HTTP/1.1\r\nHost: {host}\r\n\r\n",
    ] {
        let answer = scene.talk(&scene.fill(shape));
        scene.is_harmless(shape, &answer);
        assert_eq!(statuses(&answer)[0], 405, "{shape:?}: {answer}");
        assert!(answer.to_ascii_lowercase().contains("allow: get, head"), "{shape:?}: {answer}");
    }
}

#[test]
fn a_request_without_its_one_host_is_a_bad_one() {
    let scene = Scene::new();
    for (shape, status) in [
        ("GET {first} HTTP/1.1\r\n\r\n", 400),
        ("OPTIONS * HTTP/1.1\r\n\r\n", 400),
        ("GET {first} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n", 400),
        // The old version knows no Host; nothing is given out without one all the same.
        ("GET {first} HTTP/1.0\r\n\r\n", 403),
        ("GET {first} HTTP/1.0\r\nHost: {host}\r\n\r\n", 200),
    ] {
        let answer = scene.talk(&scene.fill(shape));
        assert_eq!(statuses(&answer)[0], status, "{shape:?}: {answer}");
    }
}

/// A stranger holds no place: its connection ends with the first answer.
#[test]
fn whoever_does_not_know_the_token_is_answered_once() {
    let scene = Scene::new();
    let grant = scene.first.split('/').nth(2).expect("a grant");
    for shape in [
        "GET /none HTTP/1.1\r\nHost: {host}\r\n\r\n".to_owned(),
        format!("GET /{}/{grant}/a.mp3 HTTP/1.1\r\nHost: {{host}}\r\n\r\n", "0".repeat(64)),
        "GET {first} HTTP/1.1\r\nHost: evil.example\r\n\r\n".into(),
        "GET {first} HTTP/1.1\r\n\r\n".into(),
        "OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n".into(),
    ] {
        let answer = scene.exchange(&scene.fill(&format!("{shape}{{inner}}")));
        assert_eq!(statuses(&answer).len(), 1, "{shape:?}: {answer}");
        assert!(answer.to_ascii_lowercase().contains("connection: close"), "{shape:?}: {answer}");
        scene.is_harmless(&shape, &answer);
    }
}

#[test]
fn no_spelling_of_the_address_leads_past_its_grant() {
    let scene = Scene::new();
    let (token, grant) = {
        let mut pieces = scene.first.split('/').skip(1);
        (pieces.next().expect("a token").to_owned(), pieces.next().expect("a grant").to_owned())
    };
    let next = grant.chars().next().map(|digit| if digit == '0' { '1' } else { '0' }).expect("a digit");
    for path in [
        format!("/{token}/..%2f..%2f..%2fetc%2fpasswd/a.mp3"),
        format!("/{token}/%2e%2e/{token}/{grant}/a.mp3"),
        format!("/{token}/%252e%252e/passwd"),
        format!("/{token}/%c0%ae%c0%ae/passwd"),
        format!("/{token}/..\\..\\passwd/a"),
        format!("/{token}/..;/{grant}"),
        format!("/{token}//{grant}/a.mp3"),
        format!("//{token}/{grant}/a.mp3"),
        format!("/./{token}/{grant}/a.mp3"),
        format!("/{token}/./{grant}/a.mp3"),
        format!("/{token}/{grant}"),
        format!("/{token}/{grant}/"),
        format!("/{token}/{grant}/a/../b.mp3"),
        format!("/{token}/{grant}%00/a.mp3"),
        format!("/{token}/{}/a.mp3", &grant[..31]),
        format!("/{token}/{grant}0/a.mp3"),
        format!("/{token}/{next}{}/a.mp3", &grant[1..]),
        format!("/{token}/%{:02x}{}/a.mp3", grant.as_bytes()[0], &grant[1..]),
        format!("/{}/{grant}/a.mp3", "0".repeat(64)),
        format!("/%{:02x}{}/{grant}/a.mp3", token.as_bytes()[0], &token[1..]),
        format!("/?/{token}/{grant}/a.mp3"),
        format!("/stream/{grant}/a.mp3"),
        "/".into(),
        "/favicon.ico".into(),
        "/.env".into(),
        "/etc/passwd".into(),
        "/../../etc/passwd".into(),
        "*".into(),
    ] {
        let shape = format!("GET {path} HTTP/1.1\r\nHost: {{host}}\r\n\r\n");
        let answer = scene.talk(&scene.fill(&shape));
        assert!(!answer.contains(FIRST) && !answer.contains("root:"), "{path}: {answer}");
        assert!(
            statuses(&answer).first().is_some_and(|status| (400..500).contains(status)),
            "{path}: {answer}"
        );
        assert!(!answer.contains(&token) && !answer.contains(&grant), "{path}: {answer}");
    }
}
