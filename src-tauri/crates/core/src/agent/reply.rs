//! A whole answer of the model at once, for what nobody watches being written: a title, a summary.

use super::ports::{Model, ModelError, ModelPiece, ModelRequest};
use super::relay::relay;
use std::future::ready;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Default)]
pub(super) struct Reply {
    pub(super) text: String,
    /// Tokens in and out, when the server said so.
    pub(super) usage: Option<(i64, i64)>,
}

/// Asks once and waits for the end.
pub(super) async fn whole(
    model: &dyn Model,
    request: ModelRequest,
    stop: CancellationToken,
) -> Result<Reply, ModelError> {
    let (pieces, coming) = mpsc::channel(64);
    let mut reply = Reply::default();
    let take = |piece| {
        match piece {
            ModelPiece::Text(text) => reply.text.push_str(&text),
            ModelPiece::Usage { input, output } => reply.usage = Some((input, output)),
            ModelPiece::Reasoning(_) | ModelPiece::Call { .. } | ModelPiece::Finish(_) => {}
        }
        ready(())
    };
    relay(model.answer(request, pieces, stop), coming, take).await?;
    Ok(reply)
}
