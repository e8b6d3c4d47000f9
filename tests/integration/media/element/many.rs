//! Many pipelines, and what is left of them.

use super::player::{End, LIMIT};
use super::{Stage, open};
use app_tests::generated_media::Clip;
use std::time::Instant;

fn count(folder: &str) -> usize {
    std::fs::read_dir(folder).expect("procfs").count()
}

/// Pipelines of any kind leave their threads to end by themselves, so this is waited for.
fn settles(folder: &str, at_most: usize) {
    let started = Instant::now();
    while count(folder) > at_most {
        assert!(started.elapsed() < LIMIT, "{folder}: {} where {at_most} were", count(folder));
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn sixteen_pipelines_play_at_once_to_their_ends() {
    let stage = Stage::start();
    let files = [Clip::Wav, Clip::Mp3, Clip::Mp4IndexAtEnd, Clip::Webm]
        .map(|clip| clip.make_in(&stage.rig.folder()).expect("a clip"));
    let players: Vec<_> = (0..16).map(|number| stage.player(&files[number % files.len()])).collect();
    for player in &players {
        player.preroll().expect("it prerolls");
        player.seek(7.5).expect("it seeks");
    }
    for player in &players {
        player.start();
    }
    for player in &players {
        let end = player.end();
        assert!(matches!(end, End::OfStream), "{end:?}");
    }
}

#[test]
fn two_hundred_pipelines_leave_descriptors_and_threads_as_they_were() {
    let stage = Stage::start();
    let path = Clip::Wav.make_in(&stage.rig.folder()).expect("a clip");
    let round = |number: usize| {
        let player = stage.player(&path);
        match number % 4 {
            // Never started, stopped while it starts, prerolled, and in the midst of a jump.
            0 => {}
            1 => player.begin(),
            2 => player.preroll().expect("it prerolls"),
            _ => {
                player.preroll().expect("it prerolls");
                player.jump(4.0);
            }
        }
    };
    // What GStreamer and the runtime keep for good is there after the first ones.
    (0..8).for_each(round);
    let (descriptors, threads) = (count("/proc/self/fd"), count("/proc/self/task"));
    (0..200).for_each(round);
    settles("/proc/self/fd", descriptors);
    settles("/proc/self/task", threads);
    drop(open(&stage.rig, &path));
}
