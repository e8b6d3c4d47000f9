//! The command table: every command once, `name(Request) -> Response`. Hosts, permissions and the TypeScript map all
//! come from here, so a host that misses a row does not compile.

use crate::*;
use ts_rs::TS;

/// Calls `$callback!` with every row of the core's table. Each host answers these.
#[macro_export]
macro_rules! command_table {
    ($callback:ident) => {
        $callback! {
            boot_status(Empty) -> BootStatus;
            boot_retry(Empty) -> BootStatus;
            session_list(SessionListRequest) -> SessionListResponse;
            session_get(SessionRef) -> SessionRow;
            session_update(SessionUpdateRequest) -> SessionUpdateResponse;
            session_pin(SessionPinRequest) -> SessionRow;
            session_mark(SessionMarkRequest) -> SessionRow;
            session_delete(SessionDeleteRequest) -> SessionDeleteResponse;
            session_restore(SessionRestoreRequest) -> SessionRow;
            session_bulk(SessionBulkRequest) -> SessionBulkResponse;
            session_branch(SessionBranchRequest) -> SessionRow;
            session_show(SessionShowRequest) -> Empty;
            session_search(SearchRequest) -> SearchResponse;
            trash_list(TrashListRequest) -> SessionListResponse;
            workspace_list(WorkspaceListRequest) -> WorkspaceListResponse;
            workspace_branch(WorkspaceBranchRequest) -> WorkspaceBranchResponse;
            message_page(MessagePageRequest) -> MessagePageResponse;
            message_find(MessageFindRequest) -> MessageFindResponse;
            draft_get(DraftGetRequest) -> Draft;
            draft_set(DraftSetRequest) -> Empty;
            settings_get(Empty) -> Settings;
            settings_update(SettingsPatch) -> Settings;
            import_probe(ImportRequest) -> ImportProbe;
            import_start(ImportRequest) -> ImportStatus;
            import_status(Empty) -> ImportStatus;
            import_cancel(Empty) -> ImportStatus;
            export_status(Empty) -> ExportStatus;
            export_cancel(Empty) -> ExportStatus;
            sweep_preview(SweepPreviewRequest) -> SweepPreview;
            health_check(Empty) -> HealthReport;
            health_cancel(Empty) -> Empty;
            recovery_start(Empty) -> RecoveryStatus;
            recovery_status(Empty) -> RecoveryStatus;
            recovery_cancel(Empty) -> RecoveryStatus;
            about_get(Empty) -> About;
            diagnostics_get(Empty) -> Diagnostics;
            media_open(MediaOpenRequest) -> MediaOpenResponse;
            media_fallback(MediaFallbackRequest) -> Empty;
            media_status(Empty) -> MediaStatus;
            media_position(MediaPositionRequest) -> Empty;
            save_cancel(SaveRef) -> Empty;
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
            model_status(Empty) -> ModelStatus;
            model_set(ModelSettings) -> ModelStatus;
            model_key(ModelKeyRequest) -> ModelStatus;
            model_list(ModelListRequest) -> ModelServer;
            model_find(Empty) -> ModelFindResponse;
            events_ack(EventsAckRequest) -> EventsAckResponse;
        }
    };
}

/// Calls `$callback!` with the rows that only a desktop can answer: dialogs and the system browser.
#[macro_export]
macro_rules! desktop_command_table {
    ($callback:ident) => {
        $callback! {
            import_choose(Empty) -> ImportRequest;
            export_start(ExportRequest) -> ExportStatus;
            link_open(LinkOpenRequest) -> Empty;
            media_save(MediaSaveRequest) -> MediaSaveResponse;
            save_reveal(SaveRef) -> Empty;
            file_open(FileOpenRequest) -> Empty;
            file_reveal(FileRevealRequest) -> Empty;
            window_open(WindowOpenRequest) -> Empty;
            app_quit(Empty) -> Empty;
            window_zoom(WindowZoomRequest) -> Empty;
            window_painted(Empty) -> Empty;
            graphics_reset(Empty) -> Empty;
        }
    };
}

/// `link_open`: opens an `http`, `https` or `mailto` address in the system's own program; any other scheme is
/// `blocked`.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct LinkOpenRequest {
    pub url: String,
}

macro_rules! names {
    ($($name:ident($req:ty) -> $res:ty;)*) => { &[$(stringify!($name)),*] };
}

/// Names of the core's commands, in table order.
pub const COMMANDS: &[&str] = command_table!(names);
/// Names of the desktop's commands, in table order.
pub const DESKTOP_COMMANDS: &[&str] = desktop_command_table!(names);
/// Opens a window's event channel. Not in the table: its argument is a channel, which only a web view can make.
pub const WINDOW_ATTACH: &str = "window_attach";

macro_rules! command_map {
    ($($name:ident($req:ty) -> $res:ty;)*) => {
        /// TypeScript only: the command table as one type, `name: [request, response]`.
        #[derive(TS)]
        #[ts(export, rename = "CommandMap")]
        #[allow(dead_code, reason = "the struct exists only for its TypeScript shape")]
        pub struct CommandMap { $($name: ($req, $res)),* }
    };
}
command_table!(command_map);

mod desktop {
    use super::*;
    macro_rules! desktop_map {
        ($($name:ident($req:ty) -> $res:ty;)*) => {
            /// TypeScript only: the desktop's rows.
            #[derive(TS)]
            #[ts(export, rename = "DesktopCommandMap")]
            #[allow(dead_code, reason = "the struct exists only for its TypeScript shape")]
            pub struct DesktopCommandMap { $($name: ($req, $res)),* }
        };
    }
    desktop_command_table!(desktop_map);
}
pub use desktop::DesktopCommandMap;
