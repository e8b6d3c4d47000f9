//! What the process was started with: folders and switches from environment variables, read once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use talaria_core::store::home;

/// The app's name in the system's folders, as `tauri.conf.json` says it.
#[cfg(target_os = "linux")]
const IDENTIFIER: &str = "app.talaria.desktop";

/// Folders and switches of this run.
#[derive(Debug)]
pub(crate) struct Environment {
    /// The data folder (`TALARIA_HOME`, else the platform's place), as a full path: what is private is told by it.
    pub home: PathBuf,
    pub user_home: PathBuf,
    /// The app's folder in the user's cache: what it holds can be made again. Where the web view keeps its own cache.
    #[cfg(target_os = "linux")]
    pub cache: PathBuf,
    /// Where a Hermes store is looked for first.
    pub import_from: PathBuf,
    /// Loop the connecting overlay. Only a binary with debug assertions obeys.
    pub preview: bool,
}

impl Environment {
    /// Reads the environment. `None` when no home folder can be told: the app has no place to keep anything.
    pub(crate) fn read() -> Option<Self> {
        Self::of(|name| std::env::var_os(name), std::env::home_dir())
    }

    /// `account_home`: the home that the system has for the user, where the variables name none (a service, a cron job).
    fn of(var: impl Fn(&str) -> Option<OsString>, account_home: Option<PathBuf>) -> Option<Self> {
        let var = |name: &str| var(name).filter(|value| !value.is_empty());
        let user_home = var(if cfg!(windows) { "USERPROFILE" } else { "HOME" })
            .map(PathBuf::from)
            .or(account_home.filter(|home| !home.as_os_str().is_empty()));
        let with_home = |name: &str| match name {
            "HOME" => user_home.clone().map(PathBuf::into_os_string),
            _ => var(name),
        };
        let home = full(&home::data_folder(with_home)?);
        // A user without a home has a data folder by TALARIA_HOME, and nothing else to be kept private.
        let user_home = user_home.map_or_else(|| home.clone(), |home| full(&home));
        #[cfg(target_os = "linux")]
        let cache = var("XDG_CACHE_HOME")
            .map(PathBuf::from)
            // A relative one is to be ignored (XDG Base Directory Specification).
            .filter(|folder| folder.is_absolute())
            .unwrap_or_else(|| user_home.join(".cache"))
            .join(IDENTIFIER);
        let hermes_home = var("HERMES_HOME").map(PathBuf::from);
        Some(Self {
            home,
            import_from: talaria_core::import::default_path(hermes_home.as_deref(), &user_home),
            user_home,
            #[cfg(target_os = "linux")]
            cache,
            preview: cfg!(debug_assertions) && var("TALARIA_CONNECTING_PREVIEW").is_some_and(|on| on == "1"),
        })
    }
}

/// The path against the folder that the app was started in; the disk is not looked at.
fn full(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)], account_home: Option<&str>) -> Option<Environment> {
        let var = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        };
        Environment::of(var, account_home.map(PathBuf::from))
    }

    #[test]
    fn the_data_folder_alone_is_enough_to_start() {
        let environment = of(&[("TALARIA_HOME", "/srv/talaria")], None).unwrap();
        assert_eq!(environment.home, Path::new("/srv/talaria"));
        assert_eq!(environment.user_home, Path::new("/srv/talaria"));
    }

    #[test]
    fn without_variables_the_accounts_home_is_taken_and_without_both_none() {
        let environment = of(&[("HOME", "")], Some("/home/u")).unwrap();
        assert!(environment.home.starts_with("/home/u"), "{environment:?}");
        assert_eq!(environment.import_from, Path::new("/home/u/.hermes/state.db"));
        assert!(of(&[], None).is_none());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_cache_is_where_the_web_views_is() {
        let configuration: serde_json::Value =
            serde_json::from_str(include_str!("../tauri.conf.json")).unwrap();
        assert_eq!(configuration["identifier"], IDENTIFIER);
        for (variables, expected) in [
            (&[("HOME", "/home/u")][..], "/home/u/.cache/app.talaria.desktop"),
            (&[("HOME", "/home/u"), ("XDG_CACHE_HOME", "/c")], "/c/app.talaria.desktop"),
            (&[("HOME", "/home/u"), ("XDG_CACHE_HOME", "c")], "/home/u/.cache/app.talaria.desktop"),
        ] {
            assert_eq!(of(variables, None).unwrap().cache, Path::new(expected));
        }
    }

    #[test]
    fn a_data_folder_named_from_here_becomes_a_full_path() {
        let environment = of(&[("HOME", "/home/u"), ("TALARIA_HOME", "profile")], None).unwrap();
        assert_eq!(environment.home, std::env::current_dir().unwrap().join("profile"));
    }
}
