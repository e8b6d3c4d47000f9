//! The app's end of the GStreamer element's socket (`talaria-media-frames`): grants and checks are those of the HTTP
//! forms, the answers are frames.
//!
//! The socket is made at start, for its address must be in the environment before the web view's processes are; it is
//! answered once the runtime and the grants are there, and what connects before waits. Who may connect is decided by
//! the folder (0700) and by the peer's user; what may be read, by the grant alone. No word and no path crosses.
//!
//! A connection has one request under way. All places taken, the connection that has kept us waiting for longest gives
//! its place up: an element connects again by itself, and one that only holds places harms nobody.

mod seats;

use super::grants::random_hex;
use super::{Media, MediaError, Read, ReadError, Refusal};
use seats::{Seat, Seats};
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
pub use talaria_media_frames::SOCKET_VARIABLE;
use talaria_media_frames::{BadRequest, Op, Reply, Request, Status};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Connections at a time.
const MAX_CONNECTIONS: usize = 64;
/// How long a connection may take for its next request, or to take its answer.
const IDLE: Duration = Duration::from_secs(30);
/// Rest after a failed accept: it fails when descriptors run out, and then fails again at once.
const ACCEPT_REST: Duration = Duration::from_millis(100);
/// What the socket's folder is called, before its random part, and the socket in it.
const FOLDER: &str = "talaria-media-";
const SOCKET: &str = "socket";
/// How long a folder may wait for its socket, and be nobody's who was killed.
const FRESH: Duration = Duration::from_secs(60 * 60);
/// What an address of a Unix socket may have, its closing zero left out.
const LONGEST_PATH: usize = 107;

/// The socket, its folder, and whoever is connected. All end with it.
pub struct MediaSocket {
    folder: PathBuf,
    path: PathBuf,
    /// The folder, locked: it is in use. A lock ends with the process, however that ends.
    _in_use: File,
    listener: Mutex<Option<UnixListener>>,
    ended: CancellationToken,
    _end_on_drop: DropGuard,
}

impl MediaSocket {
    /// Makes the socket in a fresh folder of the user's own, inside `runtime_dir` (`$XDG_RUNTIME_DIR`) or, without a
    /// usable one, inside the system's folder for temporary files. Needs no runtime.
    ///
    /// # Errors
    /// The system's, when neither can hold it.
    pub fn bind(runtime_dir: Option<&Path>) -> io::Result<Self> {
        let own = runtime_dir.filter(|folder| folder.is_absolute() && is_mine(folder));
        match own.map(Self::bind_in) {
            Some(Ok(bound)) => Ok(bound),
            Some(Err(error)) => {
                tracing::warn!(%error, "the runtime folder holds no media socket");
                Self::bind_in(&std::env::temp_dir())
            }
            None => Self::bind_in(&std::env::temp_dir()),
        }
    }

    fn bind_in(parent: &Path) -> io::Result<Self> {
        let name = format!("{FOLDER}{}", random_hex::<8>());
        // It gets the name that a sweep looks for when it is locked and listened to.
        let fresh = parent.join(format!(".{name}"));
        if fresh.join(SOCKET).as_os_str().as_bytes().len() > LONGEST_PATH {
            return Err(io::Error::new(io::ErrorKind::InvalidFilename, "the path is too long for a socket"));
        }
        sweep(parent);
        // Fails when something of that name is there: it is fresh or it is not ours.
        DirBuilder::new().mode(0o700).create(&fresh)?;
        let folder = parent.join(name);
        let made = || {
            let in_use = File::open(&fresh)?;
            in_use.try_lock()?;
            let listener = UnixListener::bind(fresh.join(SOCKET))?;
            listener.set_nonblocking(true)?;
            fs::rename(&fresh, &folder)?;
            Ok((in_use, listener))
        };
        let (in_use, listener) = made().inspect_err(|_: &io::Error| remove(&fresh))?;
        let ended = CancellationToken::new();
        Ok(Self {
            path: folder.join(SOCKET),
            folder,
            _in_use: in_use,
            listener: Mutex::new(Some(listener)),
            _end_on_drop: ended.clone().drop_guard(),
            ended,
        })
    }

    /// Its folder, of this start alone and open to nobody else. What is put there goes with the socket.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Starts to answer, on `runtime`. A second call does nothing.
    ///
    /// # Errors
    /// When the runtime cannot take the socket; it stays silent then.
    pub fn serve(&self, media: &Media, runtime: &Handle) -> io::Result<()> {
        let listener = self.listener.lock().expect("no thread panics while it holds the socket").take();
        let Some(listener) = listener else { return Ok(()) };
        let _inside = runtime.enter();
        let listener = tokio::net::UnixListener::from_std(listener)?;
        runtime.spawn(accept(listener, media.clone(), self.ended.clone()));
        tracing::info!("media is answered over the element's socket");
        Ok(())
    }
}

impl Drop for MediaSocket {
    fn drop(&mut self) {
        remove(&self.folder);
    }
}

/// Removes what apps that were killed left behind: our folders that nobody has locked, with a socket or, under their first
/// name, so old that nobody is still about to make one. Nobody is connected to: an app that is stopped would let us wait.
fn sweep(parent: &Path) {
    let old = SystemTime::now() - FRESH;
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let (name, folder) = (entry.file_name(), entry.path());
        // Of the entry itself: a link is none of ours.
        let Some(found) = entry.metadata().ok().filter(|found| found.is_dir() && found.uid() == user())
        else {
            continue;
        };
        let holds_socket =
            || fs::symlink_metadata(folder.join(SOCKET)).is_ok_and(|found| found.file_type().is_socket());
        let is_left = match name.as_bytes().strip_prefix(b".") {
            None => name.as_bytes().starts_with(FOLDER.as_bytes()) && holds_socket(),
            Some(name) => {
                name.starts_with(FOLDER.as_bytes()) && found.modified().is_ok_and(|modified| modified < old)
            }
        };
        if is_left && File::open(&folder).is_ok_and(|folder| folder.try_lock().is_ok()) {
            remove(&folder);
        }
    }
}

/// Follows no link. Gone already is as good.
fn remove(folder: &Path) {
    let _ = fs::remove_dir_all(folder);
}

/// Whether it is a folder of the user who runs this.
fn is_mine(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user())
}

/// The user who runs this.
fn user() -> u32 {
    // SAFETY: geteuid takes nothing, changes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

async fn accept(listener: tokio::net::UnixListener, media: Media, ended: CancellationToken) {
    let seats = Arc::new(Seats::new(MAX_CONNECTIONS));
    let serving = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    if !stream.peer_cred().is_ok_and(|peer| peer.uid() == user()) {
                        tracing::warn!("a process of another user was turned away from the media socket");
                        continue;
                    }
                    let seat = seats.take().await;
                    let (media, ended) = (media.clone(), ended.clone());
                    tokio::spawn(async move {
                        let given_up = seat.given_up();
                        tokio::select! {
                            biased;
                            () = ended.cancelled() => {}
                            () = given_up.cancelled() => {}
                            end = connection(stream, media, &seat) => if let Err(error) = end {
                                // An element that seeks or closes breaks off: that is normal.
                                tracing::trace!(%error, "a media connection ended early");
                            }
                        }
                    });
                }
                Err(error) => {
                    tracing::warn!(%error, "a media connection was not accepted");
                    tokio::time::sleep(ACCEPT_REST).await;
                }
            }
        }
    };
    ended.run_until_cancelled(serving).await;
}

/// Answers request after request, until the peer ends it or breaks the rules.
async fn connection(mut stream: UnixStream, media: Media, seat: &Seat) -> io::Result<()> {
    let mut frame = [0; Request::BYTES];
    // One answer, head and content: used again for the next, so that it never grows over the longest of them.
    let mut answer = Vec::new();
    loop {
        timeout(IDLE, stream.read_exact(&mut frame)).await??;
        let request = match Request::decode(&frame) {
            Ok(request) => request,
            Err(BadRequest::Foreign) => return Ok(()),
            Err(BadRequest::Malformed) => {
                let refusal = Reply::refusal(Status::BadRequest).encode();
                timeout(IDLE, stream.write_all(&refusal)).await??;
                return Ok(());
            }
        };
        let busy = seat.busy();
        let media = media.clone();
        let filled = tokio::task::spawn_blocking(move || {
            fill(&media, &request, &mut answer);
            answer
        });
        // A failure to join means that the runtime is going down.
        answer = filled.await.map_err(io::Error::other)?;
        drop(busy);
        timeout(IDLE, stream.write_all(&answer)).await??;
    }
}

/// Puts the whole answer into `answer`. Blocks on the disk.
fn fill(media: &Media, request: &Request, answer: &mut Vec<u8>) {
    let (offset, length) = match request.op {
        Op::Open => (0, 0),
        Op::Read { offset, length } => (offset, length),
    };
    answer.resize(Reply::BYTES + length as usize, 0);
    let grant = request.grant.hex();
    let grant = std::str::from_utf8(&grant).expect("hex digits are text");
    let reply = match media.read_at(grant, offset, &mut answer[Reply::BYTES..]) {
        Ok(Read { count, size, file }) => Reply { status: Status::Ok, length: count as u32, size, file },
        Err(error) => Reply::refusal(status(&error)),
    };
    answer.truncate(Reply::BYTES + reply.length as usize);
    answer[..Reply::BYTES].copy_from_slice(&reply.encode());
}

fn status(error: &ReadError) -> Status {
    match error {
        ReadError::Refused(Refusal::NoGrant | Refusal::File(MediaError::Gone)) => Status::NoGrant,
        ReadError::Refused(Refusal::File(
            MediaError::Missing { .. } | MediaError::NameLost { .. } | MediaError::Remote { .. },
        )) => Status::Missing,
        ReadError::Refused(Refusal::File(MediaError::Unsupported(_))) => Status::Unsupported,
        ReadError::Refused(Refusal::File(MediaError::Blocked(_))) => Status::Blocked,
        ReadError::Disk(_) => Status::Failed,
    }
}
