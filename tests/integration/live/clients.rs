//! Windows: who hears what, moving, reloading, closing.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_listens_to_everything_hears_nothing_of_another_windows_session() {
    let stage = Stage::new().await;
    let (page, spy) = (stage.page("main"), stage.page("spy"));
    stage.server.say(Reply::thinking("reasoning_content", "secret thought", "secret answer"));
    let (live, id) = page.turn("secret question").await;
    let heard = spy.heard();
    assert!(only_ids(&heard), "{heard:?}");
    let told = format!("{heard:?}");
    assert!(told.contains(id.as_str()) && !told.contains("secret"), "the list's rows, by id");
    for (name, body) in [
        ("live_get", json!({ "live_id": live })),
        ("session_interrupt", json!({ "live_id": live })),
        ("prompt_submit", json!({ "live_id": live, "text": "x" })),
        ("queue_set", json!({ "live_id": live, "text": "x" })),
        ("session_undo", json!({ "live_id": live })),
        ("session_retry", json!({ "live_id": live })),
        ("session_compress", json!({ "live_id": live })),
        ("session_model", json!({ "live_id": live })),
    ] {
        assert_eq!(spy.refused(name, body).await, ErrorCode::NotFound, "{name}");
    }
    let closed: SessionCloseResponse = spy.ask("session_close", json!({ "live_id": live })).await.unwrap();
    assert!(!closed.closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_another_window_has_is_shown_there() {
    let stage = Stage::new().await;
    let (page, other) = (stage.page("main"), stage.page("second"));
    stage.server.say(Reply::text("yes"));
    let (_, id) = page.turn("one").await;
    assert_eq!(other.resume(&id).await, SessionResumeResponse::Elsewhere);
    assert_eq!(*stage.fronted.lock().unwrap(), [ClientId::from("main")]);
    page.until("the wish", |event| match event {
        AppEvent::SessionWanted { session_id } if *session_id == id => Some(()),
        _ => None,
    })
    .await;
    assert!(only_ids(&other.heard()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_moves_in_mid_stream_without_loss_or_repeat() {
    let stage = Stage::new().await;
    let (page, other) = (stage.page("main"), stage.page("second"));
    stage.server.say(gated("Once upon", "go", " a time"));
    let live = page.draft().await;
    let id = page.submit(&live, "tell").await.session_id;
    page.streamed("Once upon").await;
    page.submit(&live, "and then?").await;
    let moved: LiveSession = other.ask("session_activate", json!({ "id": id })).await.unwrap();
    assert_eq!((&moved.live_id, moved.text.as_str()), (&live, "Once upon"));
    assert_eq!((moved.queued.as_deref(), moved.state), (Some("and then?"), LiveState::Running));
    stage.server.say(Reply::text("The end"));
    stage.server.open("go");
    other
        .until("the queue to be sent", |event| match event {
            AppEvent::LiveChanged { change: LiveChange::Queued { text: None }, .. } => Some(()),
            _ => None,
        })
        .await;
    other.idle(&live).await;
    let heard = page.heard();
    let own: Vec<&AppEvent> = heard.iter().filter(|event| !only_ids(std::slice::from_ref(event))).collect();
    assert!(
        matches!(own.last(), Some(AppEvent::SessionMoved { live_id, .. }) if *live_id == live),
        "{own:?}"
    );
    assert_eq!(text_of(&heard), "Once upon");
    let there = other.heard();
    assert_eq!(text_of(&there), " a timeThe end");
    let numbers = revs(&there);
    assert_eq!(numbers[0], moved.rev + 1);
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
    assert_eq!(page.refused("live_get", json!({ "live_id": live })).await, ErrorCode::NotFound);
    let said: Vec<String> = stage.said(&id).await.into_iter().map(|(_, text)| text).collect();
    assert_eq!(said, ["tell", "Once upon a time", "and then?", "The end"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_loads_anew_in_mid_stream_goes_on_where_it_was() {
    let stage = Stage::new().await;
    let mut page = stage.page("main");
    stage.server.say(gated("Once upon", "go", " a time"));
    let live = page.draft().await;
    let id = page.submit(&live, "tell").await.session_id;
    page.streamed("Once upon").await;
    page.reload();
    let SessionResumeResponse::Here { live: found } = page.resume(&id).await else { panic!("it is here") };
    assert_eq!((&found.live_id, found.text.as_str()), (&live, "Once upon"));
    stage.server.open("go");
    page.idle(&live).await;
    let heard = page.heard();
    // What came between the new sink and the snapshot is in both, and known by its number.
    let behind: Vec<AppEvent> = heard
        .iter()
        .filter(|event| matches!(event, AppEvent::LiveChanged { rev, .. } if *rev > found.rev))
        .cloned()
        .collect();
    assert_eq!(format!("{}{}", found.text, text_of(&behind)), "Once upon a time");
    let numbers = revs(&behind);
    assert!(numbers.iter().enumerate().all(|(n, rev)| *rev == found.rev + 1 + n as u64), "{numbers:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_closes_ends_its_turn_and_the_next_one_finds_it_stored() {
    let stage = Stage::new().await;
    let (page, other) = (stage.page("main"), stage.page("second"));
    stage.server.say(gated("Once upon", "never", ""));
    let live = page.draft().await;
    let id = page.submit(&live, "tell").await.session_id;
    page.streamed("Once upon").await;
    page.close();
    stage.server.wait_left(1).await;
    // It may still be ending: then it is taken over.
    let SessionResumeResponse::Here { live: found } = other.resume(&id).await else { panic!("it is here") };
    other.idle(&found.live_id).await;
    let rows = stage.rows(&id).await;
    assert_eq!((rows[1].text.as_str(), rows[1].finish_reason.as_deref()), ("Once upon", Some("interrupted")));
    assert!(stage.row(&id).await.unread, "nobody saw its end");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_whose_window_is_not_there_any_more_opens_here() {
    let stage = Stage::new().await;
    let (gone, page) = (stage.page("gone"), stage.page("main"));
    stage.server.say(Reply::text("yes"));
    let (live, id) = gone.turn("one").await;
    let SessionResumeResponse::Here { live: found } = page.resume(&id).await else { panic!("it is here") };
    assert_eq!(found.live_id, live);
}
