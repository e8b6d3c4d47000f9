//! Every file name that the system allows is played, by both ways.

use crate::playing::{Way, plays};
use crate::steps::{bring_in_answer, media_folder, open_session};
use app_tests::desktop::Stage;
use app_tests::generated_media::{Clip, SECONDS};
use std::collections::BTreeSet;

#[tokio::test]
async fn the_scheme_itself_plays_a_file_of_any_name() {
    any_name_plays_by(Way::Plugin).await;
}

#[tokio::test]
async fn the_fallback_plays_a_file_of_any_name() {
    any_name_plays_by(Way::Loopback).await;
}

async fn any_name_plays_by(way: Way) {
    let stage = Stage::new();
    let folder = media_folder(&stage);
    let made = Clip::M4a.make_in(&folder).expect("ffmpeg makes the file");
    let long = format!("{}.m4a", "x".repeat(251));
    assert_eq!(long.len(), 255);
    let names = [
        "a#b.m4a",
        "a?b.m4a",
        "100%.m4a",
        "a b+c.m4a",
        "%23.m4a",
        // Composed and decomposed: two files.
        "\u{e9}.m4a",
        "e\u{301}.m4a",
        "音声.m4a",
        "🎬.m4a",
        "مقطع.m4a",
        "-leading.m4a",
        &long,
    ];
    let mut text = String::from("Here they are:\n");
    for name in names {
        let path = folder.join(name);
        std::fs::copy(&made, &path).expect("the system allows the name");
        text.push_str(&format!("MEDIA:\"{}\"\n", path.display()));
    }
    bring_in_answer(&stage, "Odd names", &text).await;
    let app = way.launch(&stage).await;
    open_session(&app.page, "Odd names").await;

    let (mut wrong, mut addresses) = (Vec::new(), BTreeSet::new());
    for name in names {
        match plays(&app.page, &format!("Audio: {name}")).await {
            Ok(played) => {
                if (played.duration - SECONDS).abs() > 0.3 || !played.src.starts_with(way.scheme()) {
                    wrong.push(format!("{name}: {played:?}"));
                }
                addresses.insert(played.src);
            }
            Err(words) => wrong.push(format!("{name}: {words}")),
        }
    }
    assert!(wrong.is_empty(), "by {way:?}:\n{}", wrong.join("\n"));
    assert_eq!(addresses.len(), names.len(), "each is a file of its own");
    app.close().await;
}
