//! Logs: one file a day in `<data folder>/logs`, fourteen kept, and standard error in debug builds.
//!
//! Keys, tokens and message text are never logged at any level.

use std::fs::DirBuilder;
use std::io;
use std::path::Path;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

/// Begins to log. The guard writes the last lines when it is dropped. A folder that cannot be written is no reason not
/// to start: then there is no file, and the start itself will say what is wrong with the folder.
pub(crate) fn start(home: &Path) -> Option<WorkerGuard> {
    let filter = || EnvFilter::try_from_env("TALARIA_LOG").unwrap_or_else(|_| EnvFilter::new("info"));
    let folder = home.join("logs");
    let file = make_private(&folder).ok().and_then(|()| {
        rolling::Builder::new()
            .rotation(rolling::Rotation::DAILY)
            .filename_prefix("talaria")
            .filename_suffix("log")
            .max_log_files(14)
            .build(&folder)
            .ok()
    });
    let (writer, guard) = file.map(tracing_appender::non_blocking).unzip();
    let started = tracing_subscriber::registry()
        .with(filter())
        .with(writer.map(|writer| fmt::layer().with_ansi(false).with_writer(writer)))
        .with(cfg!(debug_assertions).then(|| fmt::layer().with_writer(std::io::stderr)))
        .try_init();
    // A second subscriber can only come from a test in the same process; its log goes to the first.
    drop(started);
    guard
}

/// Makes the folder, and the data folder above it, for the user's eyes only.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
