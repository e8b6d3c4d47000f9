use crate::steps::{bring_in_answer, media_folder, open_app, open_demo, open_session};
use app_tests::desktop::{App, Page, Stage};
use app_tests::generated_media::{Clip, SECONDS};
use serde_json::{Value, json};

/// Finds a card's player once its length is known, sets flags as its events come and starts it. `play()` is not
/// awaited, because WebKit may never settle it (measured).
const START: &str = "const group = page.first('group', args[0]);
    const player = group?.querySelector('video, audio');
    if (group?.dataset.mediaState !== 'ready' || !player || player.readyState < 1 || player.seeking) return null;
    const seen = { played: false, seeked: 0, error: null };
    player.addEventListener('timeupdate', () => { if (player.currentTime > 0.3) seen.played = true; });
    player.addEventListener('seeked', () => { seen.seeked += 1; });
    player.addEventListener('error', () => { seen.error = `media error ${player.error?.code}`; });
    window.watched = { player, seen };
    player.play().catch((error) => { seen.error = String(error); });
    return { duration: player.duration, width: player.videoWidth ?? null }";

/// Waits for something about the watched player, and fails at once when it reports an error.
async fn until(page: &Page, what: &str, condition: &str) {
    let script = format!(
        "const {{ player, seen }} = window.watched; return seen.error ? {{ error: seen.error }} : ({condition})"
    );
    let answer = page.wait_with(what, &script, &[]).await;
    assert_eq!(answer["error"], Value::Null, "while waiting for {what}");
}

async fn plays_and_seeks(page: &Page, card: &str) {
    let start = page.wait_with(&format!("the player of {card:?}"), START, &[json!(card)]).await;
    let duration = start["duration"].as_f64().expect("a duration");
    assert!((duration - SECONDS).abs() < 0.5, "{card} lasts {duration} s, was made with {SECONDS} s");
    if card.starts_with("Video") {
        assert_eq!(start["width"], 640, "{card} has its picture");
    }
    until(page, "the clock to run", "seen.played").await;

    page.run("window.watched.player.pause()", &[]).await;
    let at = seek(page, "the middle", "player.duration / 2").await;
    assert!((at - duration / 2.0).abs() < 0.5, "{card}: asked for {} s, got {at} s", duration / 2.0);
    let at = seek(page, "past the end", "player.duration + 60").await;
    // The length itself may become known more exactly at the end.
    let duration = page.run("return window.watched.player.duration", &[]).await.as_f64().expect("a duration");
    assert!((at - duration).abs() < 0.1, "{card}: a seek past the end went to {at} s of {duration} s");

    // Whoever presses play at the end hears it again from the start.
    page.run("const { player, seen } = window.watched; seen.seeked = 0; player.play().catch(() => {})", &[])
        .await;
    let replayed = "seen.seeked >= 1 && !player.seeking
        && player.currentTime > 0.3 && player.currentTime < player.duration - 0.5";
    until(page, "the replay", replayed).await;
    page.run("window.watched.player.pause()", &[]).await;
}

/// Sets the watched player's time, waits until this very seek is through, and answers where it led.
async fn seek(page: &Page, what: &str, to: &str) -> f64 {
    page.run(
        &format!("const {{ player, seen }} = window.watched; seen.seeked = 0; player.currentTime = {to}"),
        &[],
    )
    .await;
    until(page, &format!("the seek to {what}"), "seen.seeked >= 1 && !player.seeking").await;
    page.run("return window.watched.player.currentTime", &[]).await.as_f64().expect("a time")
}

/// The app with a session open whose answer names one fresh file.
async fn open_with(stage: &Stage, clip: Clip) -> App {
    let path = clip.make_in(&media_folder(stage)).expect("ffmpeg makes the file");
    bring_in_answer(stage, "Fresh media", &format!("Here it is:\nMEDIA:{}\nEnd.", path.display())).await;
    let app = open_app(stage).await;
    open_session(&app.page, "Fresh media").await;
    app
}

#[tokio::test]
async fn an_mp4_with_its_index_at_the_end_plays_and_seeks_in_place() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Mp4IndexAtEnd).await;
    plays_and_seeks(&app.page, "Video: test-card-index-at-end.mp4").await;
    app.close().await;
}

#[tokio::test]
async fn an_mp4_with_its_index_at_the_start_plays_and_seeks_in_place() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Mp4IndexAtStart).await;
    plays_and_seeks(&app.page, "Video: test-card.mp4").await;
    app.close().await;
}

#[tokio::test]
async fn a_video_is_there_again_each_time_its_session_is_opened() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Mp4IndexAtStart).await;
    let page = &app.page;
    let settled = "const state = page.first('group', args[0])?.dataset.mediaState;
        return ['ready', 'error'].includes(state) ? state : null";
    for time in 1..=6 {
        let state = page.wait_with("the card", settled, &[json!("Video: test-card.mp4")]).await;
        assert_eq!(state, "ready", "opened for the {time}. time");
        page.click("button", "New session").await;
        page.wait_for("the card to go", "return !document.querySelector('[data-media-state]')").await;
        open_session(page, "Fresh media").await;
    }
    app.close().await;
}

#[tokio::test]
async fn a_webm_plays_and_seeks_in_place() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Webm).await;
    plays_and_seeks(&app.page, "Video: test-card.webm").await;
    app.close().await;
}

#[tokio::test]
async fn a_wav_plays_and_seeks_in_place() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Wav).await;
    plays_and_seeks(&app.page, "Audio: tone.wav").await;
    app.close().await;
}

#[tokio::test]
async fn an_mp3_plays_and_seeks_in_place() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Mp3).await;
    plays_and_seeks(&app.page, "Audio: tone.mp3").await;
    app.close().await;
}

#[tokio::test]
async fn a_picture_is_drawn_in_place() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Png).await;
    let drawn = "const group = page.first('group', 'Picture: test-card.png');
        return group?.dataset.mediaState === 'ready' && group.querySelector('img')?.naturalWidth === 1280";
    app.page.wait_for("the picture", drawn).await;
    app.close().await;
}

/// Asks for the first ten bytes of `arguments[0]` from inside the page.
const FETCH_TEN_BYTES: &str = "const done = arguments[arguments.length - 1];
    fetch(arguments[0], { headers: { Range: 'bytes=0-9' } }).then(async (answer) => done({
        status: answer.status,
        range: answer.headers.get('Content-Range'),
        bytes: [...new Uint8Array(await answer.arrayBuffer())],
    })).catch((error) => done({ error: String(error) }));";

#[tokio::test]
async fn the_page_can_fetch_a_range_of_a_picture_by_its_address() {
    let stage = Stage::new();
    let app = open_with(&stage, Clip::Png).await;
    let drawn = "const group = page.first('group', 'Picture: test-card.png');
        return group?.dataset.mediaState === 'ready' && group.querySelector('img')?.src";
    let src = app.page.wait_with("the picture", drawn, &[]).await;
    assert!(src.as_str().is_some_and(|src| src.starts_with("hermes-media:")), "a picture comes from {src}");
    let answer = app.page.client().execute_async(FETCH_TEN_BYTES, vec![src]).await.expect("the page answers");
    let file = std::fs::read(media_folder(&stage).join(Clip::Png.file_name())).expect("the picture's file");
    let expected = json!({
        "status": 206,
        "range": format!("bytes 0-9/{}", file.len()),
        "bytes": file[..10],
    });
    assert_eq!(answer, expected);
    app.close().await;
}

#[tokio::test]
async fn a_missing_and_a_forbidden_file_say_why() {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let private = folder.join(".ssh");
    std::fs::create_dir(&private).expect("a folder");
    Clip::Mp3.make_in(&private).expect("ffmpeg makes the file");
    let text = format!(
        "Gone:\nMEDIA:{}\nForbidden:\nMEDIA:{}\nEnd.",
        folder.join("gone.mp4").display(),
        private.join("tone.mp3").display()
    );
    bring_in_answer(&stage, "Closed files", &text).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Closed files").await;
    let refused = "const group = page.first('group', args[0]);
        return group?.dataset.mediaState === 'error' && group.dataset.mediaCode === args[1]
            && page.text(group).includes(args[2]) && !group.querySelector('video, audio')";
    let cards =
        [("Video: gone.mp4", "missing", "File is missing"), ("Audio: tone.mp3", "blocked", "Blocked")];
    for (card, code, words) in cards {
        page.wait_with(&format!("the words of {card:?}"), refused, &[json!(card), json!(code), json!(words)])
            .await;
    }
    let whole = folder.join("gone.mp4").display().to_string();
    let named = "return page.text(page.first('group', 'Video: gone.mp4')).includes(args[0])";
    page.wait_with("the path of the missing file", named, &[json!(whole)]).await;
    app.close().await;
}

#[tokio::test]
async fn the_demo_profile_stands_as_in_the_readme() {
    let stage = Stage::new();
    let app = open_demo(&stage).await;
    let page = &app.page;
    // A frame from the middle says more than the first one.
    page.wait_with("the last video", START, &[json!("Video: test-card.mp4")]).await;
    until(page, "the clock to run", "seen.played").await;
    seek(page, "two seconds", "2").await;
    until(page, "three seconds", "player.currentTime >= 3").await;
    page.run("window.watched.player.pause()", &[]).await;
    let size: (u64, u64) =
        serde_json::from_value(page.run("return [innerWidth, innerHeight]", &[]).await).expect("two numbers");
    assert!(size.0 >= 1000 && size.1 >= 600, "the window opens at a useful size, not {size:?}");
    page.screenshot("main").await;
    app.close().await;
}
