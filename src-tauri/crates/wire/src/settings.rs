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
    /// "Set up Talaria" was finished or skipped.
    pub setup_done: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::System,
            group_by_workspace: true,
            show_empty: false,
            sidebar_width: 300,
            closed_groups: Vec::new(),
            setup_done: false,
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
    pub setup_done: Option<bool>,
}

/// A request without fields, and an answer that only says "done".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export, type = "Record<string, never>")]
#[serde(default)]
pub struct Empty {}
