//! The lines that the failure page shows: seconds since the start, the step, what it touched.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use talaria_wire::{IpcError, Millis};

/// Attempts repeat every few seconds for as long as it takes; only the last lines are of use.
const KEPT: usize = 40;

/// A bounded log of the start. Clones are one and the same: an attempt that hangs still shows how far it came.
#[derive(Clone)]
pub struct BootLog {
    began: Millis,
    lines: Arc<Mutex<VecDeque<String>>>,
}

impl BootLog {
    /// An empty log of a start that began at `began`.
    pub fn new(began: Millis) -> Self {
        Self { began, lines: Arc::default() }
    }

    /// A step that begins at `now`.
    pub fn add(&self, now: Millis, step: &str, detail: &str) {
        let seconds = now.saturating_sub(self.began) as f64 / 1000.0;
        let mut lines = self.lock();
        if lines.len() == KEPT {
            lines.pop_front();
        }
        lines.push_back(format!("{seconds:7.1} s  {step:<6} {detail}").trim_end().to_owned());
    }

    /// The step before failed.
    pub fn fail(&self, now: Millis, error: &IpcError) {
        self.add(now, "error", &error.message);
    }

    /// Oldest first.
    pub fn lines(&self) -> Vec<String> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<String>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_lines_are_kept_and_they_are_in_order() {
        let log = BootLog::new(1_000);
        for n in 0..50 {
            log.add(1_000 + n * 100, "step", &n.to_string());
        }
        let lines = log.lines();
        assert_eq!(lines.len(), KEPT);
        assert!(lines[0].ends_with(" 10"), "{}", lines[0]);
        assert_eq!(lines[KEPT - 1], "    4.9 s  step   49");
    }
}
