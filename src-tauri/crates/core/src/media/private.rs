//! The fifth check: places and names that a message may never open.
//!
//! Pure, over a path that the system has already resolved (no symlink, no `..`). Names are compared as the most forgiving
//! file systems compare them (`folded`). Hard links are `links.rs`' part.

use std::path::{Component, Path, PathBuf};

/// Folders whose whole content is private, wherever they lie.
const FOLDERS_ANYWHERE: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".kube",
    ".docker",
    ".config/gh",
    // Keychains: macOS, GNOME, KDE, pass.
    "library/keychains",
    ".local/share/keyrings",
    ".local/share/kwalletd",
    ".gnome2/keyrings",
    ".password-store",
    // Windows: credentials, the keys that guard them, and the vault.
    "microsoft/credentials",
    "microsoft/protect",
    "microsoft/vault",
];

/// Browser profiles, below the user's home.
const BROWSER_PROFILES: &[&str] = &[
    ".mozilla",
    ".librewolf",
    ".waterfox",
    ".zen",
    ".config/mozilla",
    ".config/google-chrome",
    ".config/google-chrome-beta",
    ".config/google-chrome-unstable",
    ".config/chromium",
    ".config/bravesoftware",
    ".config/microsoft-edge",
    ".config/microsoft-edge-beta",
    ".config/microsoft-edge-dev",
    ".config/vivaldi",
    ".config/vivaldi-snapshot",
    ".config/opera",
    ".config/opera-beta",
    ".config/opera-developer",
    ".config/qutebrowser",
    ".local/share/qutebrowser",
    ".config/falkon",
    ".local/share/epiphany",
    "snap/firefox",
    "snap/chromium",
    "snap/brave",
    "snap/opera",
    ".var/app/org.mozilla.firefox",
    ".var/app/com.google.chrome",
    ".var/app/org.chromium.chromium",
    ".var/app/com.brave.browser",
    ".var/app/com.microsoft.edge",
    ".var/app/com.opera.opera",
    ".var/app/com.vivaldi.vivaldi",
    ".var/app/io.gitlab.librewolf-community",
    ".var/app/net.waterfox.waterfox",
    ".var/app/org.gnome.epiphany",
    "library/safari",
    "library/cookies",
    "library/httpstorages",
    "library/webkit",
    "library/containers/com.apple.safari",
    "library/application support/firefox",
    "library/application support/google/chrome",
    "library/application support/chromium",
    "library/application support/bravesoftware",
    "library/application support/microsoft edge",
    "library/application support/vivaldi",
    "library/application support/com.operasoftware.opera",
    "library/application support/arc",
    "appdata/roaming/mozilla",
    "appdata/roaming/opera software",
    "appdata/local/mozilla",
    "appdata/local/google/chrome",
    "appdata/local/chromium",
    "appdata/local/bravesoftware",
    "appdata/local/microsoft/edge",
    "appdata/local/vivaldi",
];

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
    /// Where private folders really lie that are symlinks in the home.
    elsewhere: Vec<Vec<String>>,
}

impl PrivatePlaces {
    /// Both folders already resolved (as `canonicalize` gives them).
    pub fn new(home: PathBuf, data_folder: PathBuf) -> Self {
        let (home_parts, data_parts) = (parts(&home), parts(&data_folder));
        Self { home, data_folder, home_parts, data_parts, elsewhere: Vec::new() }
    }

    /// Makes folders private that are named otherwise: the targets of [`Self::folders`] that are symlinks, resolved. One
    /// that holds the home itself is left out, or nothing could be opened at all.
    pub fn with_elsewhere(mut self, resolved: impl IntoIterator<Item = PathBuf>) -> Self {
        let folders = resolved.into_iter().map(|folder| parts(&folder));
        self.elsewhere = folders.filter(|folder| below(&self.home_parts, folder).is_none()).collect();
        self
    }

    /// Whether the file at this resolved path is private.
    pub fn contains(&self, resolved: &Path) -> bool {
        let parts = parts(resolved);
        let Some((name, folders)) = parts.split_last() else { return false };
        is_private_name(name)
            // A private folder itself counts too, so the name is searched with the folders.
            || FOLDERS_ANYWHERE.iter().any(|folder| holds(&parts, folder))
            || below(&parts, &self.home_parts)
                .is_some_and(|rest| BROWSER_PROFILES.iter().any(|profile| starts(rest, profile)))
            || below(folders, &self.data_parts)
                .is_some_and(|rest| rest.first().is_none_or(|first| first != ATTACHMENTS))
            || parts == self.data_parts
            || self.elsewhere.iter().any(|folder| below(&parts, folder).is_some())
    }

    /// The folders whose files a hard link is compared with. Some may not exist.
    pub fn folders(&self) -> Vec<PathBuf> {
        let below_home = FOLDERS_ANYWHERE.iter().chain(BROWSER_PROFILES);
        let mut folders: Vec<PathBuf> = below_home.map(|folder| self.home.join(folder)).collect();
        folders.push(self.data_folder.clone());
        folders
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
    let wanted: Vec<&str> = folder.split('/').collect();
    parts.len() >= wanted.len() && parts.iter().zip(&wanted).all(|(part, want)| part == want)
}

/// Whether `folder` occurs anywhere in `parts`.
fn holds(parts: &[String], folder: &str) -> bool {
    (0..parts.len()).any(|at| starts(&parts[at..], folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> PrivatePlaces {
        PrivatePlaces::new("/home/u".into(), "/home/u/.local/share/Talaria".into())
    }

    #[test]
    fn secret_folders_are_private_in_any_letter_case() {
        for path in [
            "/home/u/.ssh/clip.mp4",
            "/home/u/.SSH/deep/er/clip.mp4",
            "/mnt/backup/u/.GnuPG/x.mp4",
            "/home/u/.aws/x.mp4",
            "/home/u/.kube/x.mp4",
            "/home/u/.docker/x.mp4",
            "/home/u/.Config/GH/x.mp4",
            "/Users/u/Library/Keychains/x.mp4",
            "/home/u/.local/share/keyrings/x.mp4",
            "/home/u/.mozilla/firefox/p/x.mp4",
            "/home/u/.config/google-chrome/Default/x.png",
            "/home/u/Library/Application Support/Google/Chrome/x.png",
            "/home/u/AppData/Local/Microsoft/Edge/User Data/x.png",
            "/home/u/.ssh",
            "/home/u/.\u{17f}\u{17f}h/x.mp4",
            "/home/u/.\u{df}h/x.mp4",
            "/home/u/.s\u{200c}sh/x.mp4",
            "/home/u/.\u{212a}ube/x.mp4",
            "/media/usb/.ssh./x.mp4",
            "/home/u/AppData/Roaming/Microsoft/Protect/x.png",
        ] {
            assert!(places().contains(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn secret_names_are_private_in_any_folder_and_letter_case() {
        for name in [
            ".env",
            ".ENV.local",
            ".envrc",
            "a.PEM",
            "b.p12",
            "c.Key",
            "id_rsa",
            "ID_RSA.mp4",
            "id_dsa",
            "id_ecdsa_sk",
            "id_ed25519.pub",
            ".netrc",
            ".NPMRC",
            ".pypirc",
            "login.keychain-db",
            "server.pem.",
            "server.ke\u{feff}y",
        ] {
            assert!(places().contains(&Path::new("/srv/work").join(name)), "{name}");
        }
    }

    #[test]
    fn the_apps_own_data_is_private_except_attachments() {
        let data = Path::new("/home/u/.local/share/Talaria");
        assert!(places().contains(&data.join("talaria.db")));
        assert!(places().contains(&data.join("logs/a.png")));
        assert!(places().contains(Path::new("/home/u/.local/share/TALARIA/a.png")));
        assert!(places().contains(data));
        assert!(places().contains(&data.join("attachments")));
        assert!(!places().contains(&data.join("attachments/a.png")));
        assert!(!places().contains(Path::new("/home/u/.local/share/Talaria2/a.png")));
    }

    #[test]
    fn a_private_folder_is_private_also_where_its_symlink_leads() {
        let places = places().with_elsewhere(["/srv/dotfiles/keys".into(), "/home".into(), "/home/u".into()]);
        assert!(places.contains(Path::new("/srv/dotfiles/keys/x.mp4")));
        assert!(!places.contains(Path::new("/srv/dotfiles/x.mp4")));
        assert!(
            !places.contains(Path::new("/home/u/out/clip.mp4")),
            "a folder that holds the home is left out"
        );
    }

    #[test]
    fn ordinary_media_is_not_private() {
        for path in [
            "/home/u/out/clip.mp4",
            "/home/u/ssh/clip.mp4",
            "/home/u/.config/ghost/a.png",
            "/home/u/monkey.mp4",
            "/home/u/environment.mp4",
            "/home/u/.configuration/google-chrome/a.png",
            "/srv/keynote.pem.mp4",
        ] {
            assert!(!places().contains(Path::new(path)), "{path}");
        }
    }
}
