//! Media: local audio, video and pictures that a message names, given to a web view with seeking, and nothing else.
//!
//! [`Media`] checks a file and issues a grant for it, and `granted` leads from the grant to the file; [`serve()`] turns a request into an
//! answer and knows neither a window nor the store. Three transports carry the answers: the web view's own scheme
//! (`scheme`, one buffer), HTTP on 127.0.0.1 ([`Loopback`], streamed), and on Linux the frames of the GStreamer element
//! ([`MediaSocket`]).
//!
//! Invariants:
//! - Every open repeats all checks, on the open handle (`open`), or finds the handle in the very state and place in which
//!   they passed a moment ago (`passed`); a path is never trusted twice.
//! - Whether the message may name the file at all (a complete tag in that session) is the command layer's question,
//!   answered with [`tags`]; nothing here reads the store.
//! - A client is an opaque [`ClientId`]. No address holds a path.

mod address;
mod body;
pub mod choice;
mod conditions;
mod connection;
mod error;
mod granted;
mod grants;
mod handle;
pub mod head;
mod headers;
mod kind;
mod links;
mod loopback;
mod open;
mod passed;
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
pub use granted::{Read, ReadError};
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

use grants::{Basis, Grant, Grants};
use links::Links;
use open::{Checked, Checks, open_checked, open_unchecked};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};
use talaria_wire::{ClientId, MediaKind};
use tokio::sync::watch;
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

/// The grants and the private places. Clones are one and the same.
#[derive(Clone)]
pub struct Media(Arc<Inner>);

struct Inner {
    grants: Mutex<Grants>,
    checks: Checks,
    user_home: PathBuf,
}

impl Media {
    /// No grants yet. The folders need not exist.
    pub fn new(paths: MediaPaths) -> Self {
        let (home, data) = (resolved(&paths.user_home), resolved(&paths.data_folder));
        let places = PrivatePlaces::new(home, data, |name| std::env::var_os(name));
        let checks = Checks { places, links: Links::default() };
        Self(Arc::new(Inner { grants: Mutex::default(), checks, user_home: paths.user_home }))
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
        self.issue(client, era, Basis::Checked, open_checked(&path, &self.0.checks, None)?)
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
        if self.0.checks.places.contains(&real) {
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

    /// The file's address over the scheme, as this system's web view spells it.
    pub fn scheme_url(&self, opened: &Opened) -> String {
        address::scheme_url(&opened.grant, &opened.name)
    }

    fn issue(
        &self,
        client: &ClientId,
        era: Era,
        basis: Basis,
        checked: Checked,
    ) -> Result<Opened, MediaError> {
        let Checked { facts, path, name, kind, mime, passed, .. } = checked;
        let ended = CancellationToken::new();
        let grant = Grant { client: client.clone(), path, basis, passed, ended, was_read: false };
        let mut grants = self.grants();
        if grants.era(client) != era {
            return Err(MediaError::Gone);
        }
        Ok(Opened { grant: grants.issue(grant), kind, mime, size: facts.size, name })
    }

    /// Tells whenever grants have ended.
    fn ends(&self) -> watch::Receiver<()> {
        self.grants().ends()
    }

    fn grants(&self) -> MutexGuard<'_, Grants> {
        self.0.grants.lock().expect("no thread panics while it holds the grants")
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
