//! Sessions as the list shows them: one row per lineage, under the id of its tip.

use crate::{Millis, SessionId};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Which archive states a list asks for. Any other value is an error that names the three.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum ArchivedFilter {
    #[default]
    Exclude,
    Only,
    Include,
}

/// The order of a list, newest first in both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum SessionOrder {
    #[default]
    Recent,
    Created,
}

/// `session_list`: one page of rows by keyset.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct SessionListRequest {
    /// 1 to 500; 0 means 50; more is cut to 500.
    pub limit: u32,
    /// The `next_cursor` of the page before; opaque.
    pub cursor: Option<String>,
    /// Lineages with fewer readable messages are left out (and counted in `counts.hidden`). Negative is 0.
    pub min_messages: i64,
    pub archived: ArchivedFilter,
    /// Words that must all occur in title, preview, folder or text. `%`, `_`, `"`, `*` are letters.
    pub query: Option<String>,
    /// Only this folder (the full path); `""` is the group without a folder.
    pub workspace: Option<String>,
    /// `true`: only pinned, in pin order. `false`: only unpinned. Absent: both, by `order`.
    pub pinned: Option<bool>,
    pub order: SessionOrder,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SessionRow {
    pub id: SessionId,
    pub title: Option<String>,
    /// The first user message on one line, at most 60 graphemes.
    pub preview: Option<String>,
    pub created_at: Millis,
    pub last_active: Millis,
    /// Rows of the lineage that a reader can see; a compression divider is not counted.
    pub message_count: i64,
    pub archived: bool,
    /// Open and active within 300 s.
    pub is_active: bool,
    pub unread: bool,
    pub pinned: bool,
    /// Place among the pinned rows, lowest first. Given back on Undo.
    pub pin_rank: Option<i64>,
    /// The working folder, whole path.
    pub folder: Option<String>,
    /// The folder's label: its last part, with the parent too when two folders share it.
    pub workspace: Option<String>,
    pub git_branch: Option<String>,
    /// A turn is under way in some window.
    pub running: bool,
    /// How many approvals it waits for.
    pub approvals: u32,
    pub model: Option<String>,
    /// Where it came from: `talaria`, or the source Hermes recorded (`desktop`, `cli`, ...).
    pub source: String,
    /// Set when the lineage is in the trash.
    pub deleted_at: Option<Millis>,
}

/// Kept counts of lineages, delegate children apart. `active + archived + trash` is every lineage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SessionCounts {
    pub active: i64,
    pub archived: i64,
    pub trash: i64,
    /// Active and pinned (part of `active`).
    pub pinned: i64,
    /// Left out of this list by `min_messages`. The UI says so ("3 empty hidden - show").
    pub hidden: i64,
}

/// A page of rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SessionListResponse {
    pub rows: Vec<SessionRow>,
    pub counts: SessionCounts,
    /// Absent on the last page.
    pub next_cursor: Option<String>,
    /// Reading for a short word ran into its time bound: there may be more than what `rows` and `counts` say.
    pub stopped_early: bool,
}

/// Names one session by its id (any id of the lineage).
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct SessionRef {
    pub id: SessionId,
}

/// `session_update`. Errors in this order: unknown id, nothing given, title.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionUpdateRequest {
    pub id: SessionId,
    /// Absent: unchanged. `""`: cleared. Typed by the user, so a clash is refused.
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub archived: Option<bool>,
    /// With `archived: false`, from Undo: pin again at this place, in the same transaction.
    #[serde(default)]
    pub pin_rank: Option<i64>,
}

/// What was stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
pub struct SessionUpdateResponse {
    /// The stored title (cleaned), whether or not it was given.
    #[ts(type = "string | null")]
    pub title: Option<String>,
    /// Only when `archived` was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived: Option<bool>,
    /// The row as it is now.
    pub row: SessionRow,
    /// The pin place that archiving took away; Undo gives it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned_rank: Option<i64>,
}

/// `session_pin`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionPinRequest {
    pub id: SessionId,
    pub pinned: bool,
    /// The place; absent: on top.
    #[serde(default)]
    pub rank: Option<i64>,
}

/// How far a delete goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum DeleteMode {
    /// To the trash: 30 days, undoable.
    Trash,
    /// At once and for good, with messages, notifications and files no other session uses.
    Purge,
}

/// `session_delete`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct SessionDeleteRequest {
    pub id: SessionId,
    pub mode: DeleteMode,
}

/// What the delete did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
pub struct SessionDeleteResponse {
    /// Nothing was there any more; not an error, so that a repeated delete is calm.
    pub already_absent: bool,
    /// The pin place that the trash took away; Undo gives it back through `session_restore`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unpinned_rank: Option<i64>,
}

/// `session_restore`: out of the trash, to where it was (active or archived).
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SessionRestoreRequest {
    pub id: SessionId,
    #[serde(default)]
    pub pin_rank: Option<i64>,
}

/// `trash_list`: rows newest deletion first. Kept 30 days.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct TrashListRequest {
    /// 1 to 500; 0 means 50.
    pub limit: u32,
    pub cursor: Option<String>,
}

/// `session_mark`: set or clear the unread mark (opening a session clears it; that is not an update of its place).
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct SessionMarkRequest {
    pub id: SessionId,
    pub unread: bool,
}

/// `workspace_list`: the groups of the active list.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct WorkspaceListRequest {
    /// As in `session_list`, so that the numbers agree.
    pub min_messages: i64,
}

/// One group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WorkspaceGroup {
    /// The whole path; `None` is the group without a folder.
    pub folder: Option<String>,
    /// The label; the group without a folder has none.
    pub workspace: Option<String>,
    /// Active, unpinned lineages in it.
    pub count: i64,
    pub last_active: Millis,
}

/// Groups, the most recently active first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WorkspaceListResponse {
    pub groups: Vec<WorkspaceGroup>,
}

/// `workspace_branch`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct WorkspaceBranchRequest {
    pub folder: String,
}

/// The git branch of a folder; a folder without git, or one that cannot be read, has none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct WorkspaceBranchResponse {
    pub branch: Option<String>,
}
