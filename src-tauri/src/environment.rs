//! What the process was started with: folders and switches from environment variables, read once.

use std::path::PathBuf;
use talaria_core::store::home;

/// Folders and switches of this run.
pub(crate) struct Environment {
    /// The data folder (`TALARIA_HOME`, else the platform's place).
    pub home: PathBuf,
    pub user_home: PathBuf,
    /// Where a Hermes store is looked for first.
    pub import_from: PathBuf,
    /// Loop the connecting overlay. Only a binary with debug assertions obeys.
    pub preview: bool,
}

impl Environment {
    /// Reads the environment. `None` when no home folder can be told: the app has no place to keep anything.
    pub(crate) fn read() -> Option<Self> {
        let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let user_home = PathBuf::from(var(if cfg!(windows) { "USERPROFILE" } else { "HOME" })?);
        let hermes_home = var("HERMES_HOME").map(PathBuf::from);
        Some(Self {
            home: home::data_folder(var)?,
            import_from: talaria_core::import::default_path(hermes_home.as_deref(), &user_home),
            user_home,
            preview: cfg!(debug_assertions) && var("TALARIA_CONNECTING_PREVIEW").is_some_and(|on| on == "1"),
        })
    }
}
