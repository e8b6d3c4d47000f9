//! Media: local audio, video and pictures that a message names, given to a web view with seeking, and nothing else.
//!
//! [`Media`] checks a file, issues a grant for it and resolves grants; [`serve()`] turns a request into an
//! answer and knows neither a window nor the store. Three transports carry the answers: the web view's own scheme
//! (`scheme`, one buffer), HTTP on 127.0.0.1 ([`Loopback`], streamed), and on Linux the frames of the GStreamer element
//! ([`MediaSocket`]).
//!
//! Invariants:
//! - Every open repeats all checks, on the open handle (`open`); a path is never trusted twice.
//! - Whether the message may name the file at all (a complete tag in that session) is the command layer's question,
//!   answered with [`tags`]; nothing here reads the store.
//! - A client is an opaque [`ClientId`]. No address holds a path.

mod address;
mod body;
pub mod choice;
mod conditions;
mod connection;
mod error;
mod grants;
mod handle;
pub mod head;
mod headers;
mod kind;
mod links;
mod loopback;
mod open;
mod path;
mod peers;
mod private;
mod range;
mod scheme;
mod serve;
mod signature;
#[cfg(target_os = "linux")]
mod socket;
mod source;
pub mod tags;

pub use address::SCHEME;
pub use body::Body;
pub use conditions::Validators;
pub use error::{Blocked, MediaError, Unsupported};
pub use grants::{Era, MAX_GRANTS};
pub use handle::{Facts, FileId, ReadAt, open_plain};
pub use links::private_files;
pub use loopback::Loopback;
pub use open::open_readable;
pub use path::{PathStyle, resolve_text};
pub use private::{PrivateNow, PrivatePlaces};
pub use serve::{Ask, Refusal, Representation, Resolver, Transport, serve};
#[cfg(target_os = "linux")]
pub use socket::{MediaSocket, SOCKET_VARIABLE};
pub use source::Source;

use conditions::http_seconds;
use grants::{Basis, Grant, Grants};
use open::{Checked, Cleared, open_checked, open_unchecked};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::UNIX_EPOCH;
use talaria_wire::{ClientId, MediaKind};
use tokio_util::sync::CancellationToken;

/// The longest answer of audio or video in one buffer, in bytes. WKWebView and WebView2 ask for the rest.
pub const CAPPED_BYTES: u64 = 1024 * 1024;
/// The largest picture that is shown, in bytes; a picture is always answered whole.
pub const MAX_PICTURE_BYTES: u64 = 64 * 1024 * 1024;

/// Where the user's and the app's private places are.
#[derive(Clone, Debug)]
pub struct MediaPaths {
    /// The app's data folder: private except `attachments/` in it.
    pub data_folder: PathBuf,
    /// The user's home: what `~/` means, and where browser profiles lie.
    pub user_home: PathBuf,
}

/// A file that may be read, with its grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// 128 random bits in hex: the file's name in addresses. A secret of its client.
    pub grant: String,
    /// Audio, video or picture.
    pub kind: MediaKind,
    /// The Content-Type.
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// The file's real name (that of the target when the message named a symlink).
    pub name: String,
}

/// What a read found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Bytes read. Fewer than asked: the file ends there.
    pub count: usize,
    /// The file's size now, in bytes.
    pub size: u64,
    /// The file's number: another for another file.
    pub file: u64,
}

/// Why a read gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No grant, or the file does not pass the checks now.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The disk failed.
    #[error("The file could not be read. {0}.")]
    Disk(io::Error),
}

/// The grants and the private places. Clones are one and the same.
#[derive(Clone)]
pub struct Media(Arc<Inner>);

struct Inner {
    grants: Mutex<Grants>,
    places: PrivatePlaces,
    user_home: PathBuf,
}

impl Media {
    /// No grants yet. The folders need not exist.
    pub fn new(paths: MediaPaths) -> Self {
        let (home, data) = (resolved(&paths.user_home), resolved(&paths.data_folder));
        let places = PrivatePlaces::new(home, data, |name| std::env::var_os(name));
        Self(Arc::new(Inner { grants: Mutex::default(), places, user_home: paths.user_home }))
    }

    /// Checks the file that a message's text names and grants it to `client`. Blocks on the disk.
    ///
    /// The caller has made sure that a complete tag of that session, or the user in a dialog, named it.
    ///
    /// # Errors
    /// See [`MediaError`]. Nothing is looked up on the disk when the text itself is refused.
    pub fn open(&self, client: &ClientId, path_text: &str) -> Result<Opened, MediaError> {
        self.open_in(client, self.era(client), path_text)
    }

    /// [`Media::open`] for a request of an era that may have ended by now: the window closed or loaded anew while its
    /// message was looked up, and nobody would ever end the grant.
    ///
    /// # Errors
    /// Those of [`Media::open`], and [`MediaError::Gone`].
    pub fn open_in(&self, client: &ClientId, era: Era, path_text: &str) -> Result<Opened, MediaError> {
        let path = path::resolve_text(path_text, &self.0.user_home, PathStyle::HOST)?;
        self.issue(client, era, Basis::Checked, open_checked(&path, &self.0.places, None)?)
    }

    /// The file (or folder) that a message's text names, to be shown where it lies: nothing of it is read. Blocks on the
    /// disk.
    ///
    /// The caller has made sure that the session names it.
    ///
    /// # Errors
    /// [`MediaError::Blocked`] for a text that is refused and for private places, [`MediaError::Missing`],
    /// [`MediaError::Remote`]. Nothing is looked up on the disk when the text itself is refused.
    pub fn locate(&self, path_text: &str) -> Result<PathBuf, MediaError> {
        let path = path::resolve_text(path_text, &self.0.user_home, PathStyle::HOST)?;
        let missing = || MediaError::Missing { path: path.display().to_string() };
        let real = std::fs::canonicalize(&path).map_err(|_| missing())?;
        if self.0.places.contains(&real) {
            let name = real.file_name().unwrap_or(real.as_os_str()).to_string_lossy().into_owned();
            return Err(MediaError::Blocked(Blocked::Private { name }));
        }
        Ok(path)
    }

    /// The client's present era; it ends with [`Media::drop_client`].
    pub fn era(&self, client: &ClientId) -> Era {
        self.grants().era(client)
    }

    /// Grants any regular file, below the checks of place, name and content. For `range-cases` and tests of the
    /// handler only: no command may lead here.
    ///
    /// # Errors
    /// When it is missing or no regular file.
    pub fn grant_below_the_checks(&self, client: &ClientId, path: &Path) -> Result<Opened, MediaError> {
        self.issue(client, self.era(client), Basis::Unchecked, open_unchecked(path)?)
    }

    /// Ends all grants of a client, and the streams under them: its window closed or loaded anew.
    pub fn drop_client(&self, client: &ClientId) {
        self.grants().drop_client(client);
    }

    /// The answer to a request of `client`'s web view over the scheme; 403 when the grant is not its own. Blocks on
    /// the disk.
    pub fn scheme(&self, client: &ClientId, request: http::Request<Vec<u8>>) -> http::Response<Vec<u8>> {
        scheme::answer(&request, &Granted { media: self, client: Some(client) })
    }

    /// The file's address over the scheme, as this system's web view spells it.
    pub fn scheme_url(&self, opened: &Opened) -> String {
        address::scheme_url(&opened.grant, &opened.name)
    }

    /// Resolves grants as bearer secrets, for a transport that does not know who is calling.
    pub fn bearer(&self) -> impl Resolver {
        Granted { media: self, client: None }
    }

    /// Reads a granted file from `offset` into `buffer`, as far as both go: bytes read, and the file as it is now. The
    /// grant is a bearer secret. Every read repeats all checks. Blocks on the disk.
    ///
    /// # Errors
    /// [`ReadError::Refused`] for what [`Resolver::resolve`] refuses, [`ReadError::Disk`] when the disk fails.
    pub fn read_at(&self, grant: &str, offset: u64, buffer: &mut [u8]) -> Result<Read, ReadError> {
        let (Checked { file, facts, .. }, _) = Granted { media: self, client: None }.open(grant)?;
        // Behind the end there is nothing to read, and an offset there may be no offset at all to the system.
        let wanted = if offset < facts.size { buffer.len() } else { 0 };
        let mut count = 0;
        while count < wanted {
            match file.read_at(&mut buffer[count..], offset + count as u64) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Disk(error)),
            }
        }
        self.grants().read(grant);
        // A file that is being written may have grown since it was asked for its size.
        let end = if count > 0 { offset + count as u64 } else { 0 };
        Ok(Read { count, size: facts.size.max(end), file: facts.id.number() })
    }

    /// Whether the player's element was answered for this address of the client's, since the file was last opened for
    /// it: then the way to the file works, and another would bring the same bytes.
    pub fn was_read(&self, client: &ClientId, scheme_url: &str) -> bool {
        address::grant_of(scheme_url)
            .is_some_and(|grant| self.grants().of_client(client, grant).is_some_and(|grant| grant.was_read))
    }

    fn issue(
        &self,
        client: &ClientId,
        era: Era,
        basis: Basis,
        checked: Checked,
    ) -> Result<Opened, MediaError> {
        let Checked { facts, path, name, kind, mime, cleared, .. } = checked;
        let ended = CancellationToken::new();
        let grant =
            Grant { client: client.clone(), path, file: facts.id, basis, cleared, ended, was_read: false };
        let mut grants = self.grants();
        if grants.era(client) != era {
            return Err(MediaError::Gone);
        }
        Ok(Opened { grant: grants.issue(grant), kind, mime, size: facts.size, name })
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.0.grants.lock().expect("no thread panics while it holds the grants")
    }
}

/// Grants of one client, or of anybody who knows their names.
struct Granted<'a> {
    media: &'a Media,
    client: Option<&'a ClientId>,
}

impl Granted<'_> {
    /// The file, and the end of the right to read it.
    fn open(&self, name: &str) -> Result<(Checked, CancellationToken), Refusal> {
        let grant = {
            let grants = self.media.grants();
            match self.client {
                Some(client) => grants.of_client(client, name),
                None => grants.bearer(name),
            }
            .cloned()
            .ok_or(Refusal::NoGrant)?
        };
        let checked = match grant.basis {
            Basis::Checked => {
                let cleared = grant.cleared.map(|changed| Cleared { file: grant.file, changed });
                open_checked(&grant.path, &self.media.0.places, cleared)?
            }
            Basis::Unchecked => open_unchecked(&grant.path)?,
        };
        self.media.grants().seen(name, &grant.path, checked.facts.id, checked.cleared);
        Ok((checked, grant.ended))
    }
}

impl Resolver for Granted<'_> {
    fn resolve(&self, name: &str) -> Result<Representation, Refusal> {
        let (Checked { file, facts, name, kind, mime, .. }, ended) = self.open(name)?;
        let validators = validators(&facts);
        let source = Arc::new(file);
        Ok(Representation { source, size: facts.size, validators, kind, mime, name, ended })
    }
}

/// Device, inode, size and the time of the last write to the nanosecond: another of any is another state.
fn validators(facts: &Facts) -> Validators {
    let nanoseconds = facts.modified.map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    });
    let (device, inode, size) = (facts.id.device, facts.id.inode, facts.size);
    Validators {
        etag: format!("\"{device:x}-{inode:x}-{size:x}-{nanoseconds:x}\""),
        modified: facts.modified.and_then(http_seconds),
    }
}

/// The path with its symlinks resolved as far as it exists: a folder that is made later lies at the same place.
fn resolved(path: &Path) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => resolved(parent).join(name),
        _ => path.to_owned(),
    }
}
