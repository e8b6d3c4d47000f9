//! Rows whose parts are being built: each leaves with its part.

use super::App;
use talaria_wire::*;

macro_rules! pending {
    ($($name:ident($req:ty) -> $res:ty;)*) => {$(
        pub(super) async fn $name(_: &App, _: &ClientId, _: $req) -> Result<$res, IpcError> {
            Err(IpcError::internal(concat!(stringify!($name), " is not there yet.")))
        }
    )*};
}

pending! {
    session_bulk(SessionBulkRequest) -> SessionBulkResponse;
    session_branch(SessionBranchRequest) -> SessionRow;
    session_show(SessionShowRequest) -> Empty;
    message_find(MessageFindRequest) -> MessageFindResponse;
    export_status(Empty) -> ExportStatus;
    export_cancel(Empty) -> ExportStatus;
    sweep_preview(SweepPreviewRequest) -> SweepPreview;
}
