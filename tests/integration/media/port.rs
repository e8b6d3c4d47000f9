//! The reserved port: ours from the start, open only when it is needed.

use app_tests::range_table::wire::Ask;
use std::net::{TcpListener, TcpStream};
use talaria_core::media::{Loopback, Media, MediaPaths};
use tempfile::TempDir;

fn media(home: &TempDir) -> Media {
    Media::new(MediaPaths { data_folder: home.path().join("data"), user_home: home.path().to_owned() })
}

fn host(loopback: &Loopback) -> String {
    loopback.origin().strip_prefix("http://").expect("an http origin").to_owned()
}

#[test]
fn a_reserved_port_refuses_connections_and_no_other_socket_can_bind_it() {
    let loopback = Loopback::reserve().expect("a port");
    let refused = TcpStream::connect(host(&loopback)).expect_err("nothing listens");
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
    // std sets SO_REUSEADDR, as an attacker would.
    let taken = TcpListener::bind(host(&loopback)).expect_err("the port is ours");
    assert_eq!(taken.kind(), std::io::ErrorKind::AddrInUse);
}

#[test]
fn two_reserved_ports_are_two_addresses_with_two_secrets() {
    let home = TempDir::new().expect("a folder");
    let (one, two) = (Loopback::reserve().expect("a port"), Loopback::reserve().expect("a port"));
    assert_ne!(one.origin(), two.origin());
    std::fs::write(home.path().join("a.mp4"), "ID3").expect("a file");
    let opened = media(&home).open(&"w".into(), "~/a.mp4").expect("open");
    let token = |loopback: &Loopback| loopback.url(&opened).split('/').nth(3).expect("a token").to_owned();
    assert_ne!(token(&one), token(&two));
}

#[test]
fn listening_twice_is_listening_once_and_ends_with_its_owner() {
    let home = TempDir::new().expect("a folder");
    std::fs::write(home.path().join("a.mp4"), "ID3").expect("a file");
    let media = media(&home);
    let opened = media.open(&"w".into(), "~/a.mp4").expect("open");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .expect("a runtime");
    let loopback = Loopback::reserve().expect("a port");
    let (host, url) = (host(&loopback), loopback.url(&opened));
    for _ in 0..2 {
        loopback.listen(&media, runtime.handle()).expect("listening");
    }
    let ask = Ask::new("GET", url.strip_prefix(&loopback.origin()).expect("our address"));
    let reply = ask.send(host.parse().expect("an address")).expect("an answer");
    assert_eq!(reply.read_to_end().expect("content"), b"ID3");
    drop(loopback);
    // The accept loop ends on its own thread.
    runtime.block_on(async {
        while TcpStream::connect(&host).is_ok() {
            tokio::task::yield_now().await;
        }
    });
}
