use super::*;

/// A session of several pages, and a folder where its file already is.
async fn over_an_old_file() -> (TempHome, tempfile::TempDir, std::path::PathBuf) {
    let home = TempHome::new();
    put(&home, [titled(1, "Plan", &["text"; 450])]).await;
    let folder = tempfile::tempdir().expect("a temp folder");
    let target = folder.path().join("plan.md");
    std::fs::write(&target, "the old file").expect("written");
    (home, folder, target)
}

fn code(error: ExportError) -> ErrorCode {
    IpcError::from(error).code
}

#[tokio::test]
async fn an_old_file_is_replaced_by_the_whole_new_one_and_by_nothing_less() {
    let (home, folder, target) = over_an_old_file().await;
    let mut seen = Vec::new();
    let progress = |progress: ExportProgress| {
        assert_eq!(
            std::fs::read_to_string(&target).expect("the file"),
            "the old file",
            "as long as it goes on"
        );
        seen.push((progress.done, progress.total));
    };
    let cancel = CancellationToken::new();
    let report =
        export::session(&home.store, &session_id(1), ExportFormat::Markdown, &target, &cancel, progress)
            .await;
    assert_eq!(seen, [(100, 450), (200, 450), (300, 450), (400, 450), (450, 450)]);
    let text = std::fs::read_to_string(&target).expect("the file");
    assert_eq!(report.expect("written").bytes, text.len() as u64);
    assert_eq!(text.matches("\ntext\n").count(), 450);
    assert_eq!(names(folder.path()), ["plan.md"]);
}

#[tokio::test]
async fn a_cancelled_export_leaves_what_was_there() {
    let (home, folder, target) = over_an_old_file().await;
    let cancel = CancellationToken::new();
    let stop = |progress: ExportProgress| {
        assert_eq!(names(folder.path()).len(), 2, "the new file is on its way");
        if progress.done == 200 {
            cancel.cancel();
        }
    };
    let ended =
        export::session(&home.store, &session_id(1), ExportFormat::Markdown, &target, &cancel, stop).await;
    assert!(matches!(ended, Err(ExportError::Cancelled)), "{ended:?}");
    assert_eq!(std::fs::read_to_string(&target).expect("the file"), "the old file");
    assert_eq!(names(folder.path()), ["plan.md"]);
}

#[tokio::test]
async fn a_file_of_another_that_stands_in_the_way_is_left_alone() {
    let (home, folder, target) = over_an_old_file().await;
    std::fs::write(folder.path().join("plan.md.talaria.part"), "somebody's").expect("written");
    written(&home, 1, ExportFormat::Markdown, &target).await.expect("written");
    assert_eq!(names(folder.path()), ["plan.md", "plan.md.talaria.part"]);
    assert_eq!(
        std::fs::read_to_string(folder.path().join("plan.md.talaria.part")).expect("the file"),
        "somebody's"
    );
}

#[tokio::test]
async fn what_cannot_be_written_is_said_and_touches_nothing() {
    let (home, folder, target) = over_an_old_file().await;
    let refused = |n, target: std::path::PathBuf| {
        let home = &home;
        async move { written(home, n, ExportFormat::Json, &target).await.expect_err("refused") }
    };
    assert_eq!(code(refused(9, target.clone()).await), ErrorCode::NotFound);
    assert_eq!(code(refused(1, folder.path().join("gone/a.json")).await), ErrorCode::Missing);
    let error = IpcError::from(refused(1, folder.path().to_owned()).await);
    assert!(error.message.contains("is a folder"), "{}", error.message);
    assert_eq!(names(folder.path()), ["plan.md"]);
    assert_eq!(std::fs::read_to_string(&target).expect("the file"), "the old file");
}

#[tokio::test]
async fn no_file_takes_the_place_of_the_stores_own() {
    let home = TempHome::new();
    put(&home, [titled(1, "Plan", &["text"])]).await;
    let before = names(home.path());
    let folder = tempfile::tempdir().expect("a temp folder");
    let mut targets = vec![home.file(), home.path().join("plan.json")];
    #[cfg(unix)]
    {
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(home.path(), &link).expect("a link");
        targets.push(link.join("talaria.db"));
    }
    for target in targets {
        let error =
            IpcError::from(written(&home, 1, ExportFormat::Json, &target).await.expect_err("refused"));
        assert!(error.message.contains("Talaria keeps its own files in "), "{}", error.message);
    }
    assert_eq!(names(home.path()), before);
    home.store.session_get(SessionRef { id: session_id(1) }).await.expect("the store is as it was");
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_takes_no_file_is_said_in_words() {
    use crate::store::faults::{as_nobody, set_mode};
    let (home, folder, target) = over_an_old_file().await;
    // A thread that may read the store is there, and waits: only the writing is done with the rights of nobody.
    home.store.counts().await.expect("counts");
    set_mode(folder.path(), 0o555);
    let runtime = tokio::runtime::Handle::current();
    let (store, to) = (home.store.clone(), target.clone());
    let export = move || {
        let cancel = CancellationToken::new();
        runtime.block_on(export::session(&store, &session_id(1), ExportFormat::Json, &to, &cancel, |_| {}))
    };
    let ended = as_nobody(export);
    set_mode(folder.path(), 0o755);
    let error = IpcError::from(ended.expect_err("refused"));
    assert_eq!((error.code, error.retryable), (ErrorCode::ReadOnly, true));
    assert!(error.message.contains("plan.md cannot be written"), "{}", error.message);
    assert_eq!(std::fs::read_to_string(&target).expect("the file"), "the old file");
}

/// A full disk that is really one where a file system of 1 MiB can be mounted, else a file that may not grow past 800 KiB.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_said_and_leaves_the_old_file_alone() {
    let home = TempHome::new();
    // A letter that JSON writes in six: the file is far longer than the store.
    let text = "\u{1}".repeat(2_000);
    put(&home, [titled(1, "Plan", &[text.as_str(); 100])]).await;
    let folder = home.closed().await;
    // Not below the data folder, where nothing is written.
    let disk = tempfile::tempdir().expect("a temporary folder");
    let export = "printf 'the old file' > \"$3/plan.json\"; \"$2\" export \"$1\" \"$3/plan.json\"; \
                  ls \"$3\"; cat \"$3/plan.json\"";
    let run = |program: &str, script: String| {
        let mut command = std::process::Command::new(program);
        if program == "unshare" {
            // SAFETY: the call has no preconditions.
            if unsafe { libc::geteuid() } != 0 {
                command.arg("--map-root-user");
            }
            command.args(["--mount", "sh"]);
        }
        let child = env!("CARGO_BIN_EXE_store-child");
        command.args(["-c", &script, "sh"]).arg(folder.path()).arg(child).arg(disk.path()).output()
    };
    let mount = "mount -t tmpfs -o size=1m tmpfs \"$3\"";
    let output = match run("unshare", mount.to_owned()) {
        Ok(probe) if probe.status.success() => run("unshare", format!("{mount} && {{ {export}; }}")),
        _ => run("sh", format!("trap '' XFSZ; ulimit -f 1600; {export}")),
    };
    let output = output.expect("the child starts");
    let said = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 4, "{said} {}", String::from_utf8_lossy(&output.stderr));
    assert!(lines[1].starts_with("error DiskFull No space is left for "), "{said}");
    assert_eq!(lines[2..], ["plan.json", "the old file"]);
}

#[tokio::test]
async fn what_a_killed_process_left_on_its_way_goes_with_the_next_export() {
    let (home, folder, target) = over_an_old_file().await;
    let left = || {
        let path = folder.path().join("plan.md.talaria.part");
        std::fs::write(&path, "half").expect("written");
        let file = std::fs::OpenOptions::new().write(true).open(&path).expect("it opens");
        let two_hours_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 60 * 60);
        file.set_modified(two_hours_ago).expect("an old time");
    };
    left();
    written(&home, 1, ExportFormat::Markdown, &target).await.expect("written");
    assert_eq!(names(folder.path()), ["plan.md"]);
    left();
    let (cancel, format) = (CancellationToken::new(), ExportFormat::Json);
    export::all(&home.store, format, folder.path(), &cancel, |_| {}).await.expect("written");
    assert_eq!(names(folder.path()).len(), 2, "{:?}", names(folder.path()));
    assert!(!names(folder.path()).contains(&"plan.md.talaria.part".to_owned()));
}
