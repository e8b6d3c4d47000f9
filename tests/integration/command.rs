//! Commands as a host calls them: by name, with JSON, through the whole core on a real store.

mod media_transport;
mod sweep;

use app_tests::hermes_file::{HermesFile, Line};
use app_tests::host;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use talaria_core::boot::{RETRY_AFTER, SLOW_AFTER};
use talaria_core::clock::SystemClock;
use talaria_core::command::{App, AppConfig, MediaDoor, dispatch};
use talaria_core::media::choice::SchemePlayer;
use talaria_core::media::{Loopback, Media, MediaPaths};
use talaria_core::notify::EVENT_LIMIT;
use talaria_core::store::OwnerLock;
use talaria_wire::{AppEvent, BootPhase, ClientId, EventEnvelope, IpcError};
use tempfile::TempDir;

const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) struct Host {
    pub(crate) app: App,
    pub(crate) folder: TempDir,
}

impl Host {
    fn start(folder: TempDir, loopback: bool) -> Self {
        Self::start_with(folder, loopback, SLOW_AFTER, RETRY_AFTER)
    }

    fn start_with(folder: TempDir, loopback: bool, slow_after: Duration, retry_after: Duration) -> Self {
        Self::start_changed(folder, loopback, |config| {
            (config.boot.slow_after, config.boot.retry_after) = (slow_after, retry_after);
        })
    }

    /// With what a test changes of the app's configuration.
    pub(crate) fn start_changed(
        folder: TempDir,
        loopback: bool,
        change: impl FnOnce(&mut AppConfig),
    ) -> Self {
        let home = folder.path().join("home");
        let media = Media::new(MediaPaths { data_folder: home.clone(), user_home: folder.path().to_owned() });
        // Where there is a port, the web view cannot play the scheme by itself.
        let door = match loopback {
            true => {
                let player = SchemePlayer::Not { why: "the test has none".to_owned() };
                MediaDoor::new(media, player, Some(Loopback::reserve().unwrap()), None)
            }
            false => MediaDoor::new(media, SchemePlayer::Native, None, None),
        };
        Self::start_by(folder, door, change)
    }

    /// With another door for media.
    pub(crate) fn start_by(folder: TempDir, door: MediaDoor, change: impl FnOnce(&mut AppConfig)) -> Self {
        let home = folder.path().join("home");
        let mut config = host::config(&home, Arc::new(SystemClock));
        config.import_from = folder.path().join(".hermes/state.db");
        config.user_home = folder.path().to_owned();
        change(&mut config);
        Self { app: App::start(config, door), folder }
    }

    pub(crate) async fn ready() -> Self {
        let host = Self::start(tempfile::tempdir().unwrap(), true);
        host.until(BootPhase::Ready).await;
        host
    }

    /// The folder, for another start.
    pub(crate) fn into_folder(self) -> TempDir {
        self.folder
    }

    pub(crate) async fn until(&self, phase: BootPhase) {
        let mut status = self.app.boot.watch();
        tokio::time::timeout(DEADLINE, status.wait_for(|now| now.phase == phase)).await.unwrap().unwrap();
    }

    pub(crate) async fn call(&self, name: &str, body: Value) -> Result<Value, IpcError> {
        self.call_as("main", name, body).await
    }

    pub(crate) async fn call_as(&self, client: &str, name: &str, body: Value) -> Result<Value, IpcError> {
        dispatch(&self.app, &ClientId::from(client), name, body).await
    }

    pub(crate) fn attach(&self, client: &str) -> Arc<Mutex<Vec<EventEnvelope>>> {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let copy = Arc::clone(&seen);
        self.app.sinks.attach(client.into(), Box::new(move |event| copy.lock().unwrap().push(event)));
        seen
    }

    /// Imports one session whose assistant says `text`, and answers its id.
    pub(crate) async fn session_saying(&self, text: &str) -> String {
        let file = HermesFile::copy_of_sample(&self.folder.path().join("state.db")).unwrap();
        let lines = [Line::User("go"), Line::Assistant(text)];
        file.add_session("s1", "Media", "/home/user/project", 1_764_000_000.0, &lines).unwrap();
        self.import(file.path()).await;
        let list = self.call("session_list", json!({ "limit": 500 })).await.unwrap();
        let row = list["rows"].as_array().unwrap().iter().find(|row| row["title"] == "Media").unwrap();
        row["id"].as_str().unwrap().to_owned()
    }

    async fn import(&self, file: &Path) {
        let status = self.import_end(file).await;
        assert_eq!(status["state"], "done", "{status}");
    }

    /// Starts an import and answers how it ended.
    async fn import_end(&self, file: &Path) -> Value {
        self.call("import_start", json!({ "path": file })).await.unwrap();
        let deadline = Instant::now() + DEADLINE;
        loop {
            let status = self.call("import_status", json!({})).await.unwrap();
            if status["state"] != "running" {
                return status;
            }
            assert!(Instant::now() < deadline, "the import hangs");
            tokio::task::yield_now().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_file_that_the_session_links_to_is_shown_in_its_folder() {
    let host = Host::ready().await;
    let (named, other) = (host.folder.path().join("notes.txt"), host.folder.path().join("notes.txt.old"));
    for file in [&named, &other] {
        std::fs::write(file, "x").unwrap();
    }
    let keys = host.folder.path().join(".ssh");
    std::fs::create_dir(&keys).unwrap();
    std::fs::write(keys.join("id_rsa"), "x").unwrap();
    let url = |path: &Path| format!("file://{}", path.display());
    let text = format!(
        "[a]({}) [b]({}) [c]({}) [d](file:///srv/../etc/passwd) [e](file://host/share/x)",
        url(&named),
        url(&keys.join("id_rsa")),
        url(&host.folder.path().join("gone.txt")),
    );
    let id = host.session_saying(&text).await;
    let reveal = async |path: String| {
        let request = talaria_wire::FileRevealRequest { session_id: id.as_str().into(), path };
        host.app.file_to_reveal(request).await.map_err(|error| serde_json::to_value(error.code).unwrap())
    };
    assert_eq!(reveal(url(&named)).await, Ok(named.clone()));
    for (path, code) in [
        (url(&other), "blocked"),
        (named.display().to_string(), "blocked"),
        (url(&keys.join("id_rsa")), "blocked"),
        (url(&host.folder.path().join("gone.txt")), "missing"),
        ("file:///srv/../etc/passwd".to_owned(), "blocked"),
        ("file://host/share/x".to_owned(), "blocked"),
    ] {
        assert_eq!(reveal(path.clone()).await, Err(json!(code)), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_file_that_the_session_names_in_a_complete_tag_is_opened() {
    let host = Host::ready().await;
    let (named, other) = (host.folder.path().join("clip.wav"), host.folder.path().join("clip.wav.mp3"));
    std::fs::write(&named, b"RIFF\0\0\0\0WAVEfmt ").unwrap();
    std::fs::write(&other, b"ID3").unwrap();
    let id = host.session_saying(&format!("Here it is.\nMEDIA:{}", named.display())).await;

    let opened = host.call("media_open", json!({ "session_id": id, "path": named })).await.unwrap();
    assert_eq!(opened["kind"], "audio");
    assert_eq!(opened["name"], "clip.wav");
    assert!(opened["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{opened}");

    let refused = host.call("media_open", json!({ "session_id": id, "path": other })).await.unwrap_err();
    assert_eq!(serde_json::to_value(refused.code).unwrap(), "blocked");
    let refused =
        host.call("media_open", json!({ "session_id": "another", "path": named })).await.unwrap_err();
    assert_eq!(serde_json::to_value(refused.code).unwrap(), "not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_is_told_where_the_tags_are() {
    let host = Host::ready().await;
    let id = host.session_saying("Ready \u{1F3AC}: MEDIA:/tmp/out.mp4").await;
    let page =
        host.call("message_page", json!({ "session_id": id, "anchor": { "at": "end" } })).await.unwrap();
    let tag = &page["messages"][1]["media"][0];
    assert_eq!(tag["target"], "/tmp/out.mp4");
    assert_eq!(tag["kind"], "video");
    assert_eq!(tag["start"], 10, "UTF-16 units: the clapper board counts twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_told_to_the_other_windows_and_not_to_its_cause() {
    let host = Host::ready().await;
    let id = host.session_saying("hello").await;
    let (main, second) = (host.attach("main"), host.attach("second"));
    host.call("session_update", json!({ "id": id, "archived": true })).await.unwrap();
    assert!(main.lock().unwrap().is_empty());
    let heard = second.lock().unwrap();
    assert!(
        matches!(&heard[..], [EventEnvelope { seq: 1, event: AppEvent::SessionsChanged { ids } }]
            if ids[0].as_str() == id),
        "{heard:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_in_use_is_said_with_its_owner_and_retry_opens_it_when_it_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let held = OwnerLock::acquire(&folder.path().join("home")).unwrap();
    // Only the command can bring the next attempt: the one that comes by itself is past the test's deadline.
    let host = Host::start_with(folder, false, SLOW_AFTER, Duration::from_secs(3600));
    host.until(BootPhase::Failed).await;
    let failure = host.app.boot.status().failure.unwrap();
    assert_eq!(failure.title, "The store is in use");
    assert!(failure.message.contains(&std::process::id().to_string()), "{}", failure.message);
    assert!(failure.log.iter().any(|line| line.contains("lock")), "{:?}", failure.log);
    let refused = host.call("session_list", json!({})).await.unwrap_err();
    assert_eq!(serde_json::to_value(refused.code).unwrap(), "not_ready");
    assert!(refused.retryable);
    assert!(refused.message.starts_with("The store is in use. "), "{}", refused.message);

    drop(held);
    host.call("boot_retry", json!({})).await.unwrap();
    host.until(BootPhase::Ready).await;
    assert!(host.app.boot.status().failure.is_none());
    host.call("session_list", json!({})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_in_use_opens_by_itself_when_it_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let held = OwnerLock::acquire(&folder.path().join("home")).unwrap();
    let host = Host::start_with(folder, false, SLOW_AFTER, Duration::from_millis(20));
    host.until(BootPhase::Failed).await;
    drop(held);
    host.until(BootPhase::Ready).await;
    assert!(host.app.boot.status().failure.is_none());
    host.call("session_list", json!({})).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_does_not_answer_is_said_while_the_start_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    std::fs::create_dir(&home).unwrap();
    // Opening a pipe for writing waits in the system until somebody reads it.
    let pipe = home.join("talaria.db");
    let name = std::ffi::CString::new(pipe.to_str().unwrap()).unwrap();
    // SAFETY: the name is a NUL-terminated string that outlives the call.
    assert_eq!(unsafe { libc::mkfifo(name.as_ptr(), 0o600) }, 0);
    let host = Host::start_with(folder, false, Duration::from_millis(20), RETRY_AFTER);
    host.until(BootPhase::Failed).await;
    let failure = host.app.boot.status().failure.unwrap();
    assert_eq!(failure.title, "The start takes long");
    assert!(failure.log.iter().any(|line| line.contains("open")), "{:?}", failure.log);

    // Both ends stay open until the name is gone: an opening that comes between must not wait for a reader again.
    let ends = std::fs::OpenOptions::new().read(true).write(true).open(&pipe).unwrap();
    std::fs::remove_file(&pipe).unwrap();
    drop(ends);
    host.call("boot_retry", json!({})).await.unwrap();
    host.until(BootPhase::Ready).await;
    assert!(host.app.boot.status().failure.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_import_that_breaks_off_is_said_and_another_can_begin() {
    let host = Host::ready().await;
    let file = HermesFile::copy_of_sample(&host.folder.path().join("state.db")).unwrap();
    host.app.sinks.attach("main".into(), Box::new(|_| panic!("a window that breaks what it is told")));
    let status = host.import_end(file.path()).await;
    assert_eq!(status["state"], "failed", "{status}");
    host.app.sinks.detach(&"main".into());
    host.import(file.path()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_event_is_long_enough_to_stall_a_window() {
    let host = Host::ready().await;
    let seen = host.attach("second");
    let long = "x".repeat(100_000);
    host.call("session_delete", json!({ "id": long, "mode": "trash" })).await.unwrap();
    let missing = host.folder.path().join(&long);
    assert_eq!(host.import_end(&missing).await["state"], "failed");
    // The end of the import is set before it is told.
    let deadline = Instant::now() + DEADLINE;
    while seen.lock().unwrap().len() < 3 {
        assert!(Instant::now() < deadline, "the end of the import was not told");
        tokio::task::yield_now().await;
    }
    for event in seen.lock().unwrap().iter() {
        let bytes = serde_json::to_string(event).unwrap().len();
        assert!(bytes < EVENT_LIMIT, "{bytes} bytes");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_is_gone_may_read_nothing_more() {
    let host = Host::ready().await;
    let picture = host.folder.path().join("shot.png");
    std::fs::write(&picture, b"\x89PNG\r\n\x1a\n").unwrap();
    let id = host.session_saying(&format!("MEDIA:{}", picture.display())).await;
    let opened = host.call("media_open", json!({ "session_id": id, "path": picture })).await.unwrap();
    let ask = |client: &str| {
        let request = http_get(opened["url"].as_str().unwrap());
        host.app.media.media.scheme(&ClientId::from(client), request).status().as_u16()
    };
    assert_eq!(ask("main"), 200);
    assert_eq!(ask("second"), 403, "a grant is its window's own");
    host.app.client_gone(&ClientId::from("main"));
    assert_eq!(ask("main"), 403);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_command_and_a_body_that_does_not_fit_are_said_in_words() {
    let host = Host::ready().await;
    for (name, body) in
        [("session_lists", json!({})), ("session_get", json!({})), ("session_get", json!([1]))]
    {
        let error = host.call(name, body).await.unwrap_err();
        assert_eq!(serde_json::to_value(error.code).unwrap(), "bad_request");
        assert!(error.message.contains(name), "{}", error.message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_of_an_unsaved_window_is_that_windows_own() {
    let host = Host::ready().await;
    host.call_as("main", "draft_set", json!({ "text": "one" })).await.unwrap();
    host.call_as("second", "draft_set", json!({ "text": "two" })).await.unwrap();
    assert_eq!(host.call_as("main", "draft_get", json!({})).await.unwrap()["text"], "one");
    assert_eq!(host.call_as("second", "draft_get", json!({})).await.unwrap()["text"], "two");
}

fn http_get(url: &str) -> http::Request<Vec<u8>> {
    http::Request::get(url).body(Vec::new()).unwrap()
}
