//! The export as a window sees it: started by the host, told by events, stopped by a command.

use super::*;
use crate::command::Host;
use serde_json::json;
use std::sync::mpsc;

/// A host whose session 1 has so many messages.
async fn host(messages: usize) -> Host {
    let host = Host::ready().await;
    let texts = vec!["text"; messages];
    let store = host.app.boot.ready().unwrap().store;
    store.lineage_put(Arc::new(titled(1, "Plan: \u{202e}a/b", &texts))).await.unwrap();
    host
}

fn request(id: Option<SessionId>) -> ExportRequest {
    ExportRequest { id, format: ExportFormat::Json }
}

/// The status once it is not running any more.
async fn end(host: &Host) -> ExportStatus {
    loop {
        let status = host.call("export_status", json!({})).await.unwrap();
        if status["state"] != "running" {
            return serde_json::from_value(status).unwrap();
        }
        tokio::task::yield_now().await;
    }
}

/// Attaches a window that stops the export at the first progress it hears, until it is let go.
fn held(host: &Host) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
    let (begun, begins) = mpsc::channel();
    let (go, goes) = mpsc::channel::<()>();
    let sink = move |envelope: EventEnvelope| {
        if matches!(envelope.event, AppEvent::ExportChanged { status: ExportStatus::Running { .. } })
            && begun.send(()).is_ok()
        {
            // Ends when it is let go, and at once when nobody holds it any more.
            let _ = goes.recv();
        }
    };
    host.app.sinks.attach("main".into(), Box::new(sink));
    (begins, go)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_export_is_told_to_every_window_with_its_end() {
    let host = host(250).await;
    let seen = host.attach("second");
    assert_eq!(end(&host).await, ExportStatus::Idle);
    let name = host.app.export_name(session_id(1), ExportFormat::Json).await.unwrap();
    assert_eq!(name, "Plan- a-b.json");
    let target = host.folder.path().join(&name);
    let started = host.app.export_to(request(Some(session_id(1))), target.clone()).unwrap();
    assert!(matches!(started, ExportStatus::Running { .. }), "{started:?}");
    let ExportStatus::Done { report } = end(&host).await else { panic!("it is done") };
    assert_eq!((report.messages, report.path.as_str()), (250, target.to_str().unwrap()));
    // The end is set before it is told.
    let last = loop {
        let last = seen.lock().unwrap().last().map(|envelope| envelope.event.clone());
        match last {
            Some(AppEvent::ExportChanged { status: ExportStatus::Running { .. } }) | None => {
                tokio::task::yield_now().await;
            }
            Some(last) => break last,
        }
    };
    assert_eq!(last, AppEvent::ExportChanged { status: ExportStatus::Done { report } });
    host.app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_export_is_idle_again_and_another_can_begin() {
    let host = host(250).await;
    let (begins, go) = held(&host);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.json");
    host.app.export_to(request(Some(session_id(1))), target.clone()).unwrap();
    begins.recv().unwrap();
    assert!(host.app.export_running().is_some());
    let second = host.app.export_to(request(None), folder.path().to_owned()).unwrap();
    assert_eq!(
        second,
        ExportStatus::Running { progress: ExportProgress { done: 100, total: 250 } },
        "one at a time"
    );
    host.call("export_cancel", json!({})).await.unwrap();
    drop((begins, go));
    assert_eq!(end(&host).await, ExportStatus::Idle);
    assert_eq!(names(folder.path()), [] as [&str; 0]);
    host.app.export_to(request(Some(session_id(1))), target).unwrap();
    assert!(matches!(end(&host).await, ExportStatus::Done { .. }));
    assert_eq!(names(folder.path()), ["a.json"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_app_waits_until_the_half_file_is_gone() {
    let host = host(3_000).await;
    let (begins, go) = held(&host);
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("a.json");
    host.app.export_to(request(Some(session_id(1))), target).unwrap();
    begins.recv().unwrap();
    assert_eq!(names(folder.path()), ["a.json.talaria.part"]);
    drop((begins, go));
    host.app.close().await;
    assert!(!names(folder.path()).contains(&"a.json.talaria.part".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_export_says_why_and_an_unknown_session_has_no_name() {
    let host = host(1).await;
    host.app.export_to(request(Some(session_id(1))), host.folder.path().join("gone/a.json")).unwrap();
    let ExportStatus::Failed { error } = end(&host).await else { panic!("it failed") };
    assert_eq!(error.code, ErrorCode::Missing);
    let refused = host.app.export_name(session_id(9), ExportFormat::Json).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::NotFound);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_told_to_the_other_windows_by_its_own_id() {
    let host = host(3).await;
    let (main, second) = (host.attach("main"), host.attach("second"));
    let body = json!({ "id": "session-1", "message_id": "message-1-1" });
    let row = host.call("session_branch", body).await.unwrap();
    assert_eq!(row["message_count"], 2);
    assert!(main.lock().unwrap().is_empty());
    let heard: Vec<AppEvent> = second.lock().unwrap().iter().map(|envelope| envelope.event.clone()).collect();
    assert_eq!(heard, [AppEvent::SessionsChanged { ids: vec![row["id"].as_str().unwrap().into()] }]);
    let found = json!({ "session_id": row["id"], "query": "TEXT" });
    assert_eq!(host.call("message_find", found).await.unwrap()["count"]["n"], 2);
}
