//! The commands as a page calls them, through Tauri's own IPC with a mock web view and a real store.

use crate::commands;
use crate::first_paint::FirstPaint;
use crate::outside::Outside;
use crate::windows::{self, Windows};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_core::boot::{BootConfig, RETRY_AFTER, SLOW_AFTER};
use talaria_core::clock::SystemClock;
use talaria_core::command::{ANSWER_WITHIN, App, AppConfig, IDLE_AFTER, MediaDoor, SWEEP_EVERY};
use talaria_core::media::choice::SchemePlayer;
use talaria_core::media::{Media, MediaPaths};
use talaria_wire::{COMMANDS, DESKTOP_COMMANDS, WINDOW_ATTACH};
use tauri::ipc::{CallbackFn, InvokeBody};
use tauri::test::{INVOKE_KEY, MockRuntime, get_ipc_response, mock_builder, mock_context, noop_assets};
use tauri::webview::InvokeRequest;
use tauri::{Manager, WebviewWindow, WebviewWindowBuilder};

struct Page {
    window: WebviewWindow<MockRuntime>,
    home: tempfile::TempDir,
}

impl Page {
    fn open() -> Self {
        let home = tempfile::tempdir().unwrap();
        let config = AppConfig {
            boot: BootConfig {
                home: home.path().join("home"),
                clock: Arc::new(SystemClock),
                platform: "linux",
                version: "test",
                preview: false,
                safe_graphics: false,
                slow_after: SLOW_AFTER,
                retry_after: RETRY_AFTER,
                limits: Default::default(),
            },
            import_from: PathBuf::from("/nowhere/state.db"),
            sweep_every: SWEEP_EVERY,
            user_home: PathBuf::from("/nowhere"),
            facts: Vec::new(),
            come_forward: Box::new(|| true),
            show: Arc::new(|_| true),
            idle_after: IDLE_AFTER,
            answer_within: ANSWER_WITHIN,
            environment: std::env::vars_os().collect(),
            keyring: Arc::new(talaria_core::secret::NoKeyring),
        };
        let media = Media::new(MediaPaths {
            data_folder: home.path().join("home"),
            user_home: home.path().to_owned(),
        });
        let core = tauri::async_runtime::block_on(async {
            App::start(config, MediaDoor::new(media, SchemePlayer::Native, None, None))
        });
        let first_paint = FirstPaint::new(home.path());
        let app = commands::register(mock_builder())
            .manage(core)
            .manage(Outside::new())
            .manage(first_paint)
            .manage(Windows::default())
            .on_window_event(windows::on_event)
            .build(mock_context(noop_assets()))
            .unwrap();
        let window = WebviewWindowBuilder::new(&app, "main", Default::default()).build().unwrap();
        let page = Self { window, home };
        page.wait_until_ready();
        page
    }

    /// The start runs in the background; a page asks until it is through.
    fn wait_until_ready(&self) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while self.call("boot_status", json!({})).unwrap()["phase"] != "ready" {
            assert!(Instant::now() < deadline, "the store did not open");
            std::thread::yield_now();
        }
    }

    fn call(&self, name: &str, body: Value) -> Result<Value, Value> {
        let request = InvokeRequest {
            cmd: name.to_owned(),
            callback: CallbackFn(0),
            error: CallbackFn(1),
            url: "tauri://localhost".parse().unwrap(),
            body: InvokeBody::Json(body),
            headers: Default::default(),
            invoke_key: INVOKE_KEY.to_owned(),
        };
        get_ipc_response(&self.window, request).map(|body| body.deserialize().unwrap())
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        let core = self.window.state::<App>().inner().clone();
        tauri::async_runtime::block_on(core.close());
        assert!(self.home.path().exists());
    }
}

#[test]
fn a_fresh_home_answers_with_an_empty_list_and_says_first_start() {
    let page = Page::open();
    assert_eq!(page.call("boot_status", json!({})).unwrap()["first_start"], json!(true));
    let list = page.call("session_list", json!({ "limit": 50, "min_messages": 1 })).unwrap();
    assert_eq!(list["rows"], json!([]));
    assert_eq!(list["counts"]["active"], json!(0));
}

#[test]
fn a_bad_argument_is_an_error_of_our_shape_that_names_the_allowed_values() {
    let page = Page::open();
    let error = page.call("session_list", json!({ "archived": "all" })).unwrap_err();
    assert_eq!(error["code"], "bad_request");
    assert_eq!(error["retryable"], false);
    for value in ["exclude", "only", "include"] {
        assert!(error["message"].as_str().unwrap().contains(value), "{error}");
    }
    let error = page.call("session_list", json!({ "limits": 5 })).unwrap_err();
    assert_eq!(error["code"], "bad_request");
}

#[test]
fn a_window_attaches_with_a_channel_and_with_nothing_else() {
    let page = Page::open();
    for body in [json!({}), json!({ "channel": 7 }), json!({ "channel": "7" }), json!([1])] {
        let error = page.call("window_attach", body).unwrap_err();
        assert_eq!(error["code"], "bad_request", "{error}");
    }
    page.call("window_attach", json!({ "channel": "__CHANNEL__:7" })).unwrap();
    assert!(page.call("events_ack", json!({ "seq": 0 })).unwrap()["head"].is_u64());
}

#[test]
fn an_unknown_session_is_not_found_before_anything_else_is_said() {
    let page = Page::open();
    let error = page.call("session_update", json!({ "id": "no-such-id" })).unwrap_err();
    assert_eq!(error["code"], "not_found");
}

#[test]
fn a_file_of_an_unknown_session_is_never_shown() {
    let page = Page::open();
    let request = json!({ "session_id": "no-such-id", "path": "file:///etc/passwd" });
    let error = page.call("file_reveal", request).unwrap_err();
    assert_eq!(error["code"], "not_found");
}

#[test]
fn a_file_of_an_unknown_session_is_neither_opened_nor_saved() {
    let page = Page::open();
    for command in ["file_open", "media_save"] {
        let request = json!({ "session_id": "no-such-id", "path": "/srv/clip.mp4" });
        assert_eq!(page.call(command, request).unwrap_err()["code"], "not_found", "{command}");
    }
}

#[test]
fn a_script_link_never_reaches_the_system() {
    let page = Page::open();
    let error = page.call("link_open", json!({ "url": "javascript:alert(1)" })).unwrap_err();
    assert_eq!(error["code"], "blocked");
}

#[test]
fn a_session_that_is_gone_is_said_before_a_dialog_asks_where_to() {
    let page = Page::open();
    let error = page.call("export_start", json!({ "id": "gone", "format": "json" })).unwrap_err();
    assert_eq!(error["code"], "not_found");
    let error = page.call("export_start", json!({ "format": "pdf" })).unwrap_err();
    assert_eq!(error["code"], "bad_request");
    assert_eq!(page.call("export_status", json!({})).unwrap()["state"], "idle");
}

/// The labels of the windows that are there.
fn labels(page: &Page) -> Vec<String> {
    let mut labels: Vec<String> = page.window.webview_windows().into_keys().collect();
    labels.sort();
    labels
}

#[test]
fn a_session_opens_in_one_window_of_its_own_and_no_label_comes_back() {
    let page = Page::open();
    let live = page.call("session_create", json!({})).unwrap();
    let prompt = json!({ "live_id": live["live_id"], "text": "!true" });
    let id = page.call("prompt_submit", prompt).unwrap()["session_id"].clone();
    page.call("window_open", json!({ "id": id })).unwrap();
    page.call("window_open", json!({ "id": id })).unwrap();
    assert_eq!(labels(&page), ["main", "session-1"]);

    let gone = page.call("window_open", json!({ "id": "gone" })).unwrap_err();
    assert_eq!(gone["code"], "not_found");
    page.call("window_open", json!({})).unwrap();
    assert_eq!(labels(&page), ["main", "session-1"]);

    // As the core hears it when that window is closed.
    page.window.state::<App>().client_gone(&"session-1".into());
    page.call("window_open", json!({ "id": id })).unwrap();
    let after = labels(&page);
    assert!(after.iter().any(|label| label.starts_with("session-") && label != "session-1"), "{after:?}");
}

#[test]
fn every_command_is_allowed_to_every_window_of_ours_and_nothing_else_is() {
    let table: Vec<String> = COMMANDS
        .iter()
        .chain(DESKTOP_COMMANDS)
        .chain(&[WINDOW_ATTACH])
        .map(|name| format!("allow-{}", name.replace('_', "-")))
        .collect();
    for (file, windows) in [
        (include_str!("../capabilities/main.json"), "main"),
        (include_str!("../capabilities/session.json"), "session-*"),
    ] {
        let capability: Value = serde_json::from_str(file).unwrap();
        assert_eq!(capability["windows"], json!([windows]));
        assert_eq!(capability["permissions"], json!(table), "{windows}");
    }
}
