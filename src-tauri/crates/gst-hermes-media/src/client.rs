//! The element's end of the socket: one connection, one question after the other, and never a wait without an end.
//!
//! Every wait ends by the answer, by its deadline, or at once by the [`Wake`]. What was half said when a wait ended is
//! not picked up again: the connection is closed and the next question makes a new one.

use crate::fault::Fault;
use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, recv, send,
    socket_with,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_media_frames::{Grant, Op, Reply, Request, Status};

/// Rest before connecting again when the app has not yet taken the connections that wait.
const CONNECT_REST: Duration = Duration::from_millis(20);

/// Ends a wait in another thread.
pub struct Wake(OwnedFd);

impl Wake {
    /// Not set.
    pub fn new() -> Result<Self, Fault> {
        eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK).map(Self).map_err(Fault::System)
    }

    /// Ends the wait under way, and every later one until [`Wake::clear`].
    pub fn set(&self) {
        // Fails only when it was set 2^64 - 2 times.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Waits are waits again.
    pub fn clear(&self) {
        // Fails when it was not set.
        let _ = rustix::io::read(&self.0, &mut [0_u8; 8]);
    }
}

/// Asks the app about one granted file.
pub struct Client {
    socket: PathBuf,
    grant: Grant,
    wake: Arc<Wake>,
    link: Option<OwnedFd>,
}

/// How one exchange over a connection failed.
enum Failure {
    /// The connection ended: the app closes one that rests for long, so it is no error yet.
    Broken,
    Fault(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

impl Client {
    /// Connects with the first question.
    pub fn new(socket: PathBuf, grant: Grant, wake: Arc<Wake>) -> Self {
        Self { socket, grant, wake, link: None }
    }

    /// Asks, and puts the content of the answer into `content` (emptied first). `within` is for the whole answer,
    /// connecting included. A connection that broke is made again, once.
    pub fn ask(&mut self, op: Op, content: &mut Vec<u8>, within: Duration) -> Result<Reply, Fault> {
        let deadline = Instant::now() + within;
        for _ in 0..2 {
            let link = match self.link.take() {
                Some(link) => link,
                None => self.connect(deadline)?,
            };
            match self.exchange(&link, op, content, deadline) {
                Ok(reply) => {
                    self.link = Some(link);
                    return match reply.status {
                        Status::Ok => Ok(reply),
                        status => Err(Fault::Refused(status)),
                    };
                }
                Err(Failure::Broken) => {}
                Err(Failure::Fault(fault)) => return Err(fault),
            }
        }
        Err(Fault::Gone)
    }

    fn connect(&self, deadline: Instant) -> Result<OwnedFd, Fault> {
        let address = SocketAddrUnix::new(&self.socket).map_err(|_| Fault::Gone)?;
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let link =
            socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(Fault::System)?;
        loop {
            match connect(&link, &address) {
                Ok(()) => return Ok(link),
                Err(Errno::INTR) => {}
                // Too many connections wait to be taken.
                Err(Errno::AGAIN) => {
                    let rest = deadline.min(Instant::now() + CONNECT_REST);
                    match self.wait(None, rest) {
                        Err(Fault::Silent) if Instant::now() < deadline => {}
                        Err(fault) => return Err(fault),
                        Ok(()) => {}
                    }
                }
                Err(_) => return Err(Fault::Gone),
            }
        }
    }

    fn exchange(
        &self,
        link: &OwnedFd,
        op: Op,
        content: &mut Vec<u8>,
        deadline: Instant,
    ) -> Result<Reply, Failure> {
        let asked = match op {
            Op::Open => 0,
            Op::Read { length, .. } => length,
        };
        self.write(link, &Request { grant: self.grant, op }.encode(), deadline)?;
        let mut head = [0; Reply::BYTES];
        self.read(link, &mut head, deadline)?;
        let reply = Reply::decode(&head).map_err(|_| Fault::Garbled)?;
        if reply.length > asked {
            return Err(Fault::Garbled.into());
        }
        content.clear();
        content.resize(reply.length as usize, 0);
        self.read(link, content, deadline)?;
        Ok(reply)
    }

    fn write(&self, link: &OwnedFd, mut bytes: &[u8], deadline: Instant) -> Result<(), Failure> {
        while !bytes.is_empty() {
            match send(link, bytes, SendFlags::NOSIGNAL) {
                Ok(count) => bytes = &bytes[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait(Some((link.as_fd(), PollFlags::OUT)), deadline)?,
                Err(_) => return Err(Failure::Broken),
            }
        }
        Ok(())
    }

    fn read(&self, link: &OwnedFd, mut bytes: &mut [u8], deadline: Instant) -> Result<(), Failure> {
        while !bytes.is_empty() {
            match recv(link, &mut *bytes, RecvFlags::empty()) {
                Ok((0, _)) => return Err(Failure::Broken),
                Ok((count, _)) => bytes = &mut bytes[count..],
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => self.wait(Some((link.as_fd(), PollFlags::IN)), deadline)?,
                Err(_) => return Err(Failure::Broken),
            }
        }
        Ok(())
    }

    /// Until the link is ready.
    fn wait(&self, link: Option<(BorrowedFd<'_>, PollFlags)>, deadline: Instant) -> Result<(), Fault> {
        let left = deadline.saturating_duration_since(Instant::now());
        let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
        let mut waited = vec![PollFd::new(&self.wake.0, PollFlags::IN)];
        waited.extend(link.map(|(fd, flags)| PollFd::from_borrowed_fd(fd, flags)));
        match poll(&mut waited, Some(&timeout)) {
            Ok(0) => Err(Fault::Silent),
            Ok(_) if !waited[0].revents().is_empty() => Err(Fault::Flushing),
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(Fault::System(errno)),
        }
    }
}
