//! The machine among random events: a world that answers what it asks for in any order, late, twice, wrongly. It must
//! never be stuck, never ask for two answers at once, never go on after its end, and what it wrote must always be a valid
//! request.

use super::tests::setup;
use super::*;
use crate::agent::context;
use crate::agent::ports::{ContextMessage, Judgement, ToolOutcome};
use proptest::prelude::*;
use std::collections::BTreeMap;
use talaria_wire::{ApprovalChoice, ErrorCode, IpcError, MessageRole};

/// The world: what is open, what is on disk.
#[derive(Debug)]
struct World {
    turn: Turn,
    open: BTreeMap<Ticket, Effect>,
    closed: Vec<Ticket>,
    rows: Vec<ContextMessage>,
    asked: u32,
    ended: bool,
    cancelled: bool,
    /// The store refused a row: what is owed may stay owed.
    refused: bool,
}

impl World {
    fn new(setup: Setup) -> Self {
        let rows = vec![context::plain(MessageRole::User, "prompt".into())];
        Self {
            turn: Turn::new(setup),
            open: BTreeMap::new(),
            closed: Vec::new(),
            rows,
            asked: 0,
            ended: false,
            cancelled: false,
            refused: false,
        }
    }

    fn send(&mut self, event: Event) {
        for effect in self.turn.on(event, 0) {
            assert!(!self.ended, "after the end: {effect:?}");
            self.take(effect);
        }
        let waits = self.turn.waits_for();
        assert_eq!(waits.is_empty(), self.ended, "it waits for nothing and is not over: {:#?}", self.turn);
        assert!(waits.iter().all(|ticket| self.open.contains_key(ticket)), "it waits for what is not open");
    }

    fn take(&mut self, effect: Effect) {
        let ticket = match &effect {
            Effect::Ask { ticket } => {
                assert!(
                    !self.open.values().any(|open| matches!(
                        open,
                        Effect::Ask { .. }
                            | Effect::Run { .. }
                            | Effect::Wait { .. }
                            | Effect::Compress { .. }
                    )),
                    "a request beside other work: {:#?}",
                    self.open
                );
                assert!(!self.cancelled, "a request after a stop");
                context::check_rows(&self.rows).expect("what is on disk is whole before a request");
                self.asked += 1;
                *ticket
            }
            Effect::Run { ticket, .. } | Effect::Judge { ticket, .. } | Effect::Approve { ticket, .. } => {
                assert!(!self.cancelled, "begun after a stop: {effect:?}");
                *ticket
            }
            Effect::Wait { ticket, .. } | Effect::Compress { ticket } => *ticket,
            Effect::Answer { ticket, .. }
            | Effect::Result { ticket, .. }
            | Effect::Steered { ticket, .. } => {
                let writes = |open: &Effect| {
                    matches!(open, Effect::Answer { .. } | Effect::Result { .. } | Effect::Steered { .. })
                };
                assert!(!self.open.values().any(writes), "two rows at once");
                *ticket
            }
            Effect::End(_) => {
                self.ended = true;
                let runs = |open: &Effect| matches!(open, Effect::Run { .. });
                assert!(!self.open.values().any(runs), "a tool runs after the end: {:#?}", self.open);
                return;
            }
            Effect::Cancel => {
                assert!(!std::mem::replace(&mut self.cancelled, true), "cancelled twice");
                return;
            }
            Effect::Partial { .. } | Effect::Count { .. } | Effect::Tell(_) => return,
        };
        assert!(!self.closed.contains(&ticket), "a ticket twice");
        assert!(self.open.insert(ticket, effect).is_none(), "a ticket twice");
    }

    /// Answers the open effect; `how` chooses the answer.
    fn answer(&mut self, ticket: Ticket, how: u8) {
        let Some(effect) = self.open.get(&ticket).cloned() else { return };
        let event = match effect {
            Effect::Ask { .. } => match how % 8 {
                0 => Event::Built { ticket, tokens: 10, call_ids: HashSet::from(["0".to_owned()]) },
                1 | 2 => Event::Piece { ticket, piece: ModelPiece::Text("a".into()) },
                3 | 4 => Event::Piece {
                    ticket,
                    piece: ModelPiece::Call {
                        index: usize::from(how / 8 % 3),
                        id: Some((how / 8 % 2).to_string()),
                        name: Some(if how > 200 { "fly" } else { "terminal" }.into()),
                        arguments: String::new(),
                    },
                },
                5 => {
                    use ModelErrorKind::{Busy, Cut, Key, TooLong};
                    let kind = [Busy, Cut, Key, TooLong][usize::from(how / 8 % 4)];
                    let error = ModelError { kind, message: String::new(), retry_after: None };
                    Event::Failed { ticket, error }
                }
                _ => Event::Answered { ticket },
            },
            Effect::Wait { .. } => Event::Waited { ticket },
            Effect::Compress { .. } if how.is_multiple_of(2) => {
                self.rows = vec![context::plain(MessageRole::Summary, "sum".into())];
                Event::Compressed { ticket, session: "child".into() }
            }
            Effect::Compress { .. } => Event::NotCompressed { ticket, words: String::new() },
            Effect::Answer { .. } | Effect::Result { .. } | Effect::Steered { .. } if how == 255 => {
                self.refused = true;
                let error = IpcError::new(ErrorCode::DiskFull, "full");
                Event::NotStored { ticket, error }
            }
            Effect::Answer { row, .. } => {
                let answer = context::plain(MessageRole::Assistant, row.text);
                self.rows.push(ContextMessage { calls: row.calls, ..answer });
                Event::Stored { ticket }
            }
            Effect::Result { row, .. } => {
                let result = context::plain(MessageRole::Tool, row.outcome.text);
                self.rows.push(ContextMessage { call_id: Some(row.call_id), ..result });
                Event::Stored { ticket }
            }
            Effect::Steered { text, .. } => {
                self.rows.push(context::plain(MessageRole::User, text));
                Event::Stored { ticket }
            }
            Effect::Judge { .. } => {
                let judgement = match how % 3 {
                    0 => Judgement::Free,
                    1 => Judgement::Ask { text: String::new(), always: false },
                    _ => Judgement::Refuse { words: String::new() },
                };
                Event::Judged { ticket, judgement }
            }
            Effect::Approve { .. } => {
                let choice = if how.is_multiple_of(2) { ApprovalChoice::Once } else { ApprovalChoice::Deny };
                Event::Approved { ticket, choice }
            }
            Effect::Run { .. } if how.is_multiple_of(3) => Event::Output { ticket, text: "o".into() },
            Effect::Run { .. } => {
                let outcome = ToolOutcome { text: "out".into(), failed: how.is_multiple_of(2), change: None };
                Event::Ran { ticket, outcome, duration_ms: 1 }
            }
            other => panic!("{other:?} has no ticket"),
        };
        if !matches!(event, Event::Built { .. } | Event::Piece { .. } | Event::Output { .. }) {
            self.open.remove(&ticket);
            self.closed.push(ticket);
        }
        self.send(event);
    }

    /// An event that fits nothing open: late, twice, or of nobody.
    fn disturb(&mut self, ticket: Ticket, how: u8) {
        let outcome = || ToolOutcome { text: "foreign".into(), failed: false, change: None };
        let before = self.turn.waits_for();
        self.send(match how % 9 {
            0 => Event::Answered { ticket },
            1 => Event::Piece { ticket, piece: ModelPiece::Text("foreign".into()) },
            2 => Event::Stored { ticket },
            3 => Event::Judged { ticket, judgement: Judgement::Free },
            4 => Event::Approved { ticket, choice: ApprovalChoice::Always },
            5 => Event::Ran { ticket, outcome: outcome(), duration_ms: 0 },
            6 => Event::Waited { ticket },
            7 => Event::Compressed { ticket, session: "foreign".into() },
            _ => Event::NotStored { ticket, error: IpcError::internal("foreign") },
        });
        assert_eq!(self.turn.waits_for(), before, "a foreign event changed the turn");
    }
}

#[derive(Clone, Debug)]
enum Step {
    Answer { which: usize, how: u8 },
    Disturb { which: usize, how: u8 },
    Steer,
    Stop,
    Tick,
    Counted(i64),
    Begin,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        40 => (any::<usize>(), any::<u8>()).prop_map(|(which, how)| Step::Answer { which, how }),
        6 => (any::<usize>(), any::<u8>()).prop_map(|(which, how)| Step::Disturb { which, how }),
        2 => Just(Step::Steer),
        1 => Just(Step::Stop),
        2 => Just(Step::Tick),
        2 => (0_i64..1_000).prop_map(Step::Counted),
        1 => Just(Step::Begin),
    ]
}

fn opening() -> impl Strategy<Value = Opening> {
    prop_oneof![9 => Just(Opening::Ask), 1 => Just(Opening::Command("ls".into()))]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn any_order_of_events_ends_in_a_valid_transcript(
        opening in opening(),
        steps in prop::collection::vec(step(), 0..200),
    ) {
        let mut world = World::new(setup(opening));
        world.send(Event::Begin);
        for step in steps {
            match step {
                Step::Answer { which, how } => {
                    let open: Vec<Ticket> = world.open.keys().copied().collect();
                    if !open.is_empty() {
                        world.answer(open[which % open.len()], how);
                    }
                }
                Step::Disturb { which, how } => {
                    let closed = world.closed.get(which % (world.closed.len() + 1));
                    world.disturb(closed.copied().unwrap_or(Ticket(u64::MAX)), how);
                }
                Step::Steer => world.send(Event::Steer("steer".into())),
                Step::Stop => world.send(Event::Stop),
                Step::Tick => world.send(Event::Tick),
                Step::Counted(context_used) => world.send(Event::Counted(Usage {
                    context_used,
                    context_max: Some(1_000),
                    ..Usage::default()
                })),
                Step::Begin => world.send(Event::Begin),
            }
        }
        // A world that answers everything brings it to its end.
        let mut answers = 0_u32;
        while !world.ended {
            let ticket = *world.open.keys().next().expect("it is not over, so something is open");
            // An answer without calls, a yes, an end of the tool.
            let how = if matches!(world.open[&ticket], Effect::Ask { .. }) && answers.is_multiple_of(2) { 1 } else { 14 };
            world.answer(ticket, how);
            answers += 1;
            prop_assert!(answers < 2_000, "it does not come to an end: {:#?}", world.turn);
        }
        prop_assert!(world.asked <= MOST_REQUESTS * (problem::RETRIES + 2));
        if !world.refused {
            prop_assert_eq!(context::check_rows(&world.rows), Ok(()));
        }
        prop_assert_eq!(context::check(&context::build("i".into(), world.rows)), Ok(()));
    }
}
