//! A media handler with its own folders and a listening loopback port.

use super::wire::{Ask, Reply};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use talaria_core::media::{Loopback, Media, MediaError, MediaPaths, Opened};
use talaria_wire::ClientId;
use tempfile::TempDir;
use tokio::runtime::Runtime;

/// The handler, its listener, and a folder for its files. Everything ends when it is dropped.
pub struct Rig {
    /// The handler.
    pub media: Media,
    /// Its listener.
    pub loopback: Loopback,
    home: TempDir,
    numbers: AtomicU64,
    _runtime: Runtime,
}

impl Rig {
    /// A fresh home with `out` for media and `data` for the app, and the listener listening.
    ///
    /// # Errors
    /// The system's.
    pub fn start() -> std::io::Result<Self> {
        let home = TempDir::new()?;
        std::fs::create_dir(home.path().join("out"))?;
        std::fs::create_dir(home.path().join("data"))?;
        let media = Media::new(MediaPaths {
            data_folder: home.path().join("data"),
            user_home: home.path().to_owned(),
        });
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let loopback = Loopback::reserve()?;
        loopback.listen(&media, runtime.handle())?;
        Ok(Self { media, loopback, home, numbers: AtomicU64::new(0), _runtime: runtime })
    }

    /// The user's home.
    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// Where its media files lie.
    pub fn folder(&self) -> std::path::PathBuf {
        self.home.path().join("out")
    }

    /// A number that was not given before.
    pub fn next_number(&self) -> u64 {
        self.numbers.fetch_add(1, Ordering::SeqCst)
    }

    /// The client that grants are for.
    pub fn client(&self) -> ClientId {
        "window-1".into()
    }

    /// Opens a path with all checks.
    ///
    /// # Errors
    /// The handler's.
    pub fn open(&self, path: &Path) -> Result<Opened, MediaError> {
        self.media.open(&self.client(), path.to_str().expect("a path in Unicode"))
    }

    /// Grants a file below the checks: the path of its address.
    ///
    /// # Errors
    /// The handler's, in words.
    pub fn grant(&self, path: &Path) -> Result<String, String> {
        let opened = self.media.grant_below_the_checks(&self.client(), path);
        opened.map(|opened| self.target(&opened)).map_err(|error| error.to_string())
    }

    /// The path of an open file's address.
    pub fn target(&self, opened: &Opened) -> String {
        let url = self.loopback.url(opened);
        url.strip_prefix(&self.loopback.origin()).expect("the address begins with the origin").to_owned()
    }

    /// Where the listener listens.
    pub fn address(&self) -> SocketAddr {
        let origin = self.loopback.origin();
        origin.strip_prefix("http://").and_then(|host| host.parse().ok()).expect("an origin with a port")
    }

    /// Sends a request over a connection of its own.
    ///
    /// # Errors
    /// What went wrong on the wire.
    pub fn send(&self, ask: &Ask) -> Result<Reply, String> {
        ask.send(self.address())
    }
}
