//! The program itself, as a person or a script calls it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use talaria_core::store::OwnerLock;
use talaria_wire::{ErrorCode, ImportReport, IpcError};

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    /// A home folder whose `.hermes` holds the sample.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temp folder");
        let sample =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../tests/fixtures/hermes-sample/state.db");
        std::fs::create_dir(folder.path().join(".hermes")).expect("a Hermes folder");
        std::fs::copy(sample, folder.path().join(".hermes/state.db")).expect("a copy of the sample");
        Self { folder }
    }

    fn home(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_talariactl"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("HOME", self.folder.path())
            .env("USERPROFILE", self.folder.path())
            .env("TALARIA_HOME", self.home())
            .env_remove("HERMES_HOME")
            .env_remove("TALARIA_LOG");
        command
    }

    /// Makes the Hermes store one that takes a while: so many more sessions, each with a message.
    fn grow(&self, sessions: usize) {
        let db = rusqlite::Connection::open(self.folder.path().join(".hermes/state.db")).expect("the file");
        db.execute_batch(&format!(
            "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {sessions})
             INSERT INTO sessions (id, source, started_at) SELECT 'more-' || i, 'cli', 1796070000 + i FROM n;
             INSERT INTO messages (session_id, role, content, timestamp)
             SELECT id, 'user', hex(randomblob(400)), started_at FROM sessions WHERE source = 'cli';",
        ))
        .expect("many sessions");
    }
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[test]
fn import_finds_the_file_and_says_what_it_brought() {
    let case = Case::new();
    let output = case.run(&["import"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stdout);
    for line in [
        "  in the file   28 sessions, 204 messages\n",
        "  brought in    28 sessions, 204 messages\n",
        "        24 listed\n",
        "         3 of sub-agents (not listed)\n",
        "        30 repeated or undone messages (not shown)\n",
        "  active        0 before, 23 now\n",
        "  archived      0 before, 1 now\n",
    ] {
        assert!(said.contains(line), "{line:?} is not in\n{said}");
    }
    assert_eq!(text(&output.stderr), "", "no progress where nobody watches");
    let again = case.run(&["import"]);
    let said = text(&again.stdout);
    assert!(said.contains("  left alone    28 sessions already here\n"), "{said}");
    assert!(said.contains("  active        23 before, 23 now\n"), "{said}");
}

#[test]
fn a_report_for_scripts_is_json() {
    let case = Case::new();
    let output = case.run(&["import", "--json"]);
    let report: ImportReport = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((report.sessions, report.listed, report.after.active), (28, 24, 23));
    let missing = case.run(&["import", "--json", "nowhere.db"]);
    assert_eq!(missing.status.code(), Some(1));
    let error: IpcError = serde_json::from_slice(&missing.stderr).expect("an error");
    assert_eq!(error.code, ErrorCode::Missing);
}

#[test]
fn a_home_in_use_is_said_with_the_process() {
    let case = Case::new();
    let _lock = OwnerLock::acquire(&case.home()).expect("nobody has it yet");
    let output = case.run(&["import"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(said.contains(&format!("in use by process {}", std::process::id())), "{said}");
}

#[test]
fn a_wrong_file_makes_no_home() {
    let case = Case::new();
    let output = case.run(&["import", "nowhere.db"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("There is no file nowhere.db"), "{}", text(&output.stderr));
    assert!(!case.home().exists());
}

#[test]
fn wrong_use_is_told_apart_from_failure() {
    let case = Case::new();
    let output = case.run(&["export"]);
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""));
    assert!(text(&output.stderr).contains("talariactl help"));
    let version = case.run(&["version"]);
    assert!(text(&version.stdout).starts_with(concat!("talariactl ", env!("CARGO_PKG_VERSION"))));
    assert!(text(&case.run(&[]).stdout).contains("talariactl import"));
}

#[test]
fn help_is_no_failure_however_it_is_asked_for() {
    let case = Case::new();
    let help = case.run(&["help"]);
    assert!(text(&help.stdout).contains("Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped by Ctrl-C."));
    for arguments in [&[][..], &["--help"], &["-h"], &["import", "--help"], &["import", "x.db", "-h"]] {
        let output = case.run(arguments);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""), "{arguments:?}");
        assert_eq!(output.stdout, help.stdout, "{arguments:?}");
    }
    assert!(!case.home().exists(), "asking makes no store");
}

#[test]
fn what_is_not_understood_is_named_and_nothing_is_done() {
    let case = Case::new();
    for (arguments, words) in [
        (&["export"][..], "there is no command export"),
        (&["--verbose"], "there is no command --verbose"),
        (&[""], "a command is missing"),
        (&["import", "--fast"], "import has no option --fast"),
        (&["import", "a.db", "b.db"], "import takes one file"),
        (&["import", ""], "import takes the name of a file"),
        (&["version", "now"], "now is one word too many"),
    ] {
        let output = case.run(arguments);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{arguments:?}");
        let said = text(&output.stderr);
        assert_eq!(said, format!("talariactl: {words}\nSee `talariactl help`.\n"), "{arguments:?}");
    }
    assert!(!case.home().exists());
}

#[test]
fn a_data_folder_that_is_a_file_is_said_in_words() {
    let case = Case::new();
    std::fs::write(case.home(), "a file").expect("written");
    let output = case.run(&["import"]);
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output.stderr);
    assert!(
        said.starts_with(&format!("talariactl: The data folder {} is a file.", case.home().display())),
        "{said}"
    );
}

/// Ctrl-C while a long import runs: whole sessions stay, the exit code is a shell's, the next import has the rest.
#[cfg(unix)]
#[test]
fn interrupting_stops_between_two_sessions() {
    use std::io::Read;
    let case = Case::new();
    // Enough to be in the middle of when the signal comes.
    case.grow(3_000);
    let mut child = case
        .command(&["import", "--json"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the program runs");
    // It writes by the time its store has messages; then it handles the signal too.
    let store = case.home().join("talaria.db");
    let has_begun = || {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let db = rusqlite::Connection::open_with_flags(&store, flags).ok()?;
        db.query_row("SELECT 1 FROM lineages LIMIT 1", [], |_| Ok(())).ok()
    };
    while has_begun().is_none() {
        assert!(child.try_wait().expect("a state").is_none(), "it ended before it had begun");
        std::thread::yield_now();
    }
    let interrupted =
        Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill is there");
    assert!(interrupted.success());
    let mut said = String::new();
    child.stdout.take().expect("its output").read_to_string(&mut said).expect("text");
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    let report: ImportReport = serde_json::from_str(&said).expect("a report, also when stopped");
    assert!(report.cancelled);
    assert!((1..3_028).contains(&report.sessions), "{}", report.sessions);
    let rest: ImportReport =
        serde_json::from_slice(&case.run(&["import", "--json"]).stdout).expect("a report");
    assert_eq!((rest.sessions + report.sessions, rest.unchanged), (3_028, report.sessions));
}

/// A running app without its window, in this process.
#[cfg(unix)]
mod handover {
    use super::*;
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;
    use std::sync::{Arc, Mutex};
    use talaria_core::boot::{BootConfig, RETRY_AFTER, SLOW_AFTER};
    use talaria_core::clock::SystemClock;
    use talaria_core::command::{
        ANSWER_WITHIN, App, AppConfig, IDLE_AFTER, MediaDoor, SWEEP_EVERY, dispatch,
    };
    use talaria_core::media::choice::SchemePlayer;
    use talaria_core::media::{Media, MediaPaths};
    use talaria_wire::{AppEvent, BootPhase, ImportStatus};

    async fn app(case: &Case) -> App {
        let paths = MediaPaths { data_folder: case.home(), user_home: case.folder.path().to_owned() };
        let config = AppConfig {
            boot: BootConfig {
                home: case.home(),
                clock: Arc::new(SystemClock),
                platform: "linux",
                version: "test",
                preview: false,
                safe_graphics: false,
                slow_after: SLOW_AFTER,
                retry_after: RETRY_AFTER,
                limits: Default::default(),
            },
            import_from: PathBuf::from("/nowhere"),
            sweep_every: SWEEP_EVERY,
            user_home: case.folder.path().to_owned(),
            facts: Vec::new(),
            come_forward: Box::new(|| true),
            show: Arc::new(|_| true),
            idle_after: IDLE_AFTER,
            answer_within: ANSWER_WITHIN,
            environment: std::env::vars_os().collect(),
            keyring: Arc::new(talaria_core::secret::NoKeyring),
        };
        let app = App::start(config, MediaDoor::new(Media::new(paths), SchemePlayer::Native, None, None));
        app.boot.watch().wait_for(|now| now.phase == BootPhase::Ready).await.expect("it opens");
        app
    }

    async fn run(case: &Case, arguments: &'static [&'static str]) -> Output {
        let mut command = case.command(arguments);
        tokio::task::spawn_blocking(move || command.output().expect("the program runs"))
            .await
            .expect("it ends")
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn an_open_app_does_the_import_and_its_windows_see_it() {
        let case = Case::new();
        let app = app(&case).await;
        let seen = Arc::new(Mutex::new(Vec::new()));
        let copy = Arc::clone(&seen);
        app.sinks.attach("main".into(), Box::new(move |said| copy.lock().expect("a list").push(said.event)));

        // A name from where the program was started: the app stands elsewhere.
        let output = run(&case, &["import", ".hermes/state.db"]).await;
        assert_eq!(text(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        let said = text(&output.stdout);
        assert!(said.contains("  brought in    28 sessions, 204 messages\n"), "{said}");

        let list =
            dispatch(&app, &"main".into(), "session_list", serde_json::json!({})).await.expect("a list");
        assert_eq!(list["counts"]["active"], 23);
        let seen = std::mem::take(&mut *seen.lock().expect("a list"));
        assert!(seen.iter().any(|event| matches!(event, AppEvent::ImportChanged { .. })), "{seen:?}");
        assert_eq!(
            seen.last(),
            Some(&AppEvent::SessionsChanged { ids: Vec::new() }),
            "the lists are read anew"
        );

        let again = run(&case, &["import", "--json"]).await;
        let report: ImportReport = serde_json::from_slice(&again.stdout).expect("the same report");
        assert_eq!((report.sessions, report.unchanged), (0, 28));
        app.close().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn one_import_runs_at_a_time() {
        let case = Case::new();
        case.grow(3_000);
        let app = app(&case).await;
        let request = serde_json::json!({ "path": case.folder.path().join(".hermes/state.db") });
        dispatch(&app, &"main".into(), "import_start", request).await.expect("it begins");
        let output = run(&case, &["import", "--json"]).await;
        assert_eq!(output.status.code(), Some(1));
        let error: IpcError = serde_json::from_slice(&output.stderr).expect("an error");
        assert_eq!(error.code, ErrorCode::Busy);
        assert!(error.message.starts_with("An import is running"), "{}", error.message);
        app.close().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn interrupting_here_stops_the_import_there() {
        let case = Case::new();
        case.grow(3_000);
        let app = app(&case).await;
        let mut command = case.command(&["import", "--json"]);
        let ended = tokio::task::spawn_blocking(move || {
            let mut child =
                command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs");
            // Its first step says that the app works for it.
            let mut steps = BufReader::new(child.stderr.take().expect("its progress")).lines();
            let first = steps.next().expect("a step").expect("text");
            assert!(first.starts_with("{\"done\":"), "{first}");
            let id = child.id().to_string();
            assert!(Command::new("kill").args(["-INT", &id]).status().expect("kill is there").success());
            let rest: Vec<_> = steps.map(|line| line.expect("text")).collect();
            assert!(rest.iter().all(|line| line.starts_with("{\"done\":")), "{rest:?}");
            child.wait_with_output().expect("it ends")
        });
        let output = ended.await.expect("the program is waited for");
        assert_eq!(output.status.code(), Some(130));
        let report: ImportReport =
            serde_json::from_slice(&output.stdout).expect("a report, also when stopped");
        assert!(report.cancelled && report.sessions < 3_028, "{}", report.sessions);
        let status = dispatch(&app, &"main".into(), "import_status", serde_json::json!({})).await;
        let status: ImportStatus = serde_json::from_value(status.expect("a status")).expect("a status");
        assert!(matches!(status, ImportStatus::Done { report } if report.cancelled), "it ended there, too");
        app.close().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn killing_it_stops_the_import_there() {
        let case = Case::new();
        case.grow(3_000);
        let app = app(&case).await;
        let mut command = case.command(&["import", "--json"]);
        let ended = tokio::task::spawn_blocking(move || {
            let mut child =
                command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program runs");
            let mut steps = BufReader::new(child.stderr.take().expect("its progress")).lines();
            steps.next().expect("a step").expect("text");
            child.kill().expect("killed");
            child.wait().expect("it ended");
        });
        ended.await.expect("the program is waited for");
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(30);
        loop {
            let status = dispatch(&app, &"main".into(), "import_status", serde_json::json!({})).await;
            match serde_json::from_value(status.expect("a status")).expect("a status") {
                ImportStatus::Running { .. } => {
                    assert!(std::time::Instant::now() < deadline, "it goes on for nobody");
                    tokio::task::yield_now().await;
                }
                status => {
                    assert!(
                        matches!(&status, ImportStatus::Done { report } if report.cancelled),
                        "{status:?}"
                    );
                    break;
                }
            }
        }
        app.close().await;
    }
}
