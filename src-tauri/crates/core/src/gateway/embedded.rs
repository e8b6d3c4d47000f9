//! The embedded gateway: this process and its SQLite store.

use super::{Answer, Gateway, branch};
use crate::store::Store;
use async_trait::async_trait;
use std::path::PathBuf;
use talaria_wire::*;

/// Answers from the store of this home.
pub struct Embedded {
    store: Store,
}

impl Embedded {
    /// A gateway over an open store.
    pub fn new(store: Store) -> Self {
        Self { store }
    }
}

#[async_trait]
impl Gateway for Embedded {
    async fn session_list(&self, request: SessionListRequest) -> Answer<SessionListResponse> {
        Ok(self.store.session_list(request).await?)
    }

    async fn session_get(&self, request: SessionRef) -> Answer<SessionRow> {
        Ok(self.store.session_get(request).await?)
    }

    async fn session_update(&self, request: SessionUpdateRequest) -> Answer<SessionUpdateResponse> {
        Ok(self.store.session_update(request).await?)
    }

    async fn session_pin(&self, request: SessionPinRequest) -> Answer<SessionRow> {
        Ok(self.store.session_pin(request).await?)
    }

    async fn session_mark(&self, request: SessionMarkRequest) -> Answer<SessionRow> {
        Ok(self.store.session_mark(request).await?)
    }

    async fn session_delete(&self, request: SessionDeleteRequest) -> Answer<SessionDeleteResponse> {
        Ok(self.store.session_delete(request).await?)
    }

    async fn session_restore(&self, request: SessionRestoreRequest) -> Answer<SessionRow> {
        Ok(self.store.session_restore(request).await?)
    }

    async fn session_bulk(&self, request: SessionBulkRequest) -> Answer<SessionBulkResponse> {
        Ok(self.store.session_bulk(request).await?)
    }

    async fn session_branch(&self, request: SessionBranchRequest) -> Answer<SessionRow> {
        Ok(self.store.session_branch(request).await?)
    }

    async fn session_search(&self, request: SearchRequest) -> Answer<SearchResponse> {
        Ok(self.store.session_search(request).await?)
    }

    async fn trash_list(&self, request: TrashListRequest) -> Answer<SessionListResponse> {
        Ok(self.store.trash_list(request).await?)
    }

    async fn workspace_list(&self, request: WorkspaceListRequest) -> Answer<WorkspaceListResponse> {
        Ok(self.store.workspace_list(request).await?)
    }

    async fn workspace_branch(&self, request: WorkspaceBranchRequest) -> Answer<WorkspaceBranchResponse> {
        let folder = PathBuf::from(request.folder);
        let branch = tokio::task::spawn_blocking(move || branch::of(&folder)).await.ok().flatten();
        Ok(WorkspaceBranchResponse { branch })
    }

    async fn message_page(&self, request: MessagePageRequest) -> Answer<MessagePageResponse> {
        Ok(self.store.message_page(request).await?)
    }

    async fn message_find(&self, request: MessageFindRequest) -> Answer<MessageFindResponse> {
        Ok(self.store.message_find(request).await?)
    }

    async fn texts_naming(&self, session: &SessionId, needle: &str) -> Answer<Vec<String>> {
        Ok(self.store.texts_naming(session, needle).await?)
    }

    async fn texts_holding(&self, session: &SessionId, needle: &str) -> Answer<Vec<String>> {
        Ok(self.store.texts_holding(session, needle).await?)
    }
}
