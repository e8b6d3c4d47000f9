//! Taking a write back.

use super::*;
use std::fs::{read, read_to_string, set_permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use talaria_core::agent::ports::ChangedFile;

async fn written(scene: &Scene, path: &str, content: &str) -> ChangedFile {
    let outcome = scene.outcome("write_file", &json!({ "path": path, "content": content })).await;
    outcome.change.expect("a change")
}

#[tokio::test]
async fn a_replaced_file_is_put_back_with_its_rights_and_a_new_one_goes() {
    let scene = Scene::new();
    let file = scene.at("home/ws/run.sh");
    std::fs::write(&file, b"#!/bin/sh\n\xff\n").unwrap();
    set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
    let change = written(&scene, "run.sh", "echo\n").await;
    scene.tools.undo(&change).unwrap();
    assert_eq!(read(&file).unwrap(), b"#!/bin/sh\n\xff\n");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    assert!(scene.tools.undo(&change).unwrap_err().contains("already"));

    let made = written(&scene, "new.txt", "x").await;
    scene.tools.undo(&made).unwrap();
    assert!(!scene.at("home/ws/new.txt").exists());
    assert!(scene.tools.undo(&made).unwrap_err().contains("already"));
}

#[tokio::test]
async fn what_somebody_changed_since_stays() {
    let scene = Scene::new();
    let file = scene.at("home/ws/a.txt");
    let change = written(&scene, "a.txt", "agent").await;
    std::fs::write(&file, "agent and user").unwrap();
    assert!(scene.tools.undo(&change).unwrap_err().contains("changed since"));
    assert_eq!(read_to_string(&file).unwrap(), "agent and user");
    std::fs::remove_file(&file).unwrap();
    assert!(scene.tools.undo(&change).unwrap_err().contains("removed since"));
    assert!(!file.exists());

    // A link in its place, though it leads to the same bytes.
    std::fs::write(scene.at("out/same"), "agent").unwrap();
    symlink(scene.at("out/same"), &file).unwrap();
    assert!(scene.tools.undo(&change).unwrap_err().contains("link"));
    assert_eq!(read_to_string(scene.at("out/same")).unwrap(), "agent");
}

#[tokio::test]
async fn a_folder_that_became_a_link_leads_the_undo_nowhere() {
    let scene = Scene::new();
    let change = written(&scene, "src/b.rs", "agent").await;
    std::fs::remove_dir_all(scene.at("home/ws/src")).unwrap();
    std::fs::write(scene.at("out/b.rs"), "agent").unwrap();
    symlink(scene.at("out"), scene.at("home/ws/src")).unwrap();
    assert!(scene.tools.undo(&change).unwrap_err().contains("link"));
    assert_eq!(read_to_string(scene.at("out/b.rs")).unwrap(), "agent");
}
