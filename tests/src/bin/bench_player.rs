//! `bench-player`: three seeks in a video of 471 MB with its index at the end, in the real window: once by the plugin,
//! once by the loopback listener. Times are the page's own, bytes those that the app read meanwhile. For the app that
//! `TALARIA_BIN` names; prints, judges nothing. Aim: the plugin's seeks are not slower.

use app_tests::desktop::{App, Stage};
use app_tests::hermes_file::{HermesFile, Line};
use app_tests::large_clip::{IndexAt, make_large_clip};
use app_tests::profile;
use serde_json::{Value, json};

const TITLE: &str = "A film";
/// Where the three seeks lead, in seconds.
const PLACES: [u32; 3] = [250, 10, 299];
/// Starts of the app for each way; the middle one is told.
const STARTS: usize = 3;

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

#[derive(Default)]
struct Run {
    scheme: String,
    /// Of each seek, in milliseconds.
    took: Vec<f64>,
    /// Bytes that the app read for the three.
    read: u64,
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

    println!(
        "three seeks in a video of 471 MB, index at its end, to {PLACES:?} s ({STARTS} starts, medians)"
    );
    for way in ["plugin", "loopback"] {
        let mut runs = Vec::new();
        for _ in 0..STARTS {
            let app = stage.launch_with(&[&format!("--media-transport={way}")]).await;
            runs.push(seeks(&app).await);
            app.close().await;
        }
        let median = |of: &dyn Fn(&Run) -> f64| {
            let mut values: Vec<f64> = runs.iter().map(of).collect();
            values.sort_by(f64::total_cmp);
            values[STARTS / 2]
        };
        let took: Vec<String> =
            (0..PLACES.len()).map(|at| format!("{:>6.0} ms", median(&|run| run.took[at]))).collect();
        let read = median(&|run| run.read as f64 / 1e6);
        println!("  {way:<10}{}   {read:>6.1} MB read   ({})", took.join(" "), runs[0].scheme);
    }
}

async fn seeks(app: &App) -> Run {
    let page = &app.page;
    page.click_on(&page.row(TITLE).await).await;
    let card = json!("Video: large-index-at-end.mp4");
    let scheme = page.wait_with("the player", START, &[card]).await;
    until(app, "the clock to run", "seen.played").await;
    page.run("window.watched.player.pause()", &[]).await;
    let mut run = Run { scheme: scheme.as_str().unwrap_or_default().to_owned(), ..Run::default() };
    let before = bytes_read(app);
    for place in PLACES {
        let seek = "const { player, seen } = window.watched;
            seen.took = null; seen.began = performance.now(); player.currentTime = args[0]";
        page.run(seek, &[json!(place)]).await;
        let took = until(app, &format!("the seek to {place} s"), "player.seeking ? null : seen.took").await;
        run.took.push(took.as_f64().expect("a time"));
    }
    run.read = bytes_read(app) - before;
    run
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
