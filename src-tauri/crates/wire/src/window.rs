//! What a window asks of the desktop it is on.

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
