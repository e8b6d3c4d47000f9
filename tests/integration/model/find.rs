//! Servers of this computer, and what an endpoint offers.

use super::*;
use app_tests::model_server::{Reply, Step};
use serde_json::json;
use talaria_core::agent::model::Kind;
use talaria_wire::{ErrorCode, ModelInfo};

fn model(id: &str, context_length: Option<i64>) -> ModelInfo {
    ModelInfo { id: id.to_owned(), context_length }
}

fn list(ids: &[&str]) -> Reply {
    let data: Vec<_> = ids.iter().map(|id| json!({ "id": id, "object": "model" })).collect();
    Reply::json(200, &json!({ "object": "list", "data": data }))
}

#[tokio::test]
async fn servers_of_this_computer_are_found_with_their_models_and_contexts() {
    let (ollama, studio, llama) = (ModelServer::start(), ModelServer::start(), ModelServer::start());
    ollama.route("GET /v1/models", list(&["small", "large"]));
    ollama.route(
        "GET /api/ps",
        Reply::json(200, &json!({ "models": [{ "model": "large", "context_length": 4096 }] })),
    );
    ollama.route(
        "POST /api/show",
        Reply::json(200, &json!({ "model_info": { "llama.context_length": 8192 } })),
    );
    studio.route("GET /v1/models", list(&["lm"]));
    let loaded = json!({ "id": "lm", "max_context_length": 32768, "loaded_context_length": 16384 });
    studio.route("GET /api/v0/models", Reply::json(200, &json!({ "data": [loaded] })));
    llama.route("GET /v1/models", list(&["gguf"]));
    llama.route("GET /props", Reply::json(200, &json!({ "default_generation_settings": { "n_ctx": 2048 } })));
    let home = tempfile::tempdir().unwrap();
    let ports =
        [(Kind::Ollama, ollama.port()), (Kind::LmStudio, studio.port()), (Kind::LlamaCpp, llama.port())];
    let found = endpoints(home.path(), Limits::default()).find(&ports).await;
    let said: Vec<_> = found.iter().map(|server| (server.name.as_str(), server.models.as_slice())).collect();
    assert_eq!(
        said,
        [
            ("Ollama", [model("small", Some(8192)), model("large", Some(4096))].as_slice()),
            ("LM Studio", [model("lm", Some(16384))].as_slice()),
            ("llama.cpp", [model("gguf", Some(2048))].as_slice()),
        ]
    );
    assert_eq!(found[0].base_url, ollama.base_url());
}

#[tokio::test]
async fn what_is_no_model_server_is_not_found() {
    let (page, odd, silent, refusing) =
        (ModelServer::start(), ModelServer::start(), ModelServer::start(), ModelServer::start());
    page.route("GET /v1/models", Reply::body(200, "text/html", "<html>Jenkins</html>"));
    odd.route("GET /v1/models", Reply::json(200, &json!({ "data": [{ "name": "x" }] })));
    silent.route("GET /v1/models", Reply::silent());
    refusing.route("GET /v1/models", Reply::error(404, "no"));
    let home = tempfile::tempdir().unwrap();
    let servers = [&page, &odd, &silent, &refusing];
    let ports: Vec<_> = servers.iter().map(|server| (Kind::LlamaCpp, server.port())).collect();
    assert_eq!(endpoints(home.path(), Limits::default()).find(&ports).await, []);
    silent.wait_left(1).await;
}

#[tokio::test]
async fn a_server_that_tells_nothing_more_is_found_with_its_models() {
    let server = ModelServer::start();
    server.route("GET /v1/models", list(&["m"]));
    server.route("GET /props", Reply::default().until(0, Step::Hold));
    let home = tempfile::tempdir().unwrap();
    let found = endpoints(home.path(), Limits::default()).find(&[(Kind::LlamaCpp, server.port())]).await;
    assert_eq!(found[0].models, [model("m", None)]);
}

#[tokio::test]
async fn an_address_without_its_path_is_completed_when_only_that_answers() {
    let server = ModelServer::start();
    server.route("GET /models", Reply::error(404, "no"));
    server.route("GET /other/models", Reply::error(404, "no"));
    server.route("GET /v1/models", list(&["m"]));
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    let top = format!("http://127.0.0.1:{}", server.port());
    let listed = endpoints.list(&top).await.unwrap();
    assert_eq!((listed.base_url, listed.models), (server.base_url(), vec![model("m", None)]));
    let nothing = endpoints.list(&format!("{top}/other")).await.unwrap_err();
    assert_eq!(nothing.code, ErrorCode::BadRequest);
}

#[tokio::test]
async fn the_context_of_a_model_is_asked_for_once() {
    let server = ModelServer::start();
    let entry = json!({ "id": MODEL, "max_model_len": 5000 });
    server.route("GET /v1/models", Reply::json(200, &json!({ "data": [entry] })));
    let home = tempfile::tempdir().unwrap();
    let endpoints = endpoints(home.path(), Limits::default());
    for _ in 0..3 {
        assert_eq!(endpoints.context_length(&choice(&server)).await, Some(5000));
    }
    assert_eq!(server.asked().len(), 1);
}
