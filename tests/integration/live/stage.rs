//! The whole core with a model server of the test's own, and pages that hear as a window does.

use crate::command::Host;
use app_tests::model_server::{Asked, MODEL, ModelServer, Reply};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use talaria_core::command::AppConfig;
use talaria_wire::*;
use tempfile::TempDir;
use tokio::sync::watch;

const DEADLINE: Duration = Duration::from_secs(60);

pub(super) struct Stage {
    pub host: Host,
    pub server: ModelServer,
    /// A folder that sessions may work in.
    pub folder: PathBuf,
    /// The clients whose windows were asked to come forward.
    pub fronted: Arc<Mutex<Vec<ClientId>>>,
}

impl Stage {
    /// An open app whose model is the test's server.
    pub(super) async fn new() -> Self {
        let stage = Self::without_model(tempfile::tempdir().unwrap()).await;
        stage.set_model(json!({})).await;
        stage
    }

    pub(super) async fn without_model(home: TempDir) -> Self {
        Self::changed(home, |_| ()).await
    }

    pub(super) async fn changed(home: TempDir, change: impl FnOnce(&mut AppConfig)) -> Self {
        let fronted = Arc::new(Mutex::new(Vec::new()));
        let shown = Arc::clone(&fronted);
        let folder = home.path().join("work");
        std::fs::create_dir_all(&folder).unwrap();
        let host = Host::start_changed(home, false, |config| {
            config.show = Arc::new(move |client: &ClientId| {
                shown.lock().unwrap().push(client.clone());
                client.as_str() != "gone"
            });
            change(config);
        });
        host.until(BootPhase::Ready).await;
        let server = ModelServer::start();
        // After its first turn a session is named, beside whatever a test has the model say.
        server.say(Reply::text("A name").when("Name this conversation").always());
        Self { host, server, folder, fronted }
    }

    /// Connects the model, with what else the settings say.
    pub(super) async fn set_model(&self, more: Value) {
        let mut settings = json!({ "choice": { "base_url": self.server.base_url(), "model": MODEL } });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.host.call("model_set", settings).await.unwrap();
    }

    /// A window that listens.
    pub(super) fn page(&self, client: &str) -> Page<'_> {
        Page { stage: self, client: client.to_owned(), heard: self.listen(client) }
    }

    fn listen(&self, client: &str) -> watch::Sender<Vec<AppEvent>> {
        let heard = watch::Sender::new(Vec::new());
        let sink = heard.clone();
        self.host.app.sinks.attach(
            client.into(),
            Box::new(move |envelope| sink.send_modify(|heard| heard.push(envelope.event))),
        );
        heard
    }

    /// What the model was asked, the names of sessions apart.
    pub(super) fn chats(&self) -> Vec<Asked> {
        let named = |asked: &Asked| asked.body.to_string().contains("Name this conversation");
        self.server.chats().into_iter().filter(|asked| !named(asked)).collect()
    }

    pub(super) async fn rows(&self, id: &SessionId) -> Vec<MessageRow> {
        let request = json!({ "session_id": id, "anchor": { "at": "end" }, "limit": 500 });
        let page = self.host.call("message_page", request).await.unwrap();
        serde_json::from_value(page["messages"].clone()).unwrap()
    }

    /// Role and text of each row.
    pub(super) async fn said(&self, id: &SessionId) -> Vec<(MessageRole, String)> {
        self.rows(id).await.into_iter().map(|row| (row.role, row.text)).collect()
    }

    pub(super) async fn row(&self, id: &SessionId) -> SessionRow {
        serde_json::from_value(self.host.call("session_get", json!({ "id": id })).await.unwrap()).unwrap()
    }
}

/// One window.
pub(super) struct Page<'a> {
    pub stage: &'a Stage,
    pub client: String,
    heard: watch::Sender<Vec<AppEvent>>,
}

impl Page<'_> {
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        name: &str,
        body: impl Serialize,
    ) -> Result<T, IpcError> {
        let body = serde_json::to_value(body).unwrap();
        let answer = self.stage.host.call_as(&self.client, name, body).await?;
        Ok(serde_json::from_value(answer).unwrap())
    }

    pub(super) async fn refused(&self, name: &str, body: impl Serialize) -> ErrorCode {
        self.ask::<Value>(name, body).await.expect_err("it is refused").code
    }

    /// A draft in the work folder.
    pub(super) async fn draft(&self) -> LiveId {
        let live: LiveSession =
            self.ask("session_create", json!({ "folder": self.stage.folder })).await.unwrap();
        live.live_id
    }

    pub(super) async fn submit(&self, live: &LiveId, text: &str) -> PromptSubmitResponse {
        self.ask("prompt_submit", json!({ "live_id": live, "text": text })).await.unwrap()
    }

    /// Sends a prompt into a new draft and waits for the end of its turn.
    pub(super) async fn turn(&self, text: &str) -> (LiveId, SessionId) {
        let live = self.draft().await;
        let id = self.submit(&live, text).await.session_id;
        self.idle(&live).await;
        (live, id)
    }

    pub(super) async fn live(&self, live: &LiveId) -> LiveSession {
        self.ask("live_get", json!({ "live_id": live })).await.unwrap()
    }

    pub(super) async fn resume(&self, id: &SessionId) -> SessionResumeResponse {
        self.ask("session_resume", json!({ "id": id })).await.unwrap()
    }

    /// Waits until the session is at rest. By asking, so that it needs no event.
    pub(super) async fn idle(&self, live: &LiveId) -> LiveSession {
        let waited = tokio::time::timeout(DEADLINE, async {
            loop {
                let now = self.live(live).await;
                if now.state == LiveState::Idle {
                    return now;
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        });
        waited.await.expect("the turn ends")
    }

    /// Everything this window has heard.
    pub(super) fn heard(&self) -> Vec<AppEvent> {
        self.heard.borrow().clone()
    }

    /// Waits until it has heard something, and answers it.
    pub(super) async fn until<T>(&self, what: &str, find: impl Fn(&AppEvent) -> Option<T>) -> T {
        let mut heard = self.heard.subscribe();
        let waited =
            tokio::time::timeout(DEADLINE, heard.wait_for(|all| all.iter().any(|e| find(e).is_some())));
        let Ok(Ok(all)) = waited.await else { panic!("{what} was not heard: {:?}", self.heard()) };
        all.iter().find_map(find).unwrap()
    }

    /// The next question.
    pub(super) async fn asked(&self) -> Approval {
        self.until("a question", |event| match event {
            AppEvent::LiveChanged { change: LiveChange::Asked { approval }, .. } => Some(approval.clone()),
            _ => None,
        })
        .await
    }

    /// Waits until the streamed text holds these words.
    pub(super) async fn streamed(&self, words: &str) {
        let mut heard = self.heard.subscribe();
        let waited = tokio::time::timeout(DEADLINE, heard.wait_for(|all| text_of(all).contains(words))).await;
        assert!(matches!(waited, Ok(Ok(_))), "{words:?} was not streamed: {:?}", self.heard());
    }

    /// The page loads anew: nothing is heard until it attaches again.
    pub(super) fn reload(&mut self) {
        self.stage.host.app.page_gone(&self.client.as_str().into());
        self.heard = self.stage.listen(&self.client);
    }

    /// The window is closed.
    pub(super) fn close(&self) {
        self.stage.host.app.client_gone(&self.client.as_str().into());
    }
}

/// All streamed text, in the order it was heard.
pub(super) fn text_of(heard: &[AppEvent]) -> String {
    let texts = heard.iter().filter_map(|event| match event {
        AppEvent::LiveChanged { change: LiveChange::Text { append }, .. } => Some(append.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The numbers of the changes, in the order they were heard.
pub(super) fn revs(heard: &[AppEvent]) -> Vec<u64> {
    let revs = heard.iter().filter_map(|event| match event {
        AppEvent::LiveChanged { rev, .. } => Some(*rev),
        _ => None,
    });
    revs.collect()
}

/// What a window hears of sessions that are not its own: ids of rows.
pub(super) fn only_ids(heard: &[AppEvent]) -> bool {
    heard.iter().all(|event| matches!(event, AppEvent::SessionsChanged { .. } | AppEvent::BootChanged { .. }))
}
