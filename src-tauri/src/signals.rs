//! The system's requests to end (a log-out, `kill`, Ctrl+C in the terminal): they close the app as its last window does,
//! so that the store is closed in order.

use tauri::{AppHandle, Runtime};

/// From now on a request of the system ends the app in order instead of at once.
pub(crate) fn end_in_order<R: Runtime>(app: AppHandle<R>) {
    tauri::async_runtime::spawn(async move {
        match asked_to_end().await {
            Ok(()) => {
                tracing::info!("the system asks to end");
                app.exit(0);
            }
            // Then the signals end the process as they always did; the store is repaired from its log.
            Err(error) => tracing::warn!(%error, "the system's requests to end are not heard"),
        }
    });
}

/// Waits for the first request.
#[cfg(unix)]
async fn asked_to_end() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
        _ = hang_up.recv() => {}
    }
    Ok(())
}

/// Waits for the first request. A log-out closes the windows; only a terminal asks this way.
#[cfg(not(unix))]
async fn asked_to_end() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

#[cfg(all(test, unix))]
mod tests {
    use super::asked_to_end;
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Waker};

    #[tokio::test]
    async fn a_request_of_the_system_is_heard_and_does_not_kill() {
        let mut asked = pin!(asked_to_end());
        // The first poll registers for the signals; before that the request would kill this process.
        assert!(asked.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
        let id = std::process::id().to_string();
        assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
        asked.await.unwrap();
    }
}
