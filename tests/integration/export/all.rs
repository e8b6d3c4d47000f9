use super::*;
use talaria_core::store::LineageKind;

async fn all(home: &TempHome, folder: &Path) -> Result<ExportReport, ExportError> {
    export::all(&home.store, ExportFormat::Markdown, folder, &CancellationToken::new(), |_| {}).await
}

#[tokio::test]
async fn every_active_and_archived_session_becomes_a_file_under_a_free_name() {
    let home = TempHome::new();
    let mut child = titled(6, "Child", &["goal"]);
    child.kind = LineageKind::Delegate { owner: session_id(1) };
    put(
        &home,
        [
            titled(1, "Plan", &["one"]),
            NewLineage { kind: LineageKind::Archived, ..titled(2, "plan/", &["two"]) },
            chat(3, NOON, &["Hello there"]),
            chat(4, NOON, &["Hello there"]),
            titled(5, "Gone", &["x"]),
            child,
            chat::<&str>(7, NOON, &[]),
        ],
    )
    .await;
    let gone = SessionDeleteRequest { id: session_id(5), mode: DeleteMode::Trash };
    home.store.session_delete(gone).await.expect("deleted");
    let folder = tempfile::tempdir().expect("a temp folder");
    std::fs::write(folder.path().join("Hello there.md"), "the user's own").expect("written");

    let mut seen = Vec::new();
    let progress = |progress: ExportProgress| seen.push((progress.done, progress.total));
    let cancel = CancellationToken::new();
    let report = export::all(&home.store, ExportFormat::Markdown, folder.path(), &cancel, progress).await;
    let report = report.expect("written");
    assert_eq!((report.sessions, report.messages, report.skipped.len()), (5, 4, 0));
    assert_eq!(report.path, folder.path().display().to_string());
    assert_eq!(seen, [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
    let expected = [
        "Hello there (2).md",
        "Hello there (3).md",
        "Hello there.md",
        "Plan.md",
        "Session 2026-11-30.md",
        "plan-.md",
    ];
    assert_eq!(names(folder.path()), expected);
    let own = std::fs::read_to_string(folder.path().join("Hello there.md")).expect("the file");
    assert_eq!(own, "the user's own");

    let again = all(&home, folder.path()).await.expect("written");
    assert_eq!((again.sessions, names(folder.path()).len()), (5, 11), "what was written before stays");
}

#[tokio::test]
async fn a_session_that_cannot_be_read_is_reported_and_the_others_are_written() {
    let home = TempHome::new();
    put(&home, (1..=30).map(|n| titled(n, &format!("Plan {n}"), &["x"]))).await;
    // Listed, but what the list names is not there: 28 of them cannot be read.
    home.raw()
        .execute_batch("PRAGMA foreign_keys = OFF; DELETE FROM sessions WHERE id NOT LIKE 'session-3%'")
        .expect("damaged");
    let folder = tempfile::tempdir().expect("a temp folder");
    let report = all(&home, folder.path()).await.expect("it goes on");
    assert_eq!(names(folder.path()), ["Plan 3.md", "Plan 30.md"]);
    assert_eq!((report.sessions, report.skipped.len()), (2, 21));
    assert!(report.skipped[0].starts_with("Plan 29: "), "{:?}", report.skipped);
    assert_eq!(report.skipped[20], "8 more");
}

#[tokio::test]
async fn a_cancelled_export_of_all_keeps_whole_files_only() {
    let home = TempHome::new();
    put(&home, (1..=5).map(|n| titled(n, &format!("Plan {n}"), &["x"; 250]))).await;
    let folder = tempfile::tempdir().expect("a temp folder");
    let cancel = CancellationToken::new();
    let stop = |progress: ExportProgress| {
        if progress.done == 2 {
            cancel.cancel();
        }
    };
    let ended = export::all(&home.store, ExportFormat::Jsonl, folder.path(), &cancel, stop).await;
    assert!(matches!(ended, Err(ExportError::Cancelled)), "{ended:?}");
    let names = names(folder.path());
    assert_eq!(names, ["Plan 4.jsonl", "Plan 5.jsonl"]);
    for name in names {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("the file");
        assert_eq!(text.lines().count(), 251);
    }
}

#[tokio::test]
async fn a_folder_that_went_away_ends_the_export_with_words() {
    let home = TempHome::new();
    put(&home, [titled(1, "Plan", &["x"])]).await;
    let folder = tempfile::tempdir().expect("a temp folder");
    let error = IpcError::from(all(&home, &folder.path().join("gone")).await.expect_err("refused"));
    assert_eq!(error.code, ErrorCode::Missing);
    assert!(error.message.contains("Choose another folder"), "{}", error.message);
}
