//! Taking back what a tool changed in a file.

use super::Live;
use crate::agent::ports::ChangedFile;
use talaria_wire::*;

impl Live {
    /// Puts the file back as it was before the call, when nobody changed it since. Errors: `NotFound`; `BadRequest` with
    /// what stands in the way.
    pub async fn change_undo(&self, request: ChangeUndoRequest) -> Result<Empty, IpcError> {
        let ChangeUndoRequest { session_id, call_id } = request;
        let kept = self.store().change(&session_id, &call_id).await?;
        let change = ChangedFile {
            path: kept.path.clone(),
            before: kept.before.clone(),
            after: kept.after.clone(),
            diff: String::new(),
        };
        let tools = self.0.tools.clone();
        tokio::task::spawn_blocking(move || tools.undo(&change))
            .await
            .map_err(|_| IpcError::internal("The request broke off. Try again."))?
            .map_err(IpcError::bad_request)?;
        self.store().change_undone(kept).await?;
        self.tell_lists(session_id);
        Ok(Empty {})
    }
}
