//! The commands of the table, for every host: the shell's windows and, later, the connections of `talariactl serve`.
//!
//! A handler decides and delegates; it never touches SQL, files or Tauri. The caller's identity is a [`ClientId`] that
//! the host vouches for, never an argument.

mod about;
mod draft;
mod export;
mod health;
mod import;
mod live;
mod media;
mod model;
mod owner;
mod recovery;
mod redact;
mod save;
mod session;
mod settings;
mod start;
mod sweep;
mod window;

use crate::agent::model::{Endpoints, Limits};
use crate::boot::{Boot, BootConfig};
use crate::clock::Clock;
use crate::gateway::live::Around;
use crate::notify::Sinks;
use crate::secret::{Keyring, Keys};
use owner::Host;
use serde_json::Value;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use talaria_wire::*;

pub use crate::gateway::live::{ANSWER_WITHIN, IDLE_AFTER, Show};
pub use export::Exports;
pub use health::Checks;
pub use import::Imports;
pub use media::MediaDoor;
pub use recovery::Recoveries;
pub use save::{Saves, Suggestion};
pub use sweep::SWEEP_EVERY;

/// What the app is made of: cheap handles, no lock around them.
#[derive(Clone)]
pub struct App {
    pub boot: Boot,
    pub sinks: Sinks,
    pub media: MediaDoor,
    /// Where a Hermes store is looked for first.
    pub import_from: PathBuf,
    /// What the host is made of, for "About" and the diagnostics.
    facts: Arc<[(String, String)]>,
    user_home: PathBuf,
    clock: Arc<dyn Clock>,
    endpoints: Endpoints,
    imports: Imports,
    shown: sweep::Shown,
    exports: Exports,
    saves: Saves,
    recoveries: Recoveries,
    checks: Checks,
}

/// What a host must tell.
pub struct AppConfig {
    pub boot: BootConfig,
    /// Where a Hermes store is looked for first (`$HERMES_HOME/state.db`, else `~/.hermes/state.db`).
    pub import_from: PathBuf,
    /// Between two runs of the automatic archive: [`SWEEP_EVERY`].
    pub sweep_every: Duration,
    /// The user's home folder: it is never named in what is passed on.
    pub user_home: PathBuf,
    /// Names and values of the host: system, web view, graphics.
    pub facts: Vec<(String, String)>,
    /// Another start of the app asks for this.
    pub come_forward: ComeForward,
    /// Shows a client's window in front of all others; `false` when it has none.
    pub show: Show,
    /// A live session that nobody uses or shows ends after so long: [`IDLE_AFTER`].
    pub idle_after: Duration,
    /// A question of a tool is denied after so long in which its window was there: [`ANSWER_WITHIN`].
    pub answer_within: Duration,
    /// The environment that the app was started with, before it set anything for its own web view: what tools get, cleaned.
    pub environment: Vec<(OsString, OsString)>,
    /// Where the keys of models are kept first.
    pub keyring: Arc<dyn Keyring>,
}

/// Shows the app in front of all others; `false` when it has no window.
pub type ComeForward = Box<dyn Fn() -> bool + Send + Sync>;

impl App {
    /// Starts everything on the current tokio runtime. `door` says how media reach the page.
    pub fn start(config: AppConfig, media: MediaDoor) -> Self {
        let sinks = Sinks::default();
        let imports = Imports::default();
        let host = Arc::new(Host::new(config.come_forward, imports.clone(), sinks.clone()));
        let clock = Arc::clone(&config.boot.clock);
        let keys = Keys::new(&config.boot.home, config.keyring);
        let endpoints = Endpoints::new(keys, Limits::default());
        let around = Around {
            sinks: sinks.clone(),
            show: config.show,
            clock: Arc::clone(&clock),
            idle_after: config.idle_after,
            answer_within: config.answer_within,
            user_home: config.user_home.clone(),
            environment: config.environment,
            endpoints: endpoints.clone(),
        };
        let boot = Boot::start(config.boot, host.clone(), around);
        host.serve(boot.slot());
        tokio::spawn(start::tell(boot.watch(), sinks.clone()));
        let app = Self {
            boot,
            sinks,
            media,
            import_from: config.import_from,
            facts: config.facts.into(),
            user_home: config.user_home,
            clock,
            endpoints,
            imports,
            shown: sweep::Shown::default(),
            exports: Exports::default(),
            saves: Saves::default(),
            recoveries: Recoveries::default(),
            checks: Checks::default(),
        };
        tokio::spawn(sweep::keep(app.clone(), config.sweep_every));
        app
    }

    /// A window closed: its live sessions end, and all that ends with its page.
    pub fn client_gone(&self, client: &ClientId) {
        self.page_gone(client);
        // Not open, or closed: then nothing is live.
        if let Ok(ready) = self.boot.ready() {
            ready.gateway.client_gone(client);
        }
    }

    /// A window's page is loading anew, or its process died: its grants, its sink and what it shows end with it. Its copies
    /// and its live sessions do not.
    pub fn page_gone(&self, client: &ClientId) {
        self.sinks.detach(client);
        self.shown.forget(client);
        self.media.media.drop_client(client);
    }

    /// Ends the app: turns stop and are stored, a running import stops at a whole session, an export or a copy takes its half file away, a recovery leaves all
    /// as it was, the store is closed in order.
    pub async fn close(&self) {
        self.imports.cancel();
        self.recoveries.cancel();
        self.checks.cancel();
        self.exports.end().await;
        self.saves.end().await;
        if let Some(ready) = self.boot.take() {
            ready.gateway.close().await;
            drop((ready.door, ready.gateway));
            ready.store.close().await;
        }
    }
}

/// Decodes, runs and encodes one command by its name.
///
/// # Errors
/// `bad_request` for an unknown name or a body that does not fit; else the handler's own.
pub async fn dispatch(app: &App, client: &ClientId, name: &str, body: Value) -> Result<Value, IpcError> {
    use about::*;
    use draft::*;
    use export::*;
    use health::*;
    use import::*;
    use live::*;
    use media::*;
    use model::*;
    use recovery::*;
    use save::*;
    use session::*;
    use settings::*;
    use start::*;
    use sweep::*;

    macro_rules! rows {
        ($($row:ident($req:ty) -> $res:ty;)*) => {
            match name {
                $(stringify!($row) => {
                    let request: $req = decode(stringify!($row), body)?;
                    let response: $res = $row(app, client, request).await.inspect_err(|error| note(name, error))?;
                    encode(&response)
                })*
                _ => Err(IpcError::bad_request(format!("There is no command \"{name}\"."))),
            }
        };
    }
    command_table!(rows)
}

/// A fault of ours is sought in the log; what a person can act on is not.
fn note(command: &str, error: &IpcError) {
    if error.code == ErrorCode::Internal {
        tracing::error!(command, message = %error.message, "a command failed");
    }
}

/// Runs work that reads files or long texts where it holds up nobody.
async fn off_thread<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, IpcError> {
    // The panic's own words may hold a message's text: they are not passed on.
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| IpcError::internal("The request broke off. Try again."))
}

/// A body as the command's request. An absent body is an empty one, so that a request whose fields all have defaults
/// needs none.
pub fn decode<T: serde::de::DeserializeOwned>(name: &str, body: Value) -> Result<T, IpcError> {
    let body = if body.is_null() { Value::Object(serde_json::Map::new()) } else { body };
    serde_json::from_value(body)
        .map_err(|error| IpcError::bad_request(format!("{name} does not take this request: {error}.")))
}

/// A response as JSON.
pub fn encode<T: serde::Serialize>(response: &T) -> Result<Value, IpcError> {
    serde_json::to_value(response).map_err(|error| IpcError::internal(error.to_string()))
}
