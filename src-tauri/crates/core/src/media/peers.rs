//! The open connections of the loopback listener: how many there may be, and which one goes when another waits.
//!
//! A paused player takes nothing for minutes and is never cut for that alone. Only while all places are taken and somebody
//! waits does the one that has stood still longest go.

use std::collections::HashMap;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// Connections at a time.
pub const MAX_PEERS: usize = 256;
/// A connection that moved a byte within this time is not cut for another one.
pub const STANDSTILL: Duration = Duration::from_secs(5);

/// The other side of one connection.
pub struct Peer {
    stream: TcpStream,
    began: Instant,
    /// When bytes last moved, in ms after `began`.
    moved: AtomicU64,
}

impl Peer {
    /// The connection, in blocking mode.
    pub fn stream(&self) -> &TcpStream {
        &self.stream
    }

    /// Notes that bytes moved.
    pub fn moved(&self) {
        self.moved.store(self.began.elapsed().as_millis() as u64, Ordering::Relaxed);
    }

    fn last_moved(&self) -> Instant {
        self.began + Duration::from_millis(self.moved.load(Ordering::Relaxed))
    }

    /// Wakes the thread that waits on it, with an error or the end.
    fn cut(&self) {
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
    /// A place for a new connection, or the stream again while all are taken.
    pub fn admit(&self, stream: TcpStream) -> Result<Place, TcpStream> {
        let mut open = lock(&self.open);
        if open.by_number.len() >= MAX_PEERS {
            return Err(stream);
        }
        let peer = Arc::new(Peer { stream, began: Instant::now(), moved: AtomicU64::new(0) });
        let number = open.next;
        open.next += 1;
        open.by_number.insert(number, Arc::clone(&peer));
        Ok(Place { open: Arc::clone(&self.open), number, peer })
    }

    /// Cuts the connection that has stood still longest, if any has for [`STANDSTILL`] at `now`.
    pub fn cut_idlest(&self, now: Instant) {
        let open = lock(&self.open);
        let idlest = open.by_number.values().min_by_key(|peer| peer.last_moved());
        if let Some(peer) = idlest.filter(|peer| now >= peer.last_moved() + STANDSTILL) {
            tracing::info!("a media connection that stood still was cut for another one");
            peer.cut();
        }
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

    #[test]
    fn a_full_house_takes_nobody_until_a_place_is_free() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let (peers, mut places, mut others) = (Peers::default(), Vec::new(), Vec::new());
        for _ in 0..MAX_PEERS {
            let (own, other) = pair(&listener);
            places.push(peers.admit(own).expect("a place"));
            others.push(other);
        }
        let (own, _other) = pair(&listener);
        let Err(own) = peers.admit(own) else { panic!("there is no place") };
        places.pop();
        assert!(peers.admit(own).is_ok());
    }

    #[test]
    fn only_the_one_that_stood_still_longest_is_cut_and_only_after_a_while() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let peers = Peers::default();
        let (own, mut first) = pair(&listener);
        let older = peers.admit(own).expect("a place");
        let (own, mut second) = pair(&listener);
        let newer = peers.admit(own).expect("a place");
        newer.peer.moved.store(60_000, Ordering::Relaxed);

        peers.cut_idlest(older.peer.began + STANDSTILL - Duration::from_millis(1));
        assert!(!has_ended(&mut first) && !has_ended(&mut second));
        peers.cut_idlest(older.peer.began + STANDSTILL);
        assert!(has_ended(&mut first) && !has_ended(&mut second));
        drop(peers);
        assert!(has_ended(&mut second));
    }
}
