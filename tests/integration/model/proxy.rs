//! Against a server that nobody here wrote: LiteLLM's proxy. It answers by itself, and it relays to the scripted server by
//! its own client, so that both ends of the wire are read by somebody else's code.

use super::*;
use app_tests::desktop::target_folder;
use app_tests::model_server::Reply;
use secrecy::SecretString;
use serde_json::json;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use talaria_wire::ToolCall;
use tempfile::TempDir;

const KEY: &str = "sk-talaria-test-key";

/// The proxy starts in some seconds; a machine with much to do takes longer.
const START: Duration = Duration::from_secs(180);

/// The proxy's process group; it ends with this.
struct Proxy {
    process: Child,
    port: u16,
    _folder: TempDir,
}

impl Proxy {
    /// With the models "mock", which answers by itself, and "relayed", which asks `server`.
    fn start(server: &ModelServer) -> Self {
        let program = target_folder().join("litellm/bin/litellm");
        assert!(program.exists(), "{} is missing: \"make test\" installs it", program.display());
        let folder = tempfile::tempdir().unwrap();
        let params = |extra: serde_json::Value| {
            let mut params =
                json!({ "model": format!("openai/{MODEL}"), "api_key": "relay", "max_retries": 0 });
            params.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
            params
        };
        let config = json!({
            "model_list": [
                { "model_name": "mock", "litellm_params": params(json!({ "mock_response": "Hello from the proxy" })) },
                { "model_name": "relayed", "litellm_params": params(json!({ "api_base": server.base_url() })) },
            ],
            "general_settings": { "master_key": KEY },
        });
        // JSON is YAML, too.
        let file = folder.path().join("config.yaml");
        std::fs::write(&file, config.to_string()).unwrap();
        // Free a moment ago; the proxy can only be told a number.
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let process = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &port.to_string(), "--telemetry", "False", "--config"])
            .arg(file)
            .current_dir(folder.path())
            .env("HOME", folder.path())
            // Nothing of the internet is needed.
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .env("NO_PROXY", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .process_group(0)
            .spawn()
            .unwrap();
        Self { process, port, _folder: folder }
    }

    fn base_url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    /// Waits until it lists its models.
    async fn models(&mut self, endpoints: &Endpoints) -> Vec<String> {
        let deadline = tokio::time::Instant::now() + START;
        loop {
            let listed = endpoints.list(&self.base_url()).await;
            if let Ok(server) = listed {
                return server.models.into_iter().map(|model| model.id).collect();
            }
            let ended = self.process.try_wait().unwrap();
            let log = || std::fs::read_to_string(self._folder.path().join("log")).unwrap_or_default();
            assert!(ended.is_none(), "the proxy ended: {}", log());
            assert!(tokio::time::Instant::now() < deadline, "{listed:?}: {}", log());
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Ok(group) = i32::try_from(self.process.id()) {
            // SAFETY: a number goes in, and the group is one that this test has made and not yet waited for.
            unsafe { libc::kill(-group, libc::SIGKILL) };
        }
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_proxy_of_another_make_streams_text_and_calls() {
    let server = ModelServer::start();
    let mut proxy = Proxy::start(&server);
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    let origin = format!("http://127.0.0.1:{}", proxy.port);
    endpoints.keys().set(&origin, SecretString::from(KEY)).await.unwrap();
    let mut models = proxy.models(&endpoints).await;
    models.sort();
    assert_eq!(models, ["mock", "relayed"]);
    let of = |model: &str| ModelChoice { base_url: proxy.base_url(), model: model.to_owned() };
    let asking = |model: &str| ModelRequest { model: model.to_owned(), ..request() };

    let own = ask_with(&endpoints, &of("mock"), asking("mock")).await;
    assert_eq!((own.text().as_str(), &own.ended), ("Hello from the proxy", &Ok(())));
    assert_eq!(own.finish(), ["stop"]);
    assert!(own.usage().iter().any(|(input, output)| *input > 0 && *output > 0), "{:?}", own.pieces);

    // Calls at once, in parts, through the proxy's reading and writing.
    let (one, two) = (json!({ "path": "ä.txt" }), json!({ "command": "ls -l" }));
    server.say(Reply::calls(&[("call_a", "read_file", one.clone()), ("call_b", "terminal", two.clone())]));
    let mut with_tools = asking("relayed");
    let parameters = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    with_tools.tools = vec![ToolSpec { name: "read_file", description: "Reads a file.", parameters }];
    let called = ask_with(&endpoints, &of("relayed"), with_tools).await;
    let calls = [
        ("call_a".to_owned(), "read_file".to_owned(), one.to_string()),
        ("call_b".to_owned(), "terminal".to_owned(), two.to_string()),
    ];
    assert_eq!((called.calls().as_slice(), called.finish()), (&calls[..], vec!["tool_calls"]));
    assert_eq!(server.chats()[0].body["tools"][0]["function"]["name"], "read_file");

    // The results of the calls, as the next request of a turn has them.
    server.say(Reply::thinking("reasoning_content", "hm", "It is empty."));
    let mut answer = user("");
    answer.role = MessageRole::Assistant;
    let written = |(id, name, arguments): &(String, String, String)| ToolCall {
        id: id.clone(),
        name: name.clone(),
        arguments: arguments.clone(),
    };
    answer.calls = calls.iter().map(written).collect();
    let result = |id: &str| ContextMessage {
        role: MessageRole::Tool,
        call_id: Some(id.to_owned()),
        ..user("nothing")
    };
    let mut next = asking("relayed");
    next.messages.extend([answer, result("call_a"), result("call_b")]);
    let ended = ask_with(&endpoints, &of("relayed"), next).await;
    assert_eq!((ended.reasoning().as_str(), ended.text().as_str()), ("hm", "It is empty."));
    let relayed = server.chats()[1].clone();
    let roles: Vec<_> = relayed.messages().iter().map(|message| message["role"].clone()).collect();
    assert_eq!(roles, ["user", "assistant", "tool", "tool"]);
    assert_eq!(relayed.messages()[1]["tool_calls"][1]["id"], "call_b");

    // Its failures are of the kinds that ours are.
    let missing = ask_with(&endpoints, &of("none"), asking("none")).await;
    assert_eq!(missing.error().kind, ModelErrorKind::NoModel, "{missing:?}");
    endpoints.keys().set(&origin, SecretString::from("sk-another-key")).await.unwrap();
    let refused = ask_with(&endpoints, &of("mock"), asking("mock")).await;
    // Without its database it does not say that it is the key.
    assert!(!refused.error().message.contains("sk-another-key"), "{}", refused.error());
}
