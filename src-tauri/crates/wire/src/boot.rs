//! How the start of the gateway stands.

use crate::{ErrorCode, Millis, StoreTrouble};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `boot_status`, and the payload of `boot_changed`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BootStatus {
    pub phase: BootPhase,
    /// Set while `phase` is `failed`.
    pub failure: Option<BootFailure>,
    /// The data folder.
    pub home: String,
    /// Set while the store is open for reading only. `boot_retry` tries to open it whole.
    pub trouble: Option<StoreTrouble>,
    /// The clock moved by so many days since the last run (over 7): nothing is deleted or archived by itself this time.
    pub clock_jump_days: Option<i64>,
    /// The last start showed nothing, so this one draws without graphics acceleration.
    pub safe_graphics: bool,
    /// The home held no session when it was opened: show "Set up Talaria".
    pub first_start: bool,
    /// The overlay's endless preview was asked for (debug builds only).
    pub preview: bool,
    /// `linux`, `macos` or `windows`.
    pub platform: String,
    pub version: String,
}

/// The steps of a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum BootPhase {
    /// Taking the owner lock, opening, migrating.
    Connecting,
    Ready,
    /// Did not start; attempts go on below and success clears it.
    Failed,
}

/// Why it did not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct BootFailure {
    pub code: ErrorCode,
    /// What is true: "The store is in use".
    pub title: String,
    /// Why, and what to do.
    pub message: String,
    /// The last log lines, newest last.
    pub log: Vec<String>,
    /// When the next attempt begins.
    pub retry_at: Millis,
    /// "Recover what reads" can help.
    pub recoverable: bool,
}
