//! Every format that a session may name, played in the real web view by both ways.

use crate::playing::{Everything, Way, copies_on_disk, everything, plays};
use crate::steps::{bring_in_answer, media_folder, open_session};
use app_tests::desktop::Stage;
use app_tests::generated_media::{Clip, SECONDS};

#[tokio::test]
async fn the_scheme_itself_plays_and_seeks_every_format_without_a_port_or_a_copy() {
    every_format_by(Way::Plugin).await;
}

#[tokio::test]
async fn the_fallback_plays_and_seeks_every_format_without_a_copy() {
    every_format_by(Way::Loopback).await;
}

/// One session that names them all: one start of the app, and each format is told by its name.
async fn every_format_by(way: Way) {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let mut text = String::from("Here they are:\n");
    for clip in Clip::PLAYED.into_iter().chain(Clip::PICTURES) {
        let path = clip.make_in(&folder).expect("ffmpeg makes the file");
        text.push_str(&format!("MEDIA:{}\n", path.display()));
    }
    bring_in_answer(&stage, "Every format", &text).await;
    let app = way.launch(&stage).await;
    let page = &app.page;
    open_session(page, "Every format").await;

    let mut wrong = Vec::new();
    for clip in Clip::PLAYED {
        let name = clip.file_name();
        let found = if is_guessed(clip, way) {
            plays(page, &clip.card()).await.map(|played| match played.src.starts_with(way.scheme()) {
                true => Vec::new(),
                false => vec![format!("plays {}", played.src)],
            })
        } else {
            everything(page, &clip.card()).await.map(|measured| complaints(clip, way, &measured))
        };
        let found = found.unwrap_or_else(|words| vec![words]);
        wrong.extend(found.iter().map(|words| format!("{name}: {words}")));
        let copies = copies_on_disk(&app);
        if !copies.is_empty() {
            wrong.push(format!("{name}: the web view keeps copies: {copies:?}"));
        }
    }
    for clip in Clip::PICTURES {
        let script = "const group = page.first('group', args[0]);
            group?.scrollIntoView({ block: 'center' });
            const state = group?.dataset.mediaState;
            if (state === 'error') return page.text(group);
            return state === 'ready' && group.querySelector('img')?.naturalWidth === 1280 ? 'drawn' : null";
        let drawn = page.wait_with(&clip.card(), script, &[clip.card().into()]).await;
        if drawn != "drawn" {
            wrong.push(format!("{}: {drawn}", clip.file_name()));
        }
    }
    let ports = app.listening_ports();
    match way {
        Way::Plugin => assert!(ports.is_empty(), "ports {ports:?} listen"),
        Way::Loopback => assert_eq!(ports.len(), 1, "{ports:?} listen"),
    }
    assert!(wrong.is_empty(), "by {way:?}:\n{}", wrong.join("\n"));
    app.close().await;
}

/// Whether the place in the file is only guessed on this way: it plays, and no more is promised. WebKitGTK's streaming
/// demuxer of Ogg knows neither the length (2.0, 7.0 or 91.3 s for 8 s) nor where a time lies: seeks go elsewhere, and a
/// paused one may end only when it plays (measured; spec, "Linux fallback").
fn is_guessed(clip: Clip, way: Way) -> bool {
    way == Way::Loopback && matches!(clip, Clip::Ogg | Clip::Oga | Clip::Opus | Clip::Ogv)
}

/// What is wrong with a measurement, in words.
fn complaints(clip: Clip, way: Way, measured: &Everything) -> Vec<String> {
    // ADTS carries no length: it is estimated. The streaming demuxer of AVI goes to a place nearby.
    let streams = clip == Clip::Aac || (way == Way::Loopback && clip == Clip::Avi);
    let (length, near) = if streams { (1.5, 1.5) } else { (0.3, 0.1) };
    let end = measured.whole;
    let facts = [
        (measured.src.starts_with(way.scheme()), format!("plays {}", measured.src)),
        (
            (measured.duration - SECONDS).abs() < length,
            format!("lasts {} s, was made with {SECONDS} s", measured.duration),
        ),
        (measured.width == if clip.is_video() { 640 } else { 0 }, format!("is {} wide", measured.width)),
        (streams || measured.middle.is_exact(), format!("went on elsewhere: {:?}", measured.middle)),
        (measured.first.abs() < near, format!("its start is at {} s", measured.first)),
        (measured.negative.abs() < near, format!("before the start is at {} s", measured.negative)),
        ((measured.past - end).abs() < near, format!("past the end is at {} s of {end} s", measured.past)),
        ((measured.end - end).abs() < near, format!("its end is at {} s of {end} s", measured.end)),
    ];
    facts.into_iter().filter(|(holds, _)| !holds).map(|(_, words)| words).collect()
}
