//! The answer that a model is writing, put together from its pieces. Pure.

use crate::agent::outbox::fitting;
use crate::agent::ports::{AnswerRow, ModelPiece};
use std::collections::{BTreeMap, HashSet};
use talaria_wire::{CallState, LiveCall, LiveChange, ToolCall};

/// Calls of one answer. A model that asks for more is out of its mind; the further ones are not taken.
const MOST_CALLS: usize = 64;
/// Arguments that are shown while they are being written, in bytes of JSON (wire, [`LiveCall`]).
const SHOWN_ARGUMENTS: usize = 4 * 1024;

/// What came of an answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    text: String,
    reasoning: String,
    calls: BTreeMap<usize, ToolCall>,
    finish: Option<String>,
    usage: Option<(i64, i64)>,
    /// Something came that [`Answer::unkept`] has not handed out.
    grown: bool,
}

impl Answer {
    /// Takes a piece; answers what the audience is told. A call gets its id here: `fresh` makes one for a call that came
    /// without, or with the id of another call (`taken`).
    pub(super) fn take(
        &mut self,
        piece: ModelPiece,
        taken: &mut HashSet<String>,
        mut fresh: impl FnMut() -> String,
    ) -> Option<LiveChange> {
        match piece {
            ModelPiece::Text(append) if append.is_empty() => None,
            ModelPiece::Reasoning(append) if append.is_empty() => None,
            ModelPiece::Text(append) => {
                self.text.push_str(&append);
                self.grown = true;
                Some(LiveChange::Text { append })
            }
            ModelPiece::Reasoning(append) => {
                self.reasoning.push_str(&append);
                self.grown = true;
                Some(LiveChange::Reasoning { append })
            }
            ModelPiece::Call { index, id, name, arguments } => {
                if !self.calls.contains_key(&index) {
                    if self.calls.len() >= MOST_CALLS {
                        return None;
                    }
                    let mut id = id.filter(|id| !id.trim().is_empty()).unwrap_or_else(&mut fresh);
                    while !taken.insert(id.clone()) {
                        id = fresh();
                    }
                    let call = ToolCall { id, name: String::new(), arguments: String::new() };
                    self.calls.insert(index, call);
                }
                let call = self.calls.get_mut(&index)?;
                let (named, shown) = (call.name.is_empty(), call.arguments.len() < SHOWN_ARGUMENTS);
                if named {
                    call.name = name.unwrap_or_default();
                }
                call.arguments.push_str(&arguments);
                (named || shown)
                    .then(|| LiveChange::Call { call: shown_call(call, CallState::Written, None) })
            }
            ModelPiece::Usage { input, output } => {
                self.usage = Some((input, output));
                None
            }
            ModelPiece::Finish(reason) => {
                self.finish = Some(reason);
                None
            }
        }
    }

    /// Something of the answer itself came.
    pub(super) fn came(&self) -> bool {
        !(self.text.is_empty() && self.reasoning.is_empty() && self.calls.is_empty())
    }

    /// What came, when it has grown since the last time.
    pub(super) fn unkept(&mut self) -> Option<(String, String)> {
        std::mem::take(&mut self.grown).then(|| (self.text.clone(), self.reasoning.clone()))
    }

    /// Tokens of the request, as the server said; else estimated for what came after a request of `asked` tokens.
    pub(super) fn usage(&self, asked: i64) -> (i64, i64) {
        self.usage.unwrap_or_else(|| {
            let calls = self.calls.values().map(|call| call.name.len() + call.arguments.len());
            let letters = self.text.chars().count() + self.reasoning.chars().count() + calls.sum::<usize>();
            (asked, (letters / 4) as i64)
        })
    }

    /// The row of an answer that came to its end.
    pub(super) fn whole(self) -> AnswerRow {
        let calls: Vec<ToolCall> = self.calls.into_values().map(with_arguments).collect();
        let usual = if calls.is_empty() { "stop" } else { "tool_calls" };
        AnswerRow {
            text: self.text,
            reasoning: some(self.reasoning),
            calls,
            finish_reason: self.finish.unwrap_or_else(|| usual.to_owned()),
        }
    }

    /// The row of an answer that did not. Its calls go: none ran, and the last one may be half.
    pub(super) fn broken(self, finish_reason: &str) -> AnswerRow {
        AnswerRow {
            text: self.text,
            reasoning: some(self.reasoning),
            calls: Vec::new(),
            finish_reason: finish_reason.to_owned(),
        }
    }
}

/// A call as the audience sees it.
pub(super) fn shown_call(call: &ToolCall, state: CallState, started_at: Option<i64>) -> LiveCall {
    LiveCall {
        call_id: call.id.clone(),
        name: call.name.clone(),
        arguments: fitting(&call.arguments, SHOWN_ARGUMENTS).to_owned(),
        state,
        started_at,
        output: String::new(),
    }
}

/// Servers leave the arguments of a call without any out.
fn with_arguments(mut call: ToolCall) -> ToolCall {
    if call.arguments.trim().is_empty() {
        "{}".clone_into(&mut call.arguments);
    }
    call
}

fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(index: usize, id: Option<&str>, name: Option<&str>, arguments: &str) -> ModelPiece {
        ModelPiece::Call {
            index,
            id: id.map(str::to_owned),
            name: name.map(str::to_owned),
            arguments: arguments.to_owned(),
        }
    }

    fn answer(taken: &[&str], pieces: Vec<ModelPiece>) -> AnswerRow {
        let mut taken = taken.iter().map(|id| (*id).to_owned()).collect();
        let mut answer = Answer::default();
        let mut n = 0;
        for piece in pieces {
            answer.take(piece, &mut taken, || {
                n += 1;
                format!("own_{n}")
            });
        }
        answer.whole()
    }

    #[test]
    fn calls_are_put_together_by_their_index() {
        let row = answer(
            &[],
            vec![
                part(1, Some("b"), Some("two"), "{\"x\""),
                part(0, Some("a"), Some("one"), ""),
                part(1, None, None, ":1}"),
            ],
        );
        let calls: Vec<_> = row.calls.iter().map(|call| (&*call.id, &*call.name, &*call.arguments)).collect();
        assert_eq!(calls, [("a", "one", "{}"), ("b", "two", "{\"x\":1}")]);
        assert_eq!(row.finish_reason, "tool_calls");
    }

    #[test]
    fn a_call_without_an_id_of_its_own_gets_one() {
        let row = answer(
            &["old", "own_1"],
            vec![
                part(0, None, Some("t"), "{}"),
                part(1, Some("old"), Some("t"), "{}"),
                part(2, Some("new"), Some("t"), "{}"),
                part(3, Some("new"), Some("t"), "{}"),
                part(4, Some(" "), Some("t"), "{}"),
            ],
        );
        let ids: Vec<_> = row.calls.iter().map(|call| &*call.id).collect();
        assert_eq!(ids, ["own_2", "own_3", "new", "own_4", "own_5"]);
    }

    #[test]
    fn an_answer_asks_for_a_bounded_number_of_calls() {
        let row = answer(&[], (0..100).map(|n| part(n, None, Some("t"), "{}")).collect());
        assert_eq!(row.calls.len(), MOST_CALLS);
    }

    #[test]
    fn tokens_are_estimated_when_the_server_tells_none() {
        let mut answer = Answer::default();
        answer.take(ModelPiece::Text("12345678".into()), &mut HashSet::new(), String::new);
        assert_eq!(answer.usage(10), (10, 2));
        answer.take(ModelPiece::Usage { input: 5, output: 7 }, &mut HashSet::new(), String::new);
        assert_eq!(answer.usage(10), (5, 7));
    }

    #[test]
    fn what_came_is_handed_out_once() {
        let mut answer = Answer::default();
        assert_eq!(answer.unkept(), None);
        answer.take(ModelPiece::Text("a".into()), &mut HashSet::new(), String::new);
        assert_eq!(answer.unkept(), Some(("a".into(), String::new())));
        assert_eq!(answer.unkept(), None);
    }
}
