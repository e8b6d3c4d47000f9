//! Commands: what they print, how they end, what they find, and that nobody is left behind.

use super::*;
use std::collections::BTreeSet;
use tokio::task::JoinHandle;

/// A command that runs while the test goes on.
struct Running {
    heard: mpsc::Receiver<String>,
    stop: CancellationToken,
    outcome: JoinHandle<ToolOutcome>,
}

impl Running {
    fn start(scene: &Scene, command: &str) -> Self {
        let (output, heard) = mpsc::channel(16);
        let stop = CancellationToken::new();
        let (tools, place, token) = (scene.tools.clone(), scene.place.clone(), stop.clone());
        let call = call("terminal", &json!({ "command": command }));
        let outcome = tokio::spawn(async move { tools.run(&place, &call, output, token).await });
        Self { heard, stop, outcome }
    }

    /// What it printed up to its first whole line: there it says a number.
    async fn number(&mut self) -> u32 {
        let mut text = String::new();
        while !text.contains('\n') {
            let more = tokio::time::timeout(DEADLINE, self.heard.recv()).await.expect("it prints");
            text.push_str(&more.expect("it runs"));
        }
        text.lines().next().unwrap().trim().parse().unwrap()
    }

    async fn answer(self) -> Value {
        let outcome = tokio::time::timeout(DEADLINE, self.outcome).await.expect("it ends").unwrap();
        serde_json::from_str(&outcome.text).unwrap()
    }
}

/// Those of a session (proc_pid_stat(5), field 6) that live; a dead one whose parent has not looked yet does not.
fn living(session: u32) -> BTreeSet<u32> {
    let of_session = |id: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let lives = !matches!(fields[0], "Z" | "X");
        (lives && fields[3] == session.to_string()).then_some(id)
    };
    let names = std::fs::read_dir("/proc").unwrap().flatten();
    names.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(of_session).collect()
}

fn kill(id: u32) {
    let done = std::process::Command::new("kill").args(["-KILL", &id.to_string()]).status().unwrap();
    assert!(done.success());
}

#[tokio::test]
async fn both_outputs_come_in_their_order_with_the_exit_code() {
    let scene = Scene::new();
    let answer = scene.run("terminal", json!({ "command": "echo a; echo b >&2; echo c; exit 3" })).await;
    assert_eq!(answer, json!({ "output": "a\nb\nc\n", "exit_code": 3, "error": null }));
    assert!(scene.outcome("terminal", &json!({ "command": "false" })).await.failed);
    let fine = scene.outcome("terminal", &json!({ "command": "pwd" })).await;
    assert!(!fine.failed);
    assert!(fine.text.contains(&format!("{}\\n", scene.at("home/ws").display())), "{}", fine.text);
}

#[tokio::test]
async fn a_signal_is_told_in_words() {
    let scene = Scene::new();
    let answer = scene.run("terminal", json!({ "command": "kill -SEGV $$" })).await;
    assert_eq!(answer["exit_code"], 139);
    assert!(answer["error"].as_str().unwrap().contains("SEGV"), "{answer}");
}

#[tokio::test]
async fn a_command_finds_the_users_environment_and_nothing_of_ours() {
    let scene = Scene::with([
        ("TALARIA_HOME", "ours-1"),
        ("TALARIA_TOKEN", "ours-2"),
        ("HERMES_DASHBOARD_SESSION_TOKEN", "ours-3"),
        ("OPENAI_API_KEY", "ours-4"),
        ("ANTHROPIC_API_KEY", "ours-5"),
        ("HERMES_HOME", "users-1"),
        ("GREETING", "users-2"),
    ]);
    let answer = scene.run("terminal", json!({ "command": "env" })).await;
    let text = answer["output"].as_str().unwrap();
    assert!(!text.contains("ours-"), "{text}");
    assert!(text.contains("HERMES_HOME=users-1\n") && text.contains("GREETING=users-2\n"), "{text}");
    // Only what was given: not what this process has.
    assert!(!text.contains("CARGO"), "{text}");
}

#[tokio::test]
async fn a_command_has_no_input_and_no_terminal_to_ask_at() {
    let scene = Scene::new();
    let answer =
        scene.run("terminal", json!({ "command": "cat; (: < /dev/tty) 2>/dev/null || echo none" })).await;
    assert_eq!(answer["output"], "none\n");
}

#[tokio::test]
async fn output_without_end_is_bounded_and_says_what_is_left_out() {
    let scene = Scene::new();
    let answer =
        scene.run("terminal", json!({ "command": "echo first; yes | head -c 20000000; echo last" })).await;
    let text = answer["output"].as_str().unwrap();
    assert!(text.starts_with("first\n") && text.ends_with("last\n"));
    assert!(text.len() < 60 * 1024 && text.contains("bytes left out ...]\n"), "{}", text.len());
}

#[tokio::test]
async fn a_listener_who_does_not_listen_holds_nothing_up() {
    let scene = Scene::new();
    let running = Running::start(&scene, "yes | head -c 5000000; echo end");
    let Running { heard, outcome, .. } = running;
    let outcome = tokio::time::timeout(DEADLINE, outcome).await.expect("it ends").unwrap();
    assert!(outcome.text.contains("end"));
    drop(heard);
}

#[tokio::test]
async fn characters_and_colours_arrive_whole_while_it_runs() {
    let scene = Scene::new();
    let letters = r"printf '\033[31m\360\237'; sleep 0.1; printf '\230\200\033[0m'; printf '\377'";
    let mut running = Running::start(&scene, letters);
    let mut text = String::new();
    while let Some(more) = tokio::time::timeout(DEADLINE, running.heard.recv()).await.expect("it ends") {
        text.push_str(&more);
    }
    assert_eq!(text, "\u{1b}[31m\u{1f600}\u{1b}[0m\u{fffd}");
    assert_eq!(running.answer().await["output"], text.as_str());
}

#[tokio::test]
async fn the_time_ends_a_command() {
    let scene = Scene::new();
    let answer = scene.run("terminal", json!({ "command": "echo begun; sleep 1000", "timeout": 1 })).await;
    assert_eq!((&answer["output"], &answer["exit_code"]), (&json!("begun\n"), &json!(124)));
    assert!(answer["error"].as_str().unwrap().contains("within 1 seconds"), "{answer}");
}

/// The leader ends by TERM, its children do not hear it.
#[tokio::test]
async fn a_stop_leaves_nobody_behind_who_ignores_it() {
    let scene = Scene::new();
    let deaf = "sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000 & wait' & ";
    let mut running = Running::start(&scene, &format!("{deaf} {deaf} echo $$; wait"));
    let session = running.number().await;
    until("the family", || living(session).len() == 7).await;
    running.stop.cancel();
    let answer = running.answer().await;
    assert!(answer["error"].as_str().unwrap().contains("stopped by the user"), "{answer}");
    assert_eq!(answer["note"], Value::Null);
    assert_eq!(living(session), BTreeSet::new());
}

#[tokio::test]
async fn a_command_that_ignores_the_stop_itself_or_stands_still_is_ended() {
    let scene = Scene::new();
    for command in
        ["trap '' TERM; echo $$; while :; do sleep 1000; done", "echo $$; kill -STOP $$; sleep 1000"]
    {
        let mut running = Running::start(&scene, command);
        let session = running.number().await;
        running.stop.cancel();
        running.answer().await;
        assert_eq!(living(session), BTreeSet::new(), "{command}");
    }
}

#[tokio::test]
async fn a_turn_that_is_dropped_takes_its_command_with_it() {
    let scene = Scene::new();
    let mut running = Running::start(&scene, "sleep 1000 & echo $$; wait");
    let session = running.number().await;
    running.outcome.abort();
    until("the end of all", || living(session).is_empty()).await;
}

#[tokio::test]
async fn a_process_that_goes_on_is_told_does_not_hold_up_the_answer_and_can_still_print() {
    let scene = Scene::new();
    let count = scene.at("home/ws/count");
    let loud = "(i=0; while echo x; do i=$((i+1)); echo $i > count; sleep 0.01; done) & echo $!";
    let answer = scene.run("terminal", json!({ "command": loud })).await;
    assert_eq!(answer["exit_code"], 0);
    assert!(answer["note"].as_str().unwrap().contains("still running"), "{answer}");
    let text = answer["output"].as_str().unwrap();
    let id: u32 = text.lines().find(|line| *line != "x").unwrap().parse().unwrap();
    let counted = || std::fs::read_to_string(&count).ok()?.trim().parse::<u64>().ok();
    until("a first count", || counted().is_some()).await;
    let then = counted().unwrap_or(0);
    until("more output after the answer", || counted().is_some_and(|now| now > then + 20)).await;
    kill(id);
}

#[tokio::test]
async fn a_folder_that_is_not_there_is_told() {
    let mut scene = Scene::new();
    scene.place.folder = Some(scene.at("gone"));
    let said = scene.error("terminal", json!({ "command": "ls" })).await;
    assert!(said.contains("is not there"), "{said}");
    let home = Scene::new().without_folder();
    let answer = home.run("terminal", json!({ "command": "pwd" })).await;
    assert_eq!(answer["output"], format!("{}\n", home.at("home").display()));
}
