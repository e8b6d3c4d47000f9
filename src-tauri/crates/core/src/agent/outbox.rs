//! Changes on their way to the audience, put together so that a fast model makes few events: pieces of one text become one
//! change, of a call that is being written only the newest state goes. The order in which a reader sees them stays. Pure;
//! the driver says when they go.

use talaria_wire::{CallState, LiveChange};

/// Text of one change, in bytes of JSON (security.md, "Channels").
const MOST: usize = 4 * 1024;
/// Output of a tool that waits; older goes, as a reader sees only the last of it (wire, `LiveCall::output`).
const MOST_OUTPUT: usize = 16 * 1024;

/// What waits.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    waiting: Vec<LiveChange>,
    full: bool,
}

impl Outbox {
    /// Takes a change.
    pub(super) fn put(&mut self, change: LiveChange) {
        match change {
            LiveChange::Text { append: more } => {
                if let Some(LiveChange::Text { append }) = self.waiting.last_mut() {
                    append.push_str(&more);
                    self.full |= append.len() >= MOST;
                } else {
                    self.full |= more.len() >= MOST;
                    self.waiting.push(LiveChange::Text { append: more });
                }
            }
            LiveChange::Reasoning { append: more } => {
                if let Some(LiveChange::Reasoning { append }) = self.waiting.last_mut() {
                    append.push_str(&more);
                    self.full |= append.len() >= MOST;
                } else {
                    self.full |= more.len() >= MOST;
                    self.waiting.push(LiveChange::Reasoning { append: more });
                }
            }
            // Calls run side by side: their outputs are told apart by the id, not by their order.
            LiveChange::Output { call_id: of, append: more } => {
                let earlier = self.waiting.iter_mut().rev().find_map(|change| match change {
                    LiveChange::Output { call_id, append } if *call_id == of => Some(append),
                    _ => None,
                });
                if let Some(append) = earlier {
                    append.push_str(&more);
                    let from = append.ceil_char_boundary(append.len().saturating_sub(MOST_OUTPUT));
                    append.drain(..from);
                } else {
                    self.waiting.push(LiveChange::Output { call_id: of, append: more });
                }
            }
            LiveChange::Call { call: newer } if newer.state == CallState::Written => {
                let earlier = self.waiting.iter_mut().rev().find_map(|change| match change {
                    LiveChange::Call { call } if call.call_id == newer.call_id => Some(call),
                    _ => None,
                });
                match earlier {
                    Some(call) => *call = newer,
                    None => self.waiting.push(LiveChange::Call { call: newer }),
                }
            }
            change => {
                self.full = true;
                self.waiting.push(change);
            }
        }
    }

    /// Nothing is to be waited for: there is enough for a change, or one that a reader wants at once.
    pub(super) fn is_full(&self) -> bool {
        self.full
    }

    /// Everything that waits, each change short enough for an event.
    pub(super) fn take(&mut self) -> Vec<LiveChange> {
        self.full = false;
        let mut short = Vec::with_capacity(self.waiting.len());
        for change in self.waiting.drain(..) {
            match change {
                LiveChange::Text { append } => {
                    short.extend(parts(&append).map(|append| LiveChange::Text { append }));
                }
                LiveChange::Reasoning { append } => {
                    short.extend(parts(&append).map(|append| LiveChange::Reasoning { append }));
                }
                LiveChange::Output { call_id, append } => short.extend(
                    parts(&append).map(|append| LiveChange::Output { call_id: call_id.clone(), append }),
                ),
                change => short.push(change),
            }
        }
        short
    }
}

fn parts(mut text: &str) -> impl Iterator<Item = String> {
    std::iter::from_fn(move || {
        let part = fitting(text, MOST);
        text = &text[part.len()..];
        (!part.is_empty()).then(|| part.to_owned())
    })
}

/// The beginning of a text that takes at most `most` bytes as JSON.
pub(super) fn fitting(text: &str, most: usize) -> &str {
    let mut length = 0;
    for (at, c) in text.char_indices() {
        length += match c {
            '"' | '\\' | '\n' | '\r' | '\t' => 2,
            c if c.is_control() => 6,
            c => c.len_utf8(),
        };
        if length > most {
            return &text[..at];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use talaria_wire::{LiveCall, LiveState};

    fn text(append: &str) -> LiveChange {
        LiveChange::Text { append: append.into() }
    }

    fn output(of: &str, append: &str) -> LiveChange {
        LiveChange::Output { call_id: of.into(), append: append.into() }
    }

    fn call(state: CallState, arguments: &str) -> LiveChange {
        LiveChange::Call {
            call: LiveCall {
                call_id: "c".into(),
                name: "t".into(),
                arguments: arguments.into(),
                state,
                started_at: None,
                output: String::new(),
            },
        }
    }

    fn through(changes: Vec<LiveChange>) -> Vec<LiveChange> {
        let mut outbox = Outbox::default();
        for change in changes {
            outbox.put(change);
        }
        outbox.take()
    }

    #[test]
    fn pieces_of_one_text_become_one_change_and_the_order_stays() {
        let reasoning = LiveChange::Reasoning { append: "r".into() };
        let changes = vec![text("a"), text("b"), reasoning.clone(), text("c")];
        assert_eq!(through(changes), [text("ab"), reasoning, text("c")]);
        let changes = vec![output("1", "a"), output("1", "b"), output("2", "c")];
        assert_eq!(through(changes), [output("1", "ab"), output("2", "c")]);
    }

    #[test]
    fn of_a_call_under_the_pen_only_the_newest_state_goes() {
        let changes = vec![
            call(CallState::Written, "{"),
            call(CallState::Written, "{}"),
            call(CallState::Running, "{}"),
        ];
        assert_eq!(through(changes), [call(CallState::Written, "{}"), call(CallState::Running, "{}")]);
    }

    #[test]
    fn a_state_does_not_wait_and_text_waits_for_four_kib() {
        let mut outbox = Outbox::default();
        outbox.put(text("a"));
        outbox.put(call(CallState::Written, "{"));
        assert!(!outbox.is_full());
        outbox.put(LiveChange::State { state: LiveState::Running, since: None });
        assert!(outbox.is_full());
        outbox.take();
        assert!(outbox.take().is_empty() && !outbox.is_full());
        outbox.put(text("a"));
        outbox.put(text(&"x".repeat(MOST)));
        assert!(outbox.is_full());
    }

    #[test]
    fn every_change_is_short_as_json_and_nothing_is_lost() {
        for unit in ["x", "\u{1}", "\"", "é", "\u{1f468}\u{200d}\u{1f469}"] {
            let long = unit.repeat(20_000);
            let mut whole = String::new();
            for change in through(vec![text(&long)]) {
                let LiveChange::Text { append } = change else { panic!("only text went in") };
                let json = serde_json::to_string(&append).expect("a string");
                assert!(json.len() <= MOST + 2, "{unit:?}: {}", json.len());
                whole.push_str(&append);
            }
            assert_eq!(whole, long);
        }
    }

    #[test]
    fn of_a_flood_of_output_the_end_goes() {
        let changes = (0..10_000).map(|n| output("1", &format!("{n:04}é\n"))).collect();
        let shown: String = through(changes)
            .into_iter()
            .map(|change| match change {
                LiveChange::Output { append, .. } => append,
                other => panic!("{other:?}"),
            })
            .collect();
        assert!(shown.ends_with("9998é\n9999é\n") && shown.len() <= MOST_OUTPUT);
    }
}
