//! Builds the app: log, reserved port, core, plugins, window, and an end that closes the store in order.

use crate::arguments::Arguments;
use crate::environment::Environment;
use crate::first_paint::{self, FirstPaint};
#[cfg(target_os = "linux")]
use crate::media_transport::{self, Prepared};
use crate::outside::Outside;
use crate::windows::Windows;
use crate::{commands, facts, logging, media_scheme, signals, windows};
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, OnceLock};
use talaria_core::boot::{BootConfig, RETRY_AFTER, SLOW_AFTER};
use talaria_core::clock::SystemClock;
use talaria_core::command::{ANSWER_WITHIN, App, AppConfig, IDLE_AFTER, MediaDoor, SWEEP_EVERY};
#[cfg(not(target_os = "linux"))]
use talaria_core::media::choice::SchemePlayer;
use talaria_core::media::{Loopback, Media, MediaPaths, SCHEME};
use talaria_core::owner;
use tauri::{Manager, RunEvent};

/// The exit status of a command line that says nothing we know (as in clap and GNU getopt programs).
const BAD_ARGUMENTS: u8 = 2;

/// Starts the app. Returns only when it could not start, having said why: with its last window the process ends.
pub fn run() -> ExitCode {
    // First of all: what is set from here on is for this process alone.
    let outside = Outside::new();
    let started_with = std::env::vars_os().collect();
    let forced = match Arguments::read(std::env::args_os().skip(1)) {
        Arguments::Start { media_transport } => media_transport,
        Arguments::Print(words) => {
            print!("{words}");
            return ExitCode::SUCCESS;
        }
        Arguments::Wrong(words) => {
            eprintln!("{words}");
            return ExitCode::from(BAD_ARGUMENTS);
        }
    };
    let Some(environment) = Environment::read() else {
        return complain("Talaria needs a home folder: set HOME (or TALARIA_HOME), then start it again.");
    };
    // Before the marks of a start are looked at: those of a running app are no one's leftovers.
    if runs_already(&environment.home) {
        return ExitCode::SUCCESS;
    }
    // Before the display: the window library reads its variables when it starts.
    let safe_graphics = first_paint::prepare(&environment.home);
    #[cfg(target_os = "linux")]
    let Prepared { player, socket } = media_transport::prepare(forced, &environment.cache);
    #[cfg(not(target_os = "linux"))]
    let (player, socket) = (SchemePlayer::Native, None::<()>);
    if !has_display() {
        return complain("Talaria found no display. Start it on a desktop, or under xvfb-run.");
    }
    let log = logging::start(&environment.home);
    let loopback = reserve_loopback();
    let mut context = tauri::generate_context!();
    windows::set_policy(&mut context, loopback.as_ref().map(|port| port.origin()).as_deref());

    let media = Media::new(MediaPaths {
        data_folder: environment.home.clone(),
        user_home: environment.user_home.clone(),
    });
    let first_paint = FirstPaint::new(&environment.home);
    // The app's own handle comes with the window library, later than the core.
    let window_side = Arc::new(OnceLock::new());
    let (come_forward, show) = (Arc::clone(&window_side), Arc::clone(&window_side));
    let door = MediaDoor::new(media.clone(), player, loopback, forced);
    let config = AppConfig {
        boot: BootConfig {
            home: environment.home,
            clock: Arc::new(SystemClock),
            platform: std::env::consts::OS,
            version: env!("CARGO_PKG_VERSION"),
            preview: environment.preview,
            safe_graphics,
            slow_after: SLOW_AFTER,
            retry_after: RETRY_AFTER,
            limits: Default::default(),
        },
        import_from: environment.import_from,
        sweep_every: SWEEP_EVERY,
        user_home: environment.user_home,
        facts: facts::of_host(),
        come_forward: Box::new(move || come_forward.get().is_some_and(windows::come_forward)),
        show: Arc::new(move |client| show.get().is_some_and(|app| windows::show(app, client))),
        idle_after: IDLE_AFTER,
        answer_within: ANSWER_WITHIN,
        environment: started_with,
        keyring: Arc::new(talaria_core::secret::SystemKeyring),
    };
    let core = tauri::async_runtime::block_on(async {
        #[cfg(target_os = "linux")]
        if let Some(socket) = &socket
            && let Err(error) = socket.serve(&media, &tokio::runtime::Handle::current())
        {
            // The card goes on over the port.
            tracing::error!(%error, "the media plugin gets no answers");
        }
        App::start(config, door)
    });

    let builder = tauri::Builder::default()
        .plugin(tauri_plugin_dialog::init())
        .plugin(
            tauri_plugin_window_state::Builder::default().with_filter(|label| label == windows::MAIN).build(),
        )
        .register_asynchronous_uri_scheme_protocol(SCHEME, media_scheme::answer)
        .on_window_event(windows::on_event)
        .manage(core)
        .manage(outside)
        .manage(first_paint)
        .manage(Windows::default())
        .setup(move |app| {
            // There is one setup.
            drop(window_side.set(app.handle().clone()));
            app.state::<FirstPaint>().expect();
            signals::end_in_order(app.handle().clone());
            Ok(windows::open_main(app.handle())?)
        });
    match commands::register(builder).build(context) {
        Ok(app) => {
            let (mut log, mut socket) = (log, socket);
            app.run(move |handle, event| {
                if let RunEvent::Exit = event {
                    let core = handle.state::<App>().inner().clone();
                    tauri::async_runtime::block_on(core.close());
                    // The process ends without coming back here: the socket goes and the last lines are written now.
                    drop((socket.take(), log.take()));
                }
            });
            ExitCode::SUCCESS
        }
        Err(error) => complain(&format!("Talaria could not open a window: {error}")),
    }
}

/// Whether a Talaria that runs already has this home: then it has come forward.
fn runs_already(home: &Path) -> bool {
    // On this thread alone: the process has one until its environment is settled.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.is_ok_and(|runtime| runtime.block_on(owner::ask_front(home)))
}

/// Whether a window can be made at all. Asked first, because the window library panics when it cannot.
fn has_display() -> bool {
    #[cfg(target_os = "linux")]
    return gtk::init().is_ok();
    #[cfg(not(target_os = "linux"))]
    true
}

/// The port that the first page's policy must name. Only Linux needs one: its web view cannot play the scheme.
fn reserve_loopback() -> Option<Loopback> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    Loopback::reserve().inspect_err(|error| tracing::error!(%error, "no loopback port for media")).ok()
}

/// Before there is a window there is only the terminal.
fn complain(words: &str) -> ExitCode {
    tracing::error!("{words}");
    eprintln!("{words}");
    ExitCode::FAILURE
}
