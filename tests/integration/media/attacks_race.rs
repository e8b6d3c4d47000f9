//! A folder that is swapped while its file is opened and served: whatever the moment, never a byte of the private one.

use super::{open, put, rig, write};
use app_tests::range_table::wire::Ask;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};
use talaria_core::media::MediaError;

/// How often each door is tried.
const TRIES: usize = 1000;

/// Ends the other thread also when an assertion fails.
struct StopOnDrop<'a>(&'a AtomicBool);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// The last part stays the same file name; a folder above it becomes a link to the private folder. No flag of `open`
/// guards against that, only the look at the handle.
#[test]
fn a_folder_swapped_for_a_link_to_a_private_one_never_gives_its_file() {
    let rig = rig();
    write(&rig.home().join(".ssh/clip.mp4"), "ID3 SECRET");
    let clip = put(&rig, "shelf/clip.mp4", "ID3 clip");
    let (shelf, aside, link) =
        (rig.folder().join("shelf"), rig.folder().join("aside"), rig.folder().join("link"));
    let opened = open(&rig, &clip);
    let target = rig.target(&opened);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::SeqCst) {
                std::fs::rename(&shelf, &aside).expect("the folder goes aside");
                symlink(rig.home().join(".ssh"), &link).expect("a symlink");
                std::fs::rename(&link, &shelf).expect("the link takes its place");
                std::fs::remove_file(&shelf).expect("the link goes");
                std::fs::rename(&aside, &shelf).expect("the folder is back");
            }
        });
        let _stop = StopOnDrop(&stop);
        let mut seen = [0_usize; 2];
        for _ in 0..TRIES {
            let reply = rig.send(&Ask::new("GET", &target)).expect("an answer");
            let status = reply.status;
            let content = reply.read_to_end().expect("content");
            assert!(matches!(status, 200 | 403 | 404), "{status}");
            assert!(!content.windows(6).any(|part| part == b"SECRET"), "over loopback");
            let request =
                http::Request::get(rig.media.scheme_url(&opened)).body(Vec::new()).expect("a request");
            let answer = rig.media.scheme(&rig.client(), request);
            assert!(!answer.body().windows(6).any(|part| part == b"SECRET"), "over the scheme");
            match rig.open(&clip) {
                Ok(opened) => assert_eq!(opened.size, 8, "the private file has another size"),
                Err(MediaError::Blocked(_) | MediaError::Missing { .. }) => {}
                Err(other) => panic!("{other:?}"),
            }
            seen[usize::from(status == 200)] += 1;
        }
        // Both states were met, or the race was none.
        assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
    });
}
