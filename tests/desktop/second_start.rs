//! A second start of the app, and `talariactl` beside it.

use crate::steps::{bring_in, open_app, stage_with_sample, wait_for_rows};
use app_tests::desktop::{Stage, target_folder};
use app_tests::hermes_file::{HermesFile, Line};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(30);

async fn run(mut command: Command) -> Output {
    tokio::task::spawn_blocking(move || command.output().expect("the program runs")).await.expect("it ends")
}

/// The process whose window lies above the others.
fn topmost(stage: &Stage, among: &[u32]) -> Option<u32> {
    let output = |program: &str, arguments: &[&str]| {
        let mut command = stage.command(program.as_ref());
        let output = command.args(arguments).output().expect("X tools are there (package x11-utils)");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // Children are listed from the top of the stack to its bottom.
    let tree = output("xwininfo", &["-root", "-children"]);
    let windows =
        tree.lines().filter_map(|line| line.split_whitespace().next()).filter(|id| id.starts_with("0x"));
    windows
        .filter(|id| output("xwininfo", &["-id", id]).contains("IsViewable"))
        .filter_map(|id| {
            output("xprop", &["-id", id, "_NET_WM_PID"]).rsplit_once(" = ")?.1.trim().parse().ok()
        })
        .find(|pid| among.contains(pid))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_second_start_brings_the_first_window_forward_and_says_nothing() {
    let stage = stage_with_sample().await;
    let first = open_app(&stage).await;
    // Another home is another app: its window covers the first one.
    let other_home = stage.files().join("other");
    let other = [("TALARIA_HOME", other_home.to_str().expect("a text"))];
    let second = stage.launch_without_waiting(&other).await;
    second.page.find("main", "Set up Talaria").await;
    let both = [first.process("talaria"), second.process("talaria")];
    let top_is = |pid: u32| {
        let deadline = Instant::now() + DEADLINE;
        while topmost(&stage, &both) != Some(pid) {
            assert!(Instant::now() < deadline, "{pid} of {both:?} does not come to the top");
            std::thread::sleep(Duration::from_millis(50));
        }
    };
    top_is(both[1]);

    let output = run(stage.command(stage.app())).await;
    assert_eq!(output.status.code(), Some(0));
    let said = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(said, ("".into(), "".into()), "it has nothing to say");
    top_is(both[0]);
    wait_for_rows(&first.page, 22).await;
    second.close().await;
    first.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_import_from_the_terminal_shows_in_the_open_window() {
    let stage = Stage::new();
    // One session is there, so that the window shows its list.
    let before = HermesFile::copy_of_sample(&stage.files().join("before.db")).expect("a Hermes store");
    bring_in(&stage, before.path()).await;
    let app = open_app(&stage).await;
    wait_for_rows(&app.page, 22).await;
    let lines = [Line::User("From the terminal."), Line::Assistant("It is here.")];
    before.add_session("late", "Late arrival", "/home/user", 1_796_080_000.0, &lines).expect("one more");

    let mut command = stage.command(&target_folder().join("debug/talariactl"));
    command.args(["import", "--json"]).arg(before.path());
    let output = run(command).await;
    let report: talaria_wire::ImportReport =
        serde_json::from_slice(&output.stdout).expect("the app's report");
    assert_eq!((report.sessions, report.unchanged), (1, 28));
    app.page.row("Late arrival").await;
    wait_for_rows(&app.page, 23).await;
    app.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_start_beside_an_owner_that_does_not_answer_says_who_has_the_home() {
    let stage = stage_with_sample().await;
    let held = talaria_core::store::OwnerLock::acquire(&stage.talaria_home()).expect("the home is free");
    let app = stage.launch().await;
    let words = format!("in use by process {}", std::process::id());
    app.page.reads("alert", &words).await;
    drop(held);
    app.close().await;
}
