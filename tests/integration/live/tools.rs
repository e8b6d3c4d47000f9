//! Tool calls in a live session: their questions, their results, what they changed.

use super::*;
use std::time::Duration;
use talaria_core::command::AppConfig;

async fn answer(page: &Page<'_>, approval: &Approval, choice: &str) -> Result<Empty, IpcError> {
    page.ask("approval_respond", json!({ "approval_id": approval.id, "choice": choice })).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_waits_for_its_owner_who_answers_once() {
    let stage = Stage::new().await;
    let (page, other) = (stage.page("main"), stage.page("second"));
    stage.server.say(terminal("a", "echo it ran")).say(Reply::text("Done"));
    let live = page.draft().await;
    let id = page.submit(&live, "run it").await.session_id;
    let asked = page.asked().await;
    assert_eq!((asked.tool.as_str(), asked.text.as_str(), asked.always), ("terminal", "echo it ran", true));
    assert_eq!(stage.row(&id).await.approvals, 1);
    let late = |code| matches!(code, Err(IpcError { code: ErrorCode::NotFound, .. }));
    assert!(late(answer(&other, &asked, "once").await), "another window has no say");
    assert_eq!(stage.row(&id).await.approvals, 1);
    answer(&page, &asked, "once").await.unwrap();
    assert!(late(answer(&page, &asked, "deny").await), "once");
    page.idle(&live).await;
    let rows = stage.rows(&id).await;
    assert_eq!(rows.len(), 4);
    assert!(rows[2].text.contains("it ran"), "{}", rows[2].text);
    assert_eq!(rows[2].tool.as_ref().unwrap().state, ToolState::Done);
    assert_eq!(stage.row(&id).await.approvals, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_denied_command_does_not_run_and_the_model_is_told() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(terminal("a", "touch made")).say(Reply::text("As you wish"));
    let live = page.draft().await;
    let id = page.submit(&live, "run it").await.session_id;
    answer(&page, &page.asked().await, "deny").await.unwrap();
    page.idle(&live).await;
    assert!(!stage.folder.join("made").exists());
    let rows = stage.rows(&id).await;
    assert_eq!(rows[2].tool.as_ref().unwrap().state, ToolState::Denied);
    assert_eq!(rows[3].text, "As you wish");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_allowed_for_the_session_is_exactly_that_command() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage
        .server
        .say(terminal("a", "echo one"))
        .say(terminal("b", "echo one"))
        .say(terminal("c", "echo one more"));
    stage.server.say(Reply::text("Done"));
    let live = page.draft().await;
    page.submit(&live, "run").await;
    answer(&page, &page.asked().await, "session").await.unwrap();
    let third = page
        .until("the third call's question", |event| match event {
            AppEvent::LiveChanged { change: LiveChange::Asked { approval }, .. }
                if approval.call_id == "c" =>
            {
                Some(approval.clone())
            }
            _ => None,
        })
        .await;
    answer(&page, &third, "deny").await.unwrap();
    page.idle(&live).await;
    let questions = page
        .heard()
        .iter()
        .filter(|event| matches!(event, AppEvent::LiveChanged { change: LiveChange::Asked { .. }, .. }))
        .count();
    assert_eq!(questions, 2, "the same command was not asked again");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_always_allowed_is_not_asked_in_another_session_of_the_folder() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(terminal("a", "echo one")).say(Reply::text("Done"));
    stage.server.say(terminal("b", "echo one")).say(Reply::text("Done"));
    let live = page.draft().await;
    page.submit(&live, "run").await;
    answer(&page, &page.asked().await, "always").await.unwrap();
    page.idle(&live).await;
    let (_, id) = page.turn("run again").await;
    assert_eq!(stage.rows(&id).await[2].tool.as_ref().unwrap().state, ToolState::Done);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_ends_with_its_turn() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(terminal("a", "touch made"));
    let live = page.draft().await;
    let id = page.submit(&live, "run").await.session_id;
    let asked = page.asked().await;
    let _: Empty = page.ask("session_interrupt", json!({ "live_id": live })).await.unwrap();
    let rest = page.idle(&live).await;
    assert!(rest.approvals.is_empty());
    assert!(answer(&page, &asked, "once").await.is_err());
    assert!(!stage.folder.join("made").exists());
    assert_eq!(stage.rows(&id).await.len(), 3, "the call has a result that says so");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_written_file_shows_its_change_and_can_be_put_back() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    let file = stage.folder.join("notes.txt");
    std::fs::write(&file, "old\n").unwrap();
    let call = json!({ "path": "notes.txt", "content": "new\n" });
    stage.server.say(Reply::calls(&[("a", "write_file", call)])).say(Reply::text("Done"));
    let live = page.draft().await;
    let id = page.submit(&live, "write").await.session_id;
    answer(&page, &page.asked().await, "once").await.unwrap();
    page.idle(&live).await;
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
    let change = stage.rows(&id).await[2].tool.clone().unwrap().change.expect("a change");
    assert!(change.diff.contains("-old") && change.diff.contains("+new") && !change.undone, "{change:?}");
    let undo = json!({ "session_id": id, "call_id": "a" });
    std::fs::write(&file, "mine\n").unwrap();
    assert_eq!(page.refused("change_undo", &undo).await, ErrorCode::BadRequest, "somebody changed it since");
    std::fs::write(&file, "new\n").unwrap();
    let _: Empty = page.ask("change_undo", &undo).await.unwrap();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old\n");
    assert!(stage.rows(&id).await[2].tool.clone().unwrap().change.expect("a change").undone);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_one_answer_have_one_result_each_in_their_order() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    for name in ["one", "two"] {
        std::fs::write(stage.folder.join(name), name).unwrap();
    }
    let read = |path: &str| json!({ "path": path });
    let calls =
        [("a", "read_file", read("one")), ("b", "read_file", read("two")), ("c", "no_such_tool", json!({}))];
    stage.server.say(Reply::calls(&calls)).say(Reply::text("Read"));
    let (_, id) = page.turn("read").await;
    let rows = stage.rows(&id).await;
    let results: Vec<_> = rows.iter().filter_map(|row| row.tool.as_ref()?.call_id.as_deref()).collect();
    assert_eq!(results, ["a", "b", "c"]);
    assert!(rows[2].text.contains("one") && rows[3].text.contains("two"));
    let told = stage.chats()[1].messages().iter().filter(|said| said["role"] == "tool").count();
    assert_eq!(told, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_nobody_answers_is_denied() {
    let soon = |config: &mut AppConfig| config.answer_within = Duration::from_secs(1);
    let stage = Stage::changed(tempfile::tempdir().unwrap(), soon).await;
    stage.set_model(json!({})).await;
    let page = stage.page("main");
    stage.server.say(terminal("a", "touch made")).say(Reply::text("Another time"));
    let (_, id) = page.turn("run").await;
    assert!(!stage.folder.join("made").exists());
    assert_eq!(stage.rows(&id).await[2].tool.as_ref().unwrap().state, ToolState::Denied);
    let heard = page.heard();
    let asked = page.asked().await;
    assert!(heard.iter().any(|event| matches!(event,
        AppEvent::LiveChanged { change: LiveChange::Answered { approval_id }, .. } if *approval_id == asked.id)));
}
