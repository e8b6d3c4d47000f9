//! Media over its real transports: real files, a real listener, raw sockets.

mod access;
mod attacks;
mod attacks_race;
mod attacks_raw;
mod changes;
#[cfg(target_os = "linux")]
mod element;
mod generated;
mod names;
#[cfg(target_os = "linux")]
mod other_user;
#[cfg(target_os = "linux")]
mod passed;
mod paths;
mod port;
mod ranges;
mod scheme;
mod signatures;
#[cfg(target_os = "linux")]
mod socket;
mod streaming;

use app_tests::range_table::rig::Rig;
use app_tests::range_table::wire::{Ask, Reply};
use std::path::{Path, PathBuf};
use talaria_core::media::Opened;

/// A started handler.
fn rig() -> Rig {
    Rig::start().expect("a handler with its listener")
}

/// Writes a file below the rig's media folder.
fn put(rig: &Rig, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
    let path = rig.folder().join(name);
    write(&path, content);
    path
}

/// Writes a file and the folders above it.
fn write(path: &Path, content: impl AsRef<[u8]>) {
    std::fs::create_dir_all(path.parent().expect("a path with a folder")).expect("folders");
    std::fs::write(path, content).expect("a file");
}

/// Opens a path that must pass the checks.
fn open(rig: &Rig, path: &Path) -> Opened {
    rig.open(path).expect("the file passes the checks")
}

/// GET of an open file, with headers.
fn get(rig: &Rig, opened: &Opened, headers: &[(&str, &str)]) -> Reply {
    send(
        rig,
        &headers
            .iter()
            .fold(Ask::new("GET", &rig.target(opened)), |ask, (name, value)| ask.header(name, value)),
    )
}

fn send(rig: &Rig, ask: &Ask) -> Reply {
    rig.send(ask).expect("an answer")
}

/// Status and content of an answer.
fn taken(reply: Reply) -> (u16, Vec<u8>) {
    let status = reply.status;
    (status, reply.read_to_end().expect("the whole content"))
}
