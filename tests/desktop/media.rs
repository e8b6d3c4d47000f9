use crate::playing::visits;
use crate::steps::{bring_in_answer, media_folder, open_app, open_demo, open_session};
use app_tests::desktop::{App, Stage};
use app_tests::generated_media::Clip;
use serde_json::json;

/// The app with a session open whose answer names one fresh file.
async fn open_with(stage: &Stage, clip: Clip) -> App {
    let path = clip.make_in(&media_folder(stage)).expect("ffmpeg makes the file");
    bring_in_answer(stage, "Fresh media", &format!("Here it is:\nMEDIA:{}\nEnd.", path.display())).await;
    let app = open_app(stage).await;
    open_session(&app.page, "Fresh media").await;
    app
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
    let cards = [
        ("Video: gone.mp4", "missing", "File is missing"),
        ("Audio: tone.mp3", "blocked", "File is private"),
    ];
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
    visits(page, "Video: test-card.mp4", &[3.0]).await.expect("the last video plays");
    let size: (u64, u64) =
        serde_json::from_value(page.run("return [innerWidth, innerHeight]", &[]).await).expect("two numbers");
    assert!(size.0 >= 1000 && size.1 >= 600, "the window opens at a useful size, not {size:?}");
    page.screenshot("main").await;
    app.close().await;
}
