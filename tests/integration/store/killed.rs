//! SIGKILL at random moments: what a process has acknowledged is there afterwards, the file is whole, the counts hold.
//! The window's share of it is `desktop/killed.rs`.

use super::*;
use app_tests::desktop::target_folder;
use app_tests::hermes_file::HermesFile;
use app_tests::home::open;
use app_tests::kills::kills;
use app_tests::seed::{Seed, fill};
use app_tests::writes::{SESSIONS, Write};
use rand::Rng;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use talaria_core::clock::ManualClock;
use talaria_core::store::Store;
use talaria_core::store::home::STORE_FILE;

/// Kills the process in the moment after one of its first `acknowledgements` lines, and answers all its whole lines.
/// The moment is anywhere in the work on the next ones: up to `within` after the line.
fn killed_after(mut child: Child, said: impl Read, acknowledgements: usize, within: Duration) -> Vec<String> {
    let mut random = rand::rng();
    let after = random.random_range(0..acknowledgements);
    let wait = random.random_range(Duration::ZERO..within);
    let mut lines = BufReader::new(said);
    let mut whole = Vec::new();
    let mut line = String::new();
    while lines.read_line(&mut line).expect("text") > 0 {
        if line.ends_with('\n') {
            whole.push(line.trim_end().to_owned());
        }
        line.clear();
        if whole.len() == after + 1 {
            let moment = Instant::now() + wait;
            while Instant::now() < moment {
                std::thread::yield_now();
            }
            child.kill().expect("killed");
        }
    }
    child.wait().expect("it ended");
    whole
}

/// The home as the next start finds it.
async fn opened(home: &Path) -> Store {
    let store = open(home, &ManualClock::at(NOON), Duration::ZERO).expect("opens after a kill");
    let db = rusqlite::Connection::open(home.join(STORE_FILE)).expect("the file");
    let check: String = db.query_row("PRAGMA quick_check", [], |row| row.get(0)).expect("a check");
    assert_eq!(check, "ok");
    assert!(store.counts_hold().await.expect("a check"), "the counts are wrong");
    store
}

#[tokio::test]
async fn every_acknowledged_write_survives_a_kill_at_any_moment() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: SESSIONS, messages_each: 1, ..Seed::default() }).await;
    let folder = home.closed().await;
    let mut next = 0_usize;
    for round in 0..kills().writing {
        let mut child = Command::new(env!("CARGO_BIN_EXE_store-child"))
            .args([Path::new("write"), folder.path(), Path::new(&next.to_string())])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the writing process starts");
        let out = child.stdout.take().expect("its output");
        let said = killed_after(child, out, 80, Duration::from_millis(5));
        let done = said.iter().filter_map(|line| line.strip_prefix("wrote ")?.parse().ok()).max();
        // Killed before its first write: then nothing more than before is there.
        let last: Option<usize> = done.or_else(|| next.checked_sub(1));
        let store = opened(folder.path()).await;
        // The one after the last may be there or not: nobody was told.
        let open_end = Write(last.map_or(0, |last| last + 1));
        for write in (0..SESSIONS).filter_map(|back| last?.checked_sub(back).map(Write)) {
            let overwritten = open_end.before().is_some_and(|before| before.0 == write.0);
            let there = write.is_there(&store).await.expect("a row")
                || (overwritten && open_end.is_there(&store).await.expect("a row"));
            assert!(there, "round {round}: {write:?} of {last:?} was acknowledged and is not there");
        }
        store.close().await;
        next = last.map_or(0, |last| last + 1);
    }
    assert!(
        next > SESSIONS,
        "only {next} writes were acknowledged: the kills come too early to say anything"
    );
}

#[tokio::test]
async fn every_session_that_an_import_told_survives_a_kill_at_any_moment() {
    const MORE: usize = 1_000;
    let folder = tempfile::tempdir().expect("a temp folder");
    let file = HermesFile::copy_of_sample(&folder.path().join("hermes/state.db")).expect("a Hermes store");
    let db = rusqlite::Connection::open(file.path()).expect("the file");
    db.execute_batch(&format!(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {MORE})
         INSERT INTO sessions (id, source, started_at) SELECT 'more-' || i, 'cli', 1796070000 + i FROM n;
         INSERT INTO messages (session_id, role, content, timestamp)
         SELECT id, 'user', 'question ' || id, started_at FROM sessions WHERE id LIKE 'more-%';",
    ))
    .expect("many sessions");
    drop(db);
    let program = target_folder().join("debug/talariactl");
    assert!(program.is_file(), "{} is not built: cargo build --workspace", program.display());
    let import = |home: &Path| {
        let mut command = Command::new(&program);
        command
            .args(["import", "--json"])
            .arg(file.path())
            .env("TALARIA_HOME", home)
            .env_remove("TALARIA_LOG");
        command
    };

    let mut in_the_middle = 0;
    let rounds = kills().importing;
    for round in 0..rounds {
        let home = folder.path().join(format!("home-{round}"));
        let mut child =
            import(&home).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the import starts");
        let told = child.stderr.take().expect("its progress");
        let said = killed_after(child, told, 10, Duration::from_millis(60));
        let done = said.iter().map(|line| {
            let step: serde_json::Value = serde_json::from_str(line).expect("a step");
            step["done"].as_i64().expect("a number")
        });
        let done = done.max().unwrap_or(0);
        let store = opened(&home).await;
        let db = rusqlite::Connection::open(home.join(STORE_FILE)).expect("the file");
        let there: i64 =
            db.query_row("SELECT count(*) FROM sessions", [], |row| row.get(0)).expect("a count");
        assert!(there >= done, "round {round}: {done} sessions were told, {there} are there");
        in_the_middle += usize::from(there > 0 && (there as usize) < MORE);
        store.close().await;
        if round + 1 == rounds {
            let rest = import(&home).output().expect("the import runs");
            let report: ImportReport = serde_json::from_slice(&rest.stdout).expect("a report");
            assert_eq!((report.sessions + there, report.unchanged), (MORE as i64 + 28, there));
        }
    }
    assert!(in_the_middle * 2 > rounds, "only {in_the_middle} of {rounds} kills met the import at work");
}
