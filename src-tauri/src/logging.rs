//! Logs: one file a day in `<data folder>/logs`, fourteen kept, and standard error in debug builds.
//!
//! Keys, tokens and message text are never logged at any level. So what other crates say below a warning is left out
//! (theirs may be whole requests), and of a panic only its place is written (its words may quote the text at hand).

use std::fs::DirBuilder;
use std::io;
use std::panic;
use std::path::Path;
use tracing::Level;
use tracing_appender::non_blocking::WorkerGuard;
use tracing_appender::rolling;
use tracing_subscriber::filter::filter_fn;
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
        .with(filter_fn(|event| may_be_written(event.target(), *event.level())))
        .with(writer.map(|writer| fmt::layer().with_ansi(false).with_writer(writer)))
        .with(cfg!(debug_assertions).then(|| fmt::layer().with_writer(std::io::stderr)))
        .try_init();
    // A second subscriber can only come from a test in the same process; its log goes to the first.
    drop(started);
    log_panics();
    guard
}

/// Whether an event may be written at all, whatever level was asked for.
fn may_be_written(target: &str, level: Level) -> bool {
    target.starts_with("talaria") || level <= Level::WARN
}

/// Writes where a thread panicked. The words go to the terminal of a debug build only.
fn log_panics() {
    let before = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, thread = std::thread::current().name(), "a thread panicked");
        if cfg!(debug_assertions) {
            before(panic);
        }
    }));
}

/// Makes the folder, and the data folder above it, for the user's eyes only.
fn make_private(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn what_other_crates_say_below_a_warning_is_never_written() {
        for (target, level, written) in [
            ("talaria_core::boot", Level::TRACE, true),
            ("talaria_lib::app", Level::INFO, true),
            ("wry", Level::WARN, true),
            ("hyper::proto", Level::ERROR, true),
            ("hyper::proto", Level::TRACE, false),
            ("zbus::connection", Level::INFO, false),
        ] {
            assert_eq!(may_be_written(target, level), written, "{target} {level}");
        }
    }

    #[test]
    fn of_a_panic_its_place_is_written_and_not_its_words() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let subscriber = fmt().with_writer(Mutex::new(file.reopen().unwrap())).with_ansi(false).finish();
        log_panics();
        let broken = tracing::subscriber::with_default(subscriber, || {
            panic::catch_unwind(|| panic!("the text at hand"))
        });
        drop(panic::take_hook());
        assert!(broken.is_err());
        let written = std::fs::read_to_string(file.path()).unwrap();
        assert!(written.contains("logging.rs:"), "{written}");
        assert!(!written.contains("the text at hand"), "{written}");
    }
}
