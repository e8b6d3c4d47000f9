//! What the user chose.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// Light, dark, or as the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

/// What carries audio and video to the player on Linux. Elsewhere there is only the scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum MediaTransport {
    /// The scheme where our GStreamer plugin works, else the loopback port.
    #[default]
    Auto,
    /// The scheme, and nothing else.
    Plugin,
    /// The loopback port.
    Loopback,
}

/// What a click on a row does with Ctrl (macOS: Cmd) held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum RowClick {
    #[default]
    Archive,
    /// Opens the session in a window of its own.
    Window,
}

/// All settings with their defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(default)]
pub struct Settings {
    pub theme: Theme,
    pub group_by_workspace: bool,
    /// Sessions without a message are listed too.
    pub show_empty: bool,
    /// CSS pixels, 220 to 480.
    pub sidebar_width: u32,
    /// Folders whose group is shut.
    pub closed_groups: Vec<String>,
    /// Folders in the order the user gave their groups; others follow by activity.
    pub group_order: Vec<String>,
    /// "Set up Talaria" was finished or skipped.
    pub setup_done: bool,
    /// Archive by itself what had no activity for so many days; 0: never.
    pub archive_after_days: u32,
    /// Single letters act on the row in focus.
    pub letter_keys: bool,
    /// Percent, 80 to 200.
    pub zoom: u32,
    pub media_transport: MediaTransport,
    pub row_click: RowClick,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            group_by_workspace: true,
            show_empty: false,
            sidebar_width: 300,
            closed_groups: Vec::new(),
            group_order: Vec::new(),
            setup_done: false,
            archive_after_days: 0,
            letter_keys: true,
            zoom: 100,
            media_transport: MediaTransport::Auto,
            row_click: RowClick::Archive,
        }
    }
}

/// `settings_update`: absent fields stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsPatch {
    pub theme: Option<Theme>,
    pub group_by_workspace: Option<bool>,
    pub show_empty: Option<bool>,
    pub sidebar_width: Option<u32>,
    pub closed_groups: Option<Vec<String>>,
    pub group_order: Option<Vec<String>>,
    pub setup_done: Option<bool>,
    pub archive_after_days: Option<u32>,
    pub letter_keys: Option<bool>,
    pub zoom: Option<u32>,
    pub media_transport: Option<MediaTransport>,
    pub row_click: Option<RowClick>,
}

/// A request without fields, and an answer that only says "done".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export, type = "Record<string, never>")]
#[serde(default)]
pub struct Empty {}
