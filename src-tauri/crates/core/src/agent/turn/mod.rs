//! One turn as a pure machine: events in, effects out. It decides what is asked, run, stored and said, and when the turn
//! is over; it does nothing itself, knows no clock and no thread.
//!
//! What always holds: one request at a time; what an answer asked for is stored with the answer and gets exactly one
//! result each, in order, before the next request; an event whose ticket is not open changes nothing; as long as the turn
//! is not over, [`Turn::waits_for`] names what it waits for. `driver` runs it.

mod answer;
mod calls;
mod event;
mod problem;
#[cfg(test)]
mod random;
#[cfg(test)]
mod tests;

pub(super) use problem::not_compressed;

pub use event::{Effect, Event, HowEnded, Opening, Ticket, TurnEnd};

use crate::agent::compress;
use crate::agent::ports::{AnswerRow, ModelError, ModelErrorKind, ModelPiece};
use answer::Answer;
use calls::{Calls, Out};
use std::collections::HashSet;
use talaria_wire::{LiveChange, LiveState, Millis, ToolCall, TurnProblem, Usage};

/// Requests to the model in one turn.
pub const MOST_REQUESTS: u32 = 50;

/// What a turn knows from its start.
#[derive(Clone, Debug)]
pub struct Setup {
    pub opening: Opening,
    /// When the turn began.
    pub since: Millis,
    /// The session's use so far.
    pub usage: Usage,
    /// In the currency of the prices.
    pub cost_limit: Option<f64>,
    /// Names of the tools there are.
    pub tools: Vec<String>,
    /// Makes ids of calls that come without one; different for each turn.
    pub seed: String,
}

#[derive(Clone, Debug)]
enum Phase {
    Fresh,
    Asking {
        ticket: Ticket,
        answer: Box<Answer>,
        asked: i64,
    },
    Waiting {
        ticket: Ticket,
    },
    Answering {
        ticket: Ticket,
        next: Next,
    },
    Calling(Calls),
    /// The store refused a row: what still runs is waited for.
    GivingUp {
        calls: Calls,
        problem: TurnProblem,
    },
    Steering {
        ticket: Ticket,
        text: String,
    },
    Compressing {
        ticket: Ticket,
        needed: bool,
    },
    Over,
}

/// What follows a stored answer.
#[derive(Clone, Debug)]
enum Next {
    Calls(Vec<ToolCall>),
    End { how: HowEnded, problem: Option<TurnProblem> },
}

/// The turn.
#[derive(Clone, Debug)]
pub struct Turn {
    setup: Setup,
    phase: Phase,
    stopping: bool,
    steer: Vec<String>,
    requests: u32,
    /// Failures of the request under way.
    failures: u32,
    /// The session was summed up, or could not be: once a turn.
    compressed: bool,
    /// Something less than the turn went wrong.
    remark: Option<TurnProblem>,
    call_ids: HashSet<String>,
    own_ids: u64,
    last_ticket: u64,
    now: Millis,
    out: Vec<Effect>,
}

impl Turn {
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            phase: Phase::Fresh,
            stopping: false,
            steer: Vec::new(),
            requests: 0,
            failures: 0,
            compressed: false,
            remark: None,
            call_ids: HashSet::new(),
            own_ids: 0,
            last_ticket: 0,
            now: 0,
            out: Vec::new(),
        }
    }

    /// Takes an event at the time `now` and answers what is to be done, in this order.
    pub fn on(&mut self, event: Event, now: Millis) -> Vec<Effect> {
        self.now = now;
        match event {
            _ if matches!(self.phase, Phase::Over) => {}
            Event::Begin => self.begin(),
            Event::Stop => self.stop(),
            Event::Steer(text) => self.steer.push(text),
            Event::Tick => self.keep(),
            Event::Counted(usage) => {
                self.setup.usage = usage;
                self.out.push(Effect::Tell(LiveChange::Usage { usage }));
            }
            Event::Built { ticket, tokens, call_ids } => self.built(ticket, tokens, call_ids),
            Event::Piece { ticket, piece } => self.piece(ticket, piece),
            Event::Answered { ticket } => self.answered(ticket),
            Event::Failed { ticket, error } => self.failed(ticket, error),
            Event::Waited { ticket } => {
                if matches!(self.phase, Phase::Waiting { ticket: open } if open == ticket) {
                    self.out.push(Effect::Tell(LiveChange::Waiting { words: None }));
                    self.ask();
                }
            }
            Event::Stored { ticket } => self.stored(ticket),
            Event::NotStored { ticket, error } => {
                if self.waits_for().contains(&ticket) {
                    let read = matches!(self.phase, Phase::Asking { .. });
                    self.give_up(if read { problem::not_read(&error) } else { problem::not_stored(&error) });
                }
            }
            Event::Judged { ticket, judgement } => {
                self.with_calls(|calls, out| calls.judged(ticket, judgement, out))
            }
            Event::Approved { ticket, choice } => {
                self.with_calls(|calls, out| calls.approved(ticket, choice, out))
            }
            Event::Output { ticket, text } => self.with_calls(|calls, out| calls.output(ticket, text, out)),
            Event::Ran { ticket, outcome, duration_ms } => {
                self.with_calls(|calls, out| calls.ran(ticket, outcome, duration_ms, out));
                if let Phase::GivingUp { calls, problem } = &mut self.phase {
                    calls.ran_given_up(ticket);
                    if calls.all_stored() {
                        let problem = problem.clone();
                        self.end(HowEnded::Failed, Some(problem));
                    }
                }
            }
            Event::Compressed { ticket, .. } => self.summed_up(ticket, None),
            Event::NotCompressed { ticket, words } => self.summed_up(ticket, Some(words)),
        }
        std::mem::take(&mut self.out)
    }

    /// The tickets it waits for: none only before [`Event::Begin`] and after [`Effect::End`].
    pub fn waits_for(&self) -> Vec<Ticket> {
        match &self.phase {
            Phase::Fresh | Phase::Over => Vec::new(),
            Phase::Asking { ticket, .. }
            | Phase::Waiting { ticket }
            | Phase::Answering { ticket, .. }
            | Phase::Steering { ticket, .. }
            | Phase::Compressing { ticket, .. } => vec![*ticket],
            Phase::Calling(calls) | Phase::GivingUp { calls, .. } => calls.waits_for().collect(),
        }
    }

    fn begin(&mut self) {
        if !matches!(self.phase, Phase::Fresh) {
            return;
        }
        match self.setup.opening.clone() {
            Opening::Ask => self.go_on(),
            Opening::Command(command) => {
                let call = ToolCall {
                    id: self.own_id(),
                    name: super::bang::TOOL.to_owned(),
                    arguments: super::bang::arguments(&command),
                };
                let row = AnswerRow {
                    calls: vec![call.clone()],
                    finish_reason: "tool_calls".to_owned(),
                    ..AnswerRow::default()
                };
                self.store_answer(row, Next::Calls(vec![call]));
            }
        }
    }

    /// Between two steps: the next request, or why there is none.
    fn go_on(&mut self) {
        if self.stopping {
            return self.end(HowEnded::Stopped, None);
        }
        if matches!(self.setup.opening, Opening::Command(_)) {
            return self.end(HowEnded::Done, None);
        }
        if self.requests >= MOST_REQUESTS {
            return self.end(HowEnded::Failed, Some(problem::too_many_requests(MOST_REQUESTS)));
        }
        if let (Some(limit), Some(cost)) = (self.setup.cost_limit, self.setup.usage.cost)
            && cost >= limit
        {
            return self.end(HowEnded::Failed, Some(problem::cost(limit)));
        }
        if !self.compressed && compress::is_due(&self.setup.usage) {
            return self.compress(false);
        }
        if !self.steer.is_empty() {
            let (ticket, text) = (self.ticket(), std::mem::take(&mut self.steer).join("\n\n"));
            self.out.push(Effect::Steered { ticket, text: text.clone() });
            self.phase = Phase::Steering { ticket, text };
            return;
        }
        self.requests += 1;
        self.failures = 0;
        self.ask();
    }

    fn ask(&mut self) {
        let ticket = self.ticket();
        self.out.push(Effect::Ask { ticket });
        self.phase = Phase::Asking { ticket, answer: Box::default(), asked: 0 };
    }

    fn built(&mut self, ticket: Ticket, tokens: i64, call_ids: HashSet<String>) {
        if let Phase::Asking { ticket: open, asked, .. } = &mut self.phase
            && *open == ticket
        {
            *asked = tokens;
            self.call_ids.extend(call_ids);
        }
    }

    fn piece(&mut self, ticket: Ticket, piece: ModelPiece) {
        let Phase::Asking { ticket: open, answer, .. } = &mut self.phase else { return };
        if *open != ticket {
            return;
        }
        let (seed, own_ids) = (&self.setup.seed, &mut self.own_ids);
        let change = answer.take(piece, &mut self.call_ids, || {
            *own_ids += 1;
            format!("call_{seed}_{own_ids}")
        });
        self.out.extend(change.map(Effect::Tell));
    }

    fn keep(&mut self) {
        if let Phase::Asking { answer, .. } = &mut self.phase
            && let Some((text, reasoning)) = answer.unkept()
        {
            self.out.push(Effect::Partial { text, reasoning });
        }
    }

    fn answered(&mut self, ticket: Ticket) {
        let Some((answer, asked)) = self.take_answer(ticket) else { return };
        self.count(&answer, asked);
        if !answer.came() {
            return self.end(HowEnded::Failed, Some(problem::empty()));
        }
        let row = answer.whole();
        let next = if row.calls.is_empty() {
            Next::End { how: HowEnded::Done, problem: None }
        } else {
            Next::Calls(row.calls.clone())
        };
        self.store_answer(row, next);
    }

    fn failed(&mut self, ticket: Ticket, error: ModelError) {
        let Some((answer, asked)) = self.take_answer(ticket) else { return };
        if answer.came() {
            self.count(&answer, asked);
            let problem = Some(problem::cut(&error));
            return self.store_answer(answer.broken("cut"), Next::End { how: HowEnded::Failed, problem });
        }
        if let Some(ms) = problem::pause(&error, self.failures) {
            self.failures += 1;
            let (ticket, words) = (self.ticket(), problem::waiting(&error, ms));
            self.out.push(Effect::Tell(LiveChange::Waiting { words: Some(words) }));
            self.out.push(Effect::Wait { ticket, ms });
            self.phase = Phase::Waiting { ticket };
        } else if error.kind == ModelErrorKind::TooLong && !self.compressed {
            self.compress(true);
        } else {
            self.end(HowEnded::Failed, Some(problem::of_model(&error)));
        }
    }

    /// The answer under way, when the ticket is its own. The phase is the caller's to set.
    fn take_answer(&mut self, ticket: Ticket) -> Option<(Answer, i64)> {
        match &mut self.phase {
            Phase::Asking { ticket: open, answer, asked } if *open == ticket => {
                Some((std::mem::take(answer), *asked))
            }
            _ => None,
        }
    }

    fn count(&mut self, answer: &Answer, asked: i64) {
        let (input, output) = answer.usage(asked);
        self.out.push(Effect::Count { input, output });
    }

    fn store_answer(&mut self, row: AnswerRow, next: Next) {
        let ticket = self.ticket();
        self.out.push(Effect::Answer { ticket, row });
        self.phase = Phase::Answering { ticket, next };
    }

    fn stored(&mut self, ticket: Ticket) {
        match &self.phase {
            Phase::Answering { ticket: open, next } if *open == ticket => match next.clone() {
                Next::End { how, problem } => {
                    let how = if self.stopping && problem.is_none() { HowEnded::Stopped } else { how };
                    self.end(how, problem);
                }
                Next::Calls(calls) => self.call(calls),
            },
            Phase::Steering { ticket: open, .. } if *open == ticket => self.go_on(),
            Phase::Calling(_) => self.with_calls(|calls, out| {
                calls.stored(ticket, out);
            }),
            _ => {}
        }
    }

    fn call(&mut self, calls: Vec<ToolCall>) {
        let judged = matches!(self.setup.opening, Opening::Ask);
        let mut out = Out { now: self.now, last_ticket: &mut self.last_ticket, effects: &mut self.out };
        let calls = Calls::new(calls, &self.setup.tools, judged, self.stopping, &mut out);
        self.phase = Phase::Calling(calls);
    }

    fn with_calls(&mut self, change: impl FnOnce(&mut Calls, &mut Out<'_>)) {
        let Phase::Calling(calls) = &mut self.phase else { return };
        let mut out = Out { now: self.now, last_ticket: &mut self.last_ticket, effects: &mut self.out };
        change(calls, &mut out);
        if calls.all_stored() {
            self.go_on();
        }
    }

    fn compress(&mut self, needed: bool) {
        self.compressed = true;
        let ticket = self.ticket();
        self.tell_state(LiveState::Compressing);
        self.out.push(Effect::Compress { ticket });
        self.phase = Phase::Compressing { ticket, needed };
    }

    fn summed_up(&mut self, ticket: Ticket, failed: Option<String>) {
        let Phase::Compressing { ticket: open, needed } = self.phase else { return };
        if open != ticket {
            return;
        }
        if !self.stopping {
            self.tell_state(LiveState::Running);
        }
        match failed {
            None => self.setup.usage.context_used = 0,
            Some(_) if self.stopping => {}
            Some(words) if needed => return self.end(HowEnded::Failed, Some(problem::too_long(&words))),
            Some(words) => self.remark = Some(problem::not_compressed(&words)),
        }
        self.go_on();
    }

    fn stop(&mut self) {
        if std::mem::replace(&mut self.stopping, true) {
            return;
        }
        self.out.push(Effect::Cancel);
        match &mut self.phase {
            Phase::Asking { answer, asked, .. } => {
                let (answer, asked) = (std::mem::take(answer), *asked);
                if answer.came() {
                    self.count(&answer, asked);
                    let next = Next::End { how: HowEnded::Stopped, problem: None };
                    self.store_answer(answer.broken("interrupted"), next);
                } else {
                    self.end(HowEnded::Stopped, None);
                }
            }
            Phase::Fresh | Phase::Waiting { .. } => self.end(HowEnded::Stopped, None),
            Phase::Calling(_) => self.with_calls(|calls, out| calls.stop(out)),
            // Rows and a summary that are being written are waited for: what is on disk must be known.
            Phase::Answering { .. }
            | Phase::GivingUp { .. }
            | Phase::Steering { .. }
            | Phase::Compressing { .. }
            | Phase::Over => {}
        }
    }

    /// The store does not take rows: the turn ends when nothing runs any more.
    fn give_up(&mut self, problem: TurnProblem) {
        if !std::mem::replace(&mut self.stopping, true) {
            self.out.push(Effect::Cancel);
        }
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Calling(mut calls) => {
                calls.give_up();
                if calls.all_stored() {
                    return self.end(HowEnded::Failed, Some(problem));
                }
                self.phase = Phase::GivingUp { calls, problem };
            }
            Phase::Steering { text, .. } => {
                self.steer.insert(0, text);
                self.end(HowEnded::Failed, Some(problem));
            }
            _ => self.end(HowEnded::Failed, Some(problem)),
        }
    }

    fn end(&mut self, how: HowEnded, problem: Option<TurnProblem>) {
        let steer = std::mem::take(&mut self.steer);
        let leftover = (!steer.is_empty()).then(|| steer.join("\n\n"));
        let problem = problem.or(self.remark.take());
        self.out.push(Effect::End(TurnEnd { how, problem, leftover }));
        self.phase = Phase::Over;
    }

    fn tell_state(&mut self, state: LiveState) {
        self.out.push(Effect::Tell(LiveChange::State { state, since: Some(self.setup.since) }));
    }

    fn ticket(&mut self) -> Ticket {
        self.last_ticket += 1;
        Ticket(self.last_ticket)
    }

    fn own_id(&mut self) -> String {
        self.own_ids += 1;
        format!("call_{}_{}", self.setup.seed, self.own_ids)
    }
}
