//! What may be opened, on a real disk.

use super::{get, open, put, rig, write};
use app_tests::range_table::rig::Rig;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use talaria_core::media::{Ask, MediaError, Transport, serve};
use talaria_wire::{ErrorCode, IpcError};

fn code(rig: &Rig, text: &str) -> ErrorCode {
    let error = rig.media.open(&rig.client(), text).expect_err(text);
    IpcError::from(error).code
}

fn code_of(rig: &Rig, path: &Path) -> ErrorCode {
    code(rig, path.to_str().expect("Unicode"))
}

#[test]
fn an_attack_in_the_text_is_blocked_before_the_disk() {
    let rig = rig();
    let inside = put(&rig, "a.mp4", "ID3").display().to_string();
    let folder = rig.folder().display().to_string();
    for text in [
        format!("{folder}/../out/a.mp4"),
        format!("{inside}\0.mp4"),
        format!("/{inside}"),
        format!("file:///..{inside}"),
        format!("file://{folder}/%2e%2e/out/a.mp4"),
        format!("file://evil{inside}"),
        format!("file:///{inside}"),
        "~/../a.mp4".into(),
        r"\\host\s\x.mp4".into(),
        "//host/s/x.mp4".into(),
        "file://host/s/x.mp4".into(),
        "FILE://host/s/x.mp4".into(),
        "file:////host/s/x.mp4".into(),
        "file:///%5c%5chost/s/x.mp4".into(),
        "%5c%5chost%5cs%5cx.mp4".into(),
        r"\\?\C:\x.mp4".into(),
        r"\\.\pipe\x.mp4".into(),
    ] {
        assert_eq!(code(&rig, &text), ErrorCode::Blocked, "{text:?}");
    }
}

#[test]
fn home_and_file_addresses_lead_to_the_file() {
    let rig = rig();
    let path = put(&rig, "a b.mp4", "ID3");
    let url = format!("file://{}", path.display().to_string().replace(' ', "%20"));
    for text in ["~/out/a b.mp4", &url] {
        let opened = rig.media.open(&rig.client(), text).expect(text);
        assert_eq!((opened.name.as_str(), opened.size), ("a b.mp4", 3));
    }
}

#[test]
fn a_web_address_is_remote_and_a_relative_path_missing() {
    let rig = rig();
    assert_eq!(code(&rig, "https://example.org/a.mp4"), ErrorCode::Remote);
    // There is such a file in the working folder of this test.
    assert_eq!(code(&rig, "Cargo.toml"), ErrorCode::Missing);
}

#[test]
fn a_missing_file_says_where_it_was_looked_for() {
    let rig = rig();
    let path = rig.folder().join("none.mp4");
    let error = rig.open(&path).expect_err("no such file");
    assert_eq!(
        error.to_string(),
        format!("File is missing. Looked for {}. It was moved or deleted.", path.display())
    );
    // Missing comes before the kind, and a name that no system takes is missing too.
    assert_eq!(code_of(&rig, &rig.folder().join("none.txt")), ErrorCode::Missing);
    assert_eq!(code_of(&rig, &rig.folder().join(format!("{}.mp4", "x".repeat(300)))), ErrorCode::Missing);
    assert_eq!(code_of(&rig, &put(&rig, "a.mp4", "").join("b.mp4")), ErrorCode::Missing);
}

#[test]
fn other_kinds_of_file_are_unsupported() {
    let rig = rig();
    for name in ["a.txt", "a.svg", "a.mp4.exe", "mp4", ".mp4", "a.mp4?x"] {
        assert_eq!(code_of(&rig, &put(&rig, name, "x")), ErrorCode::Unsupported, "{name}");
    }
    // The kind is the target's, not the link's.
    let link = rig.folder().join("link.mp4");
    symlink(put(&rig, "notes.md", "x"), &link).expect("a symlink");
    assert_eq!(code_of(&rig, &link), ErrorCode::Unsupported);
    let words = rig.open(&link).expect_err("no medium").to_string();
    assert!(words.contains("link.mp4") && !words.contains("notes"), "{words}");
}

#[test]
fn what_is_no_regular_file_is_unsupported_and_never_waits() {
    let rig = rig();
    let folder = rig.folder().join("dir.mp4");
    std::fs::create_dir(&folder).expect("a folder");
    let socket = rig.folder().join("socket.mp4");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    // Nobody writes to the pipe: an open that waits would hang here until the run is cut.
    let pipe = rig.folder().join("pipe.mp4");
    let name = std::ffi::CString::new(pipe.to_str().expect("Unicode")).expect("no NUL");
    // SAFETY: the name is a NUL-terminated string that outlives the call.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    assert!(std::fs::metadata(&pipe).expect("the pipe").file_type().is_fifo());
    let device = rig.folder().join("device.mp4");
    symlink("/dev/zero", &device).expect("a symlink");
    for path in [folder, socket, pipe, device] {
        assert_eq!(code_of(&rig, &path), ErrorCode::Unsupported, "{}", path.display());
    }
}

#[test]
fn private_places_are_blocked_in_any_letter_case() {
    let rig = rig();
    for place in [
        ".ssh/clip.mp4",
        ".SSH/clip.mp4",
        ".gnupg/a.png",
        ".aws/a.png",
        ".kube/a.png",
        ".docker/a.png",
        ".config/gh/a.png",
        ".mozilla/firefox/p/a.png",
        ".config/google-chrome/Default/a.png",
        ".local/share/keyrings/a.png",
        "out/.env.mp4",
        "out/ID_RSA.mp4",
        "out/server.PEM",
        "out/id_ed25519",
        ".netrc",
        "data/talaria.db",
        "data/logs/a.png",
    ] {
        let path = rig.home().join(place);
        write(&path, "ID3 secret");
        assert_eq!(code_of(&rig, &path), ErrorCode::Blocked, "{place}");
    }
    let copy = rig.home().join("data/attachments/a.png");
    write(&copy, "BM");
    assert_eq!(open(&rig, &copy).name, "a.png");
}

#[test]
fn a_symlink_to_a_key_is_blocked_however_it_is_named() {
    let rig = rig();
    let key = rig.home().join(".ssh/id_rsa");
    write(&key, "ID3 key");
    write(&rig.home().join(".ssh/inside.mp4"), "ID3 key");
    let (file, folder) = (rig.folder().join("clip.mp4"), rig.folder().join("folder"));
    symlink(&key, &file).expect("a symlink");
    symlink(rig.home().join(".ssh"), &folder).expect("a symlink");
    assert_eq!(code_of(&rig, &file), ErrorCode::Blocked);
    assert_eq!(code_of(&rig, &folder.join("inside.mp4")), ErrorCode::Blocked);
}

#[test]
fn a_hard_link_to_a_private_file_is_blocked_and_to_another_it_is_not() {
    let rig = rig();
    let link = |private: &str, name: &str| -> PathBuf {
        let private = rig.home().join(private);
        write(&private, "ID3 secret");
        let path = rig.folder().join(name);
        std::fs::hard_link(&private, &path).expect("a hard link");
        path
    };
    for (private, name) in [
        (".ssh/id_rsa", "a.mp4"),
        (".config/gh/hosts.yml", "b.mp4"),
        (".mozilla/firefox/p/cookies.sqlite", "c.mp4"),
        ("data/talaria.db", "d.mp4"),
        (".netrc", "e.mp4"),
        (".env", "f.mp4"),
    ] {
        assert_eq!(code_of(&rig, &link(private, name)), ErrorCode::Blocked, "{private}");
    }
    for (harmless, name) in [("music/a.mp3", "g.mp3"), ("data/attachments/b.png", "h.png")] {
        assert_eq!(open(&rig, &link(harmless, name)).size, 10);
    }
}

#[test]
fn a_file_of_two_names_that_cannot_be_compared_with_all_private_files_says_so_and_what_to_do() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "ID3");
    std::fs::hard_link(&path, rig.folder().join("b.mp4")).expect("a second name");
    // Deeper than anybody looks.
    let deep = (0..40).fold(rig.home().join(".ssh"), |folder, _| folder.join("d"));
    std::fs::create_dir_all(&deep).expect("folders");
    assert_eq!(code_of(&rig, &path), ErrorCode::Blocked);
    let words = rig.open(&path).expect_err("not on a guess").to_string();
    assert!(
        words.starts_with("File could not be checked. a.mp4 ") && words.contains("Copy the file"),
        "{words}"
    );
    std::fs::remove_dir_all(rig.home().join(".ssh")).expect("fewer files");
    assert_eq!(open(&rig, &path).size, 3);
}

#[test]
fn a_hard_link_made_after_the_grant_is_seen_on_the_next_request() {
    let rig = rig();
    let path = put(&rig, "a.mp4", "ID3");
    let opened = open(&rig, &path);
    assert_eq!(get(&rig, &opened, &[]).status, 200);
    write(&rig.home().join(".ssh/config"), "x");
    std::fs::hard_link(&path, rig.home().join(".ssh/stolen")).expect("a hard link");
    assert_eq!(get(&rig, &opened, &[]).status, 403);
}

/// Ends the other thread also when an assertion fails.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_path_swapped_between_a_clip_and_a_link_to_a_key_never_gives_the_key() {
    let rig = rig();
    let key = rig.home().join(".ssh/id_rsa");
    write(&key, "ID3 KEY");
    let (clip, spare) = (rig.folder().join("clip.mp4"), rig.folder().join("spare"));
    let path = put(&rig, "swap.mp4", "ID3 clip");
    let opened = open(&rig, &path);
    write(&clip, "ID3 clip");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                symlink(&key, &spare).expect("a symlink");
                std::fs::rename(&spare, &path).expect("swapped to the key");
                std::fs::copy(&clip, &spare).expect("a copy");
                std::fs::rename(&spare, &path).expect("swapped to the clip");
            }
        });
        let _stop = StopOnDrop(&stop);
        let resolver = rig.media.bearer();
        for _ in 0..1000 {
            let ask =
                Ask { method: &http::Method::GET, headers: &http::HeaderMap::new(), grant: &opened.grant };
            let response = serve(&ask, &resolver, Transport::Capped);
            let status = response.status().as_u16();
            let content = response.into_body().read().expect("no file shrinks here");
            assert!(matches!(status, 200 | 403 | 404), "{status}");
            assert!(status != 200 || content == b"ID3 clip");
            match rig.open(&path) {
                Ok(_) | Err(MediaError::Blocked(_) | MediaError::Missing { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
        }
    });
}
