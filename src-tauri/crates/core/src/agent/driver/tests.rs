//! The driver over stand-ins of its ports: what is written, said and asked, in which order.

use super::stand_in::{Reply, World};
use super::*;
use crate::agent::ports::{ModelError, ModelErrorKind, ModelPiece};
use crate::agent::title;
use crate::clock::ManualClock;
use MessageRole::{Assistant, Summary, Tool, User};
use talaria_wire::{CallState, LiveChange, LiveState, MessageRole};

fn text(text: &str) -> ModelPiece {
    ModelPiece::Text(text.into())
}

fn call(index: usize, name: &str) -> ModelPiece {
    ModelPiece::Call { index, id: None, name: Some(name.into()), arguments: "{}".into() }
}

fn error(kind: ModelErrorKind, retry_after: Option<i64>) -> ModelError {
    ModelError { kind, message: "The server said no.".into(), retry_after }
}

fn ports(world: &Arc<World>) -> Ports {
    Ports {
        model: Some(world.clone()),
        tools: world.clone(),
        ledger: world.clone(),
        audience: world.clone(),
        approver: world.clone(),
        clock: Arc::new(ManualClock::at(5)),
    }
}

fn start(opening: Opening) -> Setup {
    Setup {
        opening,
        since: 5,
        place: ToolPlace { folder: None, session: "parent".into() },
        model: "m".into(),
        usage: Usage::default(),
        cost_limit: None,
    }
}

async fn run_with(world: &Arc<World>, start: Setup) -> TurnEnd {
    let (_steer, steered) = mpsc::unbounded_channel();
    run(ports(world), start, steered, CancellationToken::new()).await
}

/// A turn that goes on beside the test.
fn begun(
    world: &Arc<World>,
) -> (tokio::task::JoinHandle<TurnEnd>, mpsc::UnboundedSender<String>, CancellationToken) {
    let (steer, steered) = mpsc::unbounded_channel();
    let stop = CancellationToken::new();
    let turn = tokio::spawn(run(ports(world), start(Opening::Ask), steered, stop.clone()));
    (turn, steer, stop)
}

#[tokio::test]
async fn an_answer_is_streamed_and_stored_and_all_text_is_told_before_the_row() {
    let pieces = (0..500).map(|n| text(&format!("{n} "))).collect();
    let world = World::with(vec![Reply::Pieces(pieces)]);
    let end = run_with(&world, start(Opening::Ask)).await;
    assert_eq!(end, TurnEnd { how: HowEnded::Done, problem: None, leftover: None });
    let whole: String = (0..500).map(|n| format!("{n} ")).collect();
    assert_eq!(world.heard(), whole);
    assert_eq!(world.texts(), [(User, "prompt".into()), (Assistant, whole)]);
    let request = world.requests.lock().expect("not poisoned").remove(0);
    assert_eq!((&*request.model, request.messages.len(), request.tools.len()), ("m", 2, 4));
    assert!(request.messages[0].text.contains("Talaria"));
}

#[tokio::test]
async fn a_long_answer_goes_in_changes_of_at_most_four_kib() {
    let world = World::with(vec![Reply::Pieces(vec![text(&"é".repeat(50_000))])]);
    run_with(&world, start(Opening::Ask)).await;
    assert_eq!(world.heard().chars().count(), 50_000);
    let told = world.told.lock().expect("not poisoned");
    for change in &*told {
        assert!(serde_json::to_string(change).expect("a change").len() < 4_200);
    }
}

#[tokio::test]
async fn tools_run_and_a_panic_of_one_is_its_failed_result() {
    let world = World::with(vec![
        Reply::Pieces(vec![call(0, "read_file"), call(1, "panic"), call(2, "terminal")]),
        Reply::Pieces(vec![text("done")]),
    ]);
    world.allow();
    let end = run_with(&world, start(Opening::Ask)).await;
    assert_eq!(end.how, HowEnded::Done);
    let texts = world.texts();
    assert_eq!(texts[2], (Tool, "read_file done".into()));
    assert!(texts[3].1.contains("error") && texts[3].1.contains("fault"), "{texts:?}");
    assert_eq!(texts[4], (Tool, "terminal done".into()));
    assert_eq!(texts[5], (Assistant, "done".into()));
    let told = world.told.lock().expect("not poisoned");
    let said = |change: &LiveChange| matches!(change, LiveChange::Output { append, .. } if append == "terminal says");
    let running = |change: &LiveChange| matches!(change, LiveChange::Call { call } if call.state == CallState::Running && call.started_at == Some(5));
    assert_eq!(told.iter().filter(|change| said(change)).count(), 1);
    assert_eq!(told.iter().filter(|change| running(change)).count(), 3);
}

#[tokio::test]
async fn a_busy_server_is_asked_again() {
    let world = World::with(vec![
        Reply::Fails(vec![], error(ModelErrorKind::Busy, Some(1))),
        Reply::Pieces(vec![text("ok")]),
    ]);
    assert_eq!(run_with(&world, start(Opening::Ask)).await.how, HowEnded::Done);
    let told = world.told.lock().expect("not poisoned");
    let waits: Vec<_> = told
        .iter()
        .filter_map(|change| match change {
            LiveChange::Waiting { words } => Some(words.is_some()),
            _ => None,
        })
        .collect();
    assert_eq!(waits, [true, false]);
}

#[tokio::test]
async fn a_model_client_that_panics_is_a_problem_with_words() {
    let world = World::with(vec![Reply::Panics]);
    let end = run_with(&world, start(Opening::Ask)).await;
    assert!(end.problem.is_some_and(|problem| problem.message.contains("fault in Talaria")));
}

#[tokio::test]
async fn what_came_is_kept_while_the_model_is_silent_and_stop_stores_it() {
    let world = World::with(vec![Reply::Hangs(vec![text("Half")])]);
    let (turn, _steer, stop) = begun(&world);
    world.until(|world| world.partial.lock().expect("not poisoned").as_deref() == Some("Half")).await;
    assert_eq!(world.heard(), "Half", "told before the end");
    stop.cancel();
    assert_eq!(turn.await.expect("no panic").how, HowEnded::Stopped);
    assert_eq!(*world.finished.lock().expect("not poisoned"), ["interrupted"]);
    assert_eq!(world.texts().last(), Some(&(Assistant, "Half".into())));
}

#[tokio::test]
async fn stop_ends_running_tools_and_open_questions() {
    let world = World::with(vec![Reply::Pieces(vec![call(0, "hang"), call(1, "terminal")])]);
    let (turn, _steer, stop) = begun(&world);
    world
        .until(|world| {
            world.told_call("hang", CallState::Running) && world.told_call("terminal", CallState::Waiting)
        })
        .await;
    stop.cancel();
    assert_eq!(turn.await.expect("no panic").how, HowEnded::Stopped);
    let texts = world.texts();
    assert!(texts[2].1.contains("hang done") && texts[2].1.contains("Stopped by the user."), "{texts:?}");
    assert!(texts[3].1.contains("Stopped by the user."), "{texts:?}");
}

#[tokio::test]
async fn steer_text_given_during_a_tool_goes_before_the_next_request() {
    let world = World::with(vec![Reply::Pieces(vec![call(0, "terminal")]), Reply::Hangs(vec![text("yes")])]);
    let (turn, steer, stop) = begun(&world);
    world.until(|world| world.told_call("terminal", CallState::Waiting)).await;
    steer.send("use tabs".into()).expect("the turn is not over");
    world.allow();
    world.until(|world| world.heard() == "yes").await;
    steer.send("too late".into()).expect("the turn is not over");
    stop.cancel();
    let end = turn.await.expect("no panic");
    assert_eq!(end.leftover.as_deref(), Some("too late"));
    let texts = world.texts();
    assert_eq!(texts[2..4], [(Tool, "terminal done".into()), (User, "use tabs".into())]);
    assert!(steer.send("after".into()).is_err(), "after the end it is the caller's");
}

#[tokio::test]
async fn a_context_that_is_too_long_is_summed_up_and_the_turn_goes_on_in_the_child() {
    let world = World::with(vec![
        Reply::Fails(vec![], error(ModelErrorKind::TooLong, None)),
        Reply::Pieces(vec![text("The summary.")]),
        Reply::Pieces(vec![call(0, "read_file")]),
        Reply::Pieces(vec![text("done")]),
    ]);
    for n in 0..4 {
        world.push(Assistant, &format!("answer {n}"));
        world.push(User, &format!("prompt {n}"));
    }
    assert_eq!(run_with(&world, start(Opening::Ask)).await.how, HowEnded::Done);
    assert_eq!(world.texts()[0], (Summary, "The summary.".into()));
    assert_eq!(world.texts().last(), Some(&(Assistant, "done".into())));
    assert_eq!(*world.places.lock().expect("not poisoned"), ["child".into()]);
    let told = world.told.lock().expect("not poisoned");
    let states: Vec<_> = told
        .iter()
        .filter_map(|change| match change {
            LiveChange::State { state, since } => Some((*state, *since)),
            _ => None,
        })
        .collect();
    assert_eq!(states, [(LiveState::Compressing, Some(5)), (LiveState::Running, Some(5))]);
}

#[tokio::test]
async fn a_summary_that_fails_leaves_all_as_it_was() {
    let world = World::with(vec![Reply::Fails(vec![text("Half a")], error(ModelErrorKind::Cut, None))]);
    world.push(Assistant, "a");
    world.push(User, "b");
    let before = world.texts();
    let wish = summary::Wish { model: "m".into(), context_max: None, focus: None };
    let failed = summary::run(&*world, &*world, wish, CancellationToken::new()).await;
    assert_eq!(failed, Err("The server said no.".to_owned()));
    assert_eq!(world.texts(), before);
}

#[tokio::test]
async fn a_summary_by_hand_says_how_it_ended() {
    let world = World::with(vec![Reply::Pieces(vec![text("The summary.")])]);
    world.push(Assistant, "a");
    let setup = || start(Opening::Ask);
    let end = compress(ports(&world), setup(), None, CancellationToken::new()).await;
    assert_eq!(end.how, HowEnded::Done);
    assert_eq!(world.texts(), [(Summary, "The summary.".into())]);
    let end = compress(ports(&world), setup(), None, CancellationToken::new()).await;
    assert!(end.problem.is_some_and(|problem| problem.message.contains("too little to sum up")));
}

#[tokio::test]
async fn without_a_model_a_prompt_leads_to_the_settings() {
    let world = World::with(vec![]);
    let ports = Ports { model: None, ..ports(&world) };
    let (_steer, steered) = mpsc::unbounded_channel();
    let end = run(ports, start(Opening::Ask), steered, CancellationToken::new()).await;
    assert!(end.problem.is_some_and(|problem| problem.settings));
}

#[tokio::test]
async fn a_typed_command_asks_no_model_and_no_user() {
    let world = World::with(vec![]);
    assert_eq!(run_with(&world, start(Opening::Command("ls".into()))).await.how, HowEnded::Done);
    let texts = world.texts();
    assert_eq!(texts[1..], [(Assistant, String::new()), (Tool, "terminal done".into())]);
    assert!(world.requests.lock().expect("not poisoned").is_empty());
}

#[tokio::test]
async fn a_store_that_refuses_a_result_ends_the_turn_with_its_words() {
    let world = World::with(vec![Reply::Pieces(vec![call(0, "read_file")])]);
    *world.refuses_results.lock().expect("not poisoned") = true;
    let end = run_with(&world, start(Opening::Ask)).await;
    assert!(end.problem.is_some_and(|problem| problem.message.contains("No space is left.")));
}

#[tokio::test]
async fn a_dropped_turn_ends_what_it_started() {
    let world = World::with(vec![Reply::Hangs(vec![text("a")])]);
    let (turn, _steer, _stop) = begun(&world);
    world.until(|world| world.heard() == "a").await;
    turn.abort();
    assert!(turn.await.expect_err("aborted").is_cancelled());
    let alone = async {
        while Arc::strong_count(&world) > 1 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(60), alone).await.expect("nobody holds the ports");
}

#[tokio::test]
async fn the_first_turn_names_the_session_and_a_silent_model_leaves_it_the_first_words() {
    let model = |world: &Arc<World>| world.clone();
    let world = World::with(vec![Reply::Pieces(vec![text("\"Red shoes\"")])]);
    world.push(Assistant, "answer");
    let stop = CancellationToken::new();
    title::name(Some((&*model(&world), "m")), &*world, stop.clone()).await.expect("named");
    assert_eq!(world.title.lock().expect("not poisoned").as_deref(), Some("Red shoes"));
    assert!(world.requests.lock().expect("not poisoned")[0].tools.is_empty());

    let world = World::with(vec![Reply::Fails(vec![], error(ModelErrorKind::Busy, None))]);
    title::name(Some((&*model(&world), "m")), &*world, stop.clone()).await.expect("named");
    assert_eq!(world.title.lock().expect("not poisoned").as_deref(), Some("prompt"));

    let world = World::with(vec![]);
    world.push(User, "second");
    title::name(Some((&*model(&world), "m")), &*world, stop).await.expect("nothing to do");
    assert_eq!(*world.title.lock().expect("not poisoned"), None);
}
