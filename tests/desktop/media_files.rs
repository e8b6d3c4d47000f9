//! What the host does with media files besides playing them: places that are kept, the system's own programs.

use crate::steps::{bring_in_answer, media_folder, open_app, open_session};
use app_tests::desktop::{App, Page, Stage};
use app_tests::generated_media::Clip;
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const TITLE: &str = "Fresh media";
/// A session of the sample.
const OTHER: &str = "Plain chat";

/// A stage with a session whose answer names a sound; its path.
async fn stage_with_sound() -> (Stage, PathBuf) {
    let stage = Stage::new();
    let path = Clip::Wav.make_in(&media_folder(&stage)).expect("ffmpeg makes the file");
    bring_in_answer(&stage, TITLE, &format!("Here it is:\nMEDIA:{}\nEnd.", path.display())).await;
    (stage, path)
}

/// Calls a command as the page does, and gives its answer (or its error, under `error`).
async fn call(page: &Page, command: &str, body: Value) -> Value {
    page.run(
        "window.answered = null;
        window.__TAURI_INTERNALS__.invoke(args[0], args[1]).then(
            (answer) => { window.answered = { answer }; }, (error) => { window.answered = { error }; })",
        &[json!(command), body],
    )
    .await;
    let answer = page.wait_with(&format!("the answer of {command}"), "return window.answered", &[]).await;
    if answer["error"].is_null() { answer["answer"].clone() } else { answer }
}

/// The session's id.
async fn session(page: &Page) -> Value {
    let row = page.row(TITLE).await;
    let id =
        row.attr("data-session-id").await.expect("the row is there").expect("a row has its session's id");
    json!(id)
}

/// Where the player would begin, in seconds.
async fn position(app: &App, path: &Path) -> f64 {
    let body = json!({ "session_id": session(&app.page).await, "path": path });
    call(&app.page, "media_open", body).await["position"].as_f64().expect("a number of seconds")
}

#[tokio::test]
async fn where_a_listener_was_is_there_after_a_kill_and_a_restart() {
    let (stage, path) = stage_with_sound().await;
    let app = stage.launch().await;
    assert_eq!(position(&app, &path).await, 0.0);
    let body = json!({ "session_id": session(&app.page).await, "path": path, "seconds": 3.25 });
    assert_eq!(call(&app.page, "media_position", body).await, json!({}));
    app.kill();
    let app = stage.launch().await;
    assert_eq!(position(&app, &path).await, 3.25);
    let body = json!({ "session_id": session(&app.page).await, "path": path, "seconds": 0 });
    assert_eq!(call(&app.page, "media_position", body).await, json!({}));
    app.close().await;
    let app = stage.launch().await;
    assert_eq!(position(&app, &path).await, 0.0);
    app.close().await;
}

/// Where the sound's player stands once it knows its length and no seek is under way.
const STANDS: &str = "const player = page.first('group', 'Audio: tone.wav')?.querySelector('audio');
    return player && player.readyState >= 1 && !player.seeking && Math.abs(player.currentTime - args[0]) < 0.3
        ? { at: player.currentTime } : null";

#[tokio::test]
async fn the_player_goes_on_where_it_was_after_another_session_and_after_a_kill() {
    let (stage, _) = stage_with_sound().await;
    let app = open_app(&stage).await;
    open_session(&app.page, TITLE).await;
    app.page.wait_with("the player at its start", STANDS, &[json!(0)]).await;
    app.page
        .run("page.first('group', 'Audio: tone.wav').querySelector('audio').currentTime = 2.5", &[])
        .await;
    app.page.wait_with("the seek", STANDS, &[json!(2.5)]).await;
    open_session(&app.page, OTHER).await;
    open_session(&app.page, TITLE).await;
    app.page.wait_with("the place after another session", STANDS, &[json!(2.5)]).await;
    app.kill();
    let app = open_app(&stage).await;
    open_session(&app.page, TITLE).await;
    app.page.wait_with("the place after a kill", STANDS, &[json!(2.5)]).await;
    app.close().await;
}

/// Puts a program `xdg-open` first in the search path: it writes what it was given, then its environment. Answers the
/// search path, and the file.
fn fake_opener(stage: &Stage) -> (String, PathBuf) {
    let folder = stage.files().join("bin");
    std::fs::create_dir(&folder).expect("a folder for programs");
    let said = folder.join("said");
    let script = format!(
        "#!/bin/sh\n{{ printf '%s\\n' \"$@\"; env; }} > \"{0}.part\"\nmv \"{0}.part\" \"{0}\"\n",
        said.display()
    );
    let program = folder.join("xdg-open");
    std::fs::write(&program, script).expect("a program");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("that can be run");
    let path = std::env::var("PATH").expect("a search path");
    (format!("{}:{path}", folder.display()), said)
}

/// What the opener was given and its environment; the next one writes anew.
async fn taken(said: &Path) -> Vec<String> {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Ok(text) = std::fs::read_to_string(said) {
            std::fs::remove_file(said).expect("it is ours");
            return text.lines().map(str::to_owned).collect();
        }
        assert!(Instant::now() < deadline, "nothing was opened");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test]
async fn a_file_opens_in_the_systems_program_without_what_the_app_sets_for_its_web_view() {
    let (stage, path) = stage_with_sound().await;
    let (search, said) = fake_opener(&stage);
    // The app sets a variable for its web view in this mode.
    std::fs::write(stage.talaria_home().join("safe-graphics"), "").expect("the choice");
    let app =
        stage.launch_without_waiting(&[("PATH", &search), ("GST_DEBUG_NO_COLOR", "the user's own")]).await;
    app.page.find("navigation", "Sidebar").await;
    let id = session(&app.page).await;

    let opened = call(&app.page, "file_open", json!({ "session_id": id, "path": path })).await;
    assert_eq!(opened, json!({}));
    let lines = taken(&said).await;
    assert_eq!(lines[0], path.display().to_string());
    assert!(lines.contains(&"GST_DEBUG_NO_COLOR=the user's own".to_owned()), "{lines:?}");
    for ours in
        ["WEBKIT_DISABLE_DMABUF_RENDERER", "WEBKIT_GST_", "GST_PLUGIN", "GST_REGISTRY", "HERMES_MEDIA_SOCKET"]
    {
        assert!(!lines.iter().any(|line| line.starts_with(ours)), "{ours}: {lines:?}");
    }

    // There is no file manager to ask on this computer, so the folder is opened.
    let shown = call(&app.page, "file_reveal", json!({ "session_id": id, "path": path })).await;
    assert_eq!(shown, json!({}));
    assert_eq!(taken(&said).await[0], media_folder(&stage).display().to_string());

    // Neither a file that nobody named nor a program in the clothes of one.
    let other = media_folder(&stage).join("other.wav");
    std::fs::copy(&path, &other).expect("a copy");
    std::fs::write(&path, "#!/bin/sh\n").expect("a script");
    for (file, code) in [(&other, "blocked"), (&path, "unsupported")] {
        let refused = call(&app.page, "file_open", json!({ "session_id": id, "path": file })).await;
        assert_eq!(refused["error"]["code"], code, "{refused}");
    }
    assert!(!said.exists(), "nothing was started");
    app.close().await;
}

/// Types into the system's own dialog of this title, as a person at the keyboard does, and confirms it. No window manager
/// runs here: the dialog gets the keys because it is told to have the focus.
async fn answer_dialog(stage: &Stage, title: &str, words: &str) {
    let xdotool = |arguments: &[&str]| {
        let output = stage.command(Path::new("xdotool")).args(arguments).output();
        let output = output.expect("xdotool runs (package xdotool)");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    let window = loop {
        let found = xdotool(&["search", "--onlyvisible", "--name", &format!("^{title}$")]);
        if !found.is_empty() {
            break found;
        }
        assert!(Instant::now() < deadline, "no dialog {title:?} came");
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    xdotool(&["windowfocus", "--sync", &window]);
    xdotool(&["key", "ctrl+a"]);
    xdotool(&["type", "--delay", "5", words]);
    xdotool(&["key", "Return"]);
}

#[tokio::test]
async fn a_copy_is_saved_where_the_systems_dialog_says_and_its_card_tells_so() {
    let (stage, path) = stage_with_sound().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, TITLE).await;
    page.wait_with("the player", STANDS, &[json!(0)]).await;
    page.click("button", "Save as").await;
    let copy = stage.files().join("a copy.wav");
    answer_dialog(&stage, "Save a copy", &copy.display().to_string()).await;
    let told = "const group = page.first('group', 'Audio: tone.wav');
        return page.all('status', undefined, 'is', group).some((line) => page.text(line).includes('Saved as a copy.wav'))";
    page.wait_for("the words for a copy", told).await;
    assert_eq!(std::fs::read(&copy).expect("the copy"), std::fs::read(&path).expect("the sound"));
    app.close().await;
}
