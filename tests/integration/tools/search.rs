//! `search_files`.

use super::*;
use std::os::unix::fs::symlink;

async fn places(scene: &Scene, arguments: Value) -> Vec<String> {
    let answer = scene.run("search_files", arguments).await;
    let matches = answer["matches"].as_array().unwrap_or_else(|| panic!("{answer}"));
    matches.iter().map(|one| format!("{}:{}", one["path"].as_str().unwrap(), one["line"])).collect()
}

#[tokio::test]
async fn matching_lines_are_found_below_the_folder_in_a_file_and_by_names() {
    let scene = Scene::new();
    let answer = scene.run("search_files", json!({ "pattern": "tw[o]" })).await;
    assert_eq!(
        answer,
        json!({ "total_count": 2, "matches": [
            { "path": "a.txt", "line": 2, "content": "two" },
            { "path": "src/b.rs", "line": 1, "content": "fn two() {}" },
        ] })
    );
    assert_eq!(places(&scene, json!({ "pattern": "two", "path": "src" })).await, ["src/b.rs:1"]);
    assert_eq!(places(&scene, json!({ "pattern": "two", "path": "a.txt" })).await, ["a.txt:2"]);
    assert_eq!(places(&scene, json!({ "pattern": "two", "glob": "*.rs" })).await, ["src/b.rs:1"]);
    assert_eq!(places(&scene, json!({ "pattern": "two", "glob": "src/**" })).await, ["src/b.rs:1"]);
    assert_eq!(places(&scene, json!({ "pattern": "(?i)TWO$" })).await, ["a.txt:2"]);
    let outside = scene.at("out/c.txt").display().to_string();
    assert_eq!(places(&scene, json!({ "pattern": "two", "path": scene.at("out") })).await, [outside + ":1"]);
}

#[tokio::test]
async fn hidden_ignored_binary_private_and_linked_files_are_passed_over() {
    let scene = Scene::new();
    let at = |name: &str| scene.at(&format!("home/ws/{name}"));
    for folder in [".git", ".hidden", "target", "deep/.ssh"] {
        std::fs::create_dir_all(at(folder)).unwrap();
        std::fs::write(at(folder).join("x"), "needle\n").unwrap();
    }
    std::fs::write(at(".gitignore"), "/target\n*.log\n").unwrap();
    for name in ["server.pem", "id_rsa", ".env", "x.log", "found.txt"] {
        std::fs::write(at(name), "needle\n").unwrap();
    }
    std::fs::write(at("binary"), b"needle\n\0").unwrap();
    std::fs::write(scene.at("out/needle.txt"), "needle\n").unwrap();
    symlink(scene.at("out"), at("link")).unwrap();
    std::fs::write(scene.at("home/.ssh/config"), "needle\n").unwrap();
    std::fs::hard_link(scene.at("home/.ssh/config"), at("second.txt")).unwrap();
    std::fs::hard_link(at("found.txt"), at("found-too.txt")).unwrap();
    make_pipe(&at("pipe"));
    assert_eq!(places(&scene, json!({ "pattern": "needle" })).await, ["found-too.txt:1", "found.txt:1"]);
    // A glob does not bring out what is hidden or private.
    for glob in ["*.pem", ".env", "**/x", ".*/**", "id_*"] {
        assert_eq!(places(&scene, json!({ "pattern": "needle", "glob": glob })).await, [""; 0], "{glob}");
    }
    let said = scene.error("search_files", json!({ "pattern": "needle", "path": "~/.ssh" })).await;
    assert!(said.contains("private"), "{said}");
}

#[tokio::test]
async fn a_pipe_in_the_place_of_a_list_of_ignored_files_is_not_waited_for() {
    let scene = Scene::new();
    make_pipe(&scene.at("home/ws/src/.ignore"));
    assert_eq!(places(&scene, json!({ "pattern": "two" })).await, ["a.txt:2"]);
    make_pipe(&scene.at("home/ws/.gitignore"));
    for path in [".", "a.txt", "src"] {
        let said = scene.error("search_files", json!({ "pattern": "two", "path": path })).await;
        assert!(said.contains("that is no file"), "{said}");
    }
}

#[tokio::test]
async fn many_matches_and_long_lines_are_cut_and_told() {
    let scene = Scene::new();
    std::fs::write(scene.at("home/ws/many.txt"), "needle\n".repeat(5000)).unwrap();
    let many = scene.run("search_files", json!({ "pattern": "needle" })).await;
    assert_eq!((&many["total_count"], &many["truncated"]), (&json!(100), &json!(true)));
    let line = format!("{}needle{}\n", "\u{e9}".repeat(10_000), "x".repeat(10_000));
    std::fs::write(scene.at("home/ws/many.txt"), line).unwrap();
    let long = scene.run("search_files", json!({ "pattern": "needle" })).await;
    let shown = long["matches"][0]["content"].as_str().unwrap();
    assert!(shown.contains("needle") && shown.len() < 500, "{}", shown.len());
    let file = std::fs::File::create(scene.at("home/ws/many.txt")).unwrap();
    file.set_len(17 * 1024 * 1024).unwrap();
    let large = scene.run("search_files", json!({ "pattern": "needle" })).await;
    assert!(large["note"].as_str().unwrap().contains("1 files of more than 16 MiB"), "{large}");
}

#[tokio::test]
async fn what_cannot_be_searched_is_told() {
    let scene = Scene::new();
    for (arguments, words) in [
        (json!({ "pattern": "(" }), "no regular expression"),
        (json!({ "pattern": "((((a{1000}){1000}){1000}){1000})" }), "no regular expression"),
        (json!({ "pattern": "a\nb" }), "no regular expression"),
        (json!({ "pattern": "a", "glob": "{" }), "glob is wrong"),
        (json!({ "pattern": "a", "glob": "!*.rs" }), "must name the files"),
        (json!({ "pattern": "a", "path": "gone" }), "does not exist"),
    ] {
        let said = scene.error("search_files", arguments.clone()).await;
        assert!(said.contains(words), "{arguments}: {said}");
    }
}
