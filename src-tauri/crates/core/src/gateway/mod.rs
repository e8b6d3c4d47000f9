//! What answers for sessions. `command` talks to a [`Gateway`] and does not know which one it is.
//!
//! The embedded gateway (this process, this store) is the default and needs nothing else. A gateway knows a window as an
//! opaque client only; it is called by `command`, and made by `boot`.

mod branch;
mod connected;
mod embedded;
pub mod live;

pub use connected::Connected;
pub use embedded::Embedded;

use async_trait::async_trait;
use talaria_wire::*;

/// The answer of a gateway.
pub type Answer<T> = Result<T, IpcError>;

/// Sessions and their messages, wherever they live. Names follow the command table.
#[async_trait]
pub trait Gateway: Send + Sync {
    async fn session_list(&self, request: SessionListRequest) -> Answer<SessionListResponse>;
    async fn session_get(&self, request: SessionRef) -> Answer<SessionRow>;
    async fn session_update(&self, request: SessionUpdateRequest) -> Answer<SessionUpdateResponse>;
    async fn session_pin(&self, request: SessionPinRequest) -> Answer<SessionRow>;
    async fn session_mark(&self, request: SessionMarkRequest) -> Answer<SessionRow>;
    async fn session_delete(&self, request: SessionDeleteRequest) -> Answer<SessionDeleteResponse>;
    async fn session_restore(&self, request: SessionRestoreRequest) -> Answer<SessionRow>;
    async fn session_bulk(&self, request: SessionBulkRequest) -> Answer<SessionBulkResponse>;
    async fn session_branch(&self, request: SessionBranchRequest) -> Answer<SessionRow>;
    async fn session_search(&self, request: SearchRequest) -> Answer<SearchResponse>;
    async fn trash_list(&self, request: TrashListRequest) -> Answer<SessionListResponse>;
    async fn workspace_list(&self, request: WorkspaceListRequest) -> Answer<WorkspaceListResponse>;
    async fn workspace_branch(&self, request: WorkspaceBranchRequest) -> Answer<WorkspaceBranchResponse>;
    /// `MessageRow::media` is left empty: the tag parser belongs to this side of the wire.
    async fn message_page(&self, request: MessagePageRequest) -> Answer<MessagePageResponse>;
    async fn message_find(&self, request: MessageFindRequest) -> Answer<MessageFindResponse>;
    /// The user and assistant texts of the session's lineage that hold `needle` and a `MEDIA:` mark. What may be
    /// opened is decided from these (media.md, check 6).
    async fn texts_naming(&self, session: &SessionId, needle: &str) -> Answer<Vec<String>>;
    /// The user and assistant texts of the session's lineage that hold `needle`. What may be shown in its folder is
    /// decided from these.
    async fn texts_holding(&self, session: &SessionId, needle: &str) -> Answer<Vec<String>>;
    /// The client shows this session, or none.
    async fn session_show(&self, client: &ClientId, session: Option<&SessionId>);
    async fn session_create(&self, client: &ClientId, request: SessionCreateRequest) -> Answer<LiveSession>;
    async fn session_resume(&self, client: &ClientId, request: SessionRef) -> Answer<SessionResumeResponse>;
    async fn session_activate(&self, client: &ClientId, request: SessionRef) -> Answer<LiveSession>;
    async fn session_close(&self, client: &ClientId, request: LiveRef) -> Answer<SessionCloseResponse>;
    async fn session_interrupt(&self, client: &ClientId, request: LiveRef) -> Answer<Empty>;
    async fn session_retry(&self, client: &ClientId, request: LiveRef) -> Answer<PromptSubmitResponse>;
    async fn session_undo(&self, client: &ClientId, request: LiveRef) -> Answer<SessionUndoResponse>;
    async fn session_compress(&self, client: &ClientId, request: SessionCompressRequest) -> Answer<Empty>;
    async fn session_model(&self, client: &ClientId, request: SessionModelRequest) -> Answer<LiveSession>;
    async fn live_get(&self, client: &ClientId, request: LiveRef) -> Answer<LiveSession>;
    async fn prompt_submit(
        &self,
        client: &ClientId,
        request: PromptSubmitRequest,
    ) -> Answer<PromptSubmitResponse>;
    async fn queue_set(&self, client: &ClientId, request: QueueSetRequest) -> Answer<Empty>;
    async fn approval_respond(&self, client: &ClientId, request: ApprovalRespondRequest) -> Answer<Empty>;
    async fn change_undo(&self, client: &ClientId, request: ChangeUndoRequest) -> Answer<Empty>;
    async fn running_list(&self, client: &ClientId, request: Empty) -> Answer<RunningListResponse>;
    /// The client is gone for good: its live sessions end, each with its turn. A page that loads anew is not gone.
    fn client_gone(&self, client: &ClientId);
    /// Stops what runs and stores what came of it, before the store closes. At most some seconds.
    async fn close(&self);
}
