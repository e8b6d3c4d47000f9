//! What carries media to the player: the plugin where it works, else the port; and that a person is told which and why.

use crate::steps::{bring_in_answer, media_folder, open_session};
use app_tests::desktop::{Page, Stage, target_folder};
use app_tests::generated_media::Clip;
use serde_json::json;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const PLUGIN: &str = "libgsthermesmedia.so";
const CARD: &str = "Audio: tone.mp3";

/// A session whose answer names one sound.
async fn bring_in_sound(stage: &Stage) {
    let path = Clip::Mp3.make_in(&media_folder(stage)).expect("ffmpeg makes the file");
    bring_in_answer(stage, "Sound", &format!("Listen:\nMEDIA:{}\n", path.display())).await;
}

/// The app's program in a folder of its own, with this beside it as its plugin.
fn program_with(plugin: impl FnOnce(&Path)) -> (TempDir, PathBuf) {
    // On the disk of the build: a second name of the program costs nothing there.
    let folder = tempfile::tempdir_in(target_folder()).expect("a temp folder");
    let program = folder.path().join("talaria");
    std::fs::hard_link(Stage::new().app(), &program).expect("a second name of the program");
    plugin(&folder.path().join(PLUGIN));
    (folder, program)
}

/// Waits until Settings, General says this of the playback.
async fn says(page: &Page, words: &str) {
    page.click_on(&page.find_starting("button", "Settings").await).await;
    let script = "return page.text(page.first('group', 'Media playback') ?? document.body).includes(args[0])";
    page.wait_with(&format!("the words {words:?}"), script, &[json!(words)]).await;
}

/// What the diagnostics say of the playback, as they are shown in About.
async fn about_says(page: &Page, words: &str) {
    page.click("button", "About").await;
    let script = "return document.body.innerText.includes(args[0])";
    page.wait_with(&format!("the words {words:?}"), script, &[json!(words)]).await;
}

#[tokio::test]
async fn by_itself_the_app_plays_by_its_plugin_and_no_port_listens() {
    let stage = Stage::new();
    bring_in_sound(&stage).await;
    let app = stage.launch().await;
    open_session(&app.page, "Sound").await;
    let src = app.plays(CARD).await;
    assert!(src.starts_with("hermes-media://localhost/stream/"), "{src}");
    assert_eq!(app.listening_ports().len(), 0);
    says(&app.page, "Files are played by Talaria's own plugin. No port is open.").await;
    app.close().await;
}

#[tokio::test]
async fn a_plugin_that_is_garbage_or_missing_leaves_the_port_and_the_words_say_why() {
    let garbage = |file: &Path| std::fs::write(file, "no library").expect("a file");
    for (plugin, why) in [(Some(garbage), "it does not load ("), (None, "is not there")] {
        let (_folder, program) = program_with(|file| {
            if let Some(write) = plugin {
                write(file);
            }
        });
        let stage = Stage::with_app(&program);
        bring_in_sound(&stage).await;
        let app = stage.launch().await;
        open_session(&app.page, "Sound").await;
        let src = app.plays(CARD).await;
        assert!(src.starts_with("http://127.0.0.1:"), "{src}");
        assert_eq!(app.listening_ports().len(), 1);
        says(&app.page, why).await;
        about_says(&app.page, why).await;
        app.close().await;
    }
}

#[tokio::test]
async fn a_card_goes_over_to_the_port_by_itself_when_nobody_answers_the_plugin() {
    let stage = Stage::new();
    bring_in_sound(&stage).await;
    let app = stage.launch().await;
    let sockets: Vec<PathBuf> = std::fs::read_dir(stage.runtime())
        .expect("the runtime folder")
        .flatten()
        .map(|entry| entry.path().join("socket"))
        .filter(|path| path.exists())
        .collect();
    assert_eq!(sockets.len(), 1, "the plugin's socket");
    std::fs::remove_file(&sockets[0]).expect("it goes");
    assert_eq!(app.listening_ports().len(), 0);
    open_session(&app.page, "Sound").await;
    let src = app.plays(CARD).await;
    assert!(src.starts_with("http://127.0.0.1:"), "{src}");
    assert_eq!(app.listening_ports().len(), 1);
    says(&app.page, "Once the player went to the local port").await;
    app.close().await;
}

#[tokio::test]
async fn a_file_that_came_whole_and_does_not_play_is_told_and_opens_no_port() {
    let stage = Stage::new();
    // The head of an mp4 and nothing that a decoder could take.
    let mut bytes = b"\0\0\0\x14ftypisom\0\0\0\0isom".to_vec();
    bytes.extend([0xA5; 64 * 1024]);
    let path = media_folder(&stage).join("noise.mp4");
    std::fs::write(&path, bytes).expect("the file");
    bring_in_answer(&stage, "Noise", &format!("See:\nMEDIA:{}\n", path.display())).await;
    let app = stage.launch().await;
    open_session(&app.page, "Noise").await;
    let told = "const group = page.first('group', 'Video: noise.mp4');
        group?.scrollIntoView({ block: 'center' });
        return group?.dataset.mediaState === 'error' && group.dataset.mediaCode";
    let code = app.page.wait_with("the reason", told, &[]).await;
    assert!(code == "damaged" || code == "codec", "{code}");
    assert_eq!(app.listening_ports().len(), 0, "nobody opened the port");
    says(&app.page, "Files are played by Talaria's own plugin. No port is open.").await;
    app.close().await;
}

#[tokio::test]
async fn the_setting_holds_at_once_and_the_command_line_goes_before_it() {
    let stage = Stage::new();
    bring_in_sound(&stage).await;
    let app = stage.launch().await;
    let page = &app.page;
    says(page, "own plugin").await;
    let choose =
        "const found = page.first('radio', 'Local port only'); found?.click(); return Boolean(found)";
    page.wait_for("the choice", choose).await;
    let chosen =
        "return page.text(page.first('group', 'Media playback')).includes('over a local port, as chosen')";
    page.wait_for("the words", chosen).await;
    page.click("button", "Back to sessions").await;
    open_session(page, "Sound").await;
    assert!(app.plays(CARD).await.starts_with("http://127.0.0.1:"));
    app.close().await;

    let app = stage.launch_with(&["--media-transport=plugin"]).await;
    open_session(&app.page, "Sound").await;
    assert!(app.plays(CARD).await.starts_with("hermes-media:"));
    says(&app.page, "Talaria was started with --media-transport=plugin.").await;
    app.close().await;
}

#[test]
fn the_command_line_is_read_before_anything_starts() {
    let stage = Stage::new();
    let run = |argument: &str| {
        stage.command(stage.app()).env_remove("DISPLAY").arg(argument).output().expect("it runs")
    };
    let version = run("--version");
    assert!(version.status.success());
    assert_eq!(
        String::from_utf8_lossy(&version.stdout),
        concat!("talaria ", env!("CARGO_PKG_VERSION"), "\n")
    );
    assert!(String::from_utf8_lossy(&run("--help").stdout).contains("--media-transport="));
    let wrong = run("--media-transport=http");
    assert_eq!(wrong.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("auto, plugin or loopback"));
    assert_eq!(std::fs::read_dir(stage.talaria_home()).expect("the home").count(), 0, "nothing was made");
}
