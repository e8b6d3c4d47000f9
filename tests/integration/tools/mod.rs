//! The tools of an agent with real processes, real files and a home of their own.

mod approvals;
mod read;
mod search;
mod terminal;
mod undo;
mod write;

use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use talaria_core::agent::ports::{Judgement, ToolOutcome, ToolPlace, Tools};
use talaria_core::agent::tools::LocalTools;
use talaria_wire::ToolCall;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

const DEADLINE: Duration = Duration::from_secs(60);

/// A user with a home, a workspace in it, a data folder of the app, and something outside.
struct Scene {
    folder: tempfile::TempDir,
    tools: LocalTools,
    place: ToolPlace,
}

impl Scene {
    fn new() -> Self {
        Self::with([])
    }

    /// With these variables beside the usual ones.
    fn with<const N: usize>(variables: [(&str, &str); N]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/ws/src", "home/.ssh", "home/data/attachments", "out"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        for (name, text) in [
            ("home/ws/a.txt", "one\ntwo\n"),
            ("home/ws/src/b.rs", "fn two() {}\n"),
            ("home/.ssh/id_rsa", "secret two\n"),
            ("home/data/talaria.db", "two\n"),
            ("home/notes.txt", "two at home\n"),
            ("out/c.txt", "two outside\n"),
        ] {
            std::fs::write(root.join(name), text).unwrap();
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let usual = [("PATH".into(), path), ("HOME".into(), root.join("home").into_os_string())];
        let more = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let tools =
            LocalTools::new(root.join("home"), &root.join("home/data"), usual.into_iter().chain(more));
        let place = ToolPlace { folder: Some(root.join("home/ws")), session: "s".into() };
        Self { folder, tools, place }
    }

    /// A path below the temporary folder.
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    /// The same user without a working folder.
    fn without_folder(mut self) -> Self {
        self.place.folder = None;
        self
    }

    fn judge(&self, tool: &str, arguments: &Value) -> Judgement {
        self.tools.judge(&self.place, &call(tool, arguments))
    }

    async fn outcome(&self, tool: &str, arguments: &Value) -> ToolOutcome {
        let (output, _heard) = mpsc::channel(16);
        let call = call(tool, arguments);
        let run = self.tools.run(&self.place, &call, output, CancellationToken::new());
        tokio::time::timeout(DEADLINE, run).await.expect("a tool ends")
    }

    /// The answer, which is one JSON object.
    async fn run(&self, tool: &str, arguments: Value) -> Value {
        let outcome = self.outcome(tool, &arguments).await;
        serde_json::from_str(&outcome.text).expect("JSON")
    }

    /// The words with which it failed.
    async fn error(&self, tool: &str, arguments: Value) -> String {
        let outcome = self.outcome(tool, &arguments).await;
        assert!(outcome.failed && outcome.change.is_none(), "{outcome:?}");
        let answer: Value = serde_json::from_str(&outcome.text).expect("JSON");
        answer["error"].as_str().expect("words").to_owned()
    }
}

fn call(tool: &str, arguments: &Value) -> ToolCall {
    ToolCall { id: "c".into(), name: tool.into(), arguments: arguments.to_string() }
}

/// Waits for a fact.
async fn until(what: &str, fact: impl Fn() -> bool) {
    let end = Instant::now() + DEADLINE;
    while !fact() {
        assert!(Instant::now() < end, "{what} did not come about");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

fn make_pipe(path: &Path) {
    let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

#[tokio::test]
async fn a_wrong_call_is_told_in_words_and_does_nothing() {
    let scene = Scene::new();
    for (tool, arguments, words) in [
        ("terminal", json!({ "cmd": "touch x" }), "missing field `command`"),
        ("write_file", json!({ "path": "x", "content": ["a"] }), "expected a string"),
        ("read_file", json!(["a.txt"]), "missing field"),
        ("read_file", json!({ "path": "a\u{0}.txt" }), "NUL"),
        ("delete_file", json!({ "path": "a.txt" }), "There is no tool"),
    ] {
        // Nothing is asked for what cannot be done.
        assert_eq!(scene.judge(tool, &arguments), Judgement::Free, "{tool} {arguments}");
        let said = scene.error(tool, arguments).await;
        assert!(said.contains(words) || said.contains("JSON object"), "{said}");
    }
    assert!(!scene.at("home/ws/x").exists());
    let names: Vec<_> = scene.tools.specs(&scene.place).iter().map(|spec| spec.name).collect();
    assert_eq!(names, ["terminal", "read_file", "write_file", "search_files"]);
}
