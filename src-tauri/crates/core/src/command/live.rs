//! Live sessions: straight to the gateway, as the calling client.

use super::App;
use talaria_wire::*;

macro_rules! as_client {
    ($($name:ident($req:ty) -> $res:ty;)*) => {$(
        pub(super) async fn $name(app: &App, client: &ClientId, request: $req) -> Result<$res, IpcError> {
            app.boot.ready()?.gateway.$name(client, request).await
        }
    )*};
}

as_client! {
    session_create(SessionCreateRequest) -> LiveSession;
    session_resume(SessionRef) -> SessionResumeResponse;
    session_activate(SessionRef) -> LiveSession;
    session_close(LiveRef) -> SessionCloseResponse;
    session_interrupt(LiveRef) -> Empty;
    session_retry(LiveRef) -> PromptSubmitResponse;
    session_undo(LiveRef) -> SessionUndoResponse;
    session_compress(SessionCompressRequest) -> Empty;
    session_model(SessionModelRequest) -> LiveSession;
    live_get(LiveRef) -> LiveSession;
    prompt_submit(PromptSubmitRequest) -> PromptSubmitResponse;
    queue_set(QueueSetRequest) -> Empty;
    approval_respond(ApprovalRespondRequest) -> Empty;
    change_undo(ChangeUndoRequest) -> Empty;
    running_list(Empty) -> RunningListResponse;
}
