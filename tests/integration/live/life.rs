//! The life of a live session beside its prompts: marks in the lists, its end, the end of the app.

use super::*;
use std::time::Duration;
use talaria_core::command::AppConfig;

#[tokio::test(flavor = "multi_thread")]
async fn a_row_says_that_it_runs_and_then_that_its_end_was_not_seen() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(gated("One", "go", "")).say(Reply::text("seen"));
    let live = page.draft().await;
    let id = page.submit(&live, "first").await.session_id;
    page.streamed("One").await;
    assert!(stage.row(&id).await.running);
    let running: RunningListResponse = page.ask("running_list", json!({})).await.unwrap();
    assert_eq!(running.sessions.len(), 1);
    stage.server.open("go");
    page.idle(&live).await;
    let row = stage.row(&id).await;
    assert_eq!((row.running, row.unread), (false, true), "its window shows something else");
    let _: SessionRow = page.ask("session_mark", json!({ "id": id, "unread": false })).await.unwrap();
    let _: Empty = page.ask("session_show", json!({ "id": id })).await.unwrap();
    page.submit(&live, "second").await;
    page.idle(&live).await;
    assert!(!stage.row(&id).await.unread);
    let running: RunningListResponse = page.ask("running_list", json!({})).await.unwrap();
    assert!(running.sessions.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_session_ends_first_and_an_archived_one_goes_on() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(gated("One", "never", "")).say(gated("Two", "never", ""));
    let live = page.draft().await;
    let id = page.submit(&live, "first").await.session_id;
    page.streamed("One").await;
    let _: SessionUpdateResponse =
        page.ask("session_update", json!({ "id": id, "archived": true })).await.unwrap();
    assert_eq!(page.live(&live).await.state, LiveState::Running);
    let _: SessionDeleteResponse =
        page.ask("session_delete", json!({ "id": id, "mode": "trash" })).await.unwrap();
    assert_eq!(page.refused("live_get", json!({ "live_id": live })).await, ErrorCode::NotFound);
    assert_eq!(stage.rows(&id).await[1].text, "One", "what came is kept with it");
    assert_eq!(page.refused("session_resume", json!({ "id": id })).await, ErrorCode::BadRequest);
    let live = page.draft().await;
    let id = page.submit(&live, "second").await.session_id;
    page.streamed("Two").await;
    let _: SessionDeleteResponse =
        page.ask("session_delete", json!({ "id": id, "mode": "purge" })).await.unwrap();
    assert_eq!(page.refused("session_get", json!({ "id": id })).await, ErrorCode::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_app_stops_and_stores_what_runs() {
    let stage = Stage::new().await;
    let id = {
        let page = stage.page("main");
        stage.server.say(gated("One", "never", ""));
        let live = page.draft().await;
        let id = page.submit(&live, "first").await.session_id;
        page.streamed("One").await;
        page.submit(&live, "second").await;
        id
    };
    stage.host.app.close().await;
    let stage = Stage::without_model(stage.host.into_folder()).await;
    let rows = stage.rows(&id).await;
    assert_eq!((rows.len(), rows[1].text.as_str()), (2, "One"));
    assert_eq!(rows[1].finish_reason.as_deref(), Some("interrupted"));
    let draft: Draft = stage.page("main").ask("draft_get", json!({ "session_id": id })).await.unwrap();
    assert_eq!(draft.text, "second");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_nobody_uses_or_shows_ends_by_itself() {
    let stage = Stage::new().await;
    stage.server.say(Reply::text("One"));
    let (_, id) = stage.page("main").turn("first").await;
    stage.host.app.close().await;
    let short = |config: &mut AppConfig| config.idle_after = Duration::from_millis(50);
    let stage = Stage::changed(stage.host.into_folder(), short).await;
    let page = stage.page("main");
    let _: Empty = page.ask("session_show", json!({ "id": id })).await.unwrap();
    let SessionResumeResponse::Here { live: LiveSession { live_id: live, .. } } = page.resume(&id).await
    else {
        panic!("nobody has it")
    };
    let other = stage.page("second");
    assert_eq!(other.resume(&id).await, SessionResumeResponse::Elsewhere, "it is shown");
    let _: Empty = page.ask("session_show", json!({})).await.unwrap();
    let deadline = std::time::Instant::now() + Duration::from_secs(60);
    while other.resume(&id).await == SessionResumeResponse::Elsewhere {
        assert!(std::time::Instant::now() < deadline, "it does not end");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(page.refused("live_get", json!({ "live_id": live })).await, ErrorCode::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_the_model_that_was_chosen_for_it() {
    let stage = Stage::new().await;
    let page = stage.page("main");
    stage.server.say(Reply::text("a")).say(Reply::text("b"));
    let (live, id) = page.turn("one").await;
    let choice = json!({ "base_url": stage.server.base_url(), "model": "other-model" });
    let chosen: LiveSession =
        page.ask("session_model", json!({ "live_id": live, "model": choice })).await.unwrap();
    assert_eq!(chosen.model.expect("a choice").model, "other-model");
    page.submit(&live, "two").await;
    page.idle(&live).await;
    let models: Vec<_> = stage.chats().iter().map(|asked| asked.body["model"].clone()).collect();
    assert_eq!(models.last().unwrap(), "other-model");
    assert_eq!(stage.row(&id).await.model.as_deref(), Some("other-model"));
    let _: SessionCloseResponse = page.ask("session_close", json!({ "live_id": live })).await.unwrap();
    let SessionResumeResponse::Here { live } = page.resume(&id).await else { panic!("it is here") };
    assert_eq!(live.model.expect("it is kept").model, "other-model");
}
