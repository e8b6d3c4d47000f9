//! The tool calls of one answer: judged, asked about, run, their results stored in the order of the calls. Free ones run
//! side by side; those the user allowed run one after the other, in the order of the answers. Pure.

use super::answer::shown_call;
use super::event::{Effect, Ticket};
use crate::agent::ports::{Judgement, ResultRow, ToolOutcome};
use serde_json::{Value, json};
use std::collections::VecDeque;
use talaria_wire::{ApprovalChoice, CallState, LiveChange, Millis, ToolCall};

/// Free calls that run at the same time.
const SIDE_BY_SIDE: usize = 4;

#[derive(Clone, Debug)]
enum State {
    Judging(Ticket),
    Asking(Ticket),
    /// Allowed without a question; runs when there is room.
    Free,
    /// Allowed by the user; its place is in `allowed`.
    Allowed,
    Running {
        ticket: Ticket,
        free: bool,
    },
    Ended {
        outcome: ToolOutcome,
        duration_ms: Millis,
    },
    Storing(Ticket),
    Stored,
}

/// The calls under way.
#[derive(Clone, Debug)]
pub(super) struct Calls {
    calls: Vec<(ToolCall, State)>,
    allowed: VecDeque<usize>,
    stopped: bool,
}

/// Makes tickets and takes effects.
pub(super) struct Out<'a> {
    pub(super) now: Millis,
    pub(super) last_ticket: &'a mut u64,
    pub(super) effects: &'a mut Vec<Effect>,
}

impl Out<'_> {
    fn ticket(&mut self) -> Ticket {
        *self.last_ticket += 1;
        Ticket(*self.last_ticket)
    }
}

impl Calls {
    /// Calls of an answer that was stored. `known`: the tools there are; `judged`: whether the rules judge (the user's own
    /// command is not judged); `stopped`: a stop came before.
    pub(super) fn new(
        calls: Vec<ToolCall>,
        known: &[String],
        judged: bool,
        stopped: bool,
        out: &mut Out<'_>,
    ) -> Self {
        let calls = calls.into_iter().map(|call| {
            let state = match unfit(&call, known) {
                _ if stopped => ended(failed(STOPPED)),
                Some(words) => ended(failed(&words)),
                None if !judged => State::Free,
                None => {
                    let ticket = out.ticket();
                    out.effects.push(Effect::Judge { ticket, call: call.clone() });
                    State::Judging(ticket)
                }
            };
            (call, state)
        });
        let mut calls = Self { calls: calls.collect(), allowed: VecDeque::new(), stopped };
        calls.go_on(out);
        calls
    }

    pub(super) fn judged(&mut self, ticket: Ticket, judgement: Judgement, out: &mut Out<'_>) {
        let Some(at) = self.find(|state| matches!(state, State::Judging(open) if *open == ticket)) else {
            return;
        };
        let (call, state) = &mut self.calls[at];
        *state = match judgement {
            Judgement::Free => State::Free,
            Judgement::Refuse { words } => ended(denied(&words)),
            Judgement::Ask { text, always } => {
                let ticket = out.ticket();
                out.effects.push(tell(call, CallState::Waiting, None));
                out.effects.push(Effect::Approve { ticket, call: call.clone(), text, always });
                State::Asking(ticket)
            }
        };
        self.go_on(out);
    }

    pub(super) fn approved(&mut self, ticket: Ticket, choice: ApprovalChoice, out: &mut Out<'_>) {
        let Some(at) = self.find(|state| matches!(state, State::Asking(open) if *open == ticket)) else {
            return;
        };
        self.calls[at].1 = if choice == ApprovalChoice::Deny {
            ended(denied("Denied by user: the call did not run. Do not try it in another way."))
        } else {
            self.allowed.push_back(at);
            State::Allowed
        };
        self.go_on(out);
    }

    pub(super) fn output(&self, ticket: Ticket, text: String, out: &mut Out<'_>) {
        if let Some(at) = self.running(ticket) {
            let call_id = self.calls[at].0.id.clone();
            out.effects.push(Effect::Tell(LiveChange::Output { call_id, append: text }));
        }
    }

    pub(super) fn ran(
        &mut self,
        ticket: Ticket,
        outcome: ToolOutcome,
        duration_ms: Millis,
        out: &mut Out<'_>,
    ) {
        let Some(at) = self.running(ticket) else { return };
        let outcome = if self.stopped { stopped(outcome) } else { outcome };
        self.calls[at].1 = State::Ended { outcome, duration_ms };
        self.go_on(out);
    }

    /// Answers whether the ticket was one of these.
    pub(super) fn stored(&mut self, ticket: Ticket, out: &mut Out<'_>) -> bool {
        let Some(at) = self.find(|state| matches!(state, State::Storing(open) if *open == ticket)) else {
            return false;
        };
        self.calls[at].1 = State::Stored;
        self.go_on(out);
        true
    }

    /// What has not begun does not begin; what runs is waited for (the caller cancels it).
    pub(super) fn stop(&mut self, out: &mut Out<'_>) {
        self.stopped = true;
        self.allowed.clear();
        for (_, state) in &mut self.calls {
            if matches!(state, State::Judging(_) | State::Asking(_) | State::Free | State::Allowed) {
                *state = ended(failed(STOPPED));
            }
        }
        self.go_on(out);
    }

    /// As [`Calls::stop`], and results are not stored any more: the store does not take them.
    pub(super) fn give_up(&mut self) {
        self.stopped = true;
        self.allowed.clear();
        for (_, state) in &mut self.calls {
            if !matches!(state, State::Running { .. }) {
                *state = State::Stored;
            }
        }
    }

    pub(super) fn ran_given_up(&mut self, ticket: Ticket) {
        if let Some(at) = self.running(ticket) {
            self.calls[at].1 = State::Stored;
        }
    }

    pub(super) fn all_stored(&self) -> bool {
        self.calls.iter().all(|(_, state)| matches!(state, State::Stored))
    }

    /// The tickets that are open.
    pub(super) fn waits_for(&self) -> impl Iterator<Item = Ticket> {
        self.calls.iter().filter_map(|(_, state)| match state {
            State::Judging(ticket)
            | State::Asking(ticket)
            | State::Running { ticket, .. }
            | State::Storing(ticket) => Some(*ticket),
            State::Free | State::Allowed | State::Ended { .. } | State::Stored => None,
        })
    }

    /// Starts what may run now, and stores the next result.
    fn go_on(&mut self, out: &mut Out<'_>) {
        let count = |calls: &Self, which: bool| {
            let runs = |state: &State| matches!(state, State::Running { free, .. } if *free == which);
            calls.calls.iter().filter(|(_, state)| runs(state)).count()
        };
        while count(self, true) < SIDE_BY_SIDE
            && let Some(at) = self.find(|state| matches!(state, State::Free))
        {
            self.start(at, true, out);
        }
        while count(self, false) == 0
            && let Some(at) = self.allowed.pop_front()
        {
            self.start(at, false, out);
        }
        let Some(at) = self.find(|state| !matches!(state, State::Stored)) else { return };
        let (call, state) = &mut self.calls[at];
        if let State::Ended { outcome, duration_ms } = state {
            let ticket = out.ticket();
            let row = ResultRow {
                call_id: call.id.clone(),
                name: call.name.clone(),
                outcome: outcome.clone(),
                duration_ms: *duration_ms,
            };
            out.effects.push(Effect::Result { ticket, row });
            *state = State::Storing(ticket);
        }
    }

    fn start(&mut self, at: usize, free: bool, out: &mut Out<'_>) {
        let ticket = out.ticket();
        let (call, state) = &mut self.calls[at];
        out.effects.push(tell(call, CallState::Running, Some(out.now)));
        out.effects.push(Effect::Run { ticket, call: call.clone() });
        *state = State::Running { ticket, free };
    }

    fn running(&self, ticket: Ticket) -> Option<usize> {
        self.find(|state| matches!(state, State::Running { ticket: open, .. } if *open == ticket))
    }

    fn find(&self, is: impl Fn(&State) -> bool) -> Option<usize> {
        self.calls.iter().position(|(_, state)| is(state))
    }
}

const STOPPED: &str = "Stopped by the user.";

/// Why a call cannot even be judged, in words for the model.
fn unfit(call: &ToolCall, known: &[String]) -> Option<String> {
    if !known.contains(&call.name) {
        return Some(format!("There is no tool \"{}\". The tools are: {}.", call.name, known.join(", ")));
    }
    match serde_json::from_str::<Value>(&call.arguments) {
        Ok(Value::Object(_)) => None,
        Ok(_) => Some("The arguments are no JSON object.".into()),
        Err(error) => Some(format!("The arguments are no valid JSON: {error}.")),
    }
}

/// Texts of results tell by themselves how the call ended (the store reads the state from them).
fn failed(words: &str) -> ToolOutcome {
    ToolOutcome { text: json!({ "error": words }).to_string(), failed: true, change: None }
}

fn denied(words: &str) -> ToolOutcome {
    let text = json!({ "error": words, "status": "denied" }).to_string();
    ToolOutcome { text, failed: true, change: None }
}

/// What a tool had when it was stopped.
fn stopped(outcome: ToolOutcome) -> ToolOutcome {
    let mut result = match serde_json::from_str(&outcome.text) {
        Ok(Value::Object(result)) => result,
        _ => serde_json::Map::from_iter([("output".to_owned(), Value::from(outcome.text))]),
    };
    result.insert("error".into(), STOPPED.into());
    ToolOutcome { text: Value::Object(result).to_string(), failed: true, change: outcome.change }
}

fn ended(outcome: ToolOutcome) -> State {
    State::Ended { outcome, duration_ms: 0 }
}

fn tell(call: &ToolCall, state: CallState, started_at: Option<Millis>) -> Effect {
    Effect::Tell(LiveChange::Call { call: shown_call(call, state, started_at) })
}
