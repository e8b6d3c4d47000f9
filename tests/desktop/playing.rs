//! Playing a card's file in the real web view, by either of the two ways on which bytes reach it, and what the app and
//! its web processes hold open meanwhile.

use app_tests::desktop::{App, Page, Stage};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const PLAYING: &str = include_str!("playing.js");
/// The scripts have a deadline for each step and end with words; this one is for a page that says nothing at all.
const DEADLINE: Duration = Duration::from_secs(240);
const POLL: Duration = Duration::from_millis(25);

/// How bytes reach the player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The scheme itself, by the GStreamer element.
    Plugin,
    /// HTTP on this computer.
    Loopback,
}

impl Way {
    /// The app with this way and no other.
    pub async fn launch(self, stage: &Stage) -> App {
        stage
            .launch_with(&[match self {
                Way::Plugin => "--media-transport=plugin",
                Way::Loopback => "--media-transport=loopback",
            }])
            .await
    }

    /// What the addresses of its players begin with.
    pub fn scheme(self) -> &'static str {
        match self {
            Way::Plugin => "hermes-media:",
            Way::Loopback => "http://127.0.0.1:",
        }
    }
}

/// A clock that was set while it ran. Seconds.
#[derive(Debug, Deserialize)]
pub struct Landing {
    pub asked: f64,
    /// Where the clock stood `after` so long.
    pub at: f64,
    pub after: f64,
}

impl Landing {
    /// Whether it went on from where it was asked to, and not from some place before.
    pub fn is_exact(&self) -> bool {
        let went = self.at - self.asked;
        (-0.1..=self.after + 0.3).contains(&went)
    }
}

/// A file played, sought in and played again. Seconds.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Everything {
    pub src: String,
    pub duration: f64,
    /// Pixels of the picture, 0 for sound.
    pub width: u64,
    pub middle: Landing,
    pub first: f64,
    pub negative: f64,
    pub past: f64,
    /// The length as it is known at the end.
    pub whole: f64,
    pub end: f64,
}

/// A file that ran for a moment.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plays {
    pub src: String,
    /// Seconds.
    pub duration: f64,
}

/// A running clock set to one place after the other.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Visits {
    pub src: String,
    /// Seconds.
    pub duration: f64,
    pub landings: Vec<Landing>,
}

/// Plays, seeks to the middle, the start, before it, past the end, plays again and seeks to the end.
pub async fn everything(page: &Page, card: &str) -> Result<Everything, String> {
    perform(page, "everything", &[json!(card)]).await
}

/// Plays for a moment.
pub async fn plays(page: &Page, card: &str) -> Result<Plays, String> {
    perform(page, "plays", &[json!(card)]).await
}

/// Plays and goes to each of these places, in seconds.
pub async fn visits(page: &Page, card: &str, places: &[f64]) -> Result<Visits, String> {
    perform(page, "visits", &[json!(card), json!(places)]).await
}

async fn perform<T: DeserializeOwned>(page: &Page, what: &str, given: &[Value]) -> Result<T, String> {
    run(page, &format!("playing.begin(playing.{what}, ...args)"), given).await;
    let deadline = Instant::now() + DEADLINE;
    loop {
        let answer = page.run("return window.played", &[]).await;
        if let Some(words) = answer["failed"].as_str() {
            return Err(words.to_owned());
        }
        if !answer.is_null() {
            return T::deserialize(&answer["measured"]).map_err(|error| format!("{error} in {answer}"));
        }
        if Instant::now() >= deadline {
            return Err(format!("nothing came of it in {DEADLINE:?}"));
        }
        tokio::time::sleep(POLL).await;
    }
}

/// Runs a script with `playing` (see `playing.js`) at hand.
pub async fn run(page: &Page, script: &str, args: &[Value]) -> Value {
    page.run(&format!("{PLAYING}\n{script}"), args).await
}

/// What the processes of this app and its web view hold open, as the kernel names it.
pub fn open_files(app: &App) -> Vec<PathBuf> {
    ["talaria", "WebKitWebProcess", "WebKitNetworkProcess"]
        .iter()
        .flat_map(|name| descriptors(app.process(name)))
        .collect()
}

fn descriptors(process: u32) -> Vec<PathBuf> {
    let folder = std::fs::read_dir(format!("/proc/{process}/fd")).expect("a running process of ours");
    folder.flatten().filter_map(|entry| std::fs::read_link(entry.path()).ok()).collect()
}

/// Copies of media that the web view made on disk. It deletes their names at once and keeps them open as long as the
/// player lives (measured).
pub fn copies_on_disk(app: &App) -> Vec<PathBuf> {
    open_files(app).into_iter().filter(|path| path.to_string_lossy().contains("WebKit-Media")).collect()
}
