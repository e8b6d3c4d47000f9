//! The messages of one request, made from the rows of a transcript. What comes out is always valid for a server: every call
//! has exactly one result right after the answer that asked for it, no result is without its call, no two user or plain
//! assistant messages stand side by side, and it ends with something to answer. Pure.

use crate::agent::ports::ContextMessage;
use serde_json::{Value, json};
use std::collections::HashSet;
use talaria_wire::{MessageRole, ToolCall};

/// The result of a call that has none in the transcript: the app ended in the middle of it.
const NO_RESULT: &str = r#"{"error":"Interrupted: the call may have run, its result is not known."}"#;
/// Said for the user when the transcript ends with the model's own words.
const GO_ON: &str = "Go on from where you stopped.";

/// The instructions, then the transcript. Stored system texts are left out: they are another agent's instructions.
pub fn build(instructions: String, rows: Vec<ContextMessage>) -> Vec<ContextMessage> {
    let mut built = Built::default();
    built.out.push(plain(MessageRole::System, instructions));
    for row in rows {
        built.take(row);
    }
    built.close();
    let answerable = [MessageRole::User, MessageRole::Tool, MessageRole::Notice];
    if built.out.last().is_none_or(|last| !answerable.contains(&last.role)) {
        built.out.push(plain(MessageRole::User, GO_ON.to_owned()));
    }
    built.out
}

/// A message without calls.
pub(super) fn plain(role: MessageRole, text: String) -> ContextMessage {
    ContextMessage { role, text, calls: Vec::new(), call_id: None }
}

/// Estimated tokens: a quarter of the characters, and a few a message.
pub fn tokens(messages: &[ContextMessage]) -> i64 {
    let letters = |message: &ContextMessage| {
        let calls = message.calls.iter().map(|call| call.name.len() + call.arguments.len());
        message.text.chars().count() + calls.sum::<usize>()
    };
    messages.iter().map(|message| letters(message) as i64 / 4 + 4).sum()
}

/// The ids of all calls.
pub(super) fn call_ids(messages: &[ContextMessage]) -> HashSet<String> {
    messages.iter().flat_map(|message| &message.calls).map(|call| call.id.clone()).collect()
}

#[derive(Default)]
struct Built {
    out: Vec<ContextMessage>,
    open: Option<Exchange>,
}

/// An answer with calls, until the next answer.
struct Exchange {
    answer: ContextMessage,
    /// One a call, in the order of the calls.
    results: Vec<Option<ContextMessage>>,
    /// What stands between the results: it goes after them.
    after: Vec<ContextMessage>,
}

impl Built {
    fn take(&mut self, mut row: ContextMessage) {
        match row.role {
            MessageRole::System => {}
            MessageRole::Assistant => {
                self.close();
                row.calls = valid_calls(row.calls, self.out.len());
                if row.calls.is_empty() {
                    self.push(row);
                } else {
                    let results = vec![None; row.calls.len()];
                    self.open = Some(Exchange { answer: row, results, after: Vec::new() });
                }
            }
            MessageRole::Tool => {
                let Some(open) = &mut self.open else { return };
                let of = open.answer.calls.iter().position(|call| Some(&call.id) == row.call_id.as_ref());
                if let Some(at) = of {
                    open.results[at].get_or_insert(row);
                }
            }
            MessageRole::User | MessageRole::Notice | MessageRole::Summary => match &mut self.open {
                Some(open) => open.after.push(row),
                None => self.push(row),
            },
        }
    }

    fn close(&mut self) {
        let Some(Exchange { mut answer, results, after }) = self.open.take() else { return };
        if let Some(before) =
            self.out.pop_if(|last| last.role == MessageRole::Assistant && last.calls.is_empty())
        {
            answer.text = format!("{}\n\n{}", before.text, answer.text).trim_end().to_owned();
        }
        let ids: Vec<String> = answer.calls.iter().map(|call| call.id.clone()).collect();
        self.out.push(answer);
        for (id, result) in ids.into_iter().zip(results) {
            let result = result.unwrap_or_else(|| plain(MessageRole::Tool, NO_RESULT.to_owned()));
            self.out.push(ContextMessage { call_id: Some(id), calls: Vec::new(), ..result });
        }
        for row in after {
            self.push(row);
        }
    }

    /// A message without calls: into the one before when that is of the same role (servers with strict templates refuse
    /// neighbours of one role).
    fn push(&mut self, row: ContextMessage) {
        if row.text.trim().is_empty() {
            return;
        }
        match self.out.last_mut() {
            Some(last)
                if last.role == row.role
                    && last.calls.is_empty()
                    && matches!(row.role, MessageRole::User | MessageRole::Assistant) =>
            {
                last.text.push_str("\n\n");
                last.text.push_str(&row.text);
            }
            _ => self.out.push(ContextMessage { calls: Vec::new(), call_id: None, ..row }),
        }
    }
}

/// Each call with an id of its own and with arguments that are a JSON object: servers read them.
fn valid_calls(calls: Vec<ToolCall>, at: usize) -> Vec<ToolCall> {
    let mut seen = HashSet::new();
    let named = calls.into_iter().enumerate().map(|(n, mut call)| {
        if call.id.trim().is_empty() {
            call.id = format!("call_{at}_{n}");
        }
        if !matches!(serde_json::from_str(&call.arguments), Ok(Value::Object(_))) {
            call.arguments = json!({ "not_json": call.arguments }).to_string();
        }
        call
    });
    named.filter(|call| seen.insert(call.id.clone())).collect()
}

/// Whether every call on disk has exactly one result right after its answer, in order; for tests.
#[cfg(test)]
pub(super) fn check_rows(rows: &[ContextMessage]) -> Result<(), String> {
    let mut owed: Vec<&str> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let owes = owed.first().copied();
        if row.role == MessageRole::Tool && owes.is_some() && row.call_id.as_deref() == owes {
            owed.remove(0);
        } else if row.role == MessageRole::Tool || owes.is_some() {
            return Err(format!("{at}: {owes:?} is owed: {rows:#?}"));
        }
        owed.extend(row.calls.iter().map(|call| &*call.id));
    }
    if owed.is_empty() { Ok(()) } else { Err(format!("{owed:?} are owed: {rows:#?}")) }
}

/// What [`build`] promises; for tests.
#[cfg(test)]
pub(super) fn check(messages: &[ContextMessage]) -> Result<(), String> {
    use MessageRole::{Assistant, System, Tool, User};
    let mut owed: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let wrong = |what: &str| Err(format!("{at}: {what}: {messages:#?}"));
        if (message.role == System) != (at == 0) {
            return wrong("instructions stand first and only there");
        }
        if message.role == Tool {
            if owed.is_empty() || message.call_id.as_deref() != Some(owed.remove(0)) {
                return wrong("a result without its call, or out of order");
            }
            continue;
        }
        if !owed.is_empty() {
            return wrong("a call without a result");
        }
        let before = at.checked_sub(1).map(|before| &messages[before]);
        if before
            .is_some_and(|before| before.role == message.role && matches!(message.role, User | Assistant))
        {
            return wrong("neighbours of one role");
        }
        owed = message.calls.iter().map(|call| &*call.id).collect();
        if owed.iter().collect::<HashSet<_>>().len() != owed.len() {
            return wrong("two calls of one id");
        }
    }
    let answerable = messages.last().is_some_and(|last| !matches!(last.role, Assistant | System));
    if owed.is_empty() && answerable { Ok(()) } else { Err(format!("nothing to answer: {messages:#?}")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use MessageRole::{Assistant, Notice, Summary, System, Tool, User};
    use proptest::prelude::*;

    fn answer(text: &str, calls: &[&str]) -> ContextMessage {
        let calls = calls.iter().map(|id| ToolCall {
            id: (*id).to_owned(),
            name: "t".into(),
            arguments: "{}".into(),
        });
        ContextMessage { calls: calls.collect(), ..plain(Assistant, text.into()) }
    }

    fn result(id: &str, text: &str) -> ContextMessage {
        ContextMessage { call_id: Some(id.into()), ..plain(Tool, text.into()) }
    }

    fn user(text: &str) -> ContextMessage {
        plain(User, text.into())
    }

    fn built(rows: Vec<ContextMessage>) -> Vec<(MessageRole, String)> {
        let messages = build("i".into(), rows);
        check(&messages).expect("valid");
        messages.into_iter().skip(1).map(|message| (message.role, message.text)).collect()
    }

    #[test]
    fn a_call_without_a_result_gets_one_and_a_result_without_a_call_goes() {
        let rows = vec![
            user("a"),
            result("lost", "nobody asked"),
            answer("", &["1", "2"]),
            result("2", "two"),
            result("2", "again"),
            result("9", "foreign"),
            user("b"),
        ];
        assert_eq!(
            built(rows),
            [
                (User, "a".into()),
                (Assistant, String::new()),
                (Tool, NO_RESULT.into()),
                (Tool, "two".into()),
                (User, "b".into())
            ]
        );
    }

    #[test]
    fn what_stands_between_results_goes_after_them() {
        let rows =
            vec![user("a"), answer("", &["1"]), plain(Notice, "n".into()), result("1", "r"), user("b")];
        let roles: Vec<_> = built(rows).into_iter().map(|(role, _)| role).collect();
        assert_eq!(roles, [User, Assistant, Tool, Notice, User]);
    }

    #[test]
    fn neighbours_of_one_role_become_one_and_empty_ones_go() {
        let rows = vec![
            user("a"),
            answer("", &[]),
            user("b"),
            answer("x", &[]),
            answer("y", &[]),
            plain(System, "You are somebody else".into()),
            user("c"),
        ];
        assert_eq!(built(rows), [(User, "a\n\nb".into()), (Assistant, "x\n\ny".into()), (User, "c".into())]);
    }

    #[test]
    fn it_ends_with_something_to_answer() {
        assert_eq!(built(vec![user("a"), answer("half", &[])]).last(), Some(&(User, GO_ON.into())));
        assert_eq!(built(vec![plain(Summary, "s".into())]).last(), Some(&(User, GO_ON.into())));
        assert_eq!(built(vec![]), [(User, GO_ON.into())]);
    }

    #[test]
    fn arguments_that_are_no_object_are_wrapped() {
        let mut row = answer("", &["1"]);
        row.calls[0].arguments = "{\"path\": \"/a".into();
        let messages = build("i".into(), vec![user("a"), row]);
        assert_eq!(messages[2].calls[0].arguments, r#"{"not_json":"{\"path\": \"/a"}"#);
    }

    fn any_row() -> impl Strategy<Value = ContextMessage> {
        let id = || prop::sample::select(vec!["", "1", "2", "3"]);
        prop_oneof![
            "[ a]{0,2}".prop_map(|text| user(&text)),
            ("[ a]{0,2}", prop::collection::vec(id(), 0..4)).prop_map(|(text, ids)| answer(&text, &ids)),
            (id(), "[a]{0,2}").prop_map(|(id, text)| result(id, &text)),
            prop::sample::select(vec![Notice, Summary, System]).prop_map(|role| plain(role, "x".into())),
        ]
    }

    proptest! {
        #[test]
        fn any_transcript_makes_a_valid_request(rows in prop::collection::vec(any_row(), 0..24)) {
            let messages = build("i".into(), rows);
            prop_assert_eq!(check(&messages), Ok(()));
        }
    }
}
