//! Time is passed in, never looked up: product code takes a [`Clock`], tests take a [`ManualClock`].

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};
use talaria_wire::Millis;

/// Tells the time of day.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch, UTC. May jump; order never rests on it.
    fn now(&self) -> Millis;
}

/// The system's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        // A clock before 1970 reads as 0: better a wrong age than a failed start.
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as Millis)
    }
}

/// A clock that stands still until it is set.
#[derive(Clone, Debug, Default)]
pub struct ManualClock(Arc<AtomicI64>);

impl ManualClock {
    /// A clock that reads `now`.
    pub fn at(now: Millis) -> Self {
        Self(Arc::new(AtomicI64::new(now)))
    }

    /// Sets the time, back or forward.
    pub fn set(&self, now: Millis) {
        self.0.store(now, Ordering::SeqCst);
    }

    /// Moves the time on by `by` milliseconds.
    pub fn advance(&self, by: Millis) {
        self.0.fetch_add(by, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }
}
