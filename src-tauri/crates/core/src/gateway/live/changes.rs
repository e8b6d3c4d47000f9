//! Taking back what a tool changed in a file.

use super::Live;
use talaria_wire::*;

impl Live {
    /// Puts the file back as it was before the call, when nobody changed it since. Errors: `NotFound`; `BadRequest` with
    /// what stands in the way.
    pub async fn change_undo(&self, _: &ClientId, request: ChangeUndoRequest) -> Result<Empty, IpcError> {
        let change = self.store().change(&request.session_id, &request.call_id).await?;
        tracing::debug!(path = %change.path.display(), "to be taken back");
        self.store().change_undone(change).await?;
        Ok(Empty {})
    }
}
