//! Where the socket lies, who can reach it, and how it ends.

use super::{Peer, Served, content, grant, open, put, rig, runtime};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use talaria_core::media::MediaSocket;
use talaria_media_frames::{Op, Status};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[test]
fn it_lies_in_a_folder_of_its_own_that_nobody_else_can_enter_and_is_gone_after_its_end() {
    let runtime_folder = tempfile::tempdir().expect("a temp folder");
    let one = MediaSocket::bind(Some(runtime_folder.path())).expect("a socket");
    let two = MediaSocket::bind(Some(runtime_folder.path())).expect("a second one");
    assert_ne!(one.path(), two.path());
    for socket in [&one, &two] {
        assert_eq!(mode(socket.path().parent().expect("a folder")), 0o700);
        assert!(socket.path().starts_with(runtime_folder.path()));
    }
    drop((one, two));
    assert_eq!(std::fs::read_dir(runtime_folder.path()).expect("a folder").count(), 0);
}

#[test]
fn what_a_killed_app_left_is_cleared_away_and_nothing_else_is() {
    let runtime_folder = tempfile::tempdir().expect("a temp folder");
    let folder = |name: &str| {
        let folder = runtime_folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder
    };
    // A listener that is gone leaves its file.
    let left_behind = |folder: &Path| {
        drop(std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket"))
    };
    let (left, foreign, empty) =
        (folder("talaria-media-1"), folder("other-media-1"), folder("talaria-media-2"));
    left_behind(&left);
    left_behind(&foreign);
    let alive = MediaSocket::bind(Some(runtime_folder.path())).expect("a socket");
    let second = MediaSocket::bind(Some(runtime_folder.path())).expect("a second one");
    assert!(!left.exists());
    assert!(foreign.join("socket").exists() && empty.exists());
    assert!(alive.path().exists() && second.path().exists());
}

#[test]
fn a_folder_that_a_kill_left_before_it_had_its_name_is_cleared_away_when_it_is_old() {
    let runtime_folder = tempfile::tempdir().expect("a temp folder");
    let folder = |name: &str, age: u64| {
        let folder = runtime_folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let listener = std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket");
        drop(listener);
        let handle = std::fs::File::open(&folder).expect("it opens");
        let time = std::time::SystemTime::now() - std::time::Duration::from_secs(age);
        handle.set_modified(time).expect("a time");
        (folder, handle)
    };
    let hours = 2 * 60 * 60;
    let (left, _) = folder(".talaria-media-1", hours);
    let (young, _) = folder(".talaria-media-2", 0);
    let (foreign, _) = folder(".other-media-1", hours);
    // Between its socket and its name.
    let (begins, lock) = folder(".talaria-media-3", hours);
    lock.try_lock().expect("nobody has it");
    drop(MediaSocket::bind(Some(runtime_folder.path())).expect("a socket"));
    assert!(!left.exists());
    assert!(young.exists() && foreign.exists() && begins.exists());
}

#[test]
fn the_folder_of_an_app_that_is_stopped_or_only_begins_to_listen_is_left_alone_and_not_connected_to() {
    let runtime_folder = tempfile::tempdir().expect("a temp folder");
    let in_use = |name: &str| {
        let folder = runtime_folder.path().join(name);
        std::fs::create_dir(&folder).expect("a folder");
        let lock = std::fs::File::open(&folder).expect("it opens");
        lock.try_lock().expect("nobody has it");
        (std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket"), folder, lock)
    };
    let (stopped, its_folder, _its_lock) = in_use("talaria-media-1");
    stopped.set_nonblocking(true).expect("a listener");
    // What is bound and not listened to refuses, as one whose listener is gone.
    let (begins, beginning, lock) = in_use("talaria-media-2");
    drop(begins);
    drop(MediaSocket::bind(Some(runtime_folder.path())).expect("a socket"));
    assert!(stopped.accept().is_err_and(|error| error.kind() == std::io::ErrorKind::WouldBlock));
    assert!(its_folder.join("socket").exists() && beginning.join("socket").exists());
    drop(lock);
    drop(MediaSocket::bind(Some(runtime_folder.path())).expect("a socket"));
    assert!(its_folder.exists() && !beginning.exists());
}

#[test]
fn what_is_put_beside_it_goes_with_it_and_what_a_link_there_leads_to_stays() {
    let (runtime_folder, other) =
        (tempfile::tempdir().expect("a temp folder"), tempfile::tempdir().expect("a temp folder"));
    std::fs::write(other.path().join("file"), "").expect("a file");
    let socket = MediaSocket::bind(Some(runtime_folder.path())).expect("a socket");
    assert_eq!(socket.path().parent(), Some(socket.folder()));
    std::os::unix::fs::symlink(other.path(), socket.folder().join("link")).expect("a link");
    drop(socket);
    assert_eq!(std::fs::read_dir(runtime_folder.path()).expect("a folder").count(), 0);
    assert!(other.path().join("file").exists());
}

#[test]
fn without_a_usable_runtime_folder_it_lies_among_the_temporary_files() {
    let folder = tempfile::tempdir().expect("a temp folder");
    let long = folder.path().join("x".repeat(120));
    std::fs::create_dir(&long).expect("a folder");
    let file = folder.path().join("file");
    std::fs::write(&file, "").expect("a file");
    let missing = folder.path().join("missing");
    for runtime_dir in [None, Some(&*long), Some(&*file), Some(&*missing), Some(Path::new("relative"))] {
        let socket = MediaSocket::bind(runtime_dir).expect("a socket");
        assert!(socket.path().starts_with(std::env::temp_dir()), "{runtime_dir:?}");
        assert!(!socket.path().starts_with(folder.path()), "{runtime_dir:?}");
        let own = socket.path().parent().expect("a folder").to_owned();
        assert_eq!(mode(&own), 0o700);
        drop(socket);
        assert!(!own.exists());
    }
}

#[test]
fn who_connects_before_it_is_served_waits_and_is_answered() {
    let rig = rig();
    let socket = MediaSocket::bind(Some(rig.home())).expect("a socket");
    let opened = open(&rig, &put(&rig, "a.mp3", content(100)));
    let mut early = Peer::connect(socket.path()).expect("the socket is there");
    let runtime = runtime();
    socket.serve(&rig.media, runtime.handle()).expect("it is served");
    socket.serve(&rig.media, runtime.handle()).expect("a second time changes nothing");
    assert_eq!(early.ask(grant(&opened), Op::Open).expect("an answer").0.status, Status::Ok);
}

#[test]
fn its_end_ends_every_connection() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let mut used = served.connect();
    used.read(grant, 0, 10);
    let mut half = served.connect();
    half.send(b"HMED\x01").expect("taken");
    let Served { socket, rig: _rig, _runtime } = served;
    let path = socket.path().to_owned();
    drop(socket);
    assert!(used.rest().is_empty() && half.rest().is_empty());
    assert!(Peer::connect(&path).is_err());
}
