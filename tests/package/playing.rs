//! The package plays: unpacked anywhere, its plugin is found from its program on, and the scheme itself plays.

use super::{Deb, said, stage};
use app_tests::generated_media::Clip;
use app_tests::hermes_file::{HermesFile, Line};
use app_tests::profile;

/// Seconds since 1970, after everything in the sample: the session is listed first.
const LATER: f64 = 1_796_080_000.0;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unpacked_package_plays_a_video_and_a_sound_by_the_scheme_without_a_port() {
    let root = Deb::built().extracted();
    let stage = stage(&root.path().join("usr/bin/talaria"));
    let mut text = String::from("Here they are:\n");
    let video = Clip::Mp4IndexAtEnd.make_in(&stage.files()).expect("ffmpeg makes the file");
    let sound = stage.files().join("tone.ogg");
    let tone =
        ["-loglevel", "error", "-f", "lavfi", "-i", "sine=frequency=440:duration=8", "-c:a", "libvorbis"];
    said("ffmpeg", &[&tone[..], &[sound.to_str().expect("text")]].concat());
    for path in [&video, &sound] {
        text.push_str(&format!("MEDIA:{}\n", path.display()));
    }
    let store = HermesFile::copy_of_sample(&stage.files().join("hermes.db")).expect("a Hermes store");
    let lines = [Line::User("Show me."), Line::Assistant(&text)];
    store
        .add_session("more", "From the package", "/home/user/answers", LATER, &lines)
        .expect("one more session");
    profile::import_into(&stage.talaria_home(), store.path()).await.expect("the store is read in");

    let app = stage.launch().await;
    let page = &app.page;
    page.click_on(&page.row("From the package").await).await;
    for card in ["Video: test-card-index-at-end.mp4", "Audio: tone.ogg"] {
        let src = app.plays(card).await;
        assert!(src.starts_with("hermes-media:"), "{card} comes from {src}");
    }
    assert_eq!(app.listening_ports().len(), 0);
    app.close().await;
}
