//! Attacks in what a message names, through the door that every window uses: `media_open` by name, on a real store and a
//! real disk. Everything is refused, and no refusal says more than the message already did.

use crate::command::Host;
use serde_json::{Value, json};
use std::fmt::Display;
use std::os::fd::AsRawFd;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use talaria_core::media::tags;

/// What only the private files hold.
const SECRET: &str = "ID3 THE-SECRET";
/// The name of the private file that links lead to.
const SECRET_NAME: &str = "id_ed25519_work.mp4";

/// One text that a message names, and the code it must be refused with.
struct Attack {
    text: String,
    code: &'static str,
}

fn attack(text: impl Display, code: &'static str) -> Attack {
    Attack { text: text.to_string(), code }
}

/// A host whose home holds an ordinary clip and a secret one.
struct Scene {
    host: Host,
}

impl Scene {
    async fn new() -> Self {
        let scene = Self { host: Host::ready().await };
        scene.write("out/clip.mp4", "ID3 clip");
        scene.write(&format!(".ssh/{SECRET_NAME}"), SECRET);
        scene
    }

    fn home(&self) -> &Path {
        self.host.folder.path()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.home().join(name)
    }

    fn secret(&self) -> PathBuf {
        self.path(".ssh").join(SECRET_NAME)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        super::write(&self.path(name), content);
        self.path(name)
    }

    /// Names every text in one message and asks for each. Every one is refused with its code, in words that hold neither
    /// the secret nor a path or name that the text did not hold.
    async fn refuses(&self, attacks: &[Attack]) {
        let message: String = attacks.iter().map(|attack| format!("MEDIA:`{}`\n", attack.text)).collect();
        let named: Vec<String> = tags::parse(&message).into_iter().map(|tag| tag.target).collect();
        let session = self.host.session_saying(&message).await;
        for Attack { text, code } in attacks {
            let answer = self.host.call("media_open", json!({ "session_id": session, "path": text })).await;
            let error = answer.map_or_else(|error| error, |opened| panic!("{text:?} was opened: {opened}"));
            assert_eq!(serde_json::to_value(error.code).unwrap(), Value::from(*code), "{text:?}: {error:?}");
            // Else it was refused for want of a tag only, and the checks were never asked.
            if named.contains(text) {
                assert!(!error.message.contains("No message"), "{text:?}: {error:?}");
            }
            for hidden in [SECRET, SECRET_NAME, ".ssh", &self.home().display().to_string()] {
                let is_said = error.message.contains(hidden);
                assert!(!is_said || text.contains(hidden), "{text:?} is told {hidden}: {error:?}");
            }
        }
        // A table of which the parser drops the most would try the wrong check.
        assert!(named.len() * 3 >= attacks.len() * 2, "only {} of {} are tags", named.len(), attacks.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_spelling_of_a_way_up_leaves_the_folder() {
    let scene = Scene::new().await;
    let out = scene.path("out").display().to_string();
    let up = |climb: &str| format!("{out}/{climb}.ssh/{SECRET_NAME}");
    let url = |climb: &str| format!("file://{}", up(climb));
    let mut attacks = Vec::new();
    for climb in ["../", "./../", "..//", "x/../../", r"..\", r"x\..\..\"] {
        attacks.push(attack(up(climb), "blocked"));
        attacks.push(attack(url(climb), "blocked"));
    }
    // A bare path is never decoded: these are names that no file has.
    for climb in ["..%2f", "%2e%2e/", "%2e%2e%2f", "..%252f", "%252e%252e/", "....//", "..;/", "..%c0%af"] {
        attacks.push(attack(up(climb), "missing"));
    }
    for climb in ["..%2f", "%2e%2e/", "%2E%2E%2F", ".%2e/", "%2e./", "..%5c", "%2e%2e%5c", "x%2f..%2f../"] {
        attacks.push(attack(url(climb), "blocked"));
    }
    // Decoded once: what is left is a name. Overlong forms are bytes of a name, not dots and slashes.
    for climb in [
        "..%252f",
        "%252e%252e/",
        "%25252e%25252e/",
        "%c0%ae%c0%ae/",
        "%e0%80%ae%e0%80%ae/",
        "..%c0%af",
        "..%e0%80%af",
        "%u002e%u002e/",
        "....//",
        "..;/",
        "\u{2025}/",
        "\u{ff0e}\u{ff0e}/",
    ] {
        attacks.push(attack(url(climb), "missing"));
    }
    let clip = scene.path("out/clip.mp4").display().to_string();
    attacks.push(attack(format!("{clip}\0.mp4"), "blocked"));
    attacks.push(attack(format!("file://{clip}%00.mp4"), "blocked"));
    scene.refuses(&attacks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_form_of_another_computer_or_a_device_is_looked_up() {
    let scene = Scene::new().await;
    let clip = scene.path("out/clip.mp4").display().to_string();
    let attacks = [
        attack(r"\\host\share\x.mp4", "blocked"),
        attack("//host/share/x.mp4", "blocked"),
        attack(r"/\host\share\x.mp4", "blocked"),
        attack("file://host/share/x.mp4", "blocked"),
        attack("FILE://HOST/share/x.mp4", "blocked"),
        attack("file:////host/share/x.mp4", "blocked"),
        attack("file://///host/share/x.mp4", "blocked"),
        attack(r"file:\\host\share\x.mp4", "blocked"),
        attack("file:///%5c%5chost/share/x.mp4", "blocked"),
        attack("file:%2f%2fhost/share/x.mp4", "blocked"),
        attack("%5c%5chost%5cshare%5cx.mp4", "blocked"),
        attack(format!("file://evil.example{clip}"), "blocked"),
        attack(format!("file://127.0.0.1{clip}"), "blocked"),
        attack(format!("//{clip}"), "blocked"),
        attack(r"\\?\C:\x.mp4", "blocked"),
        attack(r"\\.\PhysicalDrive0\x.mp4", "blocked"),
        attack(r"\\.\pipe\x.mp4", "blocked"),
        attack(r"\??\C:\x.mp4", "blocked"),
        attack("//?/C:/x.mp4", "blocked"),
        attack(r"C:\x.mp4", "missing"),
        attack("C:/x.mp4", "missing"),
        attack("smb://host/share/x.mp4", "missing"),
        attack("https://host.example/x.mp4", "remote"),
        attack("~root/x.mp4", "missing"),
        attack("clip.mp4", "missing"),
        attack("./out/clip.mp4", "missing"),
        attack("/dev/zero", "unsupported"),
        attack("/dev/tty", "unsupported"),
        attack("/proc/self/environ", "unsupported"),
        attack("/proc/self/mem", "unsupported"),
        attack("/proc/self/task", "unsupported"),
    ];
    scene.refuses(&attacks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_second_name_of_a_private_file_opens_it() {
    let scene = Scene::new().await;
    let secret = scene.secret();
    let store = scene.path("home/talaria.db");
    let (to_file, to_folder) = (scene.path("out/link.mp4"), scene.path("out/shelf"));
    symlink(&secret, &to_file).unwrap();
    symlink(scene.path(".ssh"), &to_folder).unwrap();
    let (hard, of_store) = (scene.path("out/hard.mp4"), scene.path("out/store.mp4"));
    std::fs::hard_link(&secret, &hard).unwrap();
    std::fs::hard_link(&store, &of_store).unwrap();
    symlink(&hard, scene.path("out/link-to-hard.mp4")).unwrap();
    let open = std::fs::File::open(&secret).unwrap();
    let (process, descriptor) = (std::process::id(), open.as_raw_fd());
    let by_store = scene.path("out/by-store.mp4");
    symlink(&store, &by_store).unwrap();
    let attacks = [
        attack(secret.display(), "blocked"),
        attack(format!("~/.ssh/{SECRET_NAME}"), "blocked"),
        attack(format!("file://localhost{}", secret.display()), "blocked"),
        attack(to_file.display(), "blocked"),
        attack(to_folder.join(SECRET_NAME).display(), "blocked"),
        attack(hard.display(), "blocked"),
        attack(scene.path("out/link-to-hard.mp4").display(), "blocked"),
        attack(of_store.display(), "blocked"),
        attack(by_store.display(), "blocked"),
        attack(format!("/proc/self/fd/{descriptor}"), "blocked"),
        attack(format!("/dev/fd/{descriptor}"), "blocked"),
        attack(format!("/proc/{process}/fd/{descriptor}"), "blocked"),
        attack(format!("/proc/self/root{}", secret.display()), "blocked"),
        attack(format!("/proc/{process}/root{}", secret.display()), "blocked"),
        attack(format!("/proc/self/task/{process}/root{}", secret.display()), "blocked"),
    ];
    scene.refuses(&attacks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_letter_case_of_a_private_place_opens_it() {
    let scene = Scene::new().await;
    let mut attacks = Vec::new();
    for place in [
        ".ssh",
        ".gnupg",
        ".aws",
        ".kube",
        ".docker",
        ".config/gh",
        "Library/Keychains",
        ".local/share/keyrings",
        ".mozilla/firefox/x.default",
        ".config/google-chrome/Default",
        ".config/BraveSoftware/Brave-Browser",
        ".config/microsoft-edge-dev",
        "Library/Safari",
        "AppData/Local/Google/Chrome/User Data",
    ] {
        let swapped: String = place
            .chars()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect();
        for place in [place.to_owned(), place.to_uppercase(), swapped] {
            let file = scene.write(&format!("{place}/deep/picture.png"), "BM");
            attacks.push(attack(file.display(), "blocked"));
        }
    }
    for name in [
        ".env",
        ".ENV.local",
        ".Env.mp4",
        "a.pem",
        "A.PEM",
        "b.P12",
        "c.KEY",
        "id_rsa.mp3",
        "ID_DSA.mp3",
        "Id_Ecdsa.mp3",
        "ID_ED25519.MP3",
        ".netrc",
        ".NPMRC",
        ".PyPiRc",
    ] {
        attacks.push(attack(scene.write(&format!("out/{name}"), "ID3").display(), "blocked"));
    }
    attacks.push(attack(scene.path("home/talaria.db").display(), "blocked"));
    attacks.push(attack(scene.write("home/logs/a.png", "BM").display(), "blocked"));
    scene.refuses(&attacks).await;
}

/// Dotfiles are often kept elsewhere and linked into the home.
#[test]
fn a_private_folder_that_is_a_symlink_is_private_at_both_ends() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("dotfiles/aws/clip.mp4");
    super::write(&file, SECRET);
    symlink(home.path().join("dotfiles/aws"), home.path().join(".aws")).unwrap();
    let paths = talaria_core::media::MediaPaths {
        data_folder: home.path().join("data"),
        user_home: home.path().to_owned(),
    };
    let media = talaria_core::media::Media::new(paths);
    for text in ["~/.aws/clip.mp4", "~/dotfiles/aws/clip.mp4"] {
        let error = media.open(&"w".into(), text).expect_err(text);
        assert!(matches!(error, talaria_core::media::MediaError::Blocked(_)), "{text}: {error}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_plays_by_its_name_alone() {
    let scene = Scene::new().await;
    let tar = [&[b'a'; 257][..], b"ustar"].concat();
    let files: [(&str, &[u8]); 14] = [
        ("script.mp4", b"#!/bin/sh\necho THE-SECRET\n"),
        ("archive.mkv", b"PK\x03\x04\x14\0\0\0"),
        ("tarball.mov", &tar),
        ("gzip.webm", b"\x1f\x8b\x08\0\0\0\0\0"),
        ("program.wav", b"\x7fELF\x02\x01\x01\0"),
        ("windows.mp3", b"MZ\x90\0\x03\0\0\0"),
        ("page.png", b"<!doctype html><script>alert(1)</script>"),
        ("drawing.jpg", b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>"),
        ("paper.gif", b"%PDF-1.7\n"),
        ("store.mp4", b"SQLite format 3\0"),
        ("key.ogg", b"-----BEGIN OPENSSH PRIVATE KEY-----\n"),
        ("passwd.flac", b"root:x:0:0:root:/root:/bin/sh\n"),
        ("letter.opus", b"\xff\xfeh\0e\0l\0l\0o\0"),
        ("zeros.aac", &[0; 9000]),
    ];
    let mut attacks = Vec::new();
    for (name, content) in files {
        attacks.push(attack(scene.write(&format!("out/{name}"), content).display(), "unsupported"));
    }
    symlink("/proc/self/environ", scene.path("out/environment.mp4")).unwrap();
    attacks.push(attack(scene.path("out/environment.mp4").display(), "unsupported"));
    scene.refuses(&attacks).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_only_a_tool_or_half_a_tag_names_is_not_opened() {
    let scene = Scene::new().await;
    let clip = scene.path("out/clip.mp4").display().to_string();
    // In code, inside a longer path, without the mark, in the wrong letter case: none is a tag of the clip.
    let message = format!("```\nMEDIA:{clip}\n```\nMEDIA:{clip}.mp4 and {clip} and media:{clip}");
    let session = scene.host.session_saying(&message).await;
    let answer = scene.host.call("media_open", json!({ "session_id": session, "path": clip })).await;
    let error = answer.expect_err("not named");
    assert_eq!(serde_json::to_value(error.code).unwrap(), "blocked");
    assert!(error.message.contains("No message of this session names"), "{error:?}");
}
