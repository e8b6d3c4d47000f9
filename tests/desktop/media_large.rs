//! A video larger than the room that a copy of it would have.

use crate::playing::{Way, copies_on_disk, visits};
use crate::steps::{bring_in_answer, media_folder, open_session};
use app_tests::desktop::Stage;
use app_tests::large_clip::{IndexAt, LARGE_SECONDS, make_large_clip};

/// Megabytes of `/var/tmp`, where WebKit copies what it may not stream.
const ROOM: u32 = 20;

#[tokio::test]
async fn a_video_of_471_mb_plays_and_seeks_by_both_ways_with_20_mb_of_room() {
    // SAFETY: geteuid has no memory to get wrong and always succeeds.
    let stage = if unsafe { libc::geteuid() } == 0 {
        Stage::with_var_tmp_of(ROOM)
    } else {
        eprintln!("not root: /var/tmp is the machine's own, and only open copies would be seen");
        Stage::new()
    };
    let path = make_large_clip(&media_folder(&stage), IndexAt::End).expect("ffmpeg makes the file");
    bring_in_answer(&stage, "Large video", &format!("Here:\nMEDIA:{}\nEnd.", path.display())).await;
    let card = format!("Video: {}", path.file_name().expect("a name").display());
    for way in [Way::Plugin, Way::Loopback] {
        let app = way.launch(&stage).await;
        open_session(&app.page, "Large video").await;
        let visits = visits(&app.page, &card, &[250.0, 10.0, 298.0]).await;
        let visits = visits.unwrap_or_else(|words| panic!("by {way:?}: {words}"));
        assert!(visits.src.starts_with(way.scheme()), "{way:?} plays {}", visits.src);
        assert!((visits.duration - LARGE_SECONDS).abs() < 0.5, "by {way:?} it lasts {} s", visits.duration);
        for landing in &visits.landings {
            assert!(landing.is_exact(), "by {way:?}: {landing:?}");
        }
        assert_eq!(copies_on_disk(&app), Vec::<std::path::PathBuf>::new(), "by {way:?}");
        app.close().await;
    }
}
