//! SIGKILL at random moments of a turn: nothing acknowledged is lost, no half answer looks whole, every call has one
//! result, and the next turn works.

use super::*;
use app_tests::kills::kills;
use rand::Rng;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// What the model answers in the end: long enough to be met in its middle.
fn whole() -> String {
    (0..1_500).map(|n| format!("word{n} ")).collect::<String>() + "end"
}

/// Runs turns in another process and kills it in a moment after one of its first lines; answers its whole lines.
fn killed(home: &Path, folder: &Path) -> Vec<String> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_live-child"))
        .args([home, folder])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the process starts");
    let mut random = rand::rng();
    let after = random.random_range(0..4);
    let wait = random.random_range(Duration::ZERO..Duration::from_millis(250));
    let mut lines = Vec::new();
    for line in BufReader::new(child.stdout.take().expect("its output")).lines() {
        lines.push(line.expect("text"));
        if lines.len() == after + 1 {
            // Its further lines wait in the pipe.
            let moment = Instant::now() + wait;
            while Instant::now() < moment {
                std::thread::yield_now();
            }
            child.kill().expect("killed");
        }
    }
    child.wait().expect("it ended");
    lines
}

/// Every call of these rows has exactly one result behind it; answers how many there are.
fn calls_are_answered(rows: &[MessageRow]) -> usize {
    let mut results: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        if let Some(id) = row.tool.as_ref().and_then(|tool| tool.call_id.as_deref()) {
            *results.entry(id).or_default() += 1;
        }
    }
    let calls: Vec<&str> = rows.iter().flat_map(|row| &row.tool_calls).map(|call| call.id.as_str()).collect();
    for call in &calls {
        assert_eq!(results.remove(call), Some(1), "{rows:?}");
    }
    assert!(results.is_empty(), "{rows:?}");
    calls.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_killed_at_any_moment_of_a_turn_leaves_a_transcript_that_says_so() {
    let first = Stage::new().await;
    let whole = whole();
    // Once the call has its result, the words.
    first.server.say(Reply::text(&whole).when("tool_call_id").always());
    first
        .server
        .say(Reply::calls(&[("look", "read_file", json!({ "path": "note" }))]).when("prompt").always());
    std::fs::write(first.folder.join("note"), "a note").unwrap();
    let (server, folder) = (first.server, first.folder);
    first.host.app.close().await;
    let mut kept = first.host.into_folder();
    let home = kept.path().join("home");
    let (mut interrupted, mut ended) = (0, 0);
    for round in 0..kills().turns {
        let (at, work) = (home.clone(), folder.clone());
        let lines = tokio::task::spawn_blocking(move || killed(&at, &work)).await.expect("killed");
        let stage = Stage::without_model(kept).await;
        let page = stage.page("main");
        let mut last = None;
        for line in &lines {
            let mut words = line.split(' ');
            let (what, n) = (words.next().expect("a word"), words.next().expect("a number"));
            let Some(id) = words.next().map(SessionId::from).filter(|_| what == "sent") else {
                ended += 1;
                continue;
            };
            let rows = stage.rows(&id).await;
            assert_eq!(rows[0].text, format!("prompt {n}"), "round {round}: it was acknowledged");
            calls_are_answered(&rows);
            let answer = rows.last().expect("a row");
            let whole_one = answer.role == MessageRole::Assistant && answer.text == whole;
            let told_ended = lines.iter().any(|line| *line == format!("ended {n}"));
            assert!(whole_one || !told_ended, "round {round}: an ended turn is whole");
            if answer.role == MessageRole::Assistant && !whole_one {
                let reason = answer.finish_reason.as_deref();
                assert_eq!(reason, Some("interrupted"), "round {round}: a half answer says that it is one");
                assert!(whole.starts_with(&answer.text));
                interrupted += 1;
            }
            assert!(stage.row(&id).await.unread, "round {round}: nobody saw its end");
            last = Some(id);
        }
        if let Some(id) = last {
            let SessionResumeResponse::Here { live } = page.resume(&id).await else {
                panic!("nobody has it")
            };
            page.submit(&live.live_id, "prompt again").await;
            assert_eq!(page.idle(&live.live_id).await.problem, None, "round {round}");
            let rows = stage.rows(&id).await;
            assert_eq!(rows.last().expect("a row").text, whole, "round {round}: the next turn works");
            calls_are_answered(&rows);
        }
        stage.host.app.close().await;
        kept = stage.host.into_folder();
    }
    assert!(interrupted > 0, "no kill met a turn in its middle ({ended} turns came to their end)");
    drop(server);
}
