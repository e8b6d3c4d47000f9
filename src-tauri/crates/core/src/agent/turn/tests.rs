//! The machine, one rule a test: a script of events, and what it asks for.

use super::*;
use crate::agent::ports::{Judgement, ResultRow, ToolOutcome};
use talaria_wire::{ApprovalChoice, CallState, ErrorCode, IpcError};

pub(super) fn setup(opening: Opening) -> Setup {
    Setup {
        opening,
        since: 7,
        usage: Usage::default(),
        cost_limit: None,
        tools: vec!["read_file".into(), "terminal".into()],
        seed: "s".into(),
    }
}

/// A turn under test and what it last asked for.
struct Script {
    turn: Turn,
    effects: Vec<Effect>,
}

impl Script {
    fn new(setup: Setup) -> Self {
        let mut script = Self { turn: Turn::new(setup), effects: Vec::new() };
        script.on(Event::Begin);
        script
    }

    fn asking() -> Self {
        Self::new(setup(Opening::Ask))
    }

    fn on(&mut self, event: Event) -> &mut Self {
        self.effects = self.turn.on(event, 100);
        self
    }

    fn find<T>(&self, what: impl Fn(&Effect) -> Option<T>) -> Vec<T> {
        self.effects.iter().filter_map(what).collect()
    }

    fn one<T>(&self, name: &str, what: impl Fn(&Effect) -> Option<T>) -> T {
        let mut found = self.find(what);
        assert_eq!(found.len(), 1, "one {name} in {:#?}", self.effects);
        found.remove(0)
    }

    fn asked(&self) -> Ticket {
        self.one("Ask", |effect| match effect {
            Effect::Ask { ticket } => Some(*ticket),
            _ => None,
        })
    }

    fn wait(&self) -> (Ticket, Millis) {
        self.one("Wait", |effect| match effect {
            Effect::Wait { ticket, ms } => Some((*ticket, *ms)),
            _ => None,
        })
    }

    fn answer(&self) -> (Ticket, AnswerRow) {
        self.one("Answer", |effect| match effect {
            Effect::Answer { ticket, row } => Some((*ticket, row.clone())),
            _ => None,
        })
    }

    fn result(&self) -> (Ticket, ResultRow) {
        self.one("Result", |effect| match effect {
            Effect::Result { ticket, row } => Some((*ticket, row.clone())),
            _ => None,
        })
    }

    fn judges(&self) -> Vec<Ticket> {
        self.find(|effect| match effect {
            Effect::Judge { ticket, .. } => Some(*ticket),
            _ => None,
        })
    }

    fn approvals(&self) -> Vec<Ticket> {
        self.find(|effect| match effect {
            Effect::Approve { ticket, .. } => Some(*ticket),
            _ => None,
        })
    }

    fn runs(&self) -> Vec<(Ticket, String)> {
        self.find(|effect| match effect {
            Effect::Run { ticket, call } => Some((*ticket, call.id.clone())),
            _ => None,
        })
    }

    fn compress(&self) -> Ticket {
        self.one("Compress", |effect| match effect {
            Effect::Compress { ticket } => Some(*ticket),
            _ => None,
        })
    }

    fn end(&self) -> TurnEnd {
        self.one("End", |effect| match effect {
            Effect::End(end) => Some(end.clone()),
            _ => None,
        })
    }

    fn store(&mut self, ticket: Ticket) -> &mut Self {
        self.on(Event::Stored { ticket })
    }

    /// The model answers with these pieces, and the row is stored.
    fn answers(&mut self, pieces: Vec<ModelPiece>) -> &mut Self {
        let ticket = self.asked();
        for piece in pieces {
            self.on(Event::Piece { ticket, piece });
        }
        self.on(Event::Answered { ticket });
        let (ticket, _) = self.answer();
        self.store(ticket)
    }

    fn fails(&mut self, kind: ModelErrorKind) -> &mut Self {
        self.fails_after(kind, None)
    }

    fn fails_after(&mut self, kind: ModelErrorKind, retry_after: Option<Millis>) -> &mut Self {
        let ticket = self.asked();
        let error = ModelError { kind, message: "The server said no.".into(), retry_after };
        self.on(Event::Failed { ticket, error })
    }
}

fn text(text: &str) -> ModelPiece {
    ModelPiece::Text(text.into())
}

fn call(index: usize, name: &str) -> ModelPiece {
    call_with(index, name, "{}")
}

fn call_with(index: usize, name: &str, arguments: &str) -> ModelPiece {
    ModelPiece::Call {
        index,
        id: Some(format!("c{index}")),
        name: Some(name.into()),
        arguments: arguments.into(),
    }
}

fn outcome(text: &str) -> ToolOutcome {
    ToolOutcome { text: text.into(), failed: false, change: None }
}

fn ran(ticket: Ticket, text: &str) -> Event {
    Event::Ran { ticket, outcome: outcome(text), duration_ms: 5 }
}

fn free(ticket: Ticket) -> Event {
    Event::Judged { ticket, judgement: Judgement::Free }
}

fn asks(ticket: Ticket) -> Event {
    Event::Judged { ticket, judgement: Judgement::Ask { text: "x".into(), always: false } }
}

#[test]
fn an_answer_without_calls_ends_the_turn_when_it_is_stored() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.on(Event::Piece { ticket, piece: ModelPiece::Reasoning("hm".into()) });
    assert_eq!(script.effects, [Effect::Tell(LiveChange::Reasoning { append: "hm".into() })]);
    script.on(Event::Piece { ticket, piece: text("Hello") });
    script.on(Event::Piece { ticket, piece: ModelPiece::Usage { input: 10, output: 3 } });
    script.on(Event::Answered { ticket });
    assert!(script.effects.contains(&Effect::Count { input: 10, output: 3 }));
    let (ticket, row) = script.answer();
    assert_eq!((&*row.text, row.reasoning.as_deref(), &*row.finish_reason), ("Hello", Some("hm"), "stop"));
    script.store(ticket);
    assert_eq!(script.end(), TurnEnd { how: HowEnded::Done, problem: None, leftover: None });
    assert_eq!(script.turn.waits_for(), []);
}

#[test]
fn what_came_is_kept_at_a_tick_once() {
    let mut script = Script::asking();
    let ticket = script.asked();
    assert_eq!(script.on(Event::Tick).effects, []);
    script.on(Event::Piece { ticket, piece: text("a") }).on(Event::Tick);
    assert_eq!(script.effects, [Effect::Partial { text: "a".into(), reasoning: String::new() }]);
    assert_eq!(script.on(Event::Tick).effects, []);
}

#[test]
fn free_calls_run_side_by_side_and_results_are_stored_in_the_order_of_the_calls() {
    let mut script = Script::asking();
    script.answers(vec![call(0, "read_file"), call(1, "read_file")]);
    let judges = script.judges();
    let first = script.on(free(judges[0])).runs().remove(0).0;
    let second = script.on(free(judges[1])).runs().remove(0).0;
    script.on(ran(second, "two"));
    assert_eq!(script.effects, [], "the first has no result yet");
    let (ticket, row) = script.on(ran(first, "one")).result();
    assert_eq!((&*row.call_id, &*row.outcome.text, row.duration_ms), ("c0", "one", 5));
    let (ticket, row) = script.store(ticket).result();
    assert_eq!((&*row.call_id, &*row.outcome.text), ("c1", "two"));
    script.store(ticket).asked();
}

#[test]
fn at_most_four_free_calls_run_at_once() {
    let mut script = Script::asking();
    script.answers((0..6).map(|n| call(n, "read_file")).collect());
    let mut running = Vec::new();
    for ticket in script.judges() {
        running.extend(script.on(free(ticket)).runs());
    }
    assert_eq!(running.len(), 4);
    assert_eq!(script.on(ran(running[2].0, "")).runs().len(), 1);
}

#[test]
fn allowed_calls_run_one_after_the_other_in_the_order_of_the_answers() {
    let mut script = Script::asking();
    script.answers(vec![call(0, "terminal"), call(1, "terminal")]);
    let judges = script.judges();
    let first = script.on(asks(judges[0])).approvals()[0];
    let second = script.on(asks(judges[1])).approvals()[0];
    let once = |ticket| Event::Approved { ticket, choice: ApprovalChoice::Once };
    let (running, id) = script.on(once(second)).runs().remove(0);
    assert_eq!(id, "c1");
    assert_eq!(script.on(once(first)).runs(), [], "the other one runs");
    let (_, id) = script.on(ran(running, "")).runs().remove(0);
    assert_eq!(id, "c0");
}

#[test]
fn a_denied_and_a_refused_call_get_a_result_that_says_so() {
    let mut script = Script::asking();
    script.answers(vec![call(0, "terminal"), call(1, "terminal")]);
    let judges = script.judges();
    script.on(Event::Judged { ticket: judges[1], judgement: Judgement::Refuse { words: "private".into() } });
    let ticket = script.on(asks(judges[0])).approvals()[0];
    let (ticket, row) = script.on(Event::Approved { ticket, choice: ApprovalChoice::Deny }).result();
    assert!(row.outcome.failed && row.outcome.text.contains("Denied by user"), "{row:?}");
    let (_, row) = script.store(ticket).result();
    assert!(row.outcome.text.contains("private") && row.outcome.text.contains("denied"), "{row:?}");
}

#[test]
fn an_unknown_tool_and_broken_arguments_are_failed_results_and_the_turn_goes_on() {
    let mut script = Script::asking();
    script.answers(vec![
        call(0, "fly"),
        call_with(1, "terminal", "{\"command\": \"ls"),
        call_with(2, "terminal", "[]"),
        call_with(3, "terminal", " "),
    ]);
    assert_eq!(script.judges().len(), 1, "a call without arguments has none: {{}}");
    let mut words = Vec::new();
    for _ in 0..3 {
        let (ticket, row) = script.result();
        words.push(row.outcome.text);
        script.store(ticket);
    }
    assert!(words[0].contains("no tool") && words[0].contains("read_file, terminal"), "{words:?}");
    assert!(words[1].contains("JSON") && words[2].contains("object"), "{words:?}");
}

#[test]
fn a_call_without_an_id_or_with_one_of_an_earlier_call_gets_its_own() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.on(Event::Built { ticket, tokens: 9, call_ids: HashSet::from(["c0".to_owned()]) });
    script.answers_from(ticket, vec![call(0, "terminal"), call(1, "terminal")]);
    let (_, row) = script.answer();
    let ids: Vec<_> = row.calls.iter().map(|call| &*call.id).collect();
    assert_eq!(ids, ["call_s_1", "c1"]);
    assert!(script.effects.iter().any(|effect| matches!(effect, Effect::Count { input: 9, .. })));
}

impl Script {
    fn answers_from(&mut self, ticket: Ticket, pieces: Vec<ModelPiece>) {
        for piece in pieces {
            self.on(Event::Piece { ticket, piece });
        }
        self.on(Event::Answered { ticket });
    }
}

#[test]
fn a_busy_server_is_asked_again_five_times_and_then_it_is_a_problem() {
    let mut script = Script::asking();
    for expected in [1_000, 2_000, 4_000, 8_000, 8_000] {
        script.fails(ModelErrorKind::Busy);
        assert!(script.effects.iter().any(
            |effect| matches!(effect, Effect::Tell(LiveChange::Waiting { words: Some(words) }) if words.contains("Retrying"))
        ));
        let (ticket, ms) = script.wait();
        assert_eq!(ms, expected);
        script.on(Event::Waited { ticket });
        assert!(script.effects.contains(&Effect::Tell(LiveChange::Waiting { words: None })));
    }
    let end = script.fails(ModelErrorKind::Busy).end();
    assert_eq!(end.how, HowEnded::Failed);
    assert!(end.problem.expect("a card").retryable);
}

#[test]
fn retries_are_counted_anew_for_each_request() {
    let mut script = Script::asking();
    let (ticket, _) = script.fails(ModelErrorKind::Unreachable).wait();
    script.on(Event::Waited { ticket }).answers(vec![call(0, "fly")]);
    let (ticket, _) = script.result();
    assert_eq!(script.store(ticket).fails(ModelErrorKind::Unreachable).wait().1, 1_000);
}

#[test]
fn a_server_that_wants_over_a_minute_is_not_waited_for() {
    let end = Script::asking().fails_after(ModelErrorKind::Busy, Some(61_000)).end();
    assert!(end.problem.is_some_and(|problem| problem.message.contains("The server said no.")));
}

#[test]
fn a_refused_key_leads_to_the_settings() {
    let problem = Script::asking().fails(ModelErrorKind::Key).end().problem.expect("a card");
    assert!(problem.settings && problem.message.contains("The server said no."));
}

#[test]
fn what_came_before_the_stream_broke_is_stored_as_cut_without_its_calls() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.on(Event::Piece { ticket, piece: text("Half an ans") });
    script.on(Event::Piece { ticket, piece: call(0, "terminal") });
    let error = ModelError { kind: ModelErrorKind::Cut, message: "Gone.".into(), retry_after: None };
    let (ticket, row) = script.on(Event::Failed { ticket, error }).answer();
    assert_eq!((&*row.text, row.calls.len(), &*row.finish_reason), ("Half an ans", 0, "cut"));
    let end = script.store(ticket).end();
    assert!(end.how == HowEnded::Failed && end.problem.is_some_and(|problem| problem.retryable));
}

#[test]
fn an_answer_without_a_word_is_a_problem_and_no_row() {
    let mut script = Script::asking();
    let ticket = script.asked();
    let end = script.on(Event::Answered { ticket }).end();
    assert!(end.problem.is_some_and(|problem| problem.retryable));
}

#[test]
fn a_context_that_is_too_long_is_summed_up_once() {
    let mut script = Script::asking();
    let ticket = script.fails(ModelErrorKind::TooLong).compress();
    script.on(Event::Compressed { ticket, session: "child".into() });
    let states = script.find(|effect| match effect {
        Effect::Tell(LiveChange::State { state, since: Some(7) }) => Some(*state),
        _ => None,
    });
    assert_eq!(states, [LiveState::Running]);
    assert_eq!(script.fails(ModelErrorKind::TooLong).end().how, HowEnded::Failed);
}

#[test]
fn a_summary_that_was_needed_and_failed_ends_the_turn_with_its_words() {
    let mut script = Script::asking();
    let ticket = script.fails(ModelErrorKind::TooLong).compress();
    let end = script.on(Event::NotCompressed { ticket, words: "No.".into() }).end();
    assert!(end.problem.is_some_and(|problem| problem.message.contains("No.")));
}

#[test]
fn near_the_limit_it_sums_up_first_and_goes_on_when_that_fails() {
    let usage = Usage { context_used: 900, context_max: Some(1_000), ..Usage::default() };
    let mut script = Script::new(Setup { usage, ..setup(Opening::Ask) });
    let ticket = script.compress();
    script.on(Event::NotCompressed { ticket, words: "No.".into() });
    let end = script.answers(vec![text("a")]).end();
    assert_eq!(end.how, HowEnded::Done);
    assert!(end.problem.is_some_and(|problem| problem.message.contains("Nothing was changed. No.")));
}

#[test]
fn stop_stores_what_came_as_interrupted() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.on(Event::Piece { ticket, piece: text("Half") }).on(Event::Stop);
    assert!(script.effects.contains(&Effect::Cancel));
    let (stored, row) = script.answer();
    assert_eq!((&*row.text, &*row.finish_reason), ("Half", "interrupted"));
    assert_eq!(script.on(Event::Piece { ticket, piece: text("late") }).effects, []);
    assert_eq!(script.store(stored).end().how, HowEnded::Stopped);
}

#[test]
fn stop_before_anything_came_ends_at_once() {
    let mut script = Script::asking();
    assert_eq!(script.on(Event::Stop).end().how, HowEnded::Stopped);
    let mut script = Script::asking();
    assert_eq!(script.fails(ModelErrorKind::Busy).on(Event::Stop).end().how, HowEnded::Stopped);
}

#[test]
fn stop_denies_what_waits_and_lets_running_tools_say_what_they_had() {
    let mut script = Script::asking();
    script.answers(vec![call(0, "terminal"), call(1, "terminal"), call(2, "read_file")]);
    let judges = script.judges();
    let (running, _) = script.on(free(judges[0])).runs().remove(0);
    let asked = script.on(asks(judges[1])).approvals()[0];
    script.on(Event::Stop);
    assert_eq!(script.effects, [Effect::Cancel], "the first call's result comes first");
    assert_eq!(script.on(Event::Approved { ticket: asked, choice: ApprovalChoice::Once }).effects, []);
    assert_eq!(script.on(free(judges[2])).effects, []);
    script.on(Event::Ran {
        ticket: running,
        outcome: outcome(r#"{"output":"so far","exit_code":null,"error":null}"#),
        duration_ms: 1,
    });
    let mut texts = Vec::new();
    for _ in 0..3 {
        let (ticket, row) = script.result();
        texts.push(row.outcome.text);
        script.store(ticket);
    }
    assert!(texts.iter().all(|text| text.contains("Stopped by the user.")), "{texts:?}");
    assert!(texts[0].contains("so far"), "{texts:?}");
    assert_eq!(script.end().how, HowEnded::Stopped);
}

#[test]
fn stop_while_an_answer_with_calls_is_stored_gives_each_call_its_result() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.answers_from(ticket, vec![call(0, "terminal")]);
    let (ticket, _) = script.answer();
    script.on(Event::Stop).store(ticket);
    assert_eq!((script.judges(), script.runs()), (vec![], vec![]));
    let (ticket, row) = script.result();
    assert!(row.outcome.text.contains("Stopped by the user."));
    assert_eq!(script.store(ticket).end().how, HowEnded::Stopped);
}

#[test]
fn steer_text_goes_in_before_the_next_request() {
    let mut script = Script::asking();
    script.answers(vec![call(0, "fly")]);
    let (ticket, _) = script.result();
    script.on(Event::Steer("use".into())).on(Event::Steer("tabs".into()));
    script.store(ticket);
    let (ticket, text) = script.one("Steered", |effect| match effect {
        Effect::Steered { ticket, text } => Some((*ticket, text.clone())),
        _ => None,
    });
    assert_eq!(text, "use\n\ntabs");
    script.store(ticket).asked();
}

#[test]
fn steer_text_that_no_request_took_is_left_over() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.on(Event::Piece { ticket, piece: text("a") }).on(Event::Steer("more".into()));
    script.on(Event::Answered { ticket });
    let (ticket, _) = script.answer();
    assert_eq!(script.store(ticket).end().leftover.as_deref(), Some("more"));
}

#[test]
fn a_turn_asks_the_model_fifty_times_at_most() {
    let mut script = Script::asking();
    for _ in 0..MOST_REQUESTS {
        script.answers(vec![call(0, "fly")]);
        let (ticket, _) = script.result();
        script.store(ticket);
    }
    let problem = script.end().problem.expect("a card");
    assert!(problem.retryable && problem.message.contains("50 times"));
}

#[test]
fn the_cost_limit_is_looked_at_before_each_request() {
    let mut script = Script::new(Setup { cost_limit: Some(1.0), ..setup(Opening::Ask) });
    script.answers(vec![call(0, "fly")]);
    let (ticket, _) = script.result();
    script.on(Event::Counted(Usage { cost: Some(1.2), ..Usage::default() }));
    let problem = script.store(ticket).end().problem.expect("a card");
    assert!(problem.settings && problem.message.contains("1.00"));
}

#[test]
fn a_typed_command_runs_without_a_model_and_without_a_question() {
    let mut script = Script::new(setup(Opening::Command("ls \"a b\"".into())));
    let (ticket, row) = script.answer();
    assert_eq!(row.calls[0].name, "terminal");
    assert_eq!(row.calls[0].arguments, r#"{"command":"ls \"a b\""}"#);
    script.on(Event::Steer("and now?".into())).store(ticket);
    let running = script.find(|effect| match effect {
        Effect::Tell(LiveChange::Call { call }) => Some((call.state, call.started_at)),
        _ => None,
    });
    assert_eq!(running, [(CallState::Running, Some(100))]);
    let (ticket, _) = script.runs().remove(0);
    let output = Event::Output { ticket, text: "a".into() };
    let told = LiveChange::Output { call_id: row.calls[0].id.clone(), append: "a".into() };
    assert_eq!(script.on(output).effects, [Effect::Tell(told)]);
    let (ticket, _) = script.on(ran(ticket, "x")).result();
    let end = script.store(ticket).end();
    assert_eq!((end.how, end.leftover.as_deref()), (HowEnded::Done, Some("and now?")));
}

#[test]
fn a_store_that_refuses_a_row_ends_the_turn_when_nothing_runs_any_more() {
    let mut script = Script::asking();
    script.answers(vec![call(0, "fly"), call(1, "terminal")]);
    let (refused, _) = script.result();
    let judge = script.judges()[0];
    let (running, _) = script.on(free(judge)).runs().remove(0);
    let error = IpcError::new(ErrorCode::DiskFull, "No space is left.");
    script.on(Event::NotStored { ticket: refused, error });
    assert_eq!(script.effects, [Effect::Cancel]);
    assert_eq!(script.turn.waits_for(), [running]);
    let end = script.on(ran(running, "")).end();
    assert!(end.problem.is_some_and(|problem| problem.message.contains("No space is left.")));
}

#[test]
fn nothing_follows_the_end() {
    let mut script = Script::asking();
    let ticket = script.asked();
    script.on(Event::Stop).end();
    for event in [
        Event::Begin,
        Event::Stop,
        Event::Tick,
        Event::Answered { ticket },
        Event::Stored { ticket },
        Event::Steer("x".into()),
    ] {
        assert_eq!(script.on(event).effects, []);
    }
}
