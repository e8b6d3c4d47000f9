//! The whole core as a host starts it, on a home of a test.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use talaria_core::boot::{BootConfig, RETRY_AFTER, SLOW_AFTER};
use talaria_core::clock::Clock;
use talaria_core::command::{ANSWER_WITHIN, AppConfig, IDLE_AFTER, MediaDoor, SWEEP_EVERY};
use talaria_core::media::choice::SchemePlayer;
use talaria_core::media::{Media, MediaPaths};
use talaria_core::store::Limits;

/// What a host tells of `home`: nothing to import, no facts, a window that comes forward.
pub fn config(home: &Path, clock: Arc<dyn Clock>) -> AppConfig {
    AppConfig {
        boot: BootConfig {
            home: home.to_owned(),
            clock,
            platform: "linux",
            version: "test",
            preview: false,
            safe_graphics: false,
            slow_after: SLOW_AFTER,
            retry_after: RETRY_AFTER,
            limits: Limits::default(),
        },
        import_from: PathBuf::from("/nowhere/state.db"),
        sweep_every: SWEEP_EVERY,
        user_home: home.to_owned(),
        facts: Vec::new(),
        come_forward: Box::new(|| true),
        show: Arc::new(|_| true),
        idle_after: IDLE_AFTER,
        answer_within: ANSWER_WITHIN,
        environment: std::env::vars_os().collect(),
        keyring: Arc::new(talaria_core::secret::NoKeyring),
    }
}

/// A door for media without a port.
pub fn door(home: &Path) -> MediaDoor {
    let paths = MediaPaths { data_folder: home.to_owned(), user_home: home.to_owned() };
    MediaDoor::new(Media::new(paths), SchemePlayer::Native, None, None)
}
