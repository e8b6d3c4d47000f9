//! Events: one numbered stream a window, by its own channel. Each is under 8 KiB; larger things are read by command.

use crate::{
    BootStatus, ExportStatus, ImportStatus, LiveChange, LiveId, Millis, RecoveryStatus, SaveStatus, SessionId,
};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum AppEvent {
    /// The start moved on.
    BootChanged {
        status: BootStatus,
    },
    /// Rows of the list changed by something other than this window's own command. Empty: refetch the list.
    SessionsChanged {
        ids: Vec<SessionId>,
    },
    /// The import moved on. A report is not inside (it may be large): read it by `import_status`.
    ImportChanged {
        status: ImportStatus,
    },
    ExportChanged {
        status: ExportStatus,
    },
    /// A copy moved on or ended. Only to the window that asked for it; after a reload, to the page that is there then.
    SaveChanged {
        id: String,
        status: SaveStatus,
    },
    /// A report is not inside: read it by `recovery_status`.
    RecoveryChanged {
        status: RecoveryStatus,
    },
    /// The automatic archive took `count` sessions; `at` names the run, for Undo by `session_bulk`.
    SessionsSwept {
        count: i64,
        days: u32,
        at: Millis,
    },
    /// A live session of this window changed. Only to the client that has it.
    LiveChanged {
        live_id: LiveId,
        /// One more than that of the change before.
        rev: u64,
        change: LiveChange,
    },
    /// A live session of this window is another window's now: the last event of it here.
    SessionMoved {
        live_id: LiveId,
        session_id: SessionId,
    },
    /// Somebody opened a session elsewhere that this window has: show it.
    SessionWanted {
        session_id: SessionId,
    },
    /// The last window is to close while work runs: ask.
    QuitAsked,
}

/// An event with its number. A hole in the numbers, or a number that starts over, means: attach again and refetch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct EventEnvelope {
    /// From 1 on each attach.
    pub seq: u64,
    pub event: AppEvent,
}

/// `events_ack`: the last number this window has seen.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct EventsAckRequest {
    pub seq: u64,
}

/// The last number sent; greater than `seq` for long means a gap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct EventsAckResponse {
    pub head: u64,
}
