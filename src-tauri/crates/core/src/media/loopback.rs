//! The HTTP form of the handler on 127.0.0.1, for web views that cannot play a scheme (WebKitGTK without the plugin).
//!
//! The port is bound at start and does not listen: it stands in the first page's CSP, which cannot be widened later,
//! while nothing can connect until the first file needs it. Without SO_REUSEADDR, because with it another process
//! could bind the same port and listen first.

use super::address::{loopback_url, route};
use super::body::Body;
use super::connection::{self, Answer};
use super::grants::random_hex;
use super::headers::allow_own_page;
use super::peers::{Peer, Peers, Place};
use super::serve::{Ask, Transport, method_refused, serve, words};
use super::{Media, Opened};
use http::header::HOST;
use http::request::Parts;
use http::{Response, StatusCode, Version};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::runtime::Handle;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Connections waiting to be accepted.
const BACKLOG: u32 = 1024;
/// Rest after a failed accept, which fails again at once when descriptors have run out.
const REST: Duration = Duration::from_millis(100);
/// Rest between two looks for a place.
const LOOK: Duration = Duration::from_millis(10);

/// A port of this computer that is ours, and the secret that its addresses begin with. Ends with its last use.
pub struct Loopback {
    port: u16,
    token: Arc<str>,
    socket: Mutex<Socket>,
    ended: CancellationToken,
    _end_on_drop: DropGuard,
}

enum Socket {
    /// Bound, refusing connections.
    Reserved(TcpSocket),
    Listening,
    /// `listen` failed; the system has taken the port back.
    Lost,
}

impl Loopback {
    /// Binds a free port of 127.0.0.1 without listening. Needs no runtime.
    ///
    /// # Errors
    /// When the system has no free port or no loopback device.
    pub fn reserve() -> io::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))?;
        let ended = CancellationToken::new();
        Ok(Self {
            port: socket.local_addr()?.port(),
            token: random_hex::<32>().into(),
            socket: Mutex::new(Socket::Reserved(socket)),
            _end_on_drop: ended.clone().drop_guard(),
            ended,
        })
    }

    /// `http://127.0.0.1:<port>`, for the page's CSP.
    pub fn origin(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The address of an open file: `http://127.0.0.1:<port>/<run token>/<grant>/<name>`.
    pub fn url(&self, opened: &Opened) -> String {
        loopback_url(&self.origin(), &self.token, &opened.grant, &opened.name)
    }

    /// Whether it answers.
    pub fn is_listening(&self) -> bool {
        matches!(*self.socket.lock().expect("no thread panics while it holds the socket"), Socket::Listening)
    }

    /// Starts to answer, on `runtime`. A second call does nothing.
    ///
    /// # Errors
    /// When the system refuses to listen; the port is lost then and every later call fails too.
    pub fn listen(&self, media: &Media, runtime: &Handle) -> io::Result<()> {
        let mut socket = self.socket.lock().expect("no thread panics while it holds the socket");
        match std::mem::replace(&mut *socket, Socket::Lost) {
            Socket::Lost => {
                return Err(io::Error::new(io::ErrorKind::NotConnected, "the media port could not listen"));
            }
            Socket::Listening => {}
            Socket::Reserved(reserved) => {
                let _inside = runtime.enter();
                let listener = reserved.listen(BACKLOG)?;
                let door = Door {
                    media: media.clone(),
                    token: Arc::clone(&self.token),
                    host: format!("127.0.0.1:{}", self.port),
                };
                runtime.spawn(accept(listener, Arc::new(door), self.ended.clone()));
                tracing::info!(port = self.port, "media is answered over loopback");
            }
        }
        *socket = Socket::Listening;
        Ok(())
    }
}

/// What every connection needs.
struct Door {
    media: Media,
    token: Arc<str>,
    host: String,
}

async fn accept(listener: TcpListener, door: Arc<Door>, ended: CancellationToken) {
    let peers = Peers::default();
    let serving = async {
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    let door = Arc::clone(&door);
                    let started = match blocking(stream) {
                        Ok(stream) => start(place_for(stream, &peers).await, door),
                        Err(error) => Err(error),
                    };
                    if let Err(error) = started {
                        tracing::warn!(%error, "a media connection was not served");
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a media connection was not accepted");
                    tokio::time::sleep(REST).await;
                }
            }
        }
    };
    let mut ends = door.media.ends();
    let cutting = async {
        while ends.changed().await.is_ok() {
            peers.cut_those_without_right();
        }
    };
    ended.run_until_cancelled(async { tokio::join!(serving, cutting) }).await;
}

fn blocking(stream: TcpStream) -> io::Result<std::net::TcpStream> {
    let stream = stream.into_std()?;
    stream.set_nonblocking(false)?;
    Ok(stream)
}

/// Waits for a place, made by another connection if need be.
async fn place_for(mut stream: std::net::TcpStream, peers: &Peers) -> Place {
    loop {
        stream = match peers.admit(stream, Instant::now()) {
            Ok(place) => return place,
            Err(stream) => stream,
        };
        tokio::time::sleep(LOOK).await;
    }
}

/// Serves a connection on a thread of its own.
fn start(place: Place, door: Arc<Door>) -> io::Result<()> {
    let serve = move || {
        let peer = &place.peer;
        connection::run(peer, &|request| door.answer(request, peer));
    };
    std::thread::Builder::new().name("media".to_owned()).spawn(serve).map(drop)
}

impl Door {
    fn answer(&self, request: &Parts, peer: &Peer) -> Answer {
        let mut answer = match self.grant_of(request) {
            Ok(grant) => {
                peer.proves();
                let ask = Ask { method: &request.method, headers: &request.headers, grant };
                let response = serve(&ask, &self.media.bearer(), Transport::Streamed);
                Answer { response, goes_on: true }
            }
            Err(response) => Answer { response: *response, goes_on: false },
        };
        allow_own_page(&request.headers, answer.response.headers_mut());
        answer
    }

    /// The grant that is asked for by whoever knows the token, or what everybody else is answered.
    fn grant_of<'a>(&self, request: &'a Parts) -> Result<&'a str, Box<Response<Body>>> {
        let refused = |status, text| Err(Box::new(words(status, text)));
        let hosts = request.headers.get_all(HOST).iter().count();
        // RFC 9112, section 3.2.
        if hosts > 1 || (hosts == 0 && request.version == Version::HTTP_11) {
            return refused(StatusCode::BAD_REQUEST, "A request has one Host.");
        }
        // Before the route: a method that exists nowhere may come without one (`OPTIONS *`).
        if let Some(refusal) = method_refused(&request.method) {
            return Err(Box::new(refusal));
        }
        if !self.is_host_ours(request) {
            return refused(StatusCode::FORBIDDEN, "This is not the address of this server.");
        }
        match route(request.uri.path()) {
            Some((token, grant)) if is_equal(token.as_bytes(), self.token.as_bytes()) => Ok(grant),
            _ => refused(StatusCode::NOT_FOUND, "There is nothing at this address."),
        }
    }

    /// The exact host with its port; a name that was made to point at 127.0.0.1 is not ours (DNS rebinding).
    fn is_host_ours(&self, request: &Parts) -> bool {
        let is_ours = request.headers.get(HOST).is_some_and(|host| host.as_bytes() == self.host.as_bytes());
        // A target in absolute form overrides Host (RFC 9112, section 3.2.2), so it must agree.
        is_ours && request.uri.authority().is_none_or(|authority| authority.as_str() == self.host)
    }
}

/// Compares a secret in a time that does not depend on where it differs.
fn is_equal(given: &[u8], secret: &[u8]) -> bool {
    let difference = given.iter().zip(secret).fold(0_u8, |sum, (a, b)| std::hint::black_box(sum | (a ^ b)));
    given.len() == secret.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::is_equal;

    #[test]
    fn a_secret_equals_only_itself() {
        assert!(is_equal(b"abc", b"abc"));
        for other in [&b"abd"[..], b"bbc", b"ab", b"abcd", b""] {
            assert!(!is_equal(other, b"abc"));
        }
    }
}
