//! `read_file`.

use super::*;
use std::os::unix::fs::symlink;

#[tokio::test]
async fn lines_come_with_their_numbers() {
    let scene = Scene::new();
    let answer = scene.run("read_file", json!({ "path": "a.txt" })).await;
    assert_eq!(answer, json!({ "content": "1|one\n2|two\n", "total_lines": 2, "file_size": 8 }));
    let home = scene.run("read_file", json!({ "path": "~/notes.txt" })).await;
    assert_eq!(home["content"], "1|two at home\n");
    let more = scene.run("read_file", json!({ "path": "src/../a.txt", "offset": 2, "limit": 1 })).await;
    assert_eq!(more["content"], "2|two\n");
}

#[tokio::test]
async fn what_is_no_text_file_is_told_without_waiting() {
    let scene = Scene::new();
    std::fs::write(scene.at("home/ws/binary"), b"PK\0\x01").unwrap();
    make_pipe(&scene.at("home/ws/pipe"));
    symlink("pipe", scene.at("home/ws/link")).unwrap();
    symlink("loop", scene.at("home/ws/loop")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(scene.at("home/ws/socket")).unwrap();
    for (path, words) in [
        ("binary", "not a text file (4 bytes)"),
        ("pipe", "a device, a pipe"),
        ("link", "a device, a pipe"),
        ("socket", "a device, a pipe"),
        ("/dev/zero", "a device, a pipe"),
        ("src", "is a folder"),
        ("gone.txt", "does not exist"),
        ("a.txt/b", "does not exist"),
        ("loop", "cannot be reached"),
    ] {
        let said = scene.error("read_file", json!({ "path": path })).await;
        assert!(said.contains(words), "{path}: {said}");
    }
}

#[tokio::test]
async fn what_is_private_is_not_read_by_any_name() {
    let scene = Scene::new();
    symlink(scene.at("home/.ssh/id_rsa"), scene.at("home/ws/plain.txt")).unwrap();
    symlink(scene.at("home/.ssh"), scene.at("home/ws/folder")).unwrap();
    std::fs::hard_link(scene.at("home/.ssh/id_rsa"), scene.at("home/ws/second.txt")).unwrap();
    std::fs::write(scene.at("home/ws/.env"), "TOKEN=1").unwrap();
    for path in [
        "~/.ssh/id_rsa",
        "../.ssh/id_rsa",
        "plain.txt",
        "folder/id_rsa",
        "second.txt",
        ".env",
        "~/data/talaria.db",
    ] {
        let arguments = json!({ "path": path });
        assert!(matches!(scene.judge("read_file", &arguments), Judgement::Refuse { .. }), "{path}");
        // Even when nobody has judged.
        let said = scene.error("read_file", arguments).await;
        assert!(said.contains("private"), "{path}: {said}");
    }
}

#[tokio::test]
async fn a_long_file_is_read_by_pieces() {
    let scene = Scene::new();
    let text: String = (1..=5000).map(|n| format!("line {n}\n")).collect();
    std::fs::write(scene.at("home/ws/long.txt"), text).unwrap();
    let first = scene.run("read_file", json!({ "path": "long.txt" })).await;
    assert_eq!((&first["total_lines"], &first["truncated"]), (&json!(5000), &json!(true)));
    assert!(first["content"].as_str().unwrap().ends_with("500|line 500\n"));
    let last = scene.run("read_file", json!({ "path": "long.txt", "offset": 5000 })).await;
    assert_eq!(last["content"], "5000|line 5000\n");
    let beyond = scene.error("read_file", json!({ "path": "long.txt", "offset": 5001 })).await;
    assert!(beyond.contains("5000 lines"), "{beyond}");
}

#[tokio::test]
async fn without_a_folder_only_full_paths_mean_something() {
    let scene = Scene::new().without_folder();
    let said = scene.error("read_file", json!({ "path": "a.txt" })).await;
    assert!(said.contains("Give the full path"), "{said}");
    let answer = scene.run("read_file", json!({ "path": scene.at("out/c.txt") })).await;
    assert_eq!(answer["content"], "1|two outside\n");
}
