//! Drafts: this home's own, whatever gateway the sessions live on.

use super::App;
use talaria_wire::*;

pub(super) async fn draft_get(
    app: &App,
    client: &ClientId,
    request: DraftGetRequest,
) -> Result<Draft, IpcError> {
    Ok(app.boot.ready()?.store.draft_get(client, request).await?)
}

pub(super) async fn draft_set(
    app: &App,
    client: &ClientId,
    request: DraftSetRequest,
) -> Result<Empty, IpcError> {
    app.boot.ready()?.store.draft_set(client, request).await?;
    Ok(Empty {})
}
