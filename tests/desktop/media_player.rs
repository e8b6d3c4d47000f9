//! What a person sees of a player that does not play: its length, another place after the end, a file that changed.

use crate::playing::{Way, run};
use crate::steps::{bring_in_answer, media_folder, open_session};
use app_tests::desktop::{App, Stage};
use app_tests::generated_media::{Clip, silent_wav};
use serde_json::json;
use std::path::Path;

async fn open_with(stage: &Stage, way: Way, files: &[&Path]) -> App {
    let tags: String = files.iter().map(|path| format!("MEDIA:{}\n", path.display())).collect();
    bring_in_answer(stage, "Players", &format!("Here they are:\n{tags}")).await;
    let app = way.launch(stage).await;
    open_session(&app.page, "Players").await;
    app
}

async fn seeks_after_its_end(way: Way) {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let clips = [Clip::Mp3, Clip::Mp4IndexAtStart];
    let paths = clips.map(|clip| clip.make_in(&folder).expect("ffmpeg makes the file"));
    let app = open_with(&stage, way, &paths.each_ref().map(|path| path.as_path())).await;
    for clip in clips {
        // WebKit holds such a seek back: without help none of these three ends (measured).
        let script = "window.result = null;
            (async () => {
                const player = await playing.find(args[0]);
                await playing.seek(player, 'a second before the end', player.duration - 1);
                playing.start(player);
                await playing.until(player, 'the end', ['ended'], () => player.ended);
                const places = [];
                for (const to of [2, 5, 0]) places.push(await playing.seek(player, `${to} s`, to));
                window.result = { places, paused: player.paused };
            })().catch((error) => (window.result = { failed: String(error) }))";
        run(&app.page, script, &[json!(clip.card())]).await;
        let result = app.page.wait_with(&clip.card(), "return window.result", &[]).await;
        assert_eq!(result, json!({ "places": [2, 5, 0], "paused": true }), "{clip:?} by {way:?}");
    }
    app.close().await;
}

#[tokio::test]
async fn a_player_at_its_end_shows_another_place_while_it_is_paused_by_the_scheme() {
    seeks_after_its_end(Way::Plugin).await;
}

#[tokio::test]
async fn a_player_at_its_end_shows_another_place_while_it_is_paused_by_the_fallback() {
    seeks_after_its_end(Way::Loopback).await;
}

#[tokio::test]
async fn a_sound_that_was_never_played_says_that_it_loads_no_more_so_that_its_bar_shows_the_time() {
    for way in [Way::Plugin, Way::Loopback] {
        let stage = Stage::new();
        let path = Clip::Wav.make_in(&media_folder(&stage)).expect("ffmpeg makes the file");
        let app = open_with(&stage, way, &[&path]).await;
        // WebKit's own bar shows that a file loads unless all is there (4) or the network rests (1).
        let rests = "const player = page.first('group', args[0])?.querySelector('audio');
            return player?.readyState === 4 && player.networkState === 1 && player.played.length === 0";
        app.page.wait_with(&format!("a player at rest by {way:?}"), rests, &[json!(Clip::Wav.card())]).await;
        app.close().await;
    }
}

async fn grows(way: Way) {
    let stage = Stage::new();
    let path = media_folder(&stage).join("silence.wav");
    silent_wav(&path, 20).expect("a file");
    let app = open_with(&stage, way, &[&path]).await;
    let card = json!("Audio: silence.wav");
    let lasts = "const group = page.first('group', args[0]);
        const player = group?.querySelector('audio');
        return player?.readyState >= 1 && !player.seeking && Math.round(player.duration) === args[1]
            && page.text(group).includes(args[2])";
    app.page.wait_with("the first length", lasts, &[card.clone(), json!(20), json!("0:20")]).await;
    silent_wav(&path, 90).expect("a longer file");
    let pressed = "page.first('group', args[0]).querySelector('audio').play().catch(() => undefined)";
    app.page.run(pressed, std::slice::from_ref(&card)).await;
    app.page.wait_with("the new length", lasts, &[card.clone(), json!(90), json!("1:30")]).await;
    let runs = "const player = page.first('group', args[0]).querySelector('audio');
        return !player.paused && player.currentTime > 0.3";
    app.page.wait_with("it to go on", runs, &[card]).await;
    app.close().await;
}

#[tokio::test]
async fn a_file_that_grew_is_played_in_its_new_length_by_the_scheme() {
    grows(Way::Plugin).await;
}

#[tokio::test]
async fn a_file_that_grew_is_played_in_its_new_length_by_the_fallback() {
    grows(Way::Loopback).await;
}
