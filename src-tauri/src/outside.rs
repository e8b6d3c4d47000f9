//! Programs of the system that are started from here: for a link, for a file, for a folder. On Linux they get the
//! environment that the app was started with: what it sets for its own web view (drawing, GStreamer, the socket of the
//! media) would change how they draw and play, too.

use std::io;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::{ffi::OsString, process::Stdio, time::Duration};

/// A program that has not failed for so long has taken what it was given. It may run on for as long as the user looks.
#[cfg(target_os = "linux")]
const FAILS_WITHIN: Duration = Duration::from_secs(2);

/// Ours alone: who has them already was shown by whoever started us (Startup Notification, xdg-activation).
#[cfg(target_os = "linux")]
const OF_THIS_START: &[&str] = &["DESKTOP_STARTUP_ID", "XDG_ACTIVATION_TOKEN"];

/// How the system's programs are started.
pub(crate) struct Outside {
    #[cfg(target_os = "linux")]
    environment: Vec<(OsString, OsString)>,
}

impl Outside {
    /// With the environment of now: to be made before any of it is set.
    pub(crate) fn new() -> Self {
        Self {
            #[cfg(target_os = "linux")]
            environment: std::env::vars_os()
                .filter(|(name, _)| OF_THIS_START.iter().all(|one| name != one))
                .collect(),
        }
    }

    /// Opens a file, a folder or an address in the user's program for it.
    ///
    /// # Errors
    /// When the system has none, or the last that it has fails at once.
    #[cfg(target_os = "linux")]
    pub(crate) async fn open(&self, target: impl AsRef<std::ffi::OsStr>) -> io::Result<()> {
        let mut ended = Err(io::ErrorKind::NotFound.into());
        for command in open::commands(target) {
            let mut command = tokio::process::Command::from(command);
            command.env_clear().envs(self.environment.iter().cloned());
            // A group of its own: what ends the app from a terminal does not end it.
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
            let mut child = match command.spawn() {
                Ok(child) => child,
                // The error of one that is there says more.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => {
                    ended = Err(error);
                    continue;
                }
            };
            match tokio::time::timeout(FAILS_WITHIN, child.wait()).await {
                Ok(Ok(status)) if !status.success() => ended = Err(io::Error::other(status.to_string())),
                _ => return Ok(()),
            }
        }
        ended
    }

    /// Opens a file, a folder or an address in the user's program for it.
    ///
    /// # Errors
    /// When the system has none.
    #[cfg(not(target_os = "linux"))]
    pub(crate) async fn open(&self, target: impl AsRef<std::ffi::OsStr>) -> io::Result<()> {
        let target = target.as_ref().to_owned();
        on_thread(move || open::that_detached(target)).await
    }

    /// Shows a file in the system's file manager, or opens its folder where none can be asked for that.
    ///
    /// # Errors
    /// When neither can be done.
    pub(crate) async fn reveal(&self, path: &Path) -> io::Result<()> {
        let file = path.to_owned();
        // It waits for the file manager's answer.
        let shown =
            on_thread(move || tauri_plugin_opener::reveal_item_in_dir(file).map_err(io::Error::other)).await;
        match (shown, path.parent()) {
            (Err(error), Some(folder)) => {
                tracing::info!(%error, "no file manager shows a file; its folder is opened");
                self.open(folder).await
            }
            (shown, _) => shown,
        }
    }
}

async fn on_thread(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> io::Result<()> {
    tauri::async_runtime::spawn_blocking(work).await.map_err(io::Error::other)?
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_gets_what_the_app_was_started_with_and_its_failure_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let program = |name: &str, script: &str| {
            use std::os::unix::fs::PermissionsExt;
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
        };
        let said = folder.path().join("said");
        program("xdg-open", "exit 3");
        program("gio", &format!("echo \"$1 $2 ${{KEPT}} ${{WEBKIT_LATER-none}}\" > {}", said.display()));
        let path = std::env::join_paths([folder.path(), Path::new("/bin"), Path::new("/usr/bin")]).unwrap();
        let outside = Outside { environment: vec![("PATH".into(), path), ("KEPT".into(), "kept".into())] };
        outside.open("/srv/a b.mp4").await.unwrap();
        assert_eq!(std::fs::read_to_string(&said).unwrap(), "open /srv/a b.mp4 kept none\n");
    }
}
