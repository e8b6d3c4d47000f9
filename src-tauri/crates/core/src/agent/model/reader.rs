//! The body of an answer, read by what it is rather than by what it is called: some servers do not stream, some call
//! everything plain text. Pure.

use super::failure::Said;
use super::pieces::Pieces;
use super::sse::{Event, Sse};
use crate::agent::ports::ModelPiece;
use serde_json::Value;
use std::mem;

/// What a stream says last.
const DONE: &str = "[DONE]";

/// Why an answer did not come to its end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum BadEnd {
    /// The server says why.
    Said(Said),
    /// This came in its place.
    NoAnswer(&'static str),
    Cut,
}

/// What came, and whether it can go on.
pub(super) type Read = (Vec<ModelPiece>, Result<(), BadEnd>);

/// Reads one answer.
pub(super) struct Reader {
    media_type: String,
    pieces: Pieces,
    body: Body,
    /// The server said that nothing more comes.
    done: bool,
}

enum Body {
    /// Nothing but white space came so far.
    Unknown,
    Stream(Sse),
    Whole(Vec<u8>),
}

const OTHER: BadEnd = BadEnd::NoAnswer("something else");

impl Reader {
    /// `media_type` in lower case; `prefix` begins the ids of calls that come without one.
    pub fn new(media_type: String, prefix: String) -> Self {
        Self { media_type, pieces: Pieces::new(prefix), body: Body::Unknown, done: false }
    }

    /// Whether the rest of the body need not be read.
    pub fn is_done(&self) -> bool {
        self.done
    }

    /// Takes the next bytes; their borders mean nothing.
    pub fn push(&mut self, bytes: &[u8]) -> Read {
        if matches!(self.body, Body::Unknown) {
            match self.kind(bytes) {
                Ok(body) => self.body = body,
                Err(end) => return (Vec::new(), Err(end)),
            }
        }
        match &mut self.body {
            Body::Unknown => (Vec::new(), Ok(())),
            Body::Whole(body) => {
                body.extend_from_slice(bytes);
                (Vec::new(), Ok(()))
            }
            Body::Stream(sse) => match sse.push(bytes) {
                Ok(events) => self.events(events),
                Err(_) => (Vec::new(), Err(BadEnd::NoAnswer("a line without an end"))),
            },
        }
    }

    /// The body has come to its end.
    pub fn end(mut self) -> Read {
        let (mut said, ended) = match mem::replace(&mut self.body, Body::Unknown) {
            Body::Unknown => (Vec::new(), Ok(())),
            Body::Stream(sse) => match self.events(sse.finish().into_iter().collect()) {
                // Half an event.
                (said, Err(BadEnd::NoAnswer(_))) => (said, Err(BadEnd::Cut)),
                read => read,
            },
            Body::Whole(body) => self.whole(&body),
        };
        let is_whole = self.done || self.pieces.finished();
        match ended {
            Err(end) => (said, Err(end)),
            Ok(()) if is_whole && self.pieces.began() => {
                said.extend(self.pieces.end());
                (said, Ok(()))
            }
            Ok(()) if is_whole => (said, Err(BadEnd::NoAnswer("nothing"))),
            Ok(()) => (said, Err(BadEnd::Cut)),
        }
    }

    /// What the body is, by its first letter.
    fn kind(&self, bytes: &[u8]) -> Result<Body, BadEnd> {
        let text = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
        let is_page = self.media_type.contains("html");
        match text.iter().find(|byte| !byte.is_ascii_whitespace()) {
            None => Ok(Body::Unknown),
            Some(b'<') => Err(BadEnd::NoAnswer("a web page")),
            Some(_) if is_page => Err(BadEnd::NoAnswer("a web page")),
            Some(b'{') => Ok(Body::Whole(Vec::new())),
            _ if self.media_type == "text/event-stream" => Ok(Body::Stream(Sse::default())),
            // The first letters of data, event, id and retry, and of a comment.
            Some(b'd' | b'e' | b'i' | b'r' | b':') => Ok(Body::Stream(Sse::default())),
            Some(_) => Err(OTHER),
        }
    }

    /// The answer of a server that does not stream.
    fn whole(&mut self, body: &[u8]) -> Read {
        let body = body.strip_prefix("\u{feff}".as_bytes()).unwrap_or(body);
        let Ok(json) = serde_json::from_slice::<Value>(body) else { return (Vec::new(), Err(BadEnd::Cut)) };
        let read = self.chunk(&json);
        if !self.pieces.began() && read.1.is_ok() {
            return (Vec::new(), Err(OTHER));
        }
        self.done = true;
        read
    }

    fn events(&mut self, events: Vec<Event>) -> Read {
        let mut said = Vec::new();
        for event in events {
            let data = event.data.trim();
            if data == DONE {
                self.done = true;
                break;
            }
            // A ping of some servers has no data.
            if data.is_empty() {
                continue;
            }
            let Ok(json) = serde_json::from_str::<Value>(data) else { return (said, Err(OTHER)) };
            let (more, ended) = self.chunk(&json);
            said.extend(more);
            if ended.is_err() {
                return (said, ended);
            }
        }
        (said, Ok(()))
    }

    fn chunk(&mut self, json: &Value) -> Read {
        match self.pieces.read(json) {
            Ok(said) => (said, Ok(())),
            Err(said) => (Vec::new(), Err(BadEnd::Said(said))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of an answer, and how it ended.
    fn read(media_type: &str, body: &str) -> (String, Result<(), BadEnd>) {
        let mut reader = Reader::new(media_type.to_owned(), "p".into());
        let (mut said, mut ended) = reader.push(body.as_bytes());
        if ended.is_ok() {
            let (more, end) = reader.end();
            said.extend(more);
            ended = end;
        }
        let words = said.iter().filter_map(|piece| match piece {
            ModelPiece::Text(text) => Some(text.as_str()),
            _ => None,
        });
        (words.collect(), ended)
    }

    const CHUNK: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n";
    const LAST: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
    const WHOLE: &str = r#"{"choices":[{"message":{"content":"Hi"}}]}"#;

    #[test]
    fn an_answer_is_read_whatever_it_is_called() {
        for media_type in
            ["text/event-stream", "text/plain", "application/octet-stream", "application/json", ""]
        {
            let stream = format!("{CHUNK}{LAST}data: [DONE]\n\n");
            assert_eq!(read(media_type, &stream), ("Hi".into(), Ok(())), "{media_type}");
            assert_eq!(read(media_type, &format!("\n {WHOLE}")), ("Hi".into(), Ok(())), "{media_type}");
        }
    }

    #[test]
    fn either_the_reason_or_the_last_word_of_the_stream_makes_an_answer_whole() {
        for (end, expected) in [
            (LAST, Ok(())),
            ("data: [DONE]", Ok(())),
            ("", Err(BadEnd::Cut)),
            ("data: {\"choices\":[{\"del", Err(BadEnd::Cut)),
            (": ping\n\n", Err(BadEnd::Cut)),
        ] {
            assert_eq!(read("text/event-stream", &format!("{CHUNK}{end}")), ("Hi".into(), expected), "{end}");
        }
    }

    #[test]
    fn what_is_no_answer_is_named() {
        let page = BadEnd::NoAnswer("a web page");
        for (media_type, body, expected) in [
            ("text/html", "<!doctype html><p>Sign in", page),
            ("text/html", "Sign in", BadEnd::NoAnswer("a web page")),
            ("text/plain", "<html>", BadEnd::NoAnswer("a web page")),
            ("image/png", "\u{1}PNG", OTHER),
            ("text/event-stream", "data: hello\n\n", OTHER),
            ("application/json", "{\"models\":[]}", OTHER),
            ("application/json", "{\"choi", BadEnd::Cut),
            ("text/event-stream", "data: [DONE]\n\n", BadEnd::NoAnswer("nothing")),
            ("text/event-stream", "", BadEnd::Cut),
        ] {
            assert_eq!(read(media_type, body).1, Err(expected), "{media_type} {body}");
        }
    }
}
