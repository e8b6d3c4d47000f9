//! Sessions, their messages and the search: straight to the gateway, and the change to the other windows.

use super::{App, off_thread};
use crate::media::tags;
use talaria_wire::*;

/// A hand-through row; `told` rows also tell the other windows which session changed.
macro_rules! through {
    ($($name:ident($req:ty) -> $res:ty;)*) => {$(
        pub(super) async fn $name(app: &App, _: &ClientId, request: $req) -> Result<$res, IpcError> {
            app.boot.ready()?.gateway.$name(request).await
        }
    )*};
    (told $($name:ident($req:ty) -> $res:ty;)*) => {$(
        pub(super) async fn $name(app: &App, client: &ClientId, request: $req) -> Result<$res, IpcError> {
            let id = request.id.clone();
            let response = app.boot.ready()?.gateway.$name(request).await?;
            app.sinks.send_to_others(client, AppEvent::SessionsChanged { ids: vec![id] });
            Ok(response)
        }
    )*};
}

through! {
    session_list(SessionListRequest) -> SessionListResponse;
    session_get(SessionRef) -> SessionRow;
    session_search(SearchRequest) -> SearchResponse;
    trash_list(TrashListRequest) -> SessionListResponse;
    workspace_list(WorkspaceListRequest) -> WorkspaceListResponse;
    workspace_branch(WorkspaceBranchRequest) -> WorkspaceBranchResponse;
    message_find(MessageFindRequest) -> MessageFindResponse;
}

through! { told
    session_update(SessionUpdateRequest) -> SessionUpdateResponse;
    session_pin(SessionPinRequest) -> SessionRow;
    session_mark(SessionMarkRequest) -> SessionRow;
    session_delete(SessionDeleteRequest) -> SessionDeleteResponse;
    session_restore(SessionRestoreRequest) -> SessionRow;
}

pub(super) async fn session_bulk(
    app: &App,
    client: &ClientId,
    request: SessionBulkRequest,
) -> Result<SessionBulkResponse, IpcError> {
    let response = app.boot.ready()?.gateway.session_bulk(request).await?;
    // No ids would mean all of them.
    if !response.done.is_empty() {
        app.sinks.send_to_others(client, AppEvent::SessionsChanged { ids: response.done.clone() });
    }
    Ok(response)
}

pub(super) async fn session_branch(
    app: &App,
    client: &ClientId,
    request: SessionBranchRequest,
) -> Result<SessionRow, IpcError> {
    let row = app.boot.ready()?.gateway.session_branch(request).await?;
    app.sinks.send_to_others(client, AppEvent::SessionsChanged { ids: vec![row.id.clone()] });
    Ok(row)
}

pub(super) async fn message_page(
    app: &App,
    _: &ClientId,
    request: MessagePageRequest,
) -> Result<MessagePageResponse, IpcError> {
    let mut page = app.boot.ready()?.gateway.message_page(request).await?;
    off_thread(move || {
        tags::fill(&mut page.messages);
        page
    })
    .await
}
