//! Until the agent's driver lands.

use crate::agent::ports::*;
use crate::clock::Clock;
use std::sync::Arc;
use talaria_wire::*;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

pub enum Opening {
    Ask,
    Command(String),
}

#[derive(PartialEq)]
pub enum HowEnded {
    Done,
    Stopped,
    Failed,
}

pub struct TurnEnd {
    pub how: HowEnded,
    pub problem: Option<TurnProblem>,
    pub leftover: Option<String>,
}

pub struct Ports {
    pub model: Option<Arc<dyn Model>>,
    pub tools: Arc<dyn Tools>,
    pub ledger: Arc<dyn Ledger>,
    pub audience: Arc<dyn Audience>,
    pub approver: Arc<dyn Approver>,
    pub clock: Arc<dyn Clock>,
}

pub struct Setup {
    pub opening: Opening,
    pub since: Millis,
    pub usage: Usage,
    pub cost_limit: Option<f64>,
    pub model: String,
    pub place: ToolPlace,
}

pub async fn run(
    ports: Ports,
    setup: Setup,
    _: mpsc::UnboundedReceiver<String>,
    stop: CancellationToken,
) -> TurnEnd {
    let failed = |words: String| TurnEnd {
        how: HowEnded::Failed,
        problem: Some(TurnProblem {
            title: "Failed".into(),
            message: words,
            retryable: true,
            settings: false,
        }),
        leftover: None,
    };
    let Some(model) = ports.model else { return failed("no model".into()) };
    let messages = match ports.ledger.context().await {
        Ok(messages) => messages,
        Err(error) => return failed(error.message),
    };
    let request = ModelRequest { model: setup.model, messages, tools: Vec::new(), max_tokens: None };
    let (pieces, mut got) = mpsc::channel(8);
    let asked = tokio::spawn({
        let stop = stop.clone();
        async move { model.answer(request, pieces, stop).await }
    });
    let mut text = String::new();
    while let Some(piece) = got.recv().await {
        if let ModelPiece::Text(more) = piece {
            text.push_str(&more);
            ports.audience.tell(LiveChange::Text { append: more });
            drop(ports.ledger.partial(&text, "").await);
        }
    }
    let reason = if stop.is_cancelled() { "interrupted" } else { "stop" };
    let row = AnswerRow { text, finish_reason: reason.into(), ..AnswerRow::default() };
    if let Err(error) = ports.ledger.answer(row).await {
        return failed(error.message);
    }
    match asked.await {
        Ok(Err(error)) if !stop.is_cancelled() => failed(error.message),
        _ if stop.is_cancelled() => TurnEnd { how: HowEnded::Stopped, problem: None, leftover: None },
        _ => TurnEnd { how: HowEnded::Done, problem: None, leftover: None },
    }
}

pub async fn compress(ports: Ports, _: Setup, _: Option<String>, _: CancellationToken) -> TurnEnd {
    drop(ports.ledger.rotate("Summary", 2).await);
    TurnEnd { how: HowEnded::Done, problem: None, leftover: None }
}

/// No tools.
pub struct NoTools;

#[async_trait::async_trait]
impl Tools for NoTools {
    fn specs(&self, _: &ToolPlace) -> Vec<ToolSpec> {
        Vec::new()
    }
    fn judge(&self, _: &ToolPlace, _: &ToolCall) -> Judgement {
        Judgement::Free
    }
    async fn run(
        &self,
        _: &ToolPlace,
        _: &ToolCall,
        _: mpsc::Sender<String>,
        _: CancellationToken,
    ) -> ToolOutcome {
        ToolOutcome { text: "none".into(), failed: true, change: None }
    }
}

pub struct NoModels;

#[async_trait::async_trait]
impl super::Models for NoModels {
    async fn open(&self, _: Option<&ModelChoice>) -> Result<Option<super::ModelInUse>, IpcError> {
        Ok(None)
    }
}
