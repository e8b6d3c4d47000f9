//! Who hears what: the event sinks of the attached clients.
//!
//! A client is an opaque [`ClientId`]; the shell hands in a sink that writes to that window's own channel. This module
//! never knows a window, never waits for a slow one, and never trusts a send (a dead channel also answers "sent"): the
//! page acknowledges by number and attaches again when it finds a hole. Whatever it is handed, what it sends is short
//! (`fit`).

mod fit;

pub use fit::EVENT_LIMIT;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use talaria_wire::{AppEvent, ClientId, EventEnvelope};
use tokio::sync::Notify;

/// Takes one event to its client; must not block.
pub type Sink = Box<dyn Fn(EventEnvelope) + Send>;

struct Attached {
    sink: Sink,
    /// The number of the last event sent, from 1 on each attach.
    head: u64,
}

/// The attached clients. Cheap to clone.
#[derive(Clone, Default)]
pub struct Sinks(Arc<Shared>);

#[derive(Default)]
struct Shared {
    clients: Mutex<HashMap<ClientId, Attached>>,
    arrived: Notify,
}

impl Sinks {
    /// Puts `sink` in the place of the client's former one. Numbering starts over, which tells the page to refetch.
    pub fn attach(&self, client: ClientId, sink: Sink) {
        self.lock().insert(client, Attached { sink, head: 0 });
        self.0.arrived.notify_waiters();
    }

    /// Waits until at least one client is attached: for news that somebody must hear.
    pub async fn attached(&self) {
        loop {
            // Asked for before the look: an arrival in between still wakes it.
            let arrival = self.0.arrived.notified();
            if !self.lock().is_empty() {
                return;
            }
            arrival.await;
        }
    }

    /// Forgets a client whose window is gone or reloading.
    pub fn detach(&self, client: &ClientId) {
        self.lock().remove(client);
    }

    /// Whether somebody listens for the client.
    pub fn is_attached(&self, client: &ClientId) -> bool {
        self.lock().contains_key(client)
    }

    /// The last number sent to `client`; 0 when it is not attached.
    pub fn head(&self, client: &ClientId) -> u64 {
        self.lock().get(client).map_or(0, |attached| attached.head)
    }

    /// The path for news that concern every window: the start, the list, the import. Nothing that belongs to one
    /// session goes this way.
    pub fn send_to_all(&self, event: AppEvent) {
        let event = fit::fit(event);
        for attached in self.lock().values_mut() {
            attached.send(event.clone());
        }
    }

    /// As [`Sinks::send_to_all`] but for the client that caused the news and has its answer already.
    pub fn send_to_others(&self, cause: &ClientId, event: AppEvent) {
        let event = fit::fit(event);
        for (_, attached) in self.lock().iter_mut().filter(|(client, _)| *client != cause) {
            attached.send(event.clone());
        }
    }

    /// The path for news of what one client asked for. `false`: nobody hears it, the client is gone.
    pub fn send_to(&self, client: &ClientId, event: AppEvent) -> bool {
        let mut clients = self.lock();
        let attached = clients.get_mut(client);
        let heard = attached.is_some();
        if let Some(attached) = attached {
            attached.send(fit::fit(event));
        }
        heard
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<ClientId, Attached>> {
        // A panic in a sink leaves the map whole: numbers only grow.
        self.0.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Attached {
    fn send(&mut self, event: AppEvent) {
        self.head += 1;
        (self.sink)(EventEnvelope { seq: self.head, event });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorder() -> (Sink, Arc<Mutex<Vec<u64>>>) {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let copy = Arc::clone(&seen);
        (Box::new(move |envelope| copy.lock().expect("recorder").push(envelope.seq)), seen)
    }

    fn news() -> AppEvent {
        AppEvent::SessionsChanged { ids: Vec::new() }
    }

    #[test]
    fn the_cause_of_a_change_is_not_told_what_it_knows() {
        let sinks = Sinks::default();
        let (one, seen_one) = recorder();
        let (two, seen_two) = recorder();
        sinks.attach("one".into(), one);
        sinks.attach("two".into(), two);
        sinks.send_to_others(&"one".into(), news());
        assert!(seen_one.lock().expect("recorder").is_empty());
        assert_eq!(*seen_two.lock().expect("recorder"), [1]);
    }

    #[test]
    fn what_one_client_asked_for_is_told_to_it_alone() {
        let sinks = Sinks::default();
        let (one, seen_one) = recorder();
        let (two, seen_two) = recorder();
        sinks.attach("one".into(), one);
        sinks.attach("two".into(), two);
        sinks.send_to(&"two".into(), news());
        sinks.send_to(&"gone".into(), news());
        assert!(seen_one.lock().expect("recorder").is_empty());
        assert_eq!(*seen_two.lock().expect("recorder"), [1]);
    }

    #[tokio::test]
    async fn whoever_waits_for_a_client_goes_on_with_the_first_one() {
        let sinks = Sinks::default();
        let waiting = tokio::spawn({
            let sinks = sinks.clone();
            async move { sinks.attached().await }
        });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished(), "nobody is there");
        sinks.attach("main".into(), recorder().0);
        waiting.await.expect("it goes on");
        sinks.attached().await;
    }

    #[test]
    fn attaching_again_replaces_the_sink_and_starts_the_numbers_over() {
        let sinks = Sinks::default();
        let (old, seen_old) = recorder();
        let (new, seen_new) = recorder();
        sinks.attach("main".into(), old);
        sinks.send_to_all(news());
        sinks.attach("main".into(), new);
        assert_eq!(sinks.head(&"main".into()), 0);
        sinks.send_to_all(news());
        assert_eq!(*seen_old.lock().expect("recorder"), [1]);
        assert_eq!(*seen_new.lock().expect("recorder"), [1]);
    }

    #[test]
    fn a_detached_client_hears_nothing() {
        let sinks = Sinks::default();
        let (sink, seen) = recorder();
        sinks.attach("main".into(), sink);
        sinks.detach(&"main".into());
        sinks.send_to_all(news());
        assert!(seen.lock().expect("recorder").is_empty());
        assert_eq!(sinks.head(&"main".into()), 0);
    }
}
