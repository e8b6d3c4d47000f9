//! More than one process, and processes that end without a goodbye.

use super::*;
use app_tests::home::open;
use app_tests::seed::{Seed, fill};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use talaria_core::clock::ManualClock;
use talaria_core::store::OwnerLock;

fn child(what: &str, home: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_store-child"))
        .arg(what)
        .arg(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the second process starts")
}

fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let out = child.stdout.take().expect("its output");
    BufReader::new(out).lines().map(|line| line.expect("text"))
}

#[tokio::test]
async fn the_second_process_is_told_who_has_the_home() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let mut owner = child("open", folder.path());
    assert_eq!(lines(&mut owner).next().as_deref(), Some("open"));
    let refused = OwnerLock::acquire(folder.path()).expect_err("somebody has it");
    assert!(matches!(refused, StoreError::InUse { pid: Some(pid) } if pid == owner.id()), "{refused:?}");
    assert_eq!(refused.to_string(), format!("in use by process {}", owner.id()));
    let words = IpcError::from(refused);
    assert_eq!((words.code, words.retryable), (ErrorCode::InUse, true));
    drop(owner.stdin.take());
    assert!(owner.wait().expect("it ends").success());
    OwnerLock::acquire(folder.path()).expect("free again");
}

#[test]
fn a_killed_owner_leaves_the_home_free() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let mut owner = child("open", folder.path());
    assert_eq!(lines(&mut owner).next().as_deref(), Some("open"));
    owner.kill().expect("killed");
    owner.wait().expect("it ended");
    open(folder.path(), &ManualClock::at(NOON), Duration::ZERO).expect("opens");
}

#[test]
fn of_several_starts_at_once_one_has_the_new_home() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let home = folder.path().join("not/there/yet");
    let mut starts: Vec<Child> = (0..4).map(|_| child("open", &home)).collect();
    let said: Vec<String> =
        starts.iter_mut().map(|start| lines(start).next().expect("each says something")).collect();
    let open_count = said.iter().filter(|line| *line == "open").count();
    let in_use = said.iter().filter(|line| line.starts_with("error InUse")).count();
    assert_eq!((open_count, in_use), (1, 3), "{said:?}");
    for start in &mut starts {
        drop(start.stdin.take());
        start.wait().expect("it ends");
    }
    open(&home, &ManualClock::at(NOON), Duration::ZERO).expect("the file is whole");
}

#[tokio::test]
async fn every_acknowledged_archive_survives_a_kill() {
    const SESSIONS: usize = 1000;
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: SESSIONS, messages_each: 1, ..Seed::default() }).await;
    let folder = home.closed().await;
    let mut writer = child("archive", folder.path());
    // Killed in the middle of its work, wherever that is: after it has said the 400th.
    let mut acknowledged = 0;
    for line in lines(&mut writer) {
        let Some(n) = line.strip_prefix("archived ") else { continue };
        acknowledged = n.parse().expect("a number");
        if acknowledged == 400 {
            writer.kill().expect("killed");
        }
    }
    writer.wait().expect("it ended");
    assert!(acknowledged >= 400);
    let store = open(folder.path(), &ManualClock::at(NOON), Duration::ZERO).expect("opens after a kill");
    for n in 1..=acknowledged {
        let row = store.session_get(SessionRef { id: session_id(n) }).await.expect("a row");
        assert!(row.archived, "{n} of {acknowledged} was acknowledged");
    }
    let counts = store.counts().await.expect("counts");
    assert_eq!(counts.active + counts.archived, SESSIONS as i64);
    assert!(counts.archived as usize >= acknowledged);
    assert!(store.counts_hold().await.expect("a check"));
}

#[tokio::test]
async fn a_thousand_acknowledged_archives_are_all_there() {
    let home = TempHome::new();
    fill(&home.store, &Seed { sessions: 1000, messages_each: 1, ..Seed::default() }).await;
    let folder = home.closed().await;
    let mut writer = child("archive", folder.path());
    let acknowledged = lines(&mut writer).filter(|line| line.starts_with("archived ")).count();
    assert!(writer.wait().expect("it ends").success());
    let store = open(folder.path(), &ManualClock::at(NOON), Duration::ZERO).expect("opens");
    assert_eq!((acknowledged, store.counts().await.expect("counts").archived), (1000, 1000));
}

#[tokio::test]
async fn closing_gives_the_home_free_while_clones_live() {
    let home = TempHome::new();
    let clone = home.store.clone();
    home.store.clone().close().await;
    OwnerLock::acquire(home.path()).expect("free");
    assert_eq!(code(clone.counts().await.expect_err("closed")), ErrorCode::Internal);
    clone.close().await;
}

#[cfg(unix)]
#[tokio::test]
async fn the_home_and_its_files_are_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a temp folder");
    let path = folder.path().join("home");
    let store = open(&path, &ManualClock::at(NOON), Duration::ZERO).expect("a new store");
    store
        .settings_update(SettingsPatch { setup_done: Some(true), ..Default::default() })
        .await
        .expect("a write");
    let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(&path), 0o700);
    let files: Vec<_> =
        std::fs::read_dir(&path).expect("the home").map(|file| file.expect("a file").path()).collect();
    assert!(files.len() >= 3, "lock, store and log: {files:?}");
    for file in files {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
    }
}

#[test]
fn what_is_written_into_the_lock_is_one_number() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let mut file = std::fs::File::create(folder.path().join("owner.lock")).expect("an old lock");
    writeln!(file, "a longer text from a time before").expect("written");
    let _lock = OwnerLock::acquire(folder.path()).expect("nobody holds it");
    let text = std::fs::read_to_string(folder.path().join("owner.lock")).expect("readable");
    assert_eq!(text, format!("{}\n", std::process::id()));
}
