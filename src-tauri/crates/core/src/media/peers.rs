//! The open connections of the loopback listener: how many there may be, and which one goes when another waits.
//!
//! A paused player takes nothing for minutes and is never cut for that alone. Only while all places are taken and somebody
//! waits does one go: first those that have not shown the token, however busy they are, for any user of this computer can
//! connect; then the one that has stood still longest.
//!
//! A connection whose peer takes nothing waits in a call that only another thread ends: also when the right to read what it
//! sends has gone.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Connections at a time.
pub const MAX_PEERS: usize = 256;
/// A connection that moved a byte within this time is not cut for another one.
pub const STANDSTILL: Duration = Duration::from_secs(5);
/// Connections at a time that have not shown the token.
pub const MAX_UNPROVEN: usize = 64;
/// How long one of those is spared: as long as a busy computer may take from the connection to its first request.
const GRACE: Duration = Duration::from_millis(500);

/// The other side of one connection.
pub struct Peer {
    stream: TcpStream,
    began: Instant,
    /// When bytes last moved, in ms after `began`.
    moved: AtomicU64,
    /// It has shown the token.
    proven: AtomicBool,
    /// Of the answer under way: cancelled when the right to read it has ended.
    right: Mutex<Option<CancellationToken>>,
}

impl Peer {
    /// The connection, in blocking mode.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Notes that it knows the token.
    pub fn proves(&self) {
        self.proven.store(true, Ordering::Relaxed);
        self.moved();
    }

    fn is_proven(&self) -> bool {
        self.proven.load(Ordering::Relaxed)
    }

    /// Notes that bytes moved.
    pub fn moved(&self) {
        self.moved.store(self.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    fn last_moved(&self) -> Instant {
        self.began + Duration::from_millis(self.moved.load(Ordering::Relaxed))
    }

    /// While `answering`, the connection is cut when the right ends. Whoever sends looks at the right after this has begun.
    pub fn under<T>(&self, right: &CancellationToken, answering: impl FnOnce() -> T) -> T {
        let set = |right| *self.right.lock().expect("no thread panics while it holds the right") = right;
        set(Some(right.clone()));
        let answered = answering();
        set(None);
        answered
    }

    fn has_lost_its_right(&self) -> bool {
        let right = self.right.lock().expect("no thread panics while it holds the right");
        right.as_ref().is_some_and(CancellationToken::is_cancelled)
    }

    /// Wakes the thread that waits on it, with an error or the end.
    pub fn cut(&self) {
        // Fails when the peer was faster.
        let _ = self.stream.shutdown(Shutdown::Both);
    }
}

/// All open connections. Dropped, it ends them.
#[derive(Default)]
pub struct Peers {
    open: Arc<Mutex<Open>>,
}

#[derive(Default)]
struct Open {
    by_number: HashMap<u64, Arc<Peer>>,
    next: u64,
}

/// A place among the open connections, free again when it is dropped.
pub struct Place {
    open: Arc<Mutex<Open>>,
    number: u64,
    /// Whose place it is.
    pub peer: Arc<Peer>,
}

impl Peers {
    /// A place for a new connection, if need be that of another one; or the stream again, while none may be cut at `now`.
    pub fn admit(&self, stream: TcpStream, now: Instant) -> Result<Place, TcpStream> {
        let mut open = lock(&self.open);
        if !open.has_room() {
            let Some(number) = open.dispensable(now) else { return Err(stream) };
            // Its place is free at once; its thread is about to end.
            if let Some(peer) = open.by_number.remove(&number) {
                tracing::debug!(proven = peer.is_proven(), "a media connection was cut for another one");
                peer.cut();
            }
        }
        let (moved, proven) = (AtomicU64::new(0), AtomicBool::new(false));
        let right = Mutex::default();
        let peer = Arc::new(Peer { stream, began: Instant::now(), moved, proven, right });
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, Arc::clone(&peer));
        Ok(Place { open: Arc::clone(&self.open), number, peer })
    }

    /// Ends the answers whose right has ended.
    pub fn cut_those_without_right(&self) {
        let open = lock(&self.open);
        open.by_number.values().filter(|peer| peer.has_lost_its_right()).for_each(|peer| peer.cut());
    }
}

impl Open {
    fn has_room(&self) -> bool {
        let unproven = self.by_number.values().filter(|peer| !peer.is_proven()).count();
        self.by_number.len() < MAX_PEERS && unproven < MAX_UNPROVEN
    }

    /// The oldest that has not shown the token in [`GRACE`]; else, when all places are taken, the one that stood still
    /// longest, if it did for [`STANDSTILL`].
    fn dispensable(&self, now: Instant) -> Option<u64> {
        let with = |proven| self.by_number.iter().filter(move |(_, peer)| peer.is_proven() == proven);
        let oldest = with(false).map(|(number, peer)| (peer.began + GRACE, *number)).min();
        let idlest = with(true).map(|(number, peer)| (peer.last_moved() + STANDSTILL, *number)).min();
        let is_due = |due: &(Instant, u64)| now >= due.0;
        let idlest = idlest.filter(|_| self.by_number.len() >= MAX_PEERS);
        oldest.filter(is_due).or(idlest.filter(is_due)).map(|(_, number)| number)
    }
}

impl Drop for Peers {
    fn drop(&mut self) {
        lock(&self.open).by_number.values().for_each(|peer| peer.cut());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        lock(&self.open).by_number.remove(&self.number);
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().expect("no thread panics while it holds the connections")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{ErrorKind, Read};
    use std::net::TcpListener;

    /// A connection: the listener's side and the other one.
    fn pair(listener: &TcpListener) -> (TcpStream, TcpStream) {
        let other = TcpStream::connect(listener.local_addr().expect("bound")).expect("connected");
        (listener.accept().expect("accepted").0, other)
    }

    fn has_ended(other: &mut TcpStream) -> bool {
        other.set_nonblocking(true).expect("a mode");
        match other.read(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() != ErrorKind::WouldBlock,
        }
    }

    /// A place for a new connection, and its other side.
    fn admitted(peers: &Peers, listener: &TcpListener, now: Instant) -> Option<(Place, TcpStream)> {
        let (own, other) = pair(listener);
        peers.admit(own, now).ok().map(|place| (place, other))
    }

    #[test]
    fn a_full_house_takes_nobody_until_a_place_is_free() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (peers, began) = (Peers::default(), Instant::now());
        let mut inside: Vec<_> = (0..MAX_PEERS)
            .map(|_| {
                let (place, other) = admitted(&peers, &listener, began).expect("a place");
                place.peer.proves();
                (place, other)
            })
            .collect();
        assert!(admitted(&peers, &listener, began).is_none());
        inside.pop();
        assert!(admitted(&peers, &listener, began).is_some());
    }

    #[test]
    fn among_those_with_the_token_only_the_one_that_stood_still_longest_is_cut_and_only_after_a_while() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (peers, began) = (Peers::default(), Instant::now());
        let mut inside: Vec<_> = (0..MAX_PEERS)
            .map(|_| {
                let (place, other) = admitted(&peers, &listener, began).expect("a place");
                place.peer.proves();
                place.peer.moved.store(60_000, Ordering::Relaxed);
                (place, other)
            })
            .collect();
        inside[7].0.peer.moved.store(0, Ordering::Relaxed);
        let due = inside[7].0.peer.began + STANDSTILL;

        assert!(admitted(&peers, &listener, due - Duration::from_millis(1)).is_none());
        assert!(inside.iter_mut().all(|(_, other)| !has_ended(other)));
        let _new = admitted(&peers, &listener, due).expect("the place of the idlest");
        for (number, (_, other)) in inside.iter_mut().enumerate() {
            assert_eq!(has_ended(other), number == 7, "{number}");
        }
        drop(peers);
        assert!(inside.iter_mut().all(|(_, other)| has_ended(other)));
    }

    #[test]
    fn those_without_the_token_have_few_places_and_go_first_however_busy_they_are() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (peers, began) = (Peers::default(), Instant::now());
        let (player, mut players) = admitted(&peers, &listener, began).expect("a place");
        player.peer.proves();
        let mut strangers: Vec<_> =
            (0..MAX_UNPROVEN).map(|_| admitted(&peers, &listener, began).expect("a place")).collect();
        strangers.iter().for_each(|(place, _)| place.peer.moved.store(60_000, Ordering::Relaxed));

        assert!(admitted(&peers, &listener, began).is_none(), "all of them have just come");
        // The player has stood still for an hour by then.
        let later = Instant::now() + Duration::from_secs(3600);
        let (new, mut news) = admitted(&peers, &listener, later).expect("the place of a stranger");
        for (number, (_, other)) in strangers.iter_mut().enumerate() {
            assert_eq!(has_ended(other), number == 0, "{number}");
        }
        assert!(!has_ended(&mut players) && !has_ended(&mut news));
        // Whoever shows the token is none of them any more.
        new.peer.proves();
        assert!(admitted(&peers, &listener, began).is_some());
    }
}
