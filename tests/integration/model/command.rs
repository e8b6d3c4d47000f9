//! The model's settings and key as a window gives them.

use super::*;
use app_tests::host;
use app_tests::model_server::Reply;
use serde_json::{Value, json};
use talaria_core::clock::SystemClock;
use talaria_core::command::{App, dispatch};
use talaria_wire::{BootPhase, ClientId, IpcError};
use tempfile::TempDir;

const KEY: &str = "hunter2-hunter2";

struct Host {
    app: App,
    folder: TempDir,
}

impl Host {
    async fn start(folder: TempDir) -> Self {
        let home = folder.path().join("home");
        let app = App::start(host::config(&home, Arc::new(SystemClock)), host::door(&home));
        let mut watch = app.boot.watch();
        let ready = watch.wait_for(|status| status.phase == BootPhase::Ready);
        tokio::time::timeout(DEADLINE, ready).await.expect("a start in time").expect("a start");
        Self { app, folder }
    }

    async fn new() -> Self {
        Self::start(tempfile::tempdir().unwrap()).await
    }

    async fn call(&self, name: &str, body: Value) -> Result<Value, IpcError> {
        dispatch(&self.app, &ClientId("main".into()), name, body).await
    }

    async fn restarted(self) -> Self {
        self.app.close().await;
        drop(self.app);
        Self::start(self.folder).await
    }
}

fn settings(base_url: &str) -> Value {
    json!({ "choice": { "base_url": base_url, "model": "m" }, "input_price": 2.5, "cost_limit": 3.0 })
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_last_over_a_restart_and_strange_ones_are_refused() {
    let host = Host::new().await;
    let none = host.call("model_status", json!({})).await.unwrap();
    assert_eq!((&none["settings"]["choice"], &none["key"]), (&Value::Null, &json!("none")));
    let set = host.call("model_set", settings(" https://x.org/v1/ ")).await.unwrap();
    assert_eq!(set["settings"]["choice"]["base_url"], "https://x.org/v1");
    for base_url in ["http://x.org/v1", "x.org", "https://me:pw@x.org"] {
        assert!(host.call("model_set", settings(base_url)).await.is_err(), "{base_url}");
    }
    let host = host.restarted().await;
    assert_eq!(host.call("model_status", json!({})).await.unwrap(), set);
    // The other settings do not meet them.
    assert!(host.call("settings_get", json!({})).await.unwrap().get("model").is_none());
    host.app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_belongs_to_its_origin_lasts_over_a_restart_and_is_forgotten() {
    let host = Host::new().await;
    let own = "https://x.org/v1";
    let key = |base_url: &str, key: &str| json!({ "base_url": base_url, "key": key });
    // Before the model is chosen, so that its list can be asked for.
    assert_eq!(host.call("model_key", key(own, &format!(" {KEY}\n"))).await.unwrap()["key"], "file");
    assert_eq!(host.call("model_set", settings(own)).await.unwrap()["key"], "file");
    assert_eq!(host.call("model_set", settings("https://x.org/other")).await.unwrap()["key"], "file");
    for other in ["https://x.org:444/v1", "https://api.x.org/v1", "https://x.com/v1"] {
        assert_eq!(host.call("model_set", settings(other)).await.unwrap()["key"], "none", "{other}");
    }
    host.call("model_set", settings(own)).await.unwrap();
    let host = host.restarted().await;
    assert_eq!(host.call("model_status", json!({})).await.unwrap()["key"], "file");
    assert_eq!(host.call("model_key", key(own, "")).await.unwrap()["key"], "none");
    assert_eq!(host.call("model_status", json!({})).await.unwrap()["key"], "none");
    assert!(host.call("model_key", key(own, "two words")).await.is_err());
    host.app.close().await;
    let left = std::fs::read_to_string(host.folder.path().join("home/model-keys.json")).unwrap();
    assert!(!left.contains(KEY), "{left}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_file_of_the_keys_is_for_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt;
    let host = Host::new().await;
    let file = host.folder.path().join("home/model-keys.json");
    for n in 0..2 {
        let body = json!({ "base_url": format!("https://x{n}.org"), "key": KEY });
        host.call("model_key", body).await.unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    assert!(!file.with_extension("part").exists());
    host.app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_an_error_nor_the_diagnostics_hold_a_key() {
    let server = ModelServer::start();
    let words = format!("Incorrect API key provided: {KEY}");
    server.route("GET /v1/models", Reply::error(401, &words));
    let host = Host::new().await;
    let base_url = server.base_url();
    host.call("model_set", settings(&base_url)).await.unwrap();
    let kept = host.call("model_key", json!({ "base_url": base_url, "key": KEY })).await.unwrap();
    assert!(!kept.to_string().contains(KEY));
    let refused = host.call("model_list", json!({})).await.unwrap_err();
    assert_eq!(server.asked()[0].header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert!(!refused.message.contains(KEY) && refused.message.contains("[key]"), "{refused}");
    // A request that does not fit is told of without what it held.
    let strange = host.call("model_key", json!({ "base_url": base_url, "keys": KEY })).await.unwrap_err();
    assert!(!strange.message.contains(KEY), "{strange}");
    let said = host.call("diagnostics_get", json!({})).await.unwrap().to_string();
    assert!(!said.contains(KEY) && said.len() > 100, "{said}");
    host.app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_is_that_of_the_settings_or_of_an_address_being_typed() {
    let (set, typed) = (ModelServer::start(), ModelServer::start());
    typed.route("GET /v1/models", Reply::json(200, &json!({ "data": [{ "id": "typed" }] })));
    let host = Host::new().await;
    assert!(host.call("model_list", json!({})).await.is_err(), "no model is connected");
    host.call("model_set", settings(&set.base_url())).await.unwrap();
    assert_eq!(host.call("model_list", json!({})).await.unwrap()["models"][0]["id"], MODEL);
    let listed = host.call("model_list", json!({ "base_url": typed.base_url() })).await.unwrap();
    assert_eq!(listed["models"][0]["id"], "typed");
    host.app.close().await;
}
