//! What plays, and where it seeks.

use super::Stage;
use super::player::End;
use app_tests::generated_media::{Clip, SECONDS};
use gstreamer as gst;

#[test]
fn every_container_prerolls_has_its_duration_and_seeks_everywhere() {
    let stage = Stage::start();
    for clip in [Clip::Wav, Clip::Mp3, Clip::Mp4IndexAtStart, Clip::Mp4IndexAtEnd, Clip::Webm] {
        let path = clip.make_in(&stage.rig.folder()).expect("a clip");
        let player = stage.player(&path);
        player.preroll().unwrap_or_else(|end| panic!("{clip:?}: {end:?}"));
        let duration = player.duration();
        assert!((duration - SECONDS).abs() < 0.3, "{clip:?} lasts {duration} s");
        for to in [SECONDS / 2.0, 0.0, SECONDS - 0.5] {
            player.seek(to).unwrap_or_else(|end| panic!("{clip:?} to {to}: {end:?}"));
            let at = player.position().unwrap_or_else(|| panic!("{clip:?} has no position at {to} s"));
            assert!((at - to).abs() < 0.2, "{clip:?} is at {at} s, not at {to} s");
        }
        player.start();
        let end = player.end();
        assert!(matches!(end, End::OfStream), "{clip:?}: {end:?}");
    }
}

#[test]
fn an_address_that_has_ended_is_an_error_and_its_words_name_no_path() {
    let stage = Stage::start();
    let path = Clip::Wav.make_in(&stage.rig.folder()).expect("a clip");
    let player = stage.player(&path);
    stage.rig.media.drop_client(&stage.rig.client());
    let end = player.preroll().expect_err("no grant, no bytes");
    let End::Error(error, words) = end else { panic!("{end:?}") };
    assert!(error.matches(gst::ResourceError::NotAuthorized), "{words}");
    assert!(words.contains("This address has ended"), "{words}");
    assert!(!words.contains("tone.wav"), "{words}");
}
