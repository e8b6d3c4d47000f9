//! The GStreamer element: the built plugin in real pipelines, over a real socket to the real handler.

mod player;
mod plays;

use super::{open, rig};
use app_tests::range_table::rig::Rig;
use player::Player;
use std::path::Path;
use talaria_core::media::{MediaSocket, Opened};

/// The handler with its socket served.
struct Stage {
    rig: Rig,
    socket: MediaSocket,
    _runtime: tokio::runtime::Runtime,
}

impl Stage {
    fn start() -> Self {
        let rig = rig();
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let socket = MediaSocket::bind(Some(rig.home())).expect("a socket");
        socket.serve(&rig.media, runtime.handle()).expect("a served socket");
        Self { rig, socket, _runtime: runtime }
    }

    /// A pipeline that plays the file.
    fn player(&self, path: &Path) -> Player {
        Player::new(&address(&open(&self.rig, path)), self.socket.path())
    }
}

/// The address that the web view would be given.
fn address(opened: &Opened) -> String {
    format!("hermes-media://localhost/stream/{}/{}", opened.grant, "clip")
}
