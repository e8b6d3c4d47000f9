//! Addresses of the scheme: only the one route with the one grant leads to the file, whatever stands around it.

use std::sync::LazyLock;
use talaria_core::media::{Media, MediaPaths};
use talaria_wire::ClientId;
use tempfile::TempDir;

/// Stands for the real grant in an input.
pub const URL_GRANT: &str = "GRANT";
const CONTENT: &[u8] = b"ID3 the content";

struct Scene {
    home: TempDir,
    media: Media,
    grant: String,
}

/// One for all inputs: nothing in it changes.
static SCENE: LazyLock<Scene> = LazyLock::new(|| {
    let home = tempfile::tempdir().expect("a folder");
    let path = home.path().join("a.mp4");
    std::fs::write(&path, CONTENT).expect("a file");
    let paths = MediaPaths { data_folder: home.path().join("data"), user_home: home.path().to_owned() };
    let media = Media::new(paths);
    let grant = media.open(&client(), path.to_str().expect("Unicode")).expect("a medium").grant;
    Scene { home, media, grant }
});

fn client() -> ClientId {
    "w".into()
}

/// The file is answered to exactly its own route; everything else is 403 or 404 and says nothing of it.
pub fn stream_url(input: &[u8]) {
    let scene = &*SCENE;
    let text = String::from_utf8_lossy(input).replace(URL_GRANT, &scene.grant);
    let Ok(request) = http::Request::get(text.as_str()).body(Vec::new()) else { return };
    let is_ours =
        request.uri().host().is_some_and(|host| ["localhost", "hermes-media.localhost"].contains(&host));
    let piece = request.uri().path().strip_prefix(&format!("/stream/{}/", scene.grant));
    let leads = is_ours && piece.is_some_and(|piece| !piece.is_empty() && !piece.contains('/'));
    let answer = scene.media.scheme(&client(), request);
    if leads {
        assert_eq!((answer.status().as_u16(), answer.body().as_slice()), (200, CONTENT), "{text:?}");
        return;
    }
    let said = String::from_utf8_lossy(answer.body());
    assert!(matches!(answer.status().as_u16(), 403 | 404), "{text:?}: {}", answer.status());
    for hidden in ["the content", &scene.grant, &scene.home.path().display().to_string()] {
        assert!(!said.contains(hidden), "{text:?} is told {hidden}");
    }
}
