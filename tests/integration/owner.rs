//! One owner of a home, heard by other processes: through the real socket, with an owner made for the test.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use talaria_core::owner::{Door, Owner, ask_front, ask_import};
use talaria_wire::{ErrorCode, ImportProgress, ImportReport, IpcError};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const DEADLINE: Duration = Duration::from_secs(30);

/// Counts what it was asked; `endless.db` takes until it is cancelled.
#[derive(Default)]
struct Recorder {
    fronts: AtomicUsize,
    has_no_window: bool,
}

#[async_trait::async_trait]
impl Owner for Recorder {
    fn front(&self) -> bool {
        self.fronts.fetch_add(1, Ordering::SeqCst);
        !self.has_no_window
    }

    async fn import(
        &self,
        path: PathBuf,
        progress: mpsc::Sender<ImportProgress>,
        cancel: CancellationToken,
    ) -> Result<ImportReport, IpcError> {
        progress.send(ImportProgress { done: 3, total: 4, current: None }).await.expect("it is heard");
        if path.ends_with("refused.db") {
            return Err(IpcError::new(ErrorCode::Damaged, "The file is damaged."));
        }
        if path.ends_with("endless.db") {
            cancel.cancelled().await;
        }
        let cancelled = cancel.is_cancelled();
        Ok(ImportReport { path: path.display().to_string(), cancelled, ..ImportReport::default() })
    }
}

/// A home with its door open, and the socket's file. Tests share the process' environment, so the socket is looked for
/// where it would be with and without a runtime folder.
fn opened(home: &Path, owner: Arc<Recorder>) -> (Door, PathBuf) {
    let before = sockets(home);
    let door = Door::open(home, owner).expect("a socket");
    let new =
        sockets(home).into_iter().find(|path| !before.contains(path)).unwrap_or(home.join("owner.sock"));
    (door, new)
}

fn sockets(home: &Path) -> Vec<PathBuf> {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let folders = [Some(home.to_owned()), runtime].into_iter().flatten();
    let files = folders.filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    files.map(|file| file.path()).filter(|path| path.extension().is_some_and(|end| end == "sock")).collect()
}

#[tokio::test]
async fn the_owner_comes_forward_and_its_socket_is_the_users_alone() {
    let home = tempfile::tempdir().unwrap();
    assert!(!ask_front(home.path()).await, "nobody is there");
    let owner = Arc::new(Recorder::default());
    let (door, socket) = opened(home.path(), owner.clone());
    let found = fs::symlink_metadata(&socket).unwrap();
    assert!(found.file_type().is_socket());
    assert_eq!(found.permissions().mode() & 0o777, 0o600);
    assert!(ask_front(home.path()).await);
    assert_eq!(owner.fronts.load(Ordering::SeqCst), 1);
    drop(door);
    assert!(!socket.exists(), "the file goes with the door");
    assert!(!ask_front(home.path()).await);
}

#[tokio::test]
async fn an_owner_without_a_window_does_not_answer() {
    let home = tempfile::tempdir().unwrap();
    let owner = Arc::new(Recorder { has_no_window: true, ..Recorder::default() });
    let (_door, _) = opened(home.path(), owner);
    assert!(!ask_front(home.path()).await);
}

#[tokio::test]
async fn a_socket_that_a_killed_owner_left_behind_is_replaced() {
    let home = tempfile::tempdir().unwrap();
    let (door, socket) = opened(home.path(), Arc::default());
    drop(door);
    // What a kill leaves: a file that nobody listens on.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    assert!(!ask_front(home.path()).await, "nobody is there");
    let (_door, _) = opened(home.path(), Arc::default());
    assert!(ask_front(home.path()).await);
}

#[tokio::test]
async fn a_door_takes_no_other_owners_socket_away() {
    let home = tempfile::tempdir().unwrap();
    let (first, socket) = opened(home.path(), Arc::default());
    let _second = Door::open(home.path(), Arc::new(Recorder::default())).expect("a socket in its place");
    drop(first);
    assert!(socket.exists());
    assert!(ask_front(home.path()).await);
}

#[tokio::test]
async fn an_import_is_handed_over_with_its_progress_and_its_end() {
    let home = tempfile::tempdir().unwrap();
    let (_door, _) = opened(home.path(), Arc::default());
    let ask = async |name: &str| {
        let mut steps = Vec::new();
        let path = home.path().join(name);
        let told = |step: ImportProgress| steps.push((step.done, step.total));
        let ended = ask_import(home.path(), &path, CancellationToken::new(), told).await;
        (ended.expect("somebody listens"), steps)
    };
    let (report, steps) = ask("state.db").await;
    assert_eq!(report.unwrap().path, home.path().join("state.db").display().to_string());
    assert_eq!(steps[0], (0, 0), "heard at once");
    let (error, _) = ask("refused.db").await;
    assert_eq!(error.unwrap_err().code, ErrorCode::Damaged);
    let relative = ask_import(home.path(), Path::new("state.db"), CancellationToken::new(), |_| {}).await;
    assert_eq!(relative.expect("it answers").unwrap_err().code, ErrorCode::BadRequest);
}

#[tokio::test]
async fn what_is_cancelled_here_is_cancelled_there_and_still_reports() {
    let home = tempfile::tempdir().unwrap();
    let (_door, _) = opened(home.path(), Arc::default());
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let told = move |step: ImportProgress| {
        if step.done == 3 {
            stop.cancel();
        }
    };
    let path = home.path().join("endless.db");
    let ended = tokio::time::timeout(DEADLINE, ask_import(home.path(), &path, cancel, told)).await;
    assert!(ended.expect("it ends").expect("somebody listens").expect("a report").cancelled);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_request_is_told_so_and_harms_nobody() {
    let home = tempfile::tempdir().unwrap();
    let (_door, socket) = opened(home.path(), Arc::default());
    for strange in [&b"GET / HTTP/1.1\r\n\r\n"[..], b"{\"ask\":\"purge\"}\n", &[b'a'; 70_000]] {
        let mut stream = UnixStream::connect(&socket).unwrap();
        stream.set_read_timeout(Some(DEADLINE)).unwrap();
        // It may be refused before all of it is sent.
        let _ = stream.write_all(strange);
        let mut answer = String::new();
        // An answer, or a closed door; never a wait.
        if stream.read_to_string(&mut answer).is_ok() && !answer.is_empty() {
            assert!(answer.contains("\"bad_request\""), "{answer}");
        }
    }
    // A connection that says nothing holds up nobody.
    let silent = UnixStream::connect(&socket).unwrap();
    assert!(ask_front(home.path()).await);
    drop(silent);
}

#[tokio::test]
async fn nobody_who_does_not_answer_is_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let (door, socket) = opened(home.path(), Arc::default());
    drop(door);
    // It takes connections and never says a word.
    let _mute = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(!tokio::time::timeout(DEADLINE, ask_front(home.path())).await.expect("it gives up"));
    let path = home.path().join("state.db");
    assert!(ask_import(home.path(), &path, CancellationToken::new(), |_| {}).await.is_none());
}
