//! What a window asks of the desktop it is on.

use crate::SessionId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `window_zoom`: scales the calling window's page.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct WindowZoomRequest {
    /// 80 to 200; beyond is moved into it.
    pub percent: u32,
}

/// `window_open`: shows a session in a window of its own, or the one in front that has it already.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct WindowOpenRequest {
    /// Absent: the main window, which is made anew when it was closed.
    pub id: Option<SessionId>,
}
