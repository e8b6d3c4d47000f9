//! The GStreamer element: the built plugin in real pipelines, over a real socket to the real handler.

mod hostile;
mod many;
mod player;
mod plays;
mod reads;
mod stand_in;

use super::{open, put, rig};
use app_tests::range_table::rig::Rig;
use player::Player;
use stand_in::Tap;
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

    /// The element alone, opened with the file.
    fn tap(&self, path: &Path) -> Tap {
        Tap::open(&address(&open(&self.rig, path)), self.socket.path()).expect("it opens")
    }

    /// A pipeline that plays the file.
    fn player(&self, path: &Path) -> Player {
        Player::new(&address(&open(&self.rig, path)), self.socket.path())
    }
}

/// For a stand-in, which gives every grant the same.
const ADDRESS: &str = "hermes-media://localhost/stream/000102030405060708090a0b0c0d0e0f/clip.mp4";

/// The address that the web view would be given.
fn address(opened: &Opened) -> String {
    format!("hermes-media://localhost/stream/{}/{}", opened.grant, "clip")
}
