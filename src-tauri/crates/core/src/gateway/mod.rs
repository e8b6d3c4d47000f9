//! What answers for sessions. `command` talks to a [`Gateway`] and does not know which one it is.
//!
//! The embedded gateway (this process, this store) is the default and needs nothing else. A gateway never knows a
//! window; it is called by `command` only.

mod branch;
mod embedded;

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
}
