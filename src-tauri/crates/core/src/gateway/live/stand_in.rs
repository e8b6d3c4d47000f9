//! Until the agent's tools and model are wired.

use crate::agent::ports::*;
use talaria_wire::*;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

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
