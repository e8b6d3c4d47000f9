//! The client of OpenAI-compatible servers, over real sockets: against the scripted server, and against one that nobody
//! here wrote.

mod answers;
mod command;
mod failures;
mod find;
mod keyring;
#[cfg(unix)]
mod proxy;

use app_tests::model_server::{MODEL, ModelServer};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use talaria_core::agent::model::{Endpoints, Limits};
use talaria_core::agent::ports::*;
use talaria_core::secret::{Keys, NoKeyring};
use talaria_wire::{MessageRole, ModelChoice};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Long enough for a machine with much to do.
const DEADLINE: Duration = Duration::from_secs(60);

fn endpoints(home: &Path, limits: Limits) -> Endpoints {
    Endpoints::new(Keys::new(home, Arc::new(NoKeyring)), limits)
}

fn choice(server: &ModelServer) -> ModelChoice {
    ModelChoice { base_url: server.base_url(), model: MODEL.to_owned() }
}

fn user(text: &str) -> ContextMessage {
    ContextMessage { role: MessageRole::User, text: text.to_owned(), calls: Vec::new(), call_id: None }
}

fn request() -> ModelRequest {
    ModelRequest { model: MODEL.into(), messages: vec![user("Hi")], tools: Vec::new(), max_tokens: None }
}

/// Everything of one answer, and how it ended.
async fn ask_with(endpoints: &Endpoints, choice: &ModelChoice, request: ModelRequest) -> Answered {
    let endpoint = endpoints.endpoint(choice).await.expect("an address");
    let (sender, mut receiver) = mpsc::channel(8);
    let asked = endpoint.answer(request, sender, CancellationToken::new());
    let collected = async {
        let mut pieces = Vec::new();
        while let Some(piece) = receiver.recv().await {
            pieces.push(piece);
        }
        pieces
    };
    let both = async { tokio::join!(asked, collected) };
    let (ended, pieces) = tokio::time::timeout(DEADLINE, both).await.expect("an answer in time");
    Answered { pieces, ended }
}

/// The answer of the scripted server, without a key.
async fn ask(server: &ModelServer) -> Answered {
    let home = tempfile::tempdir().unwrap();
    ask_with(&endpoints(home.path(), Limits::default()), &choice(server), request()).await
}

#[derive(Debug)]
struct Answered {
    pieces: Vec<ModelPiece>,
    ended: Result<(), ModelError>,
}

impl Answered {
    fn text(&self) -> String {
        let text = |piece: &ModelPiece| match piece {
            ModelPiece::Text(text) => text.clone(),
            _ => String::new(),
        };
        self.pieces.iter().map(text).collect()
    }

    fn reasoning(&self) -> String {
        let text = |piece: &ModelPiece| match piece {
            ModelPiece::Reasoning(text) => text.clone(),
            _ => String::new(),
        };
        self.pieces.iter().map(text).collect()
    }

    /// Id, name and arguments of each call.
    fn calls(&self) -> Vec<(String, String, String)> {
        let mut calls: Vec<(String, String, String)> = Vec::new();
        for piece in &self.pieces {
            if let ModelPiece::Call { index, id, name, arguments } = piece {
                if let (Some(id), Some(name)) = (id, name) {
                    calls.push((id.clone(), name.clone(), String::new()));
                }
                calls[*index].2.push_str(arguments);
            }
        }
        calls
    }

    fn finish(&self) -> Vec<&str> {
        let reason = |piece: &'_ ModelPiece| matches!(piece, ModelPiece::Finish(_));
        let finishes = self.pieces.iter().filter(|piece| reason(piece));
        finishes
            .map(|piece| match piece {
                ModelPiece::Finish(reason) => reason.as_str(),
                _ => "",
            })
            .collect()
    }

    fn usage(&self) -> Vec<(i64, i64)> {
        let usage = |piece: &ModelPiece| match piece {
            ModelPiece::Usage { input, output } => Some((*input, *output)),
            _ => None,
        };
        self.pieces.iter().filter_map(usage).collect()
    }

    fn error(&self) -> &ModelError {
        self.ended.as_ref().expect_err("it fails")
    }
}
