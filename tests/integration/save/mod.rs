//! Copies of media, from a message to a real disk, as a window sees them: started by the host, told by events to the window
//! that asked, stopped by a command.

mod faults;

use crate::command::Host;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use talaria_wire::*;

const DEADLINE: Duration = Duration::from_secs(60);

/// A host with a session that names one file, a folder to save in, and what the window `main` hears.
struct Scene {
    host: Host,
    session: SessionId,
    file: PathBuf,
    content: Vec<u8>,
    folder: tempfile::TempDir,
    heard: Arc<Mutex<Vec<EventEnvelope>>>,
}

impl Scene {
    /// The file has some pieces and a bit more, and no two pieces of it are alike.
    async fn new() -> Self {
        let host = Host::ready().await;
        let file = host.folder.path().join("clip.wav");
        let mut content = b"RIFF\0\0\0\0WAVEfmt ".to_vec();
        content.extend((0..1_200_000_u32).flat_map(u32::to_le_bytes));
        content.extend(*b"end");
        std::fs::write(&file, &content).unwrap();
        let session = host.session_saying(&format!("Here it is.\nMEDIA:{}", file.display())).await.into();
        let heard = host.attach("main");
        Self { host, session, file, content, folder: tempfile::tempdir().unwrap(), heard }
    }

    fn request(&self) -> MediaSaveRequest {
        MediaSaveRequest { session_id: self.session.clone(), path: self.file.display().to_string() }
    }

    fn target(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Starts a copy for the window `main`.
    async fn begin(&self, target: &Path) -> String {
        let begun = self.host.app.save_to(&"main".into(), &self.request(), target.to_owned()).await;
        begun.unwrap().id.expect("an id")
    }

    /// How the copy ended, by what `main` heard.
    async fn end(&self, id: &str) -> SaveStatus {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let ended =
                self.told(id).into_iter().find(|status| !matches!(status, SaveStatus::Running { .. }));
            if let Some(ended) = ended {
                return ended;
            }
            assert!(Instant::now() < deadline, "the copy hangs");
            tokio::task::yield_now().await;
        }
    }

    async fn save(&self, target: &Path) -> SaveStatus {
        let id = self.begin(target).await;
        self.end(&id).await
    }

    /// All that `main` heard of a copy.
    fn told(&self, id: &str) -> Vec<SaveStatus> {
        let heard = self.heard.lock().unwrap();
        let of_it = |envelope: &EventEnvelope| match &envelope.event {
            AppEvent::SaveChanged { id: of, status } if of == id => Some(status.clone()),
            _ => None,
        };
        heard.iter().filter_map(of_it).collect()
    }

    /// From now on every copy of `main` stands still at the first that is told of it, before it has read anything, until
    /// it is let go.
    fn hold(&self) -> (mpsc::Receiver<()>, mpsc::Sender<()>) {
        let (begun, begins) = mpsc::channel();
        let (go, goes) = mpsc::channel::<()>();
        let heard = Arc::clone(&self.heard);
        let sink = move |envelope: EventEnvelope| {
            let first = matches!(
                envelope.event,
                AppEvent::SaveChanged { status: SaveStatus::Running { done: 0, .. }, .. }
            );
            heard.lock().unwrap().push(envelope);
            if first && begun.send(()).is_ok() {
                // Ends when it is let go, and at once when nobody holds it any more.
                let _ = goes.recv();
            }
        };
        self.host.app.sinks.attach("main".into(), Box::new(sink));
        (begins, go)
    }

    fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn failed(status: SaveStatus) -> IpcError {
    let SaveStatus::Failed { error } = status else { panic!("it failed: {status:?}") };
    error
}

#[tokio::test(flavor = "multi_thread")]
async fn a_copy_is_whole_and_told_to_the_window_that_asked_alone() {
    let scene = Scene::new().await;
    let other = scene.host.attach("second");
    let suggestion = scene.host.app.save_suggestion(&scene.request()).await.unwrap();
    assert_eq!((suggestion.name.as_str(), suggestion.kind), ("clip.wav", MediaKind::Audio));
    let target = scene.target("copy.wav");
    std::fs::write(&target, "what was there").unwrap();
    let id = scene.begin(&target).await;
    assert_eq!(scene.end(&id).await, SaveStatus::Done { path: target.display().to_string() });
    let total = scene.content.len() as u64;
    assert_eq!(scene.told(&id)[0], SaveStatus::Running { done: 0, total });
    assert!(std::fs::read(&target).unwrap() == scene.content);
    assert_eq!(scene.names(), ["copy.wav"]);
    assert!(other.lock().unwrap().is_empty());
    let where_is = async |client: &str| {
        let asked = scene.host.app.saved_to_reveal(&client.into(), SaveRef { id: id.clone() }).await;
        asked.map_err(|error| error.code)
    };
    assert_eq!(where_is("main").await, Ok(target.clone()));
    assert_eq!(where_is("second").await, Err(ErrorCode::NotFound));
    std::fs::remove_file(&target).unwrap();
    assert_eq!(where_is("main").await, Err(ErrorCode::Missing));
    scene.host.app.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_copy_leaves_what_was_there_and_another_window_cannot_cancel_it() {
    let scene = Scene::new().await;
    let target = scene.target("copy.wav");
    std::fs::write(&target, "what was there").unwrap();
    let (begins, go) = scene.hold();
    let id = scene.begin(&target).await;
    begins.recv().unwrap();
    assert_eq!(scene.names(), ["copy.wav", "copy.wav.talaria.part"]);
    scene.host.call("save_cancel", json!({ "id": id })).await.unwrap();
    drop((begins, go));
    assert_eq!(scene.end(&id).await, SaveStatus::Cancelled);
    assert_eq!(
        (scene.names(), std::fs::read(&target).unwrap()),
        (vec!["copy.wav".to_owned()], b"what was there".to_vec())
    );
    // It has ended; and ids of nobody are calm.
    scene.host.call("save_cancel", json!({ "id": id })).await.unwrap();

    let (begins, go) = scene.hold();
    let id = scene.begin(&target).await;
    begins.recv().unwrap();
    scene.host.call_as("second", "save_cancel", json!({ "id": id })).await.unwrap();
    drop((begins, go));
    assert!(matches!(scene.end(&id).await, SaveStatus::Done { .. }));
    assert!(std::fs::read(&target).unwrap() == scene.content);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_copies_go_on_at_once_and_one_of_them_is_stopped() {
    let scene = Scene::new().await;
    let (begins, go) = scene.hold();
    let first = scene.begin(&scene.target("first.wav")).await;
    begins.recv().unwrap();
    // The sink is held, so what the second tells waits for it: it is only begun here.
    let second = scene.begin(&scene.target("second.wav")).await;
    assert_ne!(first, second);
    scene.host.call("save_cancel", json!({ "id": first })).await.unwrap();
    drop((begins, go));
    assert_eq!(scene.end(&first).await, SaveStatus::Cancelled);
    assert!(matches!(scene.end(&second).await, SaveStatus::Done { .. }));
    assert_eq!(scene.names(), ["second.wav"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_window_that_loads_anew_hears_how_its_copies_end() {
    let scene = Scene::new().await;
    let (begins, go) = scene.hold();
    let id = scene.begin(&scene.target("copy.wav")).await;
    begins.recv().unwrap();
    drop((begins, go));
    scene.host.app.client_gone(&"main".into());
    let heard = scene.host.attach("main");
    let scene = Scene { heard, ..scene };
    // Ended before the page was back, it is told to nobody; the file is there either way.
    let deadline = Instant::now() + DEADLINE;
    while scene.names() != ["copy.wav"] {
        assert!(Instant::now() < deadline, "the copy hangs");
        tokio::task::yield_now().await;
    }
    assert!(scene.told(&id).iter().all(|status| !matches!(status, SaveStatus::Cancelled)));
    assert!(std::fs::read(scene.target("copy.wav")).unwrap() == scene.content);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_app_waits_until_the_half_file_is_gone() {
    let scene = Scene::new().await;
    let (begins, go) = scene.hold();
    scene.begin(&scene.target("copy.wav")).await;
    begins.recv().unwrap();
    assert_eq!(scene.names(), ["copy.wav.talaria.part"]);
    let app = scene.host.app.clone();
    let end = tokio::spawn(async move { app.close().await });
    drop((begins, go));
    end.await.unwrap();
    // Whole it may be, if it was quicker than the end; half it is not.
    assert!(!scene.names().contains(&"copy.wav.talaria.part".to_owned()), "{:?}", scene.names());
}
