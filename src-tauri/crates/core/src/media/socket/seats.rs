//! The places for connections: a fixed number, and who gives one up when all are taken.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Instant;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

/// All places. A connection that is waited for (for its request, or to take its answer) can lose its place to a new
/// one; a connection that waits for the disk cannot.
pub struct Seats {
    limit: usize,
    taken: Mutex<Taken>,
    changed: Notify,
}

#[derive(Default)]
struct Taken {
    next: u64,
    seats: HashMap<u64, Held>,
}

struct Held {
    /// Since when the peer has kept us waiting; `None` while it waits for us.
    waiting_since: Option<Instant>,
    given_up: CancellationToken,
}

/// A connection's place, until it is dropped.
pub struct Seat {
    number: u64,
    given_up: CancellationToken,
    seats: Arc<Seats>,
}

/// While it lives, the connection keeps its place.
pub struct Busy<'a>(&'a Seat);

impl Seats {
    /// `limit` places.
    pub fn new(limit: usize) -> Self {
        Self { limit, taken: Mutex::default(), changed: Notify::new() }
    }

    /// Takes a place; with all taken, that of the one that has kept us waiting for longest. Waits while none does.
    pub async fn take(self: &Arc<Self>) -> Seat {
        loop {
            let changed = self.changed.notified();
            if let Some(seat) = self.try_take() {
                return seat;
            }
            changed.await;
        }
    }

    fn try_take(self: &Arc<Self>) -> Option<Seat> {
        let mut taken = self.lock();
        if taken.seats.len() >= self.limit {
            let waiting =
                taken.seats.iter().filter_map(|(number, held)| Some((held.waiting_since?, *number)));
            let (_, longest) = waiting.min()?;
            let held = taken.seats.remove(&longest).expect("it was found just now");
            held.given_up.cancel();
        }
        let number = taken.next;
        taken.next += 1;
        let given_up = CancellationToken::new();
        let held = Held { waiting_since: Some(Instant::now()), given_up: given_up.clone() };
        taken.seats.insert(number, held);
        Some(Seat { number, given_up, seats: Arc::clone(self) })
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        self.taken.lock().expect("no thread panics while it holds the places")
    }
}

impl Seat {
    /// Set when another took the place: then the connection is closed.
    pub fn given_up(&self) -> CancellationToken {
        self.given_up.clone()
    }

    /// The peer waits for us, until the answer is there.
    pub fn busy(&self) -> Busy<'_> {
        self.set(None);
        Busy(self)
    }

    fn set(&self, waiting_since: Option<Instant>) {
        if let Some(held) = self.seats.lock().seats.get_mut(&self.number) {
            held.waiting_since = waiting_since;
        }
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.set(Some(Instant::now()));
        self.0.seats.changed.notify_one();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().seats.remove(&self.number);
        self.seats.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn with_all_places_taken_the_one_that_is_waited_for_longest_gives_way() {
        let seats = Arc::new(Seats::new(2));
        let (first, second) = (seats.try_take().unwrap(), seats.try_take().unwrap());
        let third = seats.try_take().unwrap();
        assert!(first.given_up().is_cancelled() && !second.given_up().is_cancelled());
        // A place that was lost is not given back a second time.
        drop(first);
        assert_eq!(seats.lock().seats.len(), 2);
        drop((second, third));
        assert!(seats.lock().seats.is_empty());
    }

    #[test]
    fn who_waits_for_the_disk_keeps_its_place() {
        let seats = Arc::new(Seats::new(2));
        let (first, second) = (seats.try_take().unwrap(), seats.try_take().unwrap());
        let (one, other) = (first.busy(), second.busy());
        assert!(seats.try_take().is_none());
        drop(one);
        assert!(seats.try_take().is_some());
        assert!(first.given_up().is_cancelled() && !second.given_up().is_cancelled());
        drop(other);
    }
}
