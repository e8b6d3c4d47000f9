//! The fifth check: places and names that a message may never open.
//!
//! Over a path that the system has already resolved (no symlink, no `..`). Names are compared as the most forgiving file
//! systems compare them (`folded`). The disk is asked for one thing only: where private folders lie now that are symlinks.
//! Hard links are `links.rs`' part.

mod table;

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// Names that are secret as a whole.
const NAMES: &[&str] = &[".netrc", "_netrc", ".npmrc", ".pypirc"];
/// Beginnings of secret names.
const NAME_STARTS: &[&str] = &[".env", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"];
/// Endings of secret names.
const NAME_ENDS: &[&str] = &[".pem", ".p12", ".key", ".keychain", ".keychain-db"];

/// The one folder inside the app's data that a message may name: copies that the user attached.
const ATTACHMENTS: &str = "attachments";

/// The private places of this user and this app.
#[derive(Clone, Debug)]
pub struct PrivatePlaces {
    home: PathBuf,
    data_folder: PathBuf,
    home_parts: Vec<String>,
    data_parts: Vec<String>,
    /// Of this app's web view, where variables lay them elsewhere than below the home.
    web_view: Vec<PathBuf>,
}

impl PrivatePlaces {
    /// Both folders already resolved (as `canonicalize` gives them). `var` looks up the environment: the folders of the
    /// XDG Base Directory specification.
    pub fn new(home: PathBuf, data_folder: PathBuf, var: impl Fn(&str) -> Option<OsString>) -> Self {
        let named = ["XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME"].into_iter().filter_map(var);
        let named = named.map(PathBuf::from).filter(|folder| folder.is_absolute());
        let web_view = named.map(|folder| folder.join(table::WEB_VIEW)).collect();
        let (home_parts, data_parts) = (parts(&home), parts(&data_folder));
        Self { home, data_folder, home_parts, data_parts, web_view }
    }

    /// Whether the file at this resolved path is private. Asks the disk which private folders are symlinks now.
    pub fn contains(&self, resolved: &Path) -> bool {
        let parts = parts(resolved);
        self.names(&parts) || self.elsewhere().any(|folder| below(&parts, &folder).is_some())
    }

    /// The same for many questions: which private folders are symlinks is asked once, now.
    pub fn now(&self) -> PrivateNow {
        PrivateNow { elsewhere: self.elsewhere().collect(), places: self.clone() }
    }

    /// Whether a private place or name stands in the path itself.
    fn names(&self, parts: &[String]) -> bool {
        let Some((name, folders)) = parts.split_last() else { return false };
        is_private_name(name)
            // A private folder itself counts too, so the name is searched with the folders.
            || table::ANYWHERE.iter().any(|folder| holds(parts, folder))
            || below(parts, &self.home_parts)
                .is_some_and(|rest| table::BELOW_HOME.iter().any(|folder| starts(rest, folder)))
            || below(folders, &self.data_parts)
                .is_some_and(|rest| rest.first().is_none_or(|first| first != ATTACHMENTS))
            || parts == self.data_parts
    }

    /// Where private folders really lie that are symlinks, or lie below one, at this moment. One that holds the home
    /// itself is left out, or nothing could be opened at all; so is the data folder, which is resolved once and in use.
    fn elsewhere(&self) -> impl Iterator<Item = Vec<String>> {
        let others = self.folders().into_iter().filter(|folder| *folder != self.data_folder);
        // Most do not exist, which costs one look each.
        let real = others.filter_map(|folder| folder.canonicalize().ok().filter(|real| *real != folder));
        real.map(|real| parts(&real)).filter(|real| below(&self.home_parts, real).is_none())
    }

    /// The folders whose files a hard link is compared with, in their real spelling. Some may not exist.
    pub fn folders(&self) -> Vec<PathBuf> {
        let below_home = table::ANYWHERE.iter().chain(table::BELOW_HOME).map(|folder| self.home.join(folder));
        let others = self.web_view.iter().cloned().chain([self.data_folder.clone()]);
        below_home.chain(others).collect()
    }

    /// The user's home: its own files with a private name are compared too, not the folders below.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The part of the data folder that is not private.
    pub fn attachments(&self) -> PathBuf {
        self.data_folder.join(ATTACHMENTS)
    }
}

/// The private places as they lie at one moment.
pub struct PrivateNow {
    places: PrivatePlaces,
    elsewhere: Vec<Vec<String>>,
}

impl PrivateNow {
    /// As [`PrivatePlaces::contains`].
    pub fn contains(&self, resolved: &Path) -> bool {
        let parts = parts(resolved);
        self.places.names(&parts) || self.elsewhere.iter().any(|folder| below(&parts, folder).is_some())
    }
}

/// Whether a file of this name is private wherever it lies.
pub fn is_private_name(name: &str) -> bool {
    let name = folded(name);
    NAMES.contains(&name.as_str())
        || NAME_STARTS.iter().any(|start| name.starts_with(start))
        || NAME_ENDS.iter().any(|end| name.ends_with(end))
}

/// The named parts of a path, folded. What is not Unicode becomes U+FFFD, which no list holds.
fn parts(path: &Path) -> Vec<String> {
    path.components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(folded(&name.to_string_lossy())),
            Component::Prefix(drive) => Some(folded(&drive.as_os_str().to_string_lossy())),
            _ => None,
        })
        .collect()
}

/// A name as the most forgiving file systems compare it: without letter case in the full sense of Unicode (APFS and
/// ext4 take U+017F for `s` and U+00DF for `ss`), without signs that are not seen (HFS+ and ext4 pass over them), and
/// without the dots and blanks at the end that FAT and Windows drop.
fn folded(name: &str) -> String {
    let seen = name.chars().filter(|letter| !is_unseen(*letter));
    let folded: String = seen.flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect();
    folded.trim_end_matches(['.', ' ']).to_owned()
}

/// Unicode's Default_Ignorable_Code_Point.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// The parts behind `folder`.
fn below<'a>(parts: &'a [String], folder: &[String]) -> Option<&'a [String]> {
    parts.strip_prefix(folder)
}

/// Whether `parts` begins with the parts of `folder`.
fn starts(parts: &[String], folder: &str) -> bool {
    let mut parts = parts.iter();
    folder.split('/').all(|want| parts.next().is_some_and(|part| *part == folded(want)))
}

/// Whether `folder` occurs anywhere in `parts`.
fn holds(parts: &[String], folder: &str) -> bool {
    (0..parts.len()).any(|at| starts(&parts[at..], folder))
}

#[cfg(test)]
mod tests;
