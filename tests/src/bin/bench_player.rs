//! `bench-player`: three seeks in a video of 471 MB with its index at the end, in the real window: by the plugin and by the
//! loopback listener in turns, so that a busy machine is busy for both. Times are the page's own, bytes those that the app
//! read from the first seek until it was at rest again. For the app that `TALARIA_BIN` names; prints, judges nothing.
//! Aim: the plugin's seeks are not slower.

use app_tests::desktop::{App, Stage};
use app_tests::hermes_file::{HermesFile, Line};
use app_tests::large_clip::{IndexAt, make_large_clip};
use app_tests::profile;
use serde_json::{Value, json};
use std::time::Duration;

const TITLE: &str = "A film";
/// Where the three seeks lead, in seconds.
const PLACES: [u32; 3] = [250, 10, 299];
/// What carries the film, as the command line calls it.
const WAYS: [&str; 2] = ["plugin", "loopback"];
/// Starts of the app by each way; the middle one is told, and the best.
const TURNS: usize = 7;
/// The app is at rest when it has read nothing for so long.
const REST: Duration = Duration::from_millis(500);

/// Finds the card's player once its length is known, notes its events and starts it.
const START: &str = "const group = page.first('group', args[0]);
    const player = group?.querySelector('video');
    if (group?.dataset.mediaState !== 'ready' || !player || player.readyState < 1 || player.seeking) return null;
    const seen = { played: false, took: null, error: null };
    player.addEventListener('timeupdate', () => { if (player.currentTime > 0.3) seen.played = true; });
    player.addEventListener('seeked', () => { seen.took = performance.now() - seen.began; });
    player.addEventListener('error', () => { seen.error = `media error ${player.error?.code}`; });
    window.watched = { player, seen };
    player.play().catch((error) => { seen.error = String(error); });
    return player.currentSrc.split(':')[0]";

struct Run {
    /// Of each seek, in milliseconds.
    took: Vec<f64>,
    /// MB that the app read for the three.
    read: f64,
}

#[tokio::main]
async fn main() {
    let stage = Stage::new();
    let clip = make_large_clip(&stage.files(), IndexAt::End).expect("ffmpeg makes the video");
    let store = HermesFile::copy_of_sample(&stage.files().join("hermes.db")).expect("a copy of the sample");
    let text = format!("Here it is:\nMEDIA:{}\nEnd.", clip.display());
    let lines = [Line::User("Show me."), Line::Assistant(&text)];
    // Newer than all of the sample, so that it stands at the top.
    store.add_session("film", TITLE, "/home/user/films", 1_796_080_000.0, &lines).expect("a session");
    profile::import_into(&stage.talaria_home(), store.path()).await.expect("the sessions are read in");

    let mut runs = WAYS.map(|_| Vec::new());
    for turn in 0..TURNS {
        // Who is first changes, too.
        for at in (0..WAYS.len()).map(|at| (at + turn) % WAYS.len()) {
            runs[at].push(run(&stage, WAYS[at]).await);
        }
    }
    println!(
        "seeks in a video of 471 MB, index at its end, to {PLACES:?} s; {TURNS} starts by each way, median (best)"
    );
    for (way, runs) in WAYS.iter().zip(&runs) {
        let told = |of: &dyn Fn(&Run) -> f64| {
            let mut values: Vec<f64> = runs.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            (values[TURNS / 2], values[0])
        };
        print!("  {way:<10}");
        for at in 0..PLACES.len() {
            let (median, best) = told(&|run| run.took[at]);
            print!(" {median:>5.0} ms ({best:>4.0})");
        }
        let (all, best) = told(&|run| run.took.iter().sum());
        let (read, least) = told(&|run| run.read);
        println!("   all {all:>5.0} ms ({best:>4.0})   {read:>6.1} MB ({least:>5.1}) read");
    }
}

/// One start of the app by this way, and the seeks.
async fn run(stage: &Stage, way: &str) -> Run {
    let app = stage.launch_with(&[&format!("--media-transport={way}")]).await;
    let page = &app.page;
    page.click_on(&page.row(TITLE).await).await;
    let scheme = page.wait_with("the player", START, &[json!("Video: large-index-at-end.mp4")]).await;
    // A way that fails gives place to the other: its figures would be those of the other.
    assert_eq!(scheme, if way == "plugin" { "hermes-media" } else { "http" }, "what plays the film");
    until(&app, "the clock to run", "seen.played").await;
    page.run("window.watched.player.pause()", &[]).await;
    let before = read_until_rest(&app).await;
    let mut took = Vec::new();
    for place in PLACES {
        let seek = "const { player, seen } = window.watched;
            seen.took = null; seen.began = performance.now(); player.currentTime = args[0]";
        page.run(seek, &[json!(place)]).await;
        let time =
            until(&app, &format!("the seek to {place} s by the {way}"), "player.seeking ? null : seen.took")
                .await;
        took.push(time.as_f64().expect("a time"));
    }
    let read = (read_until_rest(&app).await - before) as f64 / 1e6;
    app.close().await;
    Run { took, read }
}

/// What the app has read when it reads no more.
async fn read_until_rest(app: &App) -> u64 {
    let mut read = bytes_read(app);
    loop {
        tokio::time::sleep(REST).await;
        let now = bytes_read(app);
        if now == read {
            return read;
        }
        read = now;
    }
}

/// Waits for something true about the watched player.
async fn until(app: &App, what: &str, condition: &str) -> Value {
    let script = format!(
        "const {{ player, seen }} = window.watched; return seen.error ? {{ error: seen.error }} : ({condition})"
    );
    let answer = app.page.wait_with(what, &script, &[]).await;
    assert_eq!(answer["error"], Value::Null, "while waiting for {what}");
    answer
}

/// What the app has read so far, files mostly: whatever carries a video, its bytes are read from its file there.
fn bytes_read(app: &App) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{}/io", app.process("talaria")))
        .expect("a process of this user");
    let line = io.lines().find_map(|line| line.strip_prefix("rchar:")).expect("a figure");
    line.trim().parse().expect("a number")
}
