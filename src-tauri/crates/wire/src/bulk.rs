//! Many sessions at once, and the automatic archive.

use crate::{IpcError, Millis, SessionId, SessionRow};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What `session_bulk` does to each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum BulkAction {
    Archive,
    Unarchive,
    Trash,
    /// Out of the trash, to where each was.
    Restore,
    /// For good.
    Purge,
    MarkRead,
    MarkUnread,
}

/// Which sessions `session_bulk` means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case", tag = "kind", deny_unknown_fields)]
pub enum BulkTarget {
    /// These, by any id of their lineages.
    Ids { ids: Vec<SessionId> },
    /// Active, unpinned ones of a folder (the full path; `""`: without a folder), empty ones too.
    Workspace { folder: String },
    /// What the automatic archive with this limit took by mistake: archived by it, and active within `days`.
    Swept { days: u32 },
    /// What the automatic archive took in one run ([`crate::AppEvent::SessionsSwept`]).
    SweptAt { at: Millis },
}

/// A pin's place, to be given back by Undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct PinPlace {
    pub id: SessionId,
    pub rank: i64,
}

/// `session_bulk`: one transaction; what cannot be done to one session leaves the others done.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionBulkRequest {
    pub target: BulkTarget,
    pub action: BulkAction,
    /// With `unarchive` and `restore`, from Undo: pin these again.
    #[serde(default)]
    pub pins: Option<Vec<PinPlace>>,
}

/// What one session said against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BulkRefusal {
    pub id: SessionId,
    pub error: IpcError,
}

/// What was done. Undo is the opposite action on `done` with `pins`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SessionBulkResponse {
    /// Those that changed, by the id of their tips. Those that were as wanted already are not among them.
    pub done: Vec<SessionId>,
    /// Pins that the action took away.
    pub pins: Vec<PinPlace>,
    pub refused: Vec<BulkRefusal>,
}

/// `sweep_preview`: what the automatic archive with this limit would do now.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct SweepPreviewRequest {
    /// Without activity for so many days; 1 to 3,650.
    pub days: u32,
}

/// Nothing is changed by asking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SweepPreview {
    /// Would be archived.
    pub archives: i64,
    /// The first of them, most recently active first; at most 5.
    pub sample: Vec<SessionRow>,
    /// Old enough, and left alone: pinned, running, unread, with a draft, open, or brought back before.
    pub kept: i64,
    /// Were archived by it under a shorter limit, and would not be under this one.
    pub restorable: i64,
}

/// `session_show`: which session the calling window shows, so that the automatic archive leaves it alone. Absent: none.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct SessionShowRequest {
    pub id: Option<SessionId>,
}
