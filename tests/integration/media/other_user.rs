//! Another user of the same computer: what the port gives without the token, and that the socket is out of reach.
//!
//! As root the asking is done by a thread with another user's rights. Without root nobody can be another user: then the
//! port is asked by who knows as little as one, and of the socket is shown what keeps others out, its folder's owner and
//! mode.

use super::socket::{Peer, Served, content};
use super::{open, put, rig};
use app_tests::range_table::wire::{Ask, Reply};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use talaria_media_frames::{Op, Request};

/// `nobody` of every Linux.
const NOBODY: libc::uid_t = 65_534;

fn user() -> u32 {
    // SAFETY: the call takes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// Runs `work` with the rights of another user where we may, else with our own.
fn as_another_user<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let has_rights_to_give_up = user() == 0;
    std::thread::scope(|scope| {
        let asking = scope.spawn(move || {
            if has_rights_to_give_up {
                // SAFETY: the raw calls take plain numbers and no list, and change the rights of this thread alone, which
                // ends here.
                let given_up = unsafe {
                    libc::syscall(libc::SYS_setgroups, 0, 0) == 0
                        && libc::syscall(libc::SYS_setresgid, NOBODY, NOBODY, NOBODY) == 0
                        && libc::syscall(libc::SYS_setresuid, NOBODY, NOBODY, NOBODY) == 0
                };
                assert!(given_up, "root may be anybody");
            }
            work()
        });
        asking.join().expect("the thread ends well")
    })
}

#[test]
fn who_has_no_token_gets_nothing_of_a_file_whatever_else_he_knows() {
    let rig = rig();
    let opened = open(&rig, &put(&rig, "a.mp3", "ID3 content"));
    let target = rig.target(&opened);
    let token = target.split('/').nth(1).expect("the run token");
    let (grant, zeros) = (&opened.grant, "0".repeat(64));
    // The port shows in a list of sockets, the name may be guessed; even the grant helps nobody without the token.
    let asked = [
        "/".to_owned(),
        format!("/{grant}/a.mp3"),
        format!("//{grant}/a.mp3"),
        format!("/{zeros}/{grant}/a.mp3"),
        format!("/{}/{grant}/a.mp3", &token[..63]),
        format!("/{}/{grant}/a.mp3", token.to_uppercase().replace(char::is_numeric, "0")),
        format!("/{grant}{grant}/{grant}/a.mp3"),
    ];
    let address = rig.address();
    let answers = as_another_user(|| {
        let one = |target: &String| {
            let reply = Ask::new("GET", target).send(address)?;
            let (status, length) = (reply.status, reply.header("content-range").map(str::to_owned));
            let content = Reply::read_to_end(reply).map_err(|error| error.to_string())?;
            Ok::<_, String>((status, length, content))
        };
        asked.iter().map(one).collect::<Result<Vec<_>, _>>()
    });
    for (target, (status, length, content)) in asked.iter().zip(answers.expect("answers")) {
        assert_eq!((status, length), (404, None), "{target}");
        assert_eq!(content, b"There is nothing at this address.", "{target}");
    }
    assert_eq!(rig.send(&Ask::new("GET", &target)).expect("an answer").status, 200);
}

#[test]
fn the_socket_is_out_of_reach_of_another_user_and_would_not_hear_him() {
    let served = Served::start();
    let (_, grant) = served.file("a.mp3", 100);
    let path = served.socket.path().to_owned();
    let folder = path.parent().expect("a folder").to_owned();
    let found = std::fs::metadata(&folder).expect("its folder");
    assert_eq!((found.uid(), found.mode() & 0o777), (user(), 0o700));
    if user() == 0 {
        let ask = || -> io::Result<Vec<u8>> {
            let mut peer = Peer::connect(&path)?;
            // It may be closed before or after this is sent.
            let _ = peer.send(&Request { grant, op: Op::Open }.encode());
            Ok(peer.rest())
        };
        open_to_all(served.rig.home());
        let kept_out = as_another_user(ask).expect_err("the folder is closed");
        assert_eq!(kept_out.kind(), io::ErrorKind::PermissionDenied);
        // Were it not, the user would be told by the system.
        open_to_all(&folder);
        open_to_all(&path);
        assert!(as_another_user(ask).expect("it connects").is_empty());
    }
    assert_eq!(served.connect().read(grant, 0, 100).1, content(100));
}

fn open_to_all(path: &Path) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o777)).expect("the mode is set");
}
