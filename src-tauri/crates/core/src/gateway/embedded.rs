//! The embedded gateway: this process and its SQLite store, and the live sessions over it.

use super::live::{Around, Live, Models};
use super::{Answer, Gateway, branch};
use crate::agent::tools::LocalTools;
use crate::store::Store;
use async_trait::async_trait;
use std::path::PathBuf;
use std::sync::Arc;
use talaria_wire::*;

/// Answers from the store of this home.
pub struct Embedded {
    store: Store,
    live: Live,
}

impl Embedded {
    /// A gateway over an open store, whose sessions are answered by these models and work with these tools.
    pub fn new(store: Store, around: Around, models: Arc<dyn Models>, tools: LocalTools) -> Self {
        let live = Live::new(store.clone(), around, models, tools);
        Self { store, live }
    }

    fn marked(&self, mut row: SessionRow) -> SessionRow {
        self.live.mark([&mut row]);
        row
    }
}

#[async_trait]
impl Gateway for Embedded {
    async fn session_list(&self, request: SessionListRequest) -> Answer<SessionListResponse> {
        let mut list = self.store.session_list(request).await?;
        self.live.mark(&mut list.rows);
        Ok(list)
    }

    async fn session_get(&self, request: SessionRef) -> Answer<SessionRow> {
        Ok(self.marked(self.store.session_get(request).await?))
    }

    async fn session_update(&self, request: SessionUpdateRequest) -> Answer<SessionUpdateResponse> {
        let mut updated = self.store.session_update(request).await?;
        self.live.mark([&mut updated.row]);
        Ok(updated)
    }

    async fn session_pin(&self, request: SessionPinRequest) -> Answer<SessionRow> {
        Ok(self.marked(self.store.session_pin(request).await?))
    }

    async fn session_mark(&self, request: SessionMarkRequest) -> Answer<SessionRow> {
        Ok(self.marked(self.store.session_mark(request).await?))
    }

    async fn session_delete(&self, request: SessionDeleteRequest) -> Answer<SessionDeleteResponse> {
        // First: what runs stops, and what it came to is deleted, too.
        self.live.end_of(std::slice::from_ref(&request.id)).await;
        Ok(self.store.session_delete(request).await?)
    }

    async fn session_restore(&self, request: SessionRestoreRequest) -> Answer<SessionRow> {
        Ok(self.marked(self.store.session_restore(request).await?))
    }

    async fn session_bulk(&self, request: SessionBulkRequest) -> Answer<SessionBulkResponse> {
        let deletes = matches!(request.action, BulkAction::Trash | BulkAction::Purge);
        // First: what runs stops, and what it came to is deleted, too.
        if let (true, BulkTarget::Ids { ids }) = (deletes, &request.target) {
            self.live.end_of(ids).await;
        }
        let answer = self.store.session_bulk(request).await?;
        if deletes {
            self.live.end_of(&answer.done).await;
        }
        Ok(answer)
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
        let mut page = self.store.message_page(request).await?;
        self.live.mark([&mut page.session]);
        Ok(page)
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

    async fn session_show(&self, client: &ClientId, session: Option<&SessionId>) {
        self.live.shows(client, session).await;
    }

    async fn session_create(&self, client: &ClientId, request: SessionCreateRequest) -> Answer<LiveSession> {
        Ok(self.live.create(client, request))
    }

    async fn session_resume(&self, client: &ClientId, request: SessionRef) -> Answer<SessionResumeResponse> {
        self.live.resume(client, &request.id).await
    }

    async fn session_activate(&self, client: &ClientId, request: SessionRef) -> Answer<LiveSession> {
        self.live.activate(client, &request.id).await
    }

    async fn session_close(&self, client: &ClientId, request: LiveRef) -> Answer<SessionCloseResponse> {
        Ok(self.live.close_session(client, &request.live_id).await)
    }

    async fn session_interrupt(&self, client: &ClientId, request: LiveRef) -> Answer<Empty> {
        self.live.interrupt(client, &request.live_id)
    }

    async fn session_retry(&self, client: &ClientId, request: LiveRef) -> Answer<PromptSubmitResponse> {
        self.live.retry(client, &request.live_id).await
    }

    async fn session_undo(&self, client: &ClientId, request: LiveRef) -> Answer<SessionUndoResponse> {
        self.live.undo(client, &request.live_id).await
    }

    async fn session_compress(&self, client: &ClientId, request: SessionCompressRequest) -> Answer<Empty> {
        self.live.compress(client, request).await
    }

    async fn session_model(&self, client: &ClientId, request: SessionModelRequest) -> Answer<LiveSession> {
        self.live.set_model(client, request).await
    }

    async fn live_get(&self, client: &ClientId, request: LiveRef) -> Answer<LiveSession> {
        self.live.get(client, &request.live_id)
    }

    async fn prompt_submit(
        &self,
        client: &ClientId,
        request: PromptSubmitRequest,
    ) -> Answer<PromptSubmitResponse> {
        self.live.submit(client, request).await
    }

    async fn queue_set(&self, client: &ClientId, request: QueueSetRequest) -> Answer<Empty> {
        self.live.queue_set(client, request).await
    }

    async fn approval_respond(&self, client: &ClientId, request: ApprovalRespondRequest) -> Answer<Empty> {
        self.live.respond(client, &request)
    }

    async fn change_undo(&self, _: &ClientId, request: ChangeUndoRequest) -> Answer<Empty> {
        self.live.change_undo(request).await
    }

    async fn running_list(&self, _: &ClientId, _: Empty) -> Answer<RunningListResponse> {
        self.live.running().await
    }

    fn client_gone(&self, client: &ClientId) {
        self.live.client_gone(client);
    }

    async fn close(&self) {
        self.live.close().await;
    }
}
