//! A reply: status, headers, and its body in steps. Written in Rust by the tests, in JSON for `model-server`.

use super::MODEL;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// One step of a body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A server-sent event with this data.
    Event(Value),
    /// Text as it stands, sent at once.
    Text(String),
    /// Bytes as they stand, sent at once.
    Bytes(Vec<u8>),
    /// The same text so many times.
    Repeat(String, usize),
    /// Waits until the test opens it.
    Gate(String),
    /// Says nothing more and keeps the connection until the client leaves.
    Hold,
    /// Closes the connection in the middle of the body.
    Cut,
    /// Milliseconds. For demos and benches: a test opens a gate instead.
    Wait(u64),
}

/// One answer of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub steps: Vec<Step>,
    /// Only to a request whose body holds these words.
    pub when: Option<String>,
    /// It stays in the script when it has been given.
    pub always: bool,
}

impl Default for Reply {
    fn default() -> Self {
        Self { status: 200, headers: Vec::new(), steps: Vec::new(), when: None, always: false }
    }
}

/// A piece of a streamed answer, around `delta`.
pub fn chunk(delta: Value) -> Value {
    finished(delta, Value::Null)
}

fn finished(delta: Value, reason: Value) -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_796_040_000, "model": MODEL,
        "choices": [{ "index": 0, "delta": delta, "finish_reason": reason }],
    })
}

impl Reply {
    /// A stream of events and nothing else: no end of its own.
    pub fn events(events: impl IntoIterator<Item = Value>) -> Self {
        let steps = events.into_iter().map(Step::Event).collect();
        Self { steps, ..Self::default() }.header("content-type", "text/event-stream")
    }

    /// An answer in words, one piece a word, with its end and its tokens (10 in, one a piece out).
    pub fn text(text: &str) -> Self {
        let words: Vec<_> = text.split_inclusive(' ').collect();
        let deltas = words.iter().map(|word| chunk(json!({ "content": word })));
        Self::events(deltas).end("stop", words.len())
    }

    /// Thoughts in the field that some servers use for them, then words.
    pub fn thinking(field: &str, thoughts: &str, text: &str) -> Self {
        let mut reply = Self::text(text);
        reply.steps.insert(0, Step::Event(chunk(json!({ field: thoughts }))));
        reply
    }

    /// Tool calls `(id, name, arguments)`, each in three parts, the parts of all in turn.
    pub fn calls(calls: &[(&str, &str, Value)]) -> Self {
        let arguments: Vec<String> = calls.iter().map(|(_, _, arguments)| arguments.to_string()).collect();
        let first = calls.iter().enumerate().map(|(index, (id, name, _))| {
            let function = json!({ "name": name, "arguments": "" });
            json!({ "index": index, "id": id, "type": "function", "function": function })
        });
        let parts = (0..2).flat_map(|half| {
            arguments.iter().enumerate().map(move |(index, text)| {
                let middle = text.floor_char_boundary(text.len() / 2);
                let part = if half == 0 { &text[..middle] } else { &text[middle..] };
                json!({ "index": index, "function": { "arguments": part } })
            })
        });
        let events: Vec<_> = first.chain(parts).map(|call| chunk(json!({ "tool_calls": [call] }))).collect();
        let tokens = events.len();
        Self::events(events).end("tool_calls", tokens)
    }

    /// A JSON body, in one piece.
    pub fn json(status: u16, body: &Value) -> Self {
        Self::body(status, "application/json", body.to_string())
    }

    /// A failure as OpenAI words it.
    pub fn error(status: u16, message: &str) -> Self {
        Self::json(status, &json!({ "error": { "message": message, "type": "test_error" } }))
    }

    /// A body of any type.
    pub fn body(status: u16, content_type: &str, body: impl Into<String>) -> Self {
        let steps = vec![Step::Text(body.into())];
        Self { status, steps, ..Self::default() }.header("content-type", content_type)
    }

    /// Takes the request and never answers a byte.
    pub fn silent() -> Self {
        Self { status: 0, steps: vec![Step::Hold], ..Self::default() }
    }

    /// Ends the stream as OpenAI does: reason, tokens, `[DONE]`.
    pub fn end(mut self, reason: &str, output: usize) -> Self {
        let usage = json!({ "prompt_tokens": 10, "completion_tokens": output, "total_tokens": 10 + output });
        self.steps.push(Step::Event(finished(json!({}), json!(reason))));
        self.steps.push(Step::Event(json!({ "choices": [], "usage": usage })));
        self.steps.push(Step::Text("data: [DONE]\n\n".to_owned()));
        self
    }

    /// Adds a header; one of the same name is replaced.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Only to a request whose body holds these words.
    pub fn when(mut self, words: &str) -> Self {
        self.when = Some(words.to_owned());
        self
    }

    /// It stays in the script.
    pub fn always(mut self) -> Self {
        self.always = true;
        self
    }

    /// Waits at a gate before the step at `index`.
    pub fn gate(mut self, index: usize, name: &str) -> Self {
        self.steps.insert(index, Step::Gate(name.to_owned()));
        self
    }

    /// Only the first `count` steps, then `last`.
    pub fn until(mut self, count: usize, last: Step) -> Self {
        self.steps.truncate(count);
        self.steps.push(last);
        self
    }

    /// The same bytes in pieces of `size`, so that every border is met. Gates and ends keep their places.
    pub fn in_pieces(mut self, size: usize) -> Self {
        let mut steps = Vec::new();
        for step in self.steps {
            match step.bytes() {
                Some(bytes) => steps.extend(bytes.chunks(size.max(1)).map(|part| Step::Bytes(part.to_vec()))),
                None => steps.push(step),
            }
        }
        self.steps = steps;
        self
    }
}

impl Step {
    /// What it sends, unless it does something else.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        match self {
            Self::Event(data) => Some(format!("data: {data}\n\n").into_bytes()),
            Self::Text(text) => Some(text.clone().into_bytes()),
            Self::Bytes(bytes) => Some(bytes.clone()),
            Self::Repeat(..) | Self::Gate(_) | Self::Hold | Self::Cut | Self::Wait(_) => None,
        }
    }
}
