//! Many players in one transcript, and what becomes of one when something else happens.

use crate::playing::{Way, open_files, plays, run};
use crate::steps::{bring_in_answer, bring_in_sessions, media_folder, open_app, open_session};
use app_tests::desktop::{App, Page, Stage};
use app_tests::generated_media::{Clip, silent_wav};
use app_tests::hermes_file::Line;
use serde_json::json;
use std::path::Path;
use std::time::{Duration, Instant};

/// A card near the window holds its element; this many stand near it at most, however small they are.
const HANDFUL: usize = 10;

fn tags(names: impl IntoIterator<Item = String>, folder: &Path) -> String {
    let lines = names.into_iter().map(|name| format!("MEDIA:{}\n", folder.join(name).display()));
    format!("Here they are:\n{}", lines.collect::<String>())
}

/// Files of the media folder that the app or its web view holds open.
fn open_media(app: &App, folder: &Path) -> usize {
    open_files(app).iter().filter(|path| path.starts_with(folder)).count()
}

#[tokio::test]
async fn two_hundred_videos_in_one_transcript_hold_a_handful_of_elements_and_files() {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let made = Clip::Mp4IndexAtStart.make_in(&folder).expect("ffmpeg makes the file");
    let name = |number: usize| format!("video-{number}.mp4");
    for number in 0..200 {
        // A symbolic link would show the name of what it leads to.
        std::fs::hard_link(&made, folder.join(name(number))).expect("a second name of the file");
    }
    bring_in_answer(&stage, "Two hundred", &tags((0..200).map(name), &folder)).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Two hundred").await;
    let mut most = 0;
    for number in [199, 150, 100, 50, 0] {
        let ready = "const group = page.first('group', args[0]);
            group?.scrollIntoView({ block: 'center' });
            return group?.dataset.mediaState === 'ready'
                && { cards: page.all('group', 'Video: ', 'starts').length,
                    elements: document.querySelectorAll('video, audio').length }";
        let card = format!("Video: {}", name(number));
        let seen = page.wait_with(&card, ready, &[json!(card)]).await;
        assert_eq!(seen["cards"], 200, "all are in the page");
        most = most.max(seen["elements"].as_u64().expect("a length"));
        let open = open_media(&app, &folder);
        assert!(open <= HANDFUL, "{open} files are open at {card}");
    }
    assert!(most <= HANDFUL as u64, "{most} elements at a time");
    app.close().await;
}

#[tokio::test]
async fn one_player_plays_at_a_time_and_a_session_switch_keeps_its_place() {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    for clip in [Clip::M4a, Clip::Mp3] {
        clip.make_in(&folder).expect("ffmpeg makes the file");
    }
    let text = tags([Clip::M4a, Clip::Mp3].map(|clip| clip.file_name().to_owned()), &folder);
    bring_in_answer(&stage, "Two sounds", &text).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Two sounds").await;
    let started = "(async () => {
            const [one, other] = [await playing.find(args[0]), await playing.find(args[1])];
            playing.start(one);
            await playing.runs(one, 'the first to run', one.currentTime);
            await playing.seek(one, 'three seconds', 3);
            playing.start(other);
            await playing.runs(other, 'the second to run', other.currentTime);
            window.result = { paused: one.paused, other: other.paused, at: one.currentTime };
        })().catch((error) => (window.result = { failed: String(error) }))";
    run(page, started, &[json!(Clip::M4a.card()), json!(Clip::Mp3.card())]).await;
    let result = page.wait_with("both to have run", "return window.result ?? null", &[]).await;
    assert_eq!((&result["paused"], &result["other"]), (&json!(true), &json!(false)), "{result}");
    let at = result["at"].as_f64().expect("a time");
    assert!(at >= 3.0, "{result}");

    page.click("button", "New session").await;
    page.wait_for("the cards to go", "return !document.querySelector('[data-media-state]')").await;
    open_session(page, "Two sounds").await;
    let place = "const player = page.first('group', args[0])?.querySelector('audio');
        return player?.readyState >= 1 && !player.seeking && Math.abs(player.currentTime - args[1]) < 0.1";
    page.wait_with("the first to stand where it was", place, &[json!(Clip::M4a.card()), json!(at)]).await;
    app.close().await;
}

#[tokio::test]
async fn a_muted_video_below_the_window_plays_when_it_comes_into_view() {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let names = [Clip::Webm, Clip::Mp4IndexAtStart, Clip::Mp4IndexAtEnd];
    for clip in names {
        clip.make_in(&folder).expect("ffmpeg makes the file");
    }
    bring_in_answer(&stage, "Three videos", &tags(names.map(|clip| clip.file_name().to_owned()), &folder))
        .await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Three videos").await;
    let started = "(async () => {
            const below = await playing.find(args[1]);
            page.first('group', args[0]).scrollIntoView({ block: 'start' });
            below.muted = true;
            playing.start(below);
            window.result = below.getBoundingClientRect().top >= innerHeight;
        })().catch((error) => (window.result = String(error)))";
    run(page, started, &[json!(Clip::Webm.card()), json!(Clip::Mp4IndexAtEnd.card())]).await;
    let below = page.wait_with("it to be started", "return window.result ?? null", &[]).await;
    assert_eq!(below, true, "the video is below the window");
    let runs = "const group = page.first('group', args[0]);
        group.scrollIntoView({ block: 'center' });
        const player = group.querySelector('video');
        return !player.paused && player.currentTime > 0.5";
    page.wait_with("it to run in view", runs, &[json!(Clip::Mp4IndexAtEnd.card())]).await;
    app.close().await;
}

#[tokio::test]
async fn a_video_whose_picture_nobody_can_decode_is_told_and_its_sound_plays() {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let clip = Clip::Mp4UnknownPicture;
    clip.make_in(&folder).expect("ffmpeg makes the file");
    bring_in_answer(&stage, "Sound only", &tags([clip.file_name().to_owned()], &folder)).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Sound only").await;
    let told = "const group = page.first('group', args[0]);
        return group?.dataset.mediaState === 'error' && group.dataset.mediaCode === 'no_picture'
            && !group.querySelector('video')
            && group.querySelector('audio')?.readyState >= 1";
    page.wait_with("the words for a video without a picture", told, &[json!(clip.card())]).await;
    let runs = "const player = page.first('group', args[0]).querySelector('audio');
        if (player.paused) player.play().catch(() => undefined);
        return player.currentTime > 0.3";
    page.wait_with("its sound to run", runs, &[json!(clip.card())]).await;
    app.close().await;
}

async fn deleted_while_playing(way: Way) {
    let stage = Stage::new();
    let path = media_folder(&stage).join("silence.wav");
    silent_wav(&path, 1200).expect("a file");
    bring_in_answer(&stage, "Silence", &tags(["silence.wav".to_owned()], &media_folder(&stage))).await;
    let app = way.launch(&stage).await;
    let page = &app.page;
    open_session(page, "Silence").await;
    plays(page, "Audio: silence.wav").await.expect("it plays");
    std::fs::remove_file(&path).expect("the file is there");
    let sought = "const player = page.first('group', args[0])?.querySelector('audio');
        if (player) { player.currentTime = 900; player.play().catch(() => undefined); }";
    page.run(sought, &[json!("Audio: silence.wav")]).await;
    let told = "const group = page.first('group', args[0]);
        return group?.dataset.mediaState === 'error' && group.dataset.mediaCode === 'missing'
            && page.text(group).includes('File is missing')";
    page.wait_with("the words for a missing file", told, &[json!("Audio: silence.wav")]).await;
    app.close().await;
}

#[tokio::test]
async fn a_file_deleted_while_the_scheme_plays_it_is_told_as_missing() {
    deleted_while_playing(Way::Plugin).await;
}

#[tokio::test]
async fn a_file_deleted_while_the_fallback_plays_it_is_told_as_missing() {
    deleted_while_playing(Way::Loopback).await;
}

/// Descriptors that web view and toolkit may keep after their first use: of a cache, a font, the display.
const KEPT: usize = 12;

async fn descriptors_come_back(way: Way) {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let clips = [Clip::Webm, Clip::Mp4IndexAtEnd, Clip::Mp3, Clip::Flac];
    for clip in clips {
        clip.make_in(&folder).expect("ffmpeg makes the file");
    }
    let text = tags(clips.map(|clip| clip.file_name().to_owned()), &folder);
    let lines = [Line::User("Show me."), Line::Assistant(&text)];
    bring_in_sessions(&stage, &[("Players", "/home/user/answers", &lines)]).await;
    let app = way.launch(&stage).await;
    let page = &app.page;
    // The first round makes what stays: threads, the decoders' registry, the sound device that is not there.
    round(page, &clips).await;
    let before = open_files(&app).len();
    for _ in 0..3 {
        round(page, &clips).await;
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let (now, media) = (open_files(&app), open_media(&app, &folder));
        if now.len() <= before + KEPT && media == 0 {
            break;
        }
        assert!(
            Instant::now() < deadline,
            "by {way:?} {before} descriptors became {}, {media} of them media: {now:?}",
            now.len()
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    app.close().await;
}

/// Opens the session, plays each of its files and leaves it.
async fn round(page: &Page, clips: &[Clip]) {
    open_session(page, "Players").await;
    for clip in clips {
        plays(page, &clip.card()).await.unwrap_or_else(|words| panic!("{clip:?}: {words}"));
    }
    page.click("button", "New session").await;
    page.wait_for("the cards to go", "return !document.querySelector('[data-media-state]')").await;
}

#[tokio::test]
async fn descriptors_return_after_the_scheme_played() {
    descriptors_come_back(Way::Plugin).await;
}

#[tokio::test]
async fn descriptors_return_after_the_fallback_played() {
    descriptors_come_back(Way::Loopback).await;
}
