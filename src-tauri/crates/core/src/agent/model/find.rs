//! What servers offer: the list of models, with the length of their context where a server tells it, and the servers that
//! run on this computer.

use super::BaseUrl;
use super::failure::{About, Said, failure, refused};
use super::web::{Web, media_type};
use crate::agent::ports::{ModelError, ModelErrorKind};
use futures_util::future::join_all;
use reqwest::{Method, Url};
use secrecy::SecretString;
use serde_json::{Value, json};
use std::time::Duration;
use talaria_wire::{ErrorCode, IpcError, ModelInfo, ModelServer};
use tokio::time::timeout;

/// Servers that people run on their own computer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ollama,
    LmStudio,
    LlamaCpp,
}

/// Their ports, as their manuals name them.
pub const USUAL: &[(Kind, u16)] = &[(Kind::Ollama, 11434), (Kind::LmStudio, 1234), (Kind::LlamaCpp, 8080)];

/// A server of this computer that lists nothing within this time is none.
const LOCAL: Duration = Duration::from_millis(1_500);
/// For what a server tells beside its list.
const EXTRA: Duration = Duration::from_secs(3);
/// For a list that a person asked for.
const ASKED: Duration = Duration::from_secs(20);
/// Bytes of an answer; the longest public list has about one million.
const ANSWER: usize = 8 << 20;
/// Models of a list; Ollama is asked for the context of so many.
const MODELS: usize = 2_000;
const SHOWN: usize = 32;
/// Characters of a model's name.
const NAME: usize = 200;

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Ollama => "Ollama",
            Self::LmStudio => "LM Studio",
            Self::LlamaCpp => "llama.cpp",
        }
    }
}

/// The servers that answer on these ports of this computer, in the order of the table.
pub(super) async fn find(web: &Web, ports: &[(Kind, u16)]) -> Vec<ModelServer> {
    let found = join_all(ports.iter().map(|(kind, port)| async move {
        let base = BaseUrl::parse(&format!("http://127.0.0.1:{port}/v1")).ok()?;
        let models = timeout(LOCAL, models(web, &base, None)).await.ok()?.ok()?;
        Some(server(web, base, models, Some(*kind), None).await)
    }))
    .await;
    found.into_iter().flatten().collect()
}

/// What an endpoint offers; `/v1` is added to an address without a path when only that answers.
pub(super) async fn list(
    web: &Web,
    base: BaseUrl,
    key: Option<&SecretString>,
) -> Result<ModelServer, ModelError> {
    let asked = |base: BaseUrl| async move {
        let late =
            |_| failure(ModelErrorKind::Unreachable, format!("{} did not answer in time.", base.host()));
        let models = timeout(ASKED, models(web, &base, key)).await.map_err(late)??;
        Ok((base, models))
    };
    let (base, models) = match (asked(base.clone()).await, base.with_v1()) {
        (Err(error), Some(longer)) if may_be_elsewhere(&error) => asked(longer).await.map_err(|_| error)?,
        (answered, _) => answered?,
    };
    let kind = USUAL.iter().find(|(_, port)| base.port() == Some(*port)).map(|(kind, _)| *kind);
    Ok(server(web, base, models, kind, key).await)
}

fn may_be_elsewhere(error: &ModelError) -> bool {
    matches!(error.kind, ModelErrorKind::NoModel | ModelErrorKind::Refused)
}

/// The server with its name and what it tells of its models beside the list.
async fn server(
    web: &Web,
    base: BaseUrl,
    mut models: Vec<ModelInfo>,
    kind: Option<Kind>,
    key: Option<&SecretString>,
) -> ModelServer {
    if let Some(kind) = kind.filter(|_| models.iter().any(|model| model.context_length.is_none())) {
        let beside = Beside { web, base: &base, key };
        // What is known by then stays.
        let known = timeout(EXTRA, beside.lengths(kind, &models)).await.unwrap_or_default();
        for (model, length) in models.iter_mut().zip(known) {
            model.context_length = model.context_length.or(length);
        }
    }
    let name = kind.map_or_else(|| base.host(), |kind| kind.name().to_owned());
    ModelServer { name, base_url: base.to_string(), models }
}

/// `GET <base>/models`.
async fn models(web: &Web, base: &BaseUrl, key: Option<&SecretString>) -> Result<Vec<ModelInfo>, ModelError> {
    let host = base.host();
    let about = About { host: &host, model: "", key };
    let request = web.request(Method::GET, base, base.join("/models"), key)?;
    let mut response = web.send(request, &host).await?;
    let (status, media_type) = (response.status(), media_type(&response));
    let body = web.rest(&mut response, ANSWER, &host).await?;
    if !status.is_success() {
        let mut error = refused(status.as_u16(), &Said::in_response(&media_type, &body), None, &about);
        if error.kind == ModelErrorKind::NoModel {
            error.message =
                format!("{host} has no list of models at this address. Most servers have it below /v1.");
        }
        return Err(error);
    }
    let listed = serde_json::from_slice(&body).ok().and_then(|body| read(&body));
    listed.ok_or_else(|| {
        failure(
            ModelErrorKind::Refused,
            format!("{host} did not answer with a list of models. Check the address; most end in /v1."),
        )
    })
}

/// A list as OpenAI writes it, with the context's length under the names that servers use. `None`: it is none.
fn read(body: &Value) -> Option<Vec<ModelInfo>> {
    let listed = body["data"].as_array()?;
    let models: Vec<_> = listed.iter().take(MODELS).filter_map(info).collect();
    // An empty list is one, too: a server on which no model is installed.
    (listed.is_empty() || !models.is_empty()).then_some(models)
}

fn info(entry: &Value) -> Option<ModelInfo> {
    let id = entry["id"].as_str().filter(|id| !id.is_empty() && id.chars().count() <= NAME)?;
    let names =
        ["context_length", "max_model_len", "context_window", "max_input_tokens", "max_context_length"];
    let length =
        names.iter().find_map(|name| tokens(&entry[*name])).or_else(|| tokens(&entry["meta"]["n_ctx"]));
    // What only makes vectors cannot answer.
    let is_chat = entry["type"] != "embeddings" && entry["type"] != "embedding";
    is_chat.then(|| ModelInfo { id: id.to_owned(), context_length: length })
}

fn tokens(value: &Value) -> Option<i64> {
    value.as_i64().filter(|tokens| *tokens > 0)
}

/// Questions beside the list, each in the server's own way. What is not answered is not known.
struct Beside<'a> {
    web: &'a Web,
    base: &'a BaseUrl,
    key: Option<&'a SecretString>,
}

impl Beside<'_> {
    /// The context of each model, in the order of the list.
    async fn lengths(&self, kind: Kind, models: &[ModelInfo]) -> Vec<Option<i64>> {
        match kind {
            Kind::Ollama => self.ollama(models).await,
            Kind::LmStudio => {
                let listed = self.json(Method::GET, "/api/v0/models", None).await.unwrap_or_default();
                let of = |model: &ModelInfo| {
                    let entry = listed["data"].as_array()?.iter().find(|entry| entry["id"] == model.id)?;
                    tokens(&entry["loaded_context_length"]).or_else(|| tokens(&entry["max_context_length"]))
                };
                models.iter().map(of).collect()
            }
            Kind::LlamaCpp => {
                let props = self.json(Method::GET, "/props", None).await.unwrap_or_default();
                let length = tokens(&props["default_generation_settings"]["n_ctx"]);
                models.iter().map(|_| length).collect()
            }
        }
    }

    /// A loaded model says what it runs with; else what its file sets, else what it was trained for.
    async fn ollama(&self, models: &[ModelInfo]) -> Vec<Option<i64>> {
        let loaded = self.json(Method::GET, "/api/ps", None);
        let shown = join_all(
            models
                .iter()
                .take(SHOWN)
                .map(|model| self.json(Method::POST, "/api/show", Some(json!({ "model": model.id })))),
        );
        let (loaded, shown) = futures_util::future::join(loaded, shown).await;
        let running = |model: &ModelInfo| {
            let entries = loaded.as_ref()?["models"].as_array()?;
            tokens(&entries.iter().find(|entry| entry["model"] == model.id)?["context_length"])
        };
        let of = |(model, shown): (&ModelInfo, Option<Value>)| {
            running(model).or_else(|| shown.as_ref().and_then(ollama_length))
        };
        models.iter().zip(shown).map(of).collect()
    }

    async fn json(&self, method: Method, path: &str, body: Option<Value>) -> Option<Value> {
        let host = self.base.host();
        let url: Url = self.base.at_top(path);
        let mut request = self.web.request(method, self.base, url, self.key).ok()?;
        if let Some(body) = body {
            request = request.json(&body);
        }
        let mut response = self.web.send(request, &host).await.ok()?;
        if !response.status().is_success() {
            return None;
        }
        let body = self.web.rest(&mut response, ANSWER, &host).await.ok()?;
        serde_json::from_slice(&body).ok()
    }
}

/// Of Ollama's `/api/show`: the parameter `num_ctx`, else `<family>.context_length`.
fn ollama_length(shown: &Value) -> Option<i64> {
    let parameters = shown["parameters"].as_str().unwrap_or_default();
    let set = parameters.lines().find_map(|line| line.strip_prefix("num_ctx")?.trim().parse::<i64>().ok());
    set.filter(|tokens| *tokens > 0).or_else(|| {
        let fields = shown["model_info"].as_object()?;
        fields.iter().find_map(|(name, value)| tokens(value).filter(|_| name.ends_with(".context_length")))
    })
}

impl From<ModelError> for IpcError {
    fn from(error: ModelError) -> Self {
        match error.kind {
            ModelErrorKind::Busy | ModelErrorKind::Unreachable | ModelErrorKind::Cut => {
                Self::retryable(ErrorCode::Busy, error.message)
            }
            ModelErrorKind::Cancelled => Self::new(ErrorCode::Cancelled, error.message),
            ModelErrorKind::NoModel
            | ModelErrorKind::Key
            | ModelErrorKind::TooLong
            | ModelErrorKind::Refused => Self::bad_request(error.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_list_of_models_is_one() {
        for (body, expected) in [
            (
                json!({ "data": [{ "id": "a" }, { "id": "b", "context_length": 8 }] }),
                Some(vec![("a", None), ("b", Some(8))]),
            ),
            (json!({ "data": [{ "id": "a", "meta": { "n_ctx": 7 } }] }), Some(vec![("a", Some(7))])),
            (
                json!({ "data": [{ "id": "e", "type": "embeddings" }, { "id": "a" }] }),
                Some(vec![("a", None)]),
            ),
            (json!({ "data": [] }), Some(vec![])),
            (json!({ "data": [{ "name": "a" }] }), None),
            (json!({ "data": [1, ""] }), None),
            (json!({ "models": [] }), None),
            (json!([]), None),
        ] {
            let models = read(&body);
            let said = models.as_ref().map(|models| {
                models.iter().map(|model| (model.id.as_str(), model.context_length)).collect::<Vec<_>>()
            });
            assert_eq!(said, expected, "{body}");
        }
    }

    #[test]
    fn what_an_ollama_model_is_set_to_comes_before_what_it_was_trained_for() {
        let trained = json!({ "llama.context_length": 131_072, "llama.block_count": 32 });
        let shown = |parameters: &str| json!({ "parameters": parameters, "model_info": trained });
        assert_eq!(ollama_length(&shown("stop \"x\"\nnum_ctx                        8192")), Some(8_192));
        assert_eq!(ollama_length(&shown("")), Some(131_072));
        assert_eq!(ollama_length(&json!({})), None);
    }
}
