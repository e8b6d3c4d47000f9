//! Answers that come to their end, and what is asked for them.

use super::*;
use app_tests::model_server::{Reply, Step, chunk};
use secrecy::SecretString;
use serde_json::json;

#[tokio::test]
async fn an_answer_streams_in_pieces_with_its_end_and_its_tokens() {
    let server = ModelServer::start();
    server.say(Reply::text("Good morning to you"));
    let answered = ask(&server).await;
    assert_eq!(answered.ended, Ok(()));
    assert_eq!(answered.text(), "Good morning to you");
    assert_eq!((answered.finish(), answered.usage()), (vec!["stop"], vec![(10, 4)]));
    let asked = &server.chats()[0];
    assert_eq!((asked.method.as_str(), asked.path.as_str()), ("POST", "/v1/chat/completions"));
    assert_eq!(asked.body["stream"], true);
    assert_eq!(asked.body["stream_options"]["include_usage"], true);
    assert_eq!(asked.messages(), [json!({ "role": "user", "content": "Hi" })]);
    assert_eq!(asked.header("authorization"), None, "no key, no header");
}

#[tokio::test]
async fn a_piece_is_told_before_the_next_one_comes() {
    let server = ModelServer::start();
    server.say(Reply::text("one two").gate(1, "second"));
    let home = tempfile::tempdir().unwrap();
    let endpoint = endpoints(home.path(), Limits::default()).endpoint(&choice(&server)).await.unwrap();
    let (sender, mut pieces) = mpsc::channel(8);
    let asked =
        tokio::spawn(async move { endpoint.answer(request(), sender, CancellationToken::new()).await });
    assert_eq!(pieces.recv().await, Some(ModelPiece::Text("one ".into())));
    server.open("second");
    assert_eq!(pieces.recv().await, Some(ModelPiece::Text("two".into())));
    while pieces.recv().await.is_some() {}
    assert_eq!(asked.await.unwrap(), Ok(()));
}

#[tokio::test]
async fn the_borders_of_the_bytes_change_nothing_of_an_answer() {
    let text = "Grüße 日本 \u{1f600} \"quoted\" \\ end";
    let call = json!({ "path": "ä\n\u{1f600}" });
    for size in [1, 2, 3, 7, 64] {
        let server = ModelServer::start();
        server.say(Reply::text(text).in_pieces(size));
        server.say(Reply::calls(&[("a", "read_file", call.clone())]).in_pieces(size));
        let answered = ask(&server).await;
        assert_eq!((answered.text().as_str(), answered.ended), (text, Ok(())), "in pieces of {size}");
        let answered = ask(&server).await;
        assert_eq!(answered.calls(), [("a".into(), "read_file".into(), call.to_string())], "{size}");
    }
}

#[tokio::test]
async fn calls_made_at_once_are_told_apart() {
    let server = ModelServer::start();
    let (one, two) = (json!({ "path": "a.txt" }), json!({ "command": "ls -l" }));
    server.say(Reply::calls(&[("a", "read_file", one.clone()), ("b", "terminal", two.clone())]));
    let answered = ask(&server).await;
    let expected = [
        ("a".to_owned(), "read_file".to_owned(), one.to_string()),
        ("b".to_owned(), "terminal".to_owned(), two.to_string()),
    ];
    assert_eq!((answered.calls().as_slice(), answered.finish()), (&expected[..], vec!["tool_calls"]));
}

#[tokio::test]
async fn thoughts_are_kept_apart_from_words_whatever_their_field_is_called() {
    for field in ["reasoning_content", "reasoning", "thinking"] {
        let server = ModelServer::start();
        server.say(Reply::thinking(field, "Let me see.", "Yes."));
        let answered = ask(&server).await;
        assert_eq!((answered.reasoning(), answered.text()), ("Let me see.".into(), "Yes.".into()), "{field}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let server = ModelServer::start();
    let message = json!({ "role": "assistant", "content": "Hello." });
    let usage = json!({ "prompt_tokens": 3, "completion_tokens": 2 });
    let body = json!({ "choices": [{ "message": message, "finish_reason": "stop" }], "usage": usage });
    server.say(Reply::json(200, &body).in_pieces(5));
    let answered = ask(&server).await;
    assert_eq!((answered.text().as_str(), &answered.ended), ("Hello.", &Ok(())));
    assert_eq!((answered.finish(), answered.usage()), (vec!["stop"], vec![(3, 2)]));
}

#[tokio::test]
async fn a_stream_under_another_name_and_other_line_ends_is_understood() {
    let server = ModelServer::start();
    let piece = chunk(json!({ "content": "Hi" }));
    let body = format!("\u{feff}: hello\r\n\r\ndata: {piece}\r\rdata:[DONE]");
    server.say(Reply::body(200, "application/octet-stream", body));
    let answered = ask(&server).await;
    assert_eq!((answered.text().as_str(), &answered.ended), ("Hi", &Ok(())));
}

#[tokio::test]
async fn an_answer_ends_at_its_last_word_also_when_the_server_keeps_the_line() {
    let server = ModelServer::start();
    let mut reply = Reply::text("Hi");
    reply.steps.push(Step::Hold);
    server.say(reply);
    let answered = ask(&server).await;
    assert_eq!((answered.text().as_str(), &answered.ended), ("Hi", &Ok(())));
    server.wait_left(1).await;
}

#[tokio::test]
async fn bytes_that_are_no_text_do_not_end_an_answer() {
    let server = ModelServer::start();
    let mut reply = Reply::text("after");
    let broken = [b"data: {\"choices\":[{\"delta\":{\"content\":\"\xff\"}}]}\n\n".as_slice()].concat();
    reply.steps.insert(0, Step::Bytes(broken));
    server.say(reply);
    let answered = ask(&server).await;
    assert_eq!((answered.text().as_str(), &answered.ended), ("\u{fffd}after", &Ok(())));
}

#[tokio::test]
async fn a_server_that_does_not_know_a_field_is_asked_without_it() {
    let server = ModelServer::start();
    server.say(Reply::error(400, "Unrecognized request argument supplied: stream_options"));
    server.say(Reply::text("Hi"));
    assert_eq!(ask(&server).await.text(), "Hi");
    let chats = server.chats();
    assert_eq!(chats.len(), 2);
    assert!(chats[1].body.get("stream_options").is_none());
}

#[tokio::test]
async fn a_key_is_sent_to_its_own_origin_and_to_no_other() {
    let (own, other) = (ModelServer::start(), ModelServer::start());
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    let origin = format!("http://127.0.0.1:{}", own.port());
    endpoints.keys().set(&origin, SecretString::from("sk-own-key")).await.unwrap();
    own.say(Reply::text("a"));
    other.say(Reply::text("b"));
    for server in [&own, &other] {
        assert_eq!(ask_with(&endpoints, &choice(server), request()).await.ended, Ok(()));
    }
    assert_eq!(own.chats()[0].header("authorization"), Some("Bearer sk-own-key"));
    assert_eq!(other.chats()[0].header("authorization"), None);
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_stays() {
    let (own, other) = (ModelServer::start(), ModelServer::start());
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    let origin = format!("http://127.0.0.1:{}", own.port());
    endpoints.keys().set(&origin, SecretString::from("sk-own-key")).await.unwrap();
    for status in [301, 302, 303, 307, 308] {
        let there = format!("{}/chat/completions", other.base_url());
        own.say(Reply::error(status, "elsewhere").header("location", &there));
        let answered = ask_with(&endpoints, &choice(&own), request()).await;
        assert_eq!(answered.error().kind, ModelErrorKind::Refused, "{status}");
    }
    assert!(other.asked().is_empty(), "nobody came along");
}
