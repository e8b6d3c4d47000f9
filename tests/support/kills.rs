//! How often processes are killed at random moments: the one place that says it.

/// Kills of a run.
pub struct Kills {
    /// Of a `talariactl` that imports.
    pub importing: usize,
    /// Of a process that archives, renames, drafts and pins.
    pub writing: usize,
    /// Of the app with its window.
    pub window: usize,
}

/// 100 in CI, where minutes are cheap; 20 elsewhere.
pub fn kills() -> Kills {
    if std::env::var_os("CI").is_some_and(|on| on == "true") {
        Kills { importing: 45, writing: 50, window: 5 }
    } else {
        Kills { importing: 7, writing: 8, window: 5 }
    }
}
