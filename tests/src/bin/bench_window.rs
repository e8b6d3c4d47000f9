//! `bench-window`: how long a start takes until the sessions can be used, and what memory the app then holds. On the demo
//! profile, for the app that `TALARIA_BIN` names; prints, judges nothing.

use app_tests::demo;
use app_tests::desktop::{App, Stage};
use app_tests::profile;
use std::time::{Duration, Instant};

/// Starts; the middle one is told, and the slowest.
const STARTS: usize = 7;

#[tokio::main]
async fn main() {
    let stage = Stage::new();
    let store = stage.files().join("hermes.db");
    demo::write_store(&store, &stage.files().join("media")).expect("the demo's store");
    profile::import_into(&stage.talaria_home(), &store).await.expect("the demo's sessions");

    let mut starts = Vec::new();
    let mut memory = Vec::new();
    for _ in 0..STARTS {
        let began = Instant::now();
        let app = stage.launch_without_waiting(&[]).await;
        app.page.row(demo::TITLE).await;
        starts.push(began.elapsed());
        memory = resident(&app);
        app.close().await;
    }
    starts.sort();
    println!("start to usable window (driver's start included), {STARTS} starts on the demo profile");
    println!("  median {:>6.0} ms   slowest {:>6.0} ms", ms(starts[STARTS / 2]), ms(starts[STARTS - 1]));
    println!("resident memory with the list shown");
    for (name, bytes) in &memory {
        println!("  {name:<16} {:>6.0} MB", *bytes as f64 / 1e6);
    }
    println!(
        "  {:<16} {:>6.0} MB",
        "together",
        memory.iter().map(|(_, bytes)| bytes).sum::<u64>() as f64 / 1e6
    );
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Bytes in memory of the app's own process and of the one that draws its page.
fn resident(app: &App) -> Vec<(&'static str, u64)> {
    ["talaria", "WebKitWebProcess"]
        .map(|name| {
            let status = std::fs::read_to_string(format!("/proc/{}/status", app.process(name)));
            let status = status.expect("a process of this user");
            let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("a figure");
            let kib: u64 = line.trim().trim_end_matches(" kB").trim().parse().expect("a number");
            (name, kib * 1024)
        })
        .to_vec()
}
