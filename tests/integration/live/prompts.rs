//! Prompts: the first one, the queue, steering, editing, another try, taking back, summing up.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_becomes_a_session_with_its_first_prompt_and_the_answer_is_streamed_and_stored() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(Reply::text("Hello dear reader"));
    let live = page.draft().await;
    let list: SessionListResponse = page.ask("session_list", json!({})).await.unwrap();
    assert!(list.rows.is_empty(), "nothing is stored before the first prompt");
    let answer = page.submit(&live, "Hi").await;
    assert_eq!(answer.status, PromptStatus::Streaming);
    let id = answer.session_id;
    let rest = page.idle(&live).await;
    assert_eq!((rest.text.as_str(), &rest.problem), ("", &None));
    assert_eq!(rest.session_id.as_ref(), Some(&id));
    let said =
        [(MessageRole::User, "Hi".to_owned()), (MessageRole::Assistant, "Hello dear reader".to_owned())];
    assert_eq!(stage.said(&id).await, said);
    page.until("the rest", |event| match event {
        AppEvent::LiveChanged { change: LiveChange::State { state: LiveState::Idle, .. }, .. } => Some(()),
        _ => None,
    })
    .await;
    let heard = page.heard();
    assert_eq!(text_of(&heard), "Hello dear reader");
    let revs = revs(&heard);
    assert!(revs.iter().enumerate().all(|(n, rev)| *rev == n as u64 + 1), "{revs:?}");
    let asked = &stage.chats()[0];
    let last = asked.messages().last().unwrap();
    assert_eq!((last["role"].as_str(), last["content"].as_str()), (Some("user"), Some("Hi")));
    let row = stage.row(&id).await;
    assert_eq!((row.source.as_str(), row.folder.as_deref()), ("talaria", stage.folder.to_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_while_a_turn_runs_waits_and_goes_as_one_prompt() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(gated("One", "go", " two")).say(Reply::text("Both done").always());
    let live = page.draft().await;
    let id = page.submit(&live, "first").await.session_id;
    page.streamed("One").await;
    for text in ["second", "third"] {
        assert_eq!(page.submit(&live, text).await.status, PromptStatus::Queued);
    }
    assert_eq!(page.live(&live).await.queued.as_deref(), Some("second\n\nthird"));
    stage.server.open("go");
    page.until("the queue to be sent", |event| match event {
        AppEvent::LiveChanged { change: LiveChange::Queued { text: None }, .. } => Some(()),
        _ => None,
    })
    .await;
    page.idle(&live).await;
    let said: Vec<String> = stage.said(&id).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["first", "One two", "second\n\nthird", "Both done"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_queued_prompt_can_be_changed_and_stays_when_the_turn_is_stopped() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(gated("One", "never", "")).say(Reply::text("x").always());
    let live = page.draft().await;
    let id = page.submit(&live, "first").await.session_id;
    page.streamed("One").await;
    page.submit(&live, "second").await;
    let _: Empty = page.ask("queue_set", json!({ "live_id": live, "text": "better" })).await.unwrap();
    let _: Empty = page.ask("session_interrupt", json!({ "live_id": live })).await.unwrap();
    let rest = page.idle(&live).await;
    assert_eq!((rest.queued.as_deref(), rest.problem), (Some("better"), None));
    let rows = stage.rows(&id).await;
    assert_eq!((rows[1].text.as_str(), rows[1].finish_reason.as_deref()), ("One", Some("interrupted")));
    let closed: SessionCloseResponse = page.ask("session_close", json!({ "live_id": live })).await.unwrap();
    assert!(closed.closed);
    let draft: Draft = page.ask("draft_get", json!({ "session_id": id })).await.unwrap();
    assert_eq!(draft.text, "better", "nothing acknowledged is lost");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_steered_text_goes_into_the_turn_with_the_next_request() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    let mut first = terminal("a", "echo hi");
    first.steps.insert(1, Step::Gate("go".to_owned()));
    stage.server.say(first).say(Reply::text("Understood").always());
    let live = page.draft().await;
    let id = page.submit(&live, "work").await.session_id;
    stage.server.reached("go").await;
    let steer = json!({ "live_id": live, "text": "in French", "busy": "steer" });
    let steered: PromptSubmitResponse = page.ask("prompt_submit", steer).await.unwrap();
    assert_eq!(steered.status, PromptStatus::Steered);
    stage.server.open("go");
    let asked = page.asked().await;
    let yes = json!({ "approval_id": asked.id, "choice": "once" });
    let _: Empty = page.ask("approval_respond", yes).await.unwrap();
    page.idle(&live).await;
    let roles: Vec<MessageRole> = stage.rows(&id).await.iter().map(|row| row.role).collect();
    use MessageRole::{Assistant, Tool, User};
    assert_eq!(roles, [User, Assistant, Tool, User, Assistant]);
    let told = stage.chats()[1].messages().last().unwrap()["content"].to_string();
    assert!(told.contains("in French"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edited_prompt_takes_the_place_of_the_old_one_and_all_behind_it() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(Reply::text("alpha")).say(Reply::text("beta")).say(Reply::text("gamma"));
    let (live, id) = page.turn("one").await;
    page.submit(&live, "two").await;
    page.idle(&live).await;
    let first = stage.rows(&id).await[0].id.clone();
    let edited = json!({ "live_id": live, "text": "uno", "replace": first });
    let _: PromptSubmitResponse = page.ask("prompt_submit", edited).await.unwrap();
    page.idle(&live).await;
    let said: Vec<String> = stage.said(&id).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["uno", "gamma"]);
    let last = stage.chats().pop().unwrap();
    assert!(!last.body.to_string().contains("alpha"), "the model is not told what was taken back");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_try_answers_the_same_prompt_anew_and_undo_gives_it_back() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(Reply::text("bad")).say(Reply::text("good"));
    let (live, id) = page.turn("question").await;
    let _: PromptSubmitResponse = page.ask("session_retry", json!({ "live_id": live })).await.unwrap();
    page.idle(&live).await;
    let said: Vec<String> = stage.said(&id).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["question", "good"]);
    let undone: SessionUndoResponse = page.ask("session_undo", json!({ "live_id": live })).await.unwrap();
    assert_eq!((undone.removed, undone.text.as_str()), (2, "question"));
    assert_eq!(stage.said(&id).await, []);
    assert_eq!(page.refused("session_undo", json!({ "live_id": live })).await, ErrorCode::BadRequest);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_request_leaves_a_problem_that_another_try_mends() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(Reply::error(401, "wrong key")).say(Reply::text("better"));
    let (live, id) = page.turn("question").await;
    let problem = page.live(&live).await.problem.expect("a problem");
    assert!(problem.retryable, "{problem:?}");
    let _: PromptSubmitResponse = page.ask("session_retry", json!({ "live_id": live })).await.unwrap();
    assert_eq!(page.idle(&live).await.problem, None);
    let said: Vec<String> = stage.said(&id).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["question", "better"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_summed_up_by_hand_goes_on_in_a_child_behind_a_divider() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    for text in ["a", "b", "c"] {
        stage.server.say(Reply::text(text));
    }
    let (live, id) = page.turn("one").await;
    for text in ["two", "three"] {
        page.submit(&live, text).await;
        page.idle(&live).await;
    }
    stage.server.say(Reply::text("The gist of it")).say(Reply::text("on"));
    let _: Empty = page.ask("session_compress", json!({ "live_id": live })).await.unwrap();
    let rest = page.idle(&live).await;
    assert_eq!(rest.problem, None);
    let child = rest.session_id.expect("a session");
    assert_ne!(child, id);
    let rows = stage.rows(&id).await;
    assert_eq!(rows.last().unwrap().role, MessageRole::Summary);
    assert!(rows.last().unwrap().text.contains("The gist of it"));
    page.submit(&live, "four").await;
    page.idle(&live).await;
    let asked = stage.chats().pop().unwrap().body.to_string();
    assert!(
        asked.contains("The gist of it") && asked.contains("four") && !asked.contains("\"one\""),
        "{asked}"
    );
    let list: SessionListResponse = page.ask("session_list", json!({})).await.unwrap();
    assert_eq!(list.rows.len(), 1);
    assert_eq!(list.rows[0].id, child);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_context_that_is_nearly_full_is_summed_up_before_the_next_request() {
    let stage = Stage::new().await;
    stage.set_model(json!({ "context_length": 300 })).await;
    let page = stage.page("main");
    let mut long = Reply::events([chunk(json!({ "content": "a long answer" }))]);
    let usage = json!({ "prompt_tokens": 250, "completion_tokens": 5, "total_tokens": 255 });
    long.steps.push(Step::Event(json!({ "choices": [], "usage": usage })));
    long.steps.push(Step::Text("data: [DONE]\n\n".to_owned()));
    stage.server.say(long);
    let (live, id) = page.turn("one").await;
    stage.server.say(Reply::text("The gist")).say(Reply::text("fine"));
    page.submit(&live, "two").await;
    let rest = page.idle(&live).await;
    assert_ne!(rest.session_id, Some(id.clone()), "{rest:?}");
    let rows = stage.rows(&id).await;
    assert!(rows.iter().any(|row| row.role == MessageRole::Summary));
    assert_eq!(rows.last().unwrap().text, "fine");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_prompt_is_refused_unstored_and_a_command_runs() {
    let stage = Stage::without_model(tempfile::tempdir().unwrap()).await;
    let page = stage.page("main");
    let live = page.draft().await;
    let refused: IpcError = page
        .ask::<PromptSubmitResponse>("prompt_submit", json!({ "live_id": live, "text": "Hi" }))
        .await
        .unwrap_err();
    assert!(refused.message.contains("Settings > Model"), "{refused}");
    let list: SessionListResponse = page.ask("session_list", json!({})).await.unwrap();
    assert!(list.rows.is_empty());
    let id = page.submit(&live, "!echo from the shell").await.session_id;
    let rest = page.idle(&live).await;
    assert_eq!(rest.problem, None);
    let rows = stage.rows(&id).await;
    let roles: Vec<MessageRole> = rows.iter().map(|row| row.role).collect();
    assert_eq!(roles, [MessageRole::User, MessageRole::Assistant, MessageRole::Tool]);
    assert!(rows[2].text.contains("from the shell"), "{}", rows[2].text);
    assert!(stage.server.asked().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn long_messages_among_short_ones_arrive_in_order_and_whole() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    let mut pieces = Vec::new();
    for n in 0..40 {
        pieces.push(if n % 4 == 0 {
            format!("{n:02}{}|", "é".repeat(10_000))
        } else {
            format!("{n:02}short|")
        });
    }
    let events = pieces.iter().map(|piece| chunk(json!({ "content": piece })));
    stage.server.say(Reply::events(events).end("stop", 40));
    let (live, id) = page.turn("write much").await;
    let whole = pieces.concat();
    assert_eq!(stage.rows(&id).await[1].text, whole);
    let heard = page.heard();
    assert_eq!(text_of(&heard), whole);
    let revs = revs(&heard);
    assert!(revs.windows(2).all(|pair| pair[1] == pair[0] + 1));
    assert!(
        !heard.iter().any(|event| matches!(event, AppEvent::LiveChanged { change: LiveChange::Refetch, .. })),
        "no piece is too long for an event"
    );
    assert_eq!(page.live(&live).await.rev, *revs.last().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_session_used_is_told_and_kept() {
    let stage = Stage::new().await;
    stage.set_model(json!({ "input_price": 1_000_000.0, "output_price": 0.0 })).await;
    let page = stage.page("main");
    stage.server.say(Reply::text("a b"));
    let (live, id) = page.turn("one").await;
    let usage = page.live(&live).await.usage;
    assert_eq!((usage.input_tokens, usage.output_tokens, usage.cost), (10, 2, Some(10.0)));
    let _: SessionCloseResponse = page.ask("session_close", json!({ "live_id": live })).await.unwrap();
    let SessionResumeResponse::Here { live } = page.resume(&id).await else { panic!("it is here") };
    assert_eq!(live.usage.input_tokens, 10);
}
