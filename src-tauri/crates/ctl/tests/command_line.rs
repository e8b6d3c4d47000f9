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
        Command::new(env!("CARGO_BIN_EXE_talariactl"))
            .args(arguments)
            .env("HOME", self.folder.path())
            .env("USERPROFILE", self.folder.path())
            .env("TALARIA_HOME", self.home())
            .env_remove("HERMES_HOME")
            .env_remove("TALARIA_LOG")
            .output()
            .expect("the program runs")
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
    let db = rusqlite::Connection::open(case.folder.path().join(".hermes/state.db")).expect("the file");
    // Enough to be in the middle of when the signal comes.
    db.execute_batch(
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
         INSERT INTO sessions (id, source, started_at) SELECT 'more-' || i, 'cli', 1796070000 + i FROM n;
         INSERT INTO messages (session_id, role, content, timestamp)
         SELECT id, 'user', hex(randomblob(400)), started_at FROM sessions WHERE source = 'cli';",
    )
    .expect("many sessions");
    drop(db);
    let mut child = Command::new(env!("CARGO_BIN_EXE_talariactl"))
        .args(["import", "--json"])
        .env("HOME", case.folder.path())
        .env("TALARIA_HOME", case.home())
        .env_remove("HERMES_HOME")
        .stdout(std::process::Stdio::piped())
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
