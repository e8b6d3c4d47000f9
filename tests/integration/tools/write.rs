//! `write_file`.

use super::*;
use std::fs::{Permissions, read_to_string, set_permissions};
use std::os::unix::fs::{PermissionsExt, symlink};

fn write(path: impl serde::Serialize, content: &str) -> Value {
    json!({ "path": path, "content": content })
}

#[tokio::test]
async fn a_file_is_replaced_whole_keeps_its_rights_and_shows_what_changed() {
    let scene = Scene::new();
    let file = scene.at("home/ws/a.txt");
    set_permissions(&file, Permissions::from_mode(0o750)).unwrap();
    let outcome = scene.outcome("write_file", &write("a.txt", "one\nthree\n")).await;
    assert!(!outcome.failed, "{outcome:?}");
    assert_eq!(read_to_string(&file).unwrap(), "one\nthree\n");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    let change = outcome.change.unwrap();
    assert_eq!(
        (change.before.as_deref(), change.after.as_slice()),
        (Some(&b"one\ntwo\n"[..]), &b"one\nthree\n"[..])
    );
    assert!(change.diff.ends_with("@@ -1,2 +1,2 @@\n one\n-two\n+three\n"), "{}", change.diff);
    // Nothing is left beside it.
    let names = std::fs::read_dir(scene.at("home/ws")).unwrap().count();
    assert_eq!(names, 2);
}

#[tokio::test]
async fn missing_folders_are_made_and_the_same_content_is_no_change() {
    let scene = Scene::new();
    let made = scene.outcome("write_file", &write("new/deep/er.txt", "x")).await;
    let change = made.change.unwrap();
    assert_eq!((change.before, change.path), (None, scene.at("home/ws/new/deep/er.txt")));
    assert_eq!(read_to_string(scene.at("home/ws/new/deep/er.txt")).unwrap(), "x");
    let again = scene.outcome("write_file", &write("new/deep/er.txt", "x")).await;
    assert!(!again.failed && again.change.is_none());
}

#[tokio::test]
async fn a_link_inside_stays_a_link_and_one_that_leads_out_is_not_followed() {
    let scene = Scene::new();
    let at = |name: &str| scene.at(&format!("home/ws/{name}"));
    symlink("a.txt", at("inner")).unwrap();
    symlink(scene.at("out/c.txt"), at("outer")).unwrap();
    symlink(scene.at("out/new.txt"), at("dangling")).unwrap();
    symlink(scene.at("out"), at("folder")).unwrap();
    scene.outcome("write_file", &write("inner", "through")).await;
    assert!(at("inner").is_symlink());
    assert_eq!(read_to_string(at("a.txt")).unwrap(), "through");
    for path in ["outer", "dangling", "folder/c.txt", "folder/new.txt", "src/../folder/c.txt"] {
        let arguments = write(path, "stolen");
        assert!(matches!(scene.judge("write_file", &arguments), Judgement::Refuse { .. }), "{path}");
        let said = scene.error("write_file", arguments).await;
        assert!(said.contains("a link leads there"), "{path}: {said}");
    }
    assert_eq!(read_to_string(scene.at("out/c.txt")).unwrap(), "two outside\n");
    assert!(!scene.at("out/new.txt").exists());
    // By its real path it may be written, when the user has said so.
    assert!(!scene.outcome("write_file", &write(scene.at("out/new.txt"), "x")).await.failed);
}

#[tokio::test]
async fn places_of_others_and_what_is_no_file_stay_as_they_are() {
    let scene = Scene::new();
    make_pipe(&scene.at("home/ws/pipe"));
    for (path, words) in [
        ("~/.ssh/authorized_keys", "private"),
        (".env", "private"),
        ("~/data/talaria.db", "private"),
        ("~/data/attachments/x", "its own files"),
        ("pipe", "a device, a pipe"),
        ("src", "is a folder"),
        ("a.txt/b", "could not be made"),
        ("/dev/null", "a device, a pipe"),
    ] {
        let said = scene.error("write_file", write(path, "x")).await;
        assert!(said.contains(words), "{path}: {said}");
    }
    assert_eq!(read_to_string(scene.at("home/data/talaria.db")).unwrap(), "two\n");
    assert!(!scene.at("home/.ssh/authorized_keys").exists() && !scene.at("home/ws/.env").exists());
}

#[tokio::test]
async fn a_file_too_long_to_be_put_back_is_not_replaced() {
    let scene = Scene::new();
    let file = std::fs::File::create(scene.at("home/ws/long")).unwrap();
    file.set_len(5 * 1024 * 1024).unwrap();
    let said = scene.error("write_file", write("long", "x")).await;
    assert!(said.contains("undo"), "{said}");
    assert_eq!(file.metadata().unwrap().len(), 5 * 1024 * 1024);
}
