//! What is asked, free or refused, on real paths. The rules alone have their tables beside them.

use super::*;
use std::os::unix::fs::symlink;

/// `f` free, `a` asked, `o` asked without "Always", `r` refused: of reading, searching and writing the path.
fn letters(scene: &Scene, path: &str) -> String {
    let letter = |judgement| match judgement {
        Judgement::Free => 'f',
        Judgement::Ask { always: true, .. } => 'a',
        Judgement::Ask { always: false, .. } => 'o',
        Judgement::Refuse { .. } => 'r',
    };
    [
        ("read_file", json!({ "path": path })),
        ("search_files", json!({ "path": path, "pattern": "p" })),
        ("write_file", json!({ "path": path, "content": "c" })),
    ]
    .iter()
    .map(|(tool, arguments)| letter(scene.judge(tool, arguments)))
    .collect()
}

fn asked(judgement: Judgement) -> String {
    match judgement {
        Judgement::Ask { text, .. } => text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn paths_are_judged_by_where_they_really_lead() {
    let scene = Scene::new();
    let at = |name: &str| scene.at(&format!("home/ws/{name}"));
    symlink("src", at("inner")).unwrap();
    symlink(scene.at("out"), at("outer")).unwrap();
    symlink(scene.at("home/.ssh"), at("keys")).unwrap();
    symlink(scene.at("out/later"), at("dangling")).unwrap();
    symlink(scene.at("home/.ssh/later"), at("dangling-key")).unwrap();
    symlink("circle", at("circle")).unwrap();
    symlink(scene.at("home/ws"), scene.at("out/back")).unwrap();
    std::fs::create_dir(scene.at("home/ws-other")).unwrap();
    let full = |name: &str| scene.at(name).display().to_string();
    for (path, expected) in [
        ("a.txt", "ffa"),
        (".", "ffa"),
        ("", "ffa"),
        ("new/deep/file", "ffa"),
        ("src/../a.txt", "ffa"),
        ("gone/../a.txt", "ffa"),
        ("~/ws/a.txt", "ffa"),
        ("~//ws/a.txt", "ffa"),
        (&full("home/ws/a.txt"), "ffa"),
        (&full("out/back/a.txt"), "ffa"),
        ("inner/b.rs", "ffa"),
        // Outside.
        ("..", "aaa"),
        ("../notes.txt", "aaa"),
        ("src/../../notes.txt", "aaa"),
        ("gone/../../notes.txt", "aaa"),
        ("~", "aaa"),
        ("~/notes.txt", "aaa"),
        ("/etc/passwd", "aaa"),
        // The same beginning is not the same folder.
        (&full("home/ws-other/a"), "aaa"),
        (&full("home/ws/../ws-other/a"), "aaa"),
        (&full("home/WS/a.txt"), "aaa"),
        // Not the home: a name like any other.
        ("~root/x", "ffa"),
        ("$HOME/.ssh/id_rsa", "rrr"),
        // A link that leads out: it may be asked for to be read, never written through.
        ("outer/c.txt", "aar"),
        ("outer/../notes.txt", "aar"),
        ("dangling", "aar"),
        ("circle", "aar"),
        // Private, by any way and in any letter case.
        ("~/.ssh/id_rsa", "rrr"),
        ("../.ssh", "rrr"),
        ("../.SSH/x", "rrr"),
        ("keys/id_rsa", "rrr"),
        ("keys/new", "rrr"),
        ("dangling-key", "rrr"),
        ("inner/../../.ssh/x", "rrr"),
        (".env", "rrr"),
        (".ENV.local", "rrr"),
        ("deploy.PEM", "rrr"),
        ("~/.aws/credentials", "rrr"),
        ("~/data", "rrr"),
        ("~/data/talaria.db", "rrr"),
    ] {
        // An empty path is the folder for a search, and wrong for the others.
        let expected = if path.is_empty() { "fff" } else { expected };
        assert_eq!(letters(&scene, path), expected, "{path}");
    }
}

#[tokio::test]
async fn the_card_shows_the_real_path_and_the_whole_of_what_would_be_done() {
    let scene = Scene::new();
    symlink(scene.at("out"), scene.at("home/ws/outer")).unwrap();
    let out = scene.at("out/c.txt").display().to_string();
    assert_eq!(asked(scene.judge("read_file", &json!({ "path": "outer/c.txt" }))), out);
    let write = asked(scene.judge("write_file", &json!({ "path": "a.txt", "content": "x\ny" })));
    assert_eq!(write, format!("{}\n\nx\ny", scene.at("home/ws/a.txt").display()));
    let search = json!({ "path": "..", "pattern": "a\"b", "glob": "*.rs" });
    let expected = format!("{}\npattern: \"a\\\"b\"\nfiles: \"*.rs\"", scene.at("home").display());
    assert_eq!(asked(scene.judge("search_files", &search)), expected);
    let command = "rm -r \u{202e}x\u{7}";
    assert_eq!(asked(scene.judge("terminal", &json!({ "command": command, "timeout": 5 }))), command);
}

#[tokio::test]
async fn without_a_working_folder_everything_asks_and_nothing_is_offered_for_good() {
    let missing = {
        let mut scene = Scene::new();
        scene.place.folder = Some(scene.at("gone"));
        scene
    };
    for scene in [Scene::new().without_folder(), missing] {
        let file = scene.at("home/ws/a.txt").display().to_string();
        for path in [file.as_str(), "~/notes.txt", "/etc/passwd"] {
            assert_eq!(letters(&scene, path), "ooo", "{path}");
        }
        assert_eq!(letters(&scene, "~/.ssh/id_rsa"), "rrr");
        let ls = scene.judge("terminal", &json!({ "command": "ls" }));
        assert_eq!(ls, Judgement::Ask { text: "ls".into(), always: false });
    }
}

#[tokio::test]
async fn a_workspace_that_is_a_link_is_the_folder_it_leads_to() {
    let mut scene = Scene::new();
    symlink(scene.at("home/ws"), scene.at("out/project")).unwrap();
    scene.place.folder = Some(scene.at("out/project"));
    assert_eq!(letters(&scene, "a.txt"), "ffa");
    assert_eq!(letters(&scene, "../notes.txt"), "aaa");
    assert_eq!(letters(&scene, &scene.at("home/ws/new").display().to_string()), "ffa");
    let answer = scene.run("search_files", json!({ "pattern": "two", "path": "src" })).await;
    assert_eq!(answer["matches"][0]["path"], "src/b.rs");
}

#[tokio::test]
async fn what_became_private_while_the_user_was_asked_is_refused() {
    let scene = Scene::new();
    let arguments = json!({ "path": "~/notes.txt" });
    assert!(matches!(scene.judge("read_file", &arguments), Judgement::Ask { .. }));
    std::fs::remove_file(scene.at("home/notes.txt")).unwrap();
    symlink(scene.at("home/.ssh/id_rsa"), scene.at("home/notes.txt")).unwrap();
    let said = scene.error("read_file", arguments).await;
    assert!(said.contains("private"), "{said}");
}
