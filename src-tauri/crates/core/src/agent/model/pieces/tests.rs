//! Answers as servers of several kinds write them.

use super::*;
use proptest::prelude::*;
use serde_json::json;

/// All pieces of an answer whose chunks carry these deltas.
fn said(deltas: &[Value]) -> Vec<ModelPiece> {
    let chunks: Vec<_> = deltas.iter().map(|delta| json!({ "choices": [{ "delta": delta }] })).collect();
    read(&chunks)
}

fn read(chunks: &[Value]) -> Vec<ModelPiece> {
    let mut pieces = Pieces::new("p");
    let mut said = Vec::new();
    for chunk in chunks {
        said.extend(pieces.read(chunk).expect("no failure"));
    }
    said
}

/// The calls put together: id, name, arguments.
fn calls(pieces: &[ModelPiece]) -> Vec<(String, String, String)> {
    let mut calls: Vec<(String, String, String)> = Vec::new();
    for piece in pieces {
        let ModelPiece::Call { index, id, name, arguments } = piece else { continue };
        if let (Some(id), Some(name)) = (id, name) {
            assert_eq!(*index, calls.len(), "a call begins at the next place");
            calls.push((id.clone(), name.clone(), String::new()));
        }
        calls[*index].2.push_str(arguments);
    }
    calls
}

fn call(id: &str, name: &str, arguments: &str) -> (String, String, String) {
    (id.to_owned(), name.to_owned(), arguments.to_owned())
}

fn tool_calls(deltas: &[Value]) -> Vec<(String, String, String)> {
    let deltas: Vec<_> = deltas.iter().map(|call| json!({ "tool_calls": [call] })).collect();
    calls(&said(&deltas))
}

#[test]
fn words_and_thoughts_come_in_their_order() {
    let text = |text: &str| ModelPiece::Text(text.to_owned());
    let thought = |text: &str| ModelPiece::Reasoning(text.to_owned());
    for field in ["reasoning_content", "reasoning", "thinking"] {
        let deltas =
            [json!({ "role": "assistant", "content": null, field: "hm" }), json!({ "content": "Hi" })];
        assert_eq!(said(&deltas), [thought("hm"), text("Hi")], "{field}");
    }
    let both = [json!({ "reasoning": "hm", "reasoning_content": "hm", "content": "" })];
    assert_eq!(said(&both), [thought("hm")], "two fields say the same");
    let parts = [json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] })];
    assert_eq!(said(&parts), [text("ab")]);
    assert_eq!(said(&[json!({ "refusal": "No." })]), [text("No.")]);
}

#[test]
fn calls_are_put_together_however_a_server_splits_them() {
    let f = |name: Value, arguments: Value| json!({ "name": name, "arguments": arguments });
    let a = call("a", "read", r#"{"path":1}"#);
    let b = call("b", "write", "{}");
    for (server, deltas, expected) in [
        (
            "as OpenAI does",
            vec![
                json!({ "index": 0, "id": "a", "function": f(json!("read"), json!("")) }),
                json!({ "index": 0, "function": { "arguments": "{\"pa" } }),
                json!({ "index": 1, "id": "b", "function": f(json!("write"), json!("")) }),
                json!({ "index": 0, "function": { "arguments": "th\":1}" } }),
                json!({ "index": 1, "function": { "arguments": "{}" } }),
            ],
            vec![a.clone(), b.clone()],
        ),
        (
            "id and name in every part",
            vec![
                json!({ "index": 0, "id": "a", "function": f(json!("read"), json!("{\"path\"")) }),
                json!({ "index": 0, "id": "a", "function": f(json!("read"), json!(":1}")) }),
            ],
            vec![a.clone()],
        ),
        (
            "empty id and name in later parts",
            vec![
                json!({ "index": 0, "id": "a", "function": f(json!("read"), json!("{\"path\"")) }),
                json!({ "index": 0, "id": "", "function": f(json!(""), json!(":1}")) }),
            ],
            vec![a.clone()],
        ),
        (
            "no index, in parts",
            vec![
                json!({ "id": "a", "function": f(json!("read"), json!("{\"path\"")) }),
                json!({ "function": { "arguments": ":1}" } }),
                json!({ "id": "b", "function": f(json!("write"), json!("{}")) }),
            ],
            vec![a.clone(), b.clone()],
        ),
        (
            "whole calls, all with index 0",
            vec![
                json!({ "index": 0, "id": "a", "function": f(json!("read"), json!("{\"path\":1}")) }),
                json!({ "index": 0, "id": "b", "function": f(json!("write"), json!("{}")) }),
            ],
            vec![a.clone(), b.clone()],
        ),
        (
            "whole calls without an id",
            vec![
                json!({ "function": f(json!("read"), json!({ "path": 1 })) }),
                json!({ "function": f(json!("write"), json!({})) }),
            ],
            vec![call("p-0", "read", r#"{"path":1}"#), call("p-1", "write", "{}")],
        ),
        (
            "indexes that begin at 1",
            vec![
                json!({ "index": 1, "id": "a", "function": f(json!("read"), json!("{\"path\":1}")) }),
                json!({ "index": 2, "id": "b", "function": f(json!("write"), json!("{}")) }),
            ],
            vec![a, b],
        ),
        (
            "no name at all",
            vec![json!({ "index": 0, "id": "a", "function": { "arguments": "{}" } })],
            vec![call("a", "", "{}")],
        ),
    ] {
        assert_eq!(tool_calls(&deltas), expected, "{server}");
    }
}

#[test]
fn an_answer_that_is_not_streamed_says_the_same() {
    let answer = json!({
        "choices": [{
            "index": 0, "finish_reason": "tool_calls",
            "message": {
                "role": "assistant", "content": "Look.", "reasoning_content": "hm",
                "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "read", "arguments": "{}" } }],
            },
        }],
        "usage": { "prompt_tokens": 3, "completion_tokens": 4 },
    });
    let mut pieces = Pieces::new("p");
    let mut said = pieces.read(&answer).expect("no failure");
    assert!(pieces.finished());
    said.extend(pieces.end());
    let expected = [
        ModelPiece::Reasoning("hm".into()),
        ModelPiece::Text("Look.".into()),
        ModelPiece::Call {
            index: 0,
            id: Some("a".into()),
            name: Some("read".into()),
            arguments: "{}".into(),
        },
        ModelPiece::Finish("tool_calls".into()),
        ModelPiece::Usage { input: 3, output: 4 },
    ];
    assert_eq!(said, expected);
}

#[test]
fn the_end_is_said_once_and_the_tokens_as_they_were_counted_last() {
    let chunks = [
        json!({ "choices": [{ "delta": { "content": "a" } }], "usage": { "prompt_tokens": 5, "completion_tokens": 1 } }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "length" }], "usage": null }),
        json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }),
        json!({ "choices": [], "usage": { "prompt_tokens": 5, "completion_tokens": 2 } }),
    ];
    let mut pieces = Pieces::new("p");
    let mut said: Vec<_> = chunks.iter().flat_map(|chunk| pieces.read(chunk).expect("no failure")).collect();
    said.extend(pieces.end());
    let expected = [
        ModelPiece::Text("a".into()),
        ModelPiece::Finish("length".into()),
        ModelPiece::Usage { input: 5, output: 2 },
    ];
    assert_eq!(said, expected);
}

#[test]
fn a_reason_that_is_missing_follows_from_what_came() {
    let end = |delta: Value| {
        let mut pieces = Pieces::new("p");
        pieces.read(&json!({ "choices": [{ "delta": delta }] })).expect("no failure");
        assert!(pieces.began() && !pieces.finished());
        pieces.end().collect::<Vec<_>>()
    };
    assert_eq!(end(json!({ "content": "a" })), [ModelPiece::Finish("stop".into())]);
    let call = json!({ "tool_calls": [{ "function": { "name": "x" } }] });
    assert_eq!(end(call), [ModelPiece::Finish("tool_calls".into())]);
}

#[test]
fn a_failure_in_place_of_a_chunk_is_told() {
    for chunk in [
        json!({ "error": { "message": "The engine broke", "code": 502 } }),
        json!({ "error": "The engine broke" }),
        json!({ "object": "error", "message": "The engine broke" }),
    ] {
        let said = Pieces::new("p").read(&chunk).expect_err("a failure");
        assert_eq!(said.words, "The engine broke");
    }
    assert!(Pieces::new("p").read(&json!({ "error": null, "choices": [] })).is_ok());
}

proptest! {
    #[test]
    fn strange_json_never_panics_and_a_call_begins_before_it_goes_on(
        chunks in proptest::collection::vec(strange(), 0..12),
    ) {
        let mut pieces = Pieces::new("p");
        let mut begun = 0;
        for chunk in &chunks {
            for piece in pieces.read(chunk).unwrap_or_default() {
                if let ModelPiece::Call { index, id, name, .. } = piece {
                    prop_assert_eq!(id.is_some(), name.is_some());
                    prop_assert_eq!(id.is_some(), index == begun);
                    begun += usize::from(id.is_some());
                    prop_assert!(index < begun);
                }
            }
        }
    }
}

/// Chunks with parts of tool calls of any shape.
fn strange() -> impl Strategy<Value = Value> {
    let odd = || {
        prop_oneof![
            Just(Value::Null),
            Just(json!("")),
            "[abc]".prop_map(Value::from),
            (0u64..3).prop_map(Value::from),
            Just(json!({})),
            Just(json!([1])),
        ]
    };
    let part = (odd(), odd(), odd(), odd()).prop_map(|(index, id, name, arguments)| {
        json!({ "index": index, "id": id, "function": { "name": name, "arguments": arguments } })
    });
    prop_oneof![
        4 => (part, odd(), odd()).prop_map(|(call, content, finish)| {
            json!({ "choices": [{ "delta": { "content": content, "tool_calls": [call] }, "finish_reason": finish }] })
        }),
        1 => odd(),
        1 => odd().prop_map(|odd| json!({ "choices": odd, "usage": odd, "error": odd })),
    ]
}
