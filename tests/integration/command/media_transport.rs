//! What carries a file to the player, by command: the addresses, when the port opens, and the words for it.

use super::{Host, SchemePlayer};
use serde_json::{Value, json};
use std::net::TcpStream;
use talaria_core::command::MediaDoor;
use talaria_core::media::{Loopback, Media, MediaPaths};
use talaria_wire::{BootPhase, MediaTransport};
use tempfile::TempDir;

/// A host whose web view plays the scheme by this, and a session in it that names one sound.
async fn host(player: SchemePlayer, forced: Option<MediaTransport>) -> (Host, Value) {
    let (host, file, _) = host_with_media(player, forced).await;
    (host, file)
}

/// [`host`], and what answers its player.
async fn host_with_media(player: SchemePlayer, forced: Option<MediaTransport>) -> (Host, Value, Media) {
    let folder = TempDir::new().unwrap();
    let paths = MediaPaths { data_folder: folder.path().join("home"), user_home: folder.path().to_owned() };
    let port = Loopback::reserve().unwrap();
    let media = Media::new(paths);
    let door = MediaDoor::new(media.clone(), player, Some(port), forced);
    let host = Host::start_by(folder, door, |_| ());
    host.until(BootPhase::Ready).await;
    let sound = host.folder.path().join("tone.wav");
    std::fs::write(&sound, b"RIFF\0\0\0\0WAVEfmt ").unwrap();
    let id = host.session_saying(&format!("MEDIA:{}", sound.display())).await;
    (host, json!({ "session_id": id, "path": sound }), media)
}

fn plugin() -> SchemePlayer {
    SchemePlayer::Plugin { file: "/usr/lib/talaria/gstreamer-1.0/libgsthermesmedia.so".into() }
}

/// Whether somebody answers at the port of this address.
fn answers(address: &Value) -> bool {
    let address =
        address.as_str().and_then(|url| url.strip_prefix("http://")).expect("an address of the port");
    TcpStream::connect(address.split('/').next().unwrap()).is_ok()
}

async fn words(host: &Host) -> String {
    host.call("media_status", json!({})).await.unwrap()["words"].as_str().unwrap().to_owned()
}

fn starts_with(value: &Value, begin: &str) -> bool {
    value.as_str().is_some_and(|text| text.starts_with(begin))
}

#[tokio::test(flavor = "multi_thread")]
async fn with_the_plugin_the_port_opens_only_when_a_player_falls_back_and_that_is_counted() {
    let (host, file) = host(plugin(), None).await;
    let opened = host.call("media_open", file).await.unwrap();
    assert!(starts_with(&opened["url"], "hermes-media://localhost/stream/"), "{opened}");
    assert!(!answers(&opened["fallback_url"]), "the port waits");
    assert_eq!(words(&host).await, "Files are played by Talaria's own plugin. No port is open.");

    let fallback = json!({ "mime": "audio/ogg\n forged line", "url": opened["url"], "media_error": 4 });
    host.call("media_fallback", fallback.clone()).await.unwrap();
    assert!(answers(&opened["fallback_url"]));
    let said = words(&host).await;
    assert!(said.contains("A local port is open, too. Once the player went to the local port"), "{said}");
    assert!(said.contains("(last audio/oggforgedline, error 4)"), "a type has no blanks: {said}");
    host.call("media_fallback", fallback).await.unwrap();
    let diagnostics = host.call("diagnostics_get", json!({})).await.unwrap();
    assert!(diagnostics["text"].as_str().unwrap().contains("2 times the player went"), "{diagnostics}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_reached_the_player_and_does_not_play_opens_no_port() {
    let (host, file, media) = host_with_media(plugin(), None).await;
    let opened = host.call("media_open", file.clone()).await.unwrap();
    let url = opened["url"].as_str().unwrap();
    let grant = url.split('/').nth(4).unwrap();
    media.read_at(grant, 0, &mut []).unwrap();
    let fail = async |code: u32| {
        host.call("media_fallback", json!({ "mime": "audio/wav", "url": url, "media_error": code })).await
    };
    for code in [3, 4] {
        let refused = fail(code).await.unwrap_err();
        assert_eq!(serde_json::to_value(refused.code).unwrap(), "unsupported");
        assert!(refused.message.starts_with("The file itself cannot be played."), "{}", refused.message);
    }
    assert!(!answers(&opened["fallback_url"]), "the port stays shut");
    assert_eq!(words(&host).await, "Files are played by Talaria's own plugin. No port is open.");

    // Asked for anew it has its chance again: the element may have lost its way meanwhile.
    host.call("media_open", file).await.unwrap();
    fail(4).await.unwrap();
    assert!(answers(&opened["fallback_url"]));
    media.read_at(grant, 0, &mut []).unwrap();
    fail(2).await.expect("what broke off on the way goes the other one");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_plugin_the_port_is_the_address_and_answers_at_once() {
    let (host, file) = host(SchemePlayer::Not { why: "its file is not there".into() }, None).await;
    let opened = host.call("media_open", file).await.unwrap();
    assert!(answers(&opened["url"]));
    assert_eq!(opened["fallback_url"], Value::Null);
    let said = words(&host).await;
    assert!(said.contains("its file is not there") && said.contains("seek inexactly"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_setting_holds_for_the_next_file_and_plugin_only_means_no_port_at_all() {
    let (host, file) = host(plugin(), None).await;
    let open = async || host.call("media_open", file.clone()).await;
    host.call("settings_update", json!({ "media_transport": "plugin" })).await.unwrap();
    let opened = open().await.unwrap();
    assert!(starts_with(&opened["url"], "hermes-media:"), "{opened}");
    assert_eq!(opened["fallback_url"], Value::Null);
    let refused =
        host.call("media_fallback", json!({ "mime": "audio/wav", "url": opened["url"] })).await.unwrap_err();
    assert_eq!(serde_json::to_value(refused.code).unwrap(), "unsupported");

    host.call("settings_update", json!({ "media_transport": "loopback" })).await.unwrap();
    let opened = open().await.unwrap();
    assert!(answers(&opened["url"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn plugin_only_without_a_plugin_is_an_error_that_says_why_and_what_to_change() {
    let broken = || SchemePlayer::Not { why: "it does not load (bad header)".into() };
    for (forced, place) in [
        (None, "Settings, General, Media playback"),
        (Some(MediaTransport::Plugin), "--media-transport=plugin"),
    ] {
        let (host, file) = host(broken(), forced).await;
        host.call("settings_update", json!({ "media_transport": "plugin" })).await.unwrap();
        let refused = host.call("media_open", file).await.unwrap_err();
        assert_eq!(serde_json::to_value(refused.code).unwrap(), "internal", "the file is not to blame");
        let said = refused.message;
        assert!(said.contains("it does not load (bad header)") && said.contains(place), "{said}");
        assert_eq!(words(&host).await, said);
    }
}
