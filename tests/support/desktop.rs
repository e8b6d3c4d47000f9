//! The real app in a real web view: Xvfb, WebKitWebDriver and a home of its own for each test.
//!
//! A [`Stage`] is a computer with one user; [`Stage::launch`] starts the app on it, again and again if need be.
//! Tests find things by role and accessible name, as a person with a screen reader does. Nothing here sleeps for
//! luck: every wait polls for a fact and ends with words at its deadline.
//!
//! The two WEBKIT_DISABLE variables stay unset: with either, screenshots hang (measured).

mod close;
mod display;
mod driver;
mod page;
mod ports;

pub use page::{Found, Page, reference, target_folder};

use display::Display;
use driver::Driver;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A user's computer for one test: folders, a display, no app yet.
pub struct Stage {
    folders: TempDir,
    display: Display,
    binary: PathBuf,
    /// Megabytes; none: the machine's own.
    var_tmp: Option<u32>,
}

impl Stage {
    /// Fresh folders and a display of 1280 x 800, for `TALARIA_BIN`, else the debug binary beside this test's own.
    pub fn new() -> Self {
        Self::with_app(&binary())
    }

    /// The same for an app that lies elsewhere.
    pub fn with_app(binary: &Path) -> Self {
        let folders =
            tempfile::Builder::new().prefix("talaria-desktop-").tempdir().expect("a temporary folder");
        for name in ["home", "talaria", "hermes", "runtime", "data", "config", "cache", "state"] {
            std::fs::create_dir(folders.path().join(name)).expect("a folder inside the temporary folder");
        }
        owner_only(&folders.path().join("runtime"));
        let display = Display::start();
        Self { folders, display, binary: binary.to_owned(), var_tmp: None }
    }

    /// The same on a computer whose `/var/tmp` has room for so many megabytes. Only for root: the app gets a view of
    /// its own of what is mounted.
    pub fn with_var_tmp_of(megabytes: u32) -> Self {
        Self { var_tmp: Some(megabytes), ..Self::new() }
    }

    /// The app's data folder (`TALARIA_HOME`).
    pub fn talaria_home(&self) -> PathBuf {
        self.folders.path().join("talaria")
    }

    /// Where the app looks for a Hermes store (`HERMES_HOME`).
    pub fn hermes_home(&self) -> PathBuf {
        self.folders.path().join("hermes")
    }

    /// The user's folder for sockets (`XDG_RUNTIME_DIR`).
    pub fn runtime(&self) -> PathBuf {
        self.folders.path().join("runtime")
    }

    /// A folder for the test's own files, outside the app's data.
    pub fn files(&self) -> PathBuf {
        self.folders.path().join("home")
    }

    /// This desktop's user wants no motion: GTK's own setting, which the web view hands on to its pages.
    pub fn reduce_motion(&self) {
        let folder = self.folders.path().join("config/gtk-3.0");
        std::fs::create_dir_all(&folder).expect("a folder for GTK's settings");
        std::fs::write(folder.join("settings.ini"), "[Settings]\ngtk-enable-animations=0\n")
            .expect("GTK's settings");
    }

    /// Starts the app and waits until its first view stands and nothing covers it: the sidebar, the first start or a
    /// failure.
    pub async fn launch(&self) -> App {
        self.launch_with(&[]).await
    }

    /// The same with arguments on the app's command line.
    pub async fn launch_with(&self, arguments: &[&str]) -> App {
        let app = self.start(&[], arguments).await;
        // The frame stands before the gateway is open, and the overlay may still come over it: rows (or the words for
        // none) are the first sign that it will not.
        let stands = "return !page.first('status', 'Connecting') && Boolean(
            page.first('main', 'Set up Talaria') || page.first('alert', 'Could not start')
            || document.querySelector('[role=row][data-session-id]')
            || (page.first('navigation', 'Sidebar') && document.body.innerText.includes('No sessions yet')))";
        app.page.wait_for("a first view", stands).await;
        app
    }

    /// Starts the app with more environment, and returns as soon as its page can run scripts.
    pub async fn launch_without_waiting(&self, environment: &[(&str, &str)]) -> App {
        self.start(environment, &[]).await
    }

    async fn start(&self, environment: &[(&str, &str)], arguments: &[&str]) -> App {
        let mut command = self.driver();
        self.describe(&mut command);
        command.envs(environment.iter().copied());
        let log = self.folders.path().join("driver.log");
        let driver = Driver::start(command, &log);
        let client = driver.open(&self.binary, arguments).await;
        App { page: Page::new(client), driver }
    }

    fn driver(&self) -> Command {
        let Some(megabytes) = self.var_tmp else { return Command::new("WebKitWebDriver") };
        // Without a fork, and so in the same process: the driver's group is ended by its number.
        let script =
            format!("mount -t tmpfs -o size={megabytes}m none /var/tmp && exec WebKitWebDriver \"$@\"");
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", &script, "sh"]);
        command
    }

    /// Closes the window with this title as its frame's button does. Waits for the window, not for its end.
    pub fn close_window(&self, title: &str) {
        close::close(self.display.name(), title);
    }

    /// Another process of the same user on the same computer, ready to be run.
    pub fn command(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        self.describe(&mut command);
        command.env_remove("TAURI_WEBVIEW_AUTOMATION");
        command
    }

    /// The app's program.
    pub fn app(&self) -> &Path {
        &self.binary
    }

    fn describe(&self, command: &mut Command) {
        let folder = |name: &str| self.folders.path().join(name);
        command
            .env("DISPLAY", self.display.name())
            .env("GDK_BACKEND", "x11")
            .env("TAURI_WEBVIEW_AUTOMATION", "true")
            .env("TALARIA_HOME", self.talaria_home())
            .env("HERMES_HOME", self.hermes_home())
            .env("HOME", folder("home"))
            .env("XDG_RUNTIME_DIR", folder("runtime"))
            .env("XDG_DATA_HOME", folder("data"))
            .env("XDG_CONFIG_HOME", folder("config"))
            .env("XDG_CACHE_HOME", folder("cache"))
            .env("XDG_STATE_HOME", folder("state"))
            .env("LANG", "C.UTF-8")
            .env("TZ", "UTC");
        for name in [
            "WAYLAND_DISPLAY",
            "DBUS_SESSION_BUS_ADDRESS",
            "WEBKIT_DISABLE_DMABUF_RENDERER",
            "WEBKIT_DISABLE_COMPOSITING_MODE",
            "TALARIA_CONNECTING_PREVIEW",
        ] {
            command.env_remove(name);
        }
    }
}

impl Default for Stage {
    fn default() -> Self {
        Self::new()
    }
}

/// A running app. Dropping it ends the session first, then the driver's process group.
pub struct App {
    pub page: Page,
    driver: Driver,
}

impl App {
    /// Ends the app and waits until it is gone, so that the next start finds the home free.
    pub async fn close(self) {
        self.driver.close(self.page.into_client()).await;
    }

    /// The app's processes by name: `talaria`, `WebKitWebProcess` and others.
    pub fn processes(&self) -> Vec<(u32, String)> {
        self.driver.members()
    }

    /// The process of this name; the kernel keeps 15 letters of it.
    pub fn process(&self, name: &str) -> u32 {
        let all = self.processes();
        let found = all.iter().find(|(_, its)| name.starts_with(its.as_str()));
        found.unwrap_or_else(|| panic!("no process {name} among {all:?}")).0
    }

    /// TCP ports on which the app itself listens.
    pub fn listening_ports(&self) -> BTreeSet<u16> {
        ports::listening(self.process("talaria"))
    }

    /// Presses play on a card's player, waits until its clock has run for half a second, and answers its address.
    pub async fn plays(&self, card: &str) -> String {
        // The card may put another player in the place of one that failed, so it is looked for anew each time.
        let script = "const group = page.first('group', args[0]);
            group?.scrollIntoView({ block: 'center' });
            if (group?.dataset.mediaState === 'error') return { failed: page.text(group) };
            const player = group?.querySelector('video, audio');
            if (group?.dataset.mediaState !== 'ready' || !player || player.readyState < 1) return null;
            if (player.paused && !player.seeking) player.play().catch(() => undefined);
            return player.currentTime > 0.5 ? { src: player.currentSrc } : null";
        let answer = self.page.wait_with(&format!("{card:?} to play"), script, &[card.into()]).await;
        answer["src"].as_str().unwrap_or_else(|| panic!("{card:?} does not play: {answer}")).to_owned()
    }

    /// Waits until the app has ended by itself.
    pub async fn ended(self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while self.processes().iter().any(|(_, name)| name == "talaria") {
            assert!(Instant::now() < deadline, "the app did not end: {:?}", self.processes());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        self.driver.abandon();
    }

    /// Ends the app as a crash does, with SIGKILL, and waits until it is gone.
    pub fn kill(self) {
        let app = libc::pid_t::try_from(self.process("talaria")).expect("a pid fits a pid_t");
        // SAFETY: kill has no memory to get wrong; the process is of this test's own group, whose leader is not reaped.
        assert_eq!(unsafe { libc::kill(app, libc::SIGKILL) }, 0, "the app is there");
        self.driver.abandon();
    }
}

fn binary() -> PathBuf {
    let path = match std::env::var_os("TALARIA_BIN") {
        Some(path) => PathBuf::from(path),
        None => target_folder().join("debug/talaria"),
    };
    assert!(
        path.is_file(),
        "{} is not built. Run \"make test\", or \"npm run build\" in ui and \"cargo build -p talaria\".",
        path.display()
    );
    path
}

fn owner_only(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
        .expect("the mode of our own folder");
}
