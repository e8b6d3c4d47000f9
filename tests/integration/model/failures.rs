//! Answers that fail: of which kind, in which words, and with what came before.

use super::*;
use app_tests::model_server::{Reply, Step};
use secrecy::SecretString;
use serde_json::json;

#[tokio::test]
async fn each_status_is_a_failure_of_its_kind() {
    use ModelErrorKind as Kind;
    for (reply, kind, wait) in [
        (Reply::error(401, "no"), Kind::Key, None),
        (Reply::error(403, "no"), Kind::Key, None),
        (Reply::error(404, "no"), Kind::NoModel, None),
        (Reply::error(429, "slow").header("retry-after", "7"), Kind::Busy, Some(7_000)),
        (
            Reply::error(429, "slow").header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
            Kind::Busy,
            Some(0),
        ),
        (Reply::error(500, "broken"), Kind::Unreachable, None),
        (Reply::error(503, "away").header("retry-after", "2"), Kind::Unreachable, Some(2_000)),
        (Reply::error(400, "maximum context length is 8 tokens"), Kind::TooLong, None),
        (Reply::error(400, "no such field"), Kind::Refused, None),
        (
            Reply::body(502, "text/html", "<html><title>502 Bad Gateway</title></html>"),
            Kind::Unreachable,
            None,
        ),
    ] {
        let server = ModelServer::start();
        server.say(reply.clone());
        let answered = ask(&server).await;
        let error = answered.error();
        assert_eq!((error.kind, error.retry_after), (kind, wait), "{reply:?}");
        assert!(answered.pieces.is_empty());
        let says_who = kind == Kind::TooLong || error.message.contains("127.0.0.1");
        assert!(says_who, "{error}");
        assert!(!error.message.contains('<'), "{error}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_refused_with_words() {
    let page = "<!doctype html><html><body>Sign in</body></html>";
    for reply in [
        Reply::body(200, "text/html", page),
        Reply::body(200, "text/event-stream", page),
        Reply::body(200, "image/png", "\u{1}PNG"),
        Reply::json(200, &json!({ "models": [] })),
        Reply::json(200, &json!({ "error": { "message": "Not today." } })),
    ] {
        let server = ModelServer::start();
        server.say(reply.clone());
        let answered = ask(&server).await;
        assert_eq!(answered.error().kind, ModelErrorKind::Refused, "{reply:?}");
        assert!(answered.pieces.is_empty());
    }
}

#[tokio::test]
async fn a_stream_that_breaks_off_keeps_what_came() {
    for last in [Step::Cut, Step::Text(String::new()), Step::Text("data: {\"choi".into())] {
        let server = ModelServer::start();
        server.say(Reply::text("one two three").until(2, last.clone()));
        let answered = ask(&server).await;
        assert_eq!(answered.error().kind, ModelErrorKind::Cut, "{last:?}");
        assert_eq!((answered.text().as_str(), answered.finish()), ("one two ", vec![]), "{last:?}");
    }
}

#[tokio::test]
async fn a_failure_told_in_mid_stream_is_one() {
    let server = ModelServer::start();
    let said = json!({ "error": { "message": "The engine broke", "code": 502 } });
    server.say(Reply::text("one two").until(1, Step::Event(said)));
    let answered = ask(&server).await;
    assert_eq!((answered.error().kind, answered.text().as_str()), (ModelErrorKind::Unreachable, "one "));
    assert!(answered.error().message.contains("The engine broke"));
}

#[tokio::test]
async fn a_server_that_says_nothing_is_given_up() {
    let limits = Limits { silence: Duration::from_millis(300), ..Limits::default() };
    let home = tempfile::tempdir().unwrap();
    // The head is waited for as long as both take.
    let limits = Limits { connect: Duration::from_millis(300), ..limits };
    let endpoints = endpoints(home.path(), limits);
    let server = ModelServer::start();
    server.say(Reply::silent());
    let answered = ask_with(&endpoints, &choice(&server), request()).await;
    assert_eq!(answered.error().kind, ModelErrorKind::Unreachable);
    server.say(Reply::text("one two").until(1, Step::Hold));
    let answered = ask_with(&endpoints, &choice(&server), request()).await;
    assert_eq!((answered.error().kind, answered.text().as_str()), (ModelErrorKind::Cut, "one "));
    server.wait_left(2).await;
}

#[tokio::test]
async fn where_nobody_listens_nobody_answers() {
    let gone = choice(&ModelServer::start());
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    // The server's thread may still be closing its port.
    let deadline = tokio::time::Instant::now() + DEADLINE;
    loop {
        let answered = ask_with(&endpoints, &gone, request()).await;
        assert_eq!(answered.error().kind, ModelErrorKind::Unreachable);
        if answered.error().message.starts_with("Nothing answers at 127.0.0.1") {
            break;
        }
        assert!(tokio::time::Instant::now() < deadline, "{:?}", answered.ended);
    }
}

#[tokio::test]
async fn an_answer_without_an_end_is_given_up() {
    let limits = Limits { body: 1 << 20, ..Limits::default() };
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), limits);
    let server = ModelServer::start();
    let line = format!("{}\n", "x".repeat(1023));
    let mut reply = Reply::text("Hi");
    reply.steps.insert(1, Step::Repeat(format!(": {line}"), 4 << 10));
    server.say(reply);
    let answered = ask_with(&endpoints, &choice(&server), request()).await;
    assert_eq!((answered.error().kind, answered.text().as_str()), (ModelErrorKind::Refused, "Hi"));
}

#[tokio::test]
async fn stop_ends_an_answer_at_once_and_closes_the_line() {
    let server = ModelServer::start();
    server.say(Reply::silent());
    server.say(Reply::text("one two").until(1, Step::Hold));
    let home = tempfile::tempdir().unwrap();
    let endpoint =
        Arc::new(endpoints(home.path(), Limits::default()).endpoint(&choice(&server)).await.unwrap());
    for count in 1..=2 {
        let (sender, mut pieces) = mpsc::channel(8);
        let stop = CancellationToken::new();
        let (asking, stopped) = (Arc::clone(&endpoint), stop.clone());
        let asked = tokio::spawn(async move { asking.answer(request(), sender, stopped).await });
        server.wait_asked(count).await;
        if count == 2 {
            assert_eq!(pieces.recv().await, Some(ModelPiece::Text("one ".into())));
        }
        stop.cancel();
        let ended = tokio::time::timeout(DEADLINE, asked).await.unwrap().unwrap();
        assert_eq!(ended.unwrap_err().kind, ModelErrorKind::Cancelled);
        server.wait_left(count).await;
    }
}

#[tokio::test]
async fn the_words_of_a_server_never_hold_the_key() {
    let key = "hunter2-hunter2";
    let server = ModelServer::start();
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    let origin = format!("http://127.0.0.1:{}", server.port());
    endpoints.keys().set(&origin, SecretString::from(key)).await.unwrap();
    let words = format!("Incorrect key {key}\r\n\u{1b}[31m{}", "long ".repeat(500));
    for reply in [
        Reply::error(401, &words),
        Reply::error(500, &words),
        Reply::body(400, "text/plain", words.clone()),
        Reply::json(200, &json!({ "error": { "message": words } })),
    ] {
        server.say(reply);
        let answered = ask_with(&endpoints, &choice(&server), request()).await;
        let shown = format!("{:?} {}", answered.error(), answered.error());
        assert!(!shown.contains(key) && shown.contains("[key]"), "{shown}");
        assert!(!answered.error().message.contains(char::is_control), "{shown}");
        assert!(answered.error().message.chars().count() < 500, "{shown}");
    }
}
