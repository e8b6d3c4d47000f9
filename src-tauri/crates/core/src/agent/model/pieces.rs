//! The JSON of an answer, streamed or whole, as [`ModelPiece`]s. Pure.
//!
//! Servers differ: thoughts stand in one of several fields, calls come without an index, whole, or all with index 0, the
//! tokens come with every chunk. What a server leaves out is not invented, but an id for a call, which its result needs.

use super::failure::Said;
use crate::agent::ports::ModelPiece;
use serde_json::Value;

/// Fields in which servers put what the model thinks; the first that holds text counts, because some fill two.
const THOUGHTS: [&str; 3] = ["reasoning_content", "reasoning", "thinking"];

/// Reads the chunks of one answer.
#[derive(Debug)]
pub(super) struct Pieces {
    /// Begins the ids of calls that come without one.
    prefix: String,
    calls: Vec<Call>,
    finished: bool,
    tokens: Option<(i64, i64)>,
    /// Something of an answer came.
    began: bool,
}

/// A tool call under way.
#[derive(Debug)]
struct Call {
    /// What the server calls it: its id, or nothing.
    id: Option<String>,
    /// Its place as the server counts.
    index: Option<u64>,
}

/// A part of a tool call as it came.
struct Part {
    index: Option<u64>,
    id: Option<String>,
    name: Option<String>,
    arguments: String,
}

impl Pieces {
    /// For one answer; `prefix` is to be unique in the session.
    pub fn new(prefix: impl Into<String>) -> Self {
        Self { prefix: prefix.into(), calls: Vec::new(), finished: false, tokens: None, began: false }
    }

    /// What one chunk says, or the whole answer of a server that does not stream.
    ///
    /// # Errors
    /// The server's own words when it reports a failure in place of a chunk.
    pub fn read(&mut self, chunk: &Value) -> Result<Vec<ModelPiece>, Said> {
        if let Some(said) = Said::in_body(chunk) {
            return Err(said);
        }
        self.note_tokens(&chunk["usage"]);
        let mut pieces = Vec::new();
        let choices = chunk["choices"].as_array().map_or(&[][..], Vec::as_slice);
        for choice in choices.iter().filter(|choice| choice["index"].as_u64().unwrap_or(0) == 0) {
            self.began = true;
            let said = if choice["delta"].is_object() { &choice["delta"] } else { &choice["message"] };
            let thoughts = THOUGHTS.iter().map(|field| text(&said[*field])).find(|text| !text.is_empty());
            pieces.extend(thoughts.map(ModelPiece::Reasoning));
            let words = [text(&said["content"]), text(&said["refusal"])];
            pieces.extend(words.into_iter().filter(|text| !text.is_empty()).map(ModelPiece::Text));
            for call in said["tool_calls"].as_array().map_or(&[][..], Vec::as_slice) {
                pieces.push(self.call(Part::of(call)));
            }
            if let Some(reason) = choice["finish_reason"].as_str().filter(|_| !self.finished) {
                self.finished = true;
                pieces.push(ModelPiece::Finish(reason.to_owned()));
            }
        }
        Ok(pieces)
    }

    /// Whether a chunk of an answer came at all.
    pub fn began(&self) -> bool {
        self.began
    }

    /// Whether the server said that the answer is whole.
    pub fn finished(&self) -> bool {
        self.finished
    }

    /// What is left to say at the end: the reason, when the server gave none, and the tokens, which some servers count
    /// up with every chunk.
    pub fn end(self) -> impl Iterator<Item = ModelPiece> {
        let reason = if self.calls.is_empty() { "stop" } else { "tool_calls" };
        let reason = (!self.finished).then(|| ModelPiece::Finish(reason.to_owned()));
        let tokens = self.tokens.map(|(input, output)| ModelPiece::Usage { input, output });
        reason.into_iter().chain(tokens)
    }

    fn note_tokens(&mut self, usage: &Value) {
        let count = |name: &str| usage[name].as_i64().filter(|count| *count >= 0);
        if let (Some(input), Some(output)) = (count("prompt_tokens"), count("completion_tokens")) {
            self.tokens = Some((input, output));
        }
    }

    fn call(&mut self, part: Part) -> ModelPiece {
        let known = self.place(&part);
        let at = known.unwrap_or(self.calls.len());
        if known.is_some() {
            return ModelPiece::Call { index: at, id: None, name: None, arguments: part.arguments };
        }
        let id = part.id.clone().unwrap_or_else(|| format!("{}-{at}", self.prefix));
        self.calls.push(Call { id: part.id, index: part.index });
        let name = Some(part.name.unwrap_or_default());
        ModelPiece::Call { index: at, id: Some(id), name, arguments: part.arguments }
    }

    /// Which call of those begun a part belongs to; `None`: it begins one.
    fn place(&self, part: &Part) -> Option<usize> {
        if let Some(id) = &part.id {
            // Its id repeated goes on; another id begins a call, also at an index that is taken.
            let same = self.calls.iter().rposition(|call| call.id.as_ref() == Some(id));
            let unnamed = |call: &Call| call.id.is_none() && part.name.is_none() && call.index == part.index;
            return same.or_else(|| self.calls.iter().rposition(unnamed));
        }
        match part.index {
            // Of several calls at one index the last one is being written.
            Some(index) => self.calls.iter().rposition(|call| call.index == Some(index)),
            None if part.name.is_some() => None,
            None => self.calls.len().checked_sub(1),
        }
    }
}

impl Part {
    fn of(call: &Value) -> Self {
        let given = |value: &Value| value.as_str().filter(|text| !text.is_empty()).map(str::to_owned);
        let function = &call["function"];
        let arguments = match &function["arguments"] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            // Some servers write the arguments as an object.
            other => other.to_string(),
        };
        Self {
            index: call["index"].as_u64(),
            id: given(&call["id"]),
            name: given(&function["name"]),
            arguments,
        }
    }
}

/// A text, or the texts of a list of parts.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests;
