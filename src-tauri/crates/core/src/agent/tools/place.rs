//! Paths of calls: from the model's text to the real place on the disk.

use crate::agent::approval::Located;
use crate::media::{Facts, PrivatePlaces, open_plain, private_files};
use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// Links that are followed in one path, as Linux has it (path_resolution(7)).
const MOST_LINKS: usize = 40;

/// Where paths of one session lie.
pub(super) struct Place<'a> {
    pub home: &'a Path,
    pub places: &'a PrivatePlaces,
    /// The working folder as the session has it.
    pub folder: Option<&'a Path>,
    /// And as the disk has it; absent too when it is not there.
    pub workspace: Option<PathBuf>,
}

impl<'a> Place<'a> {
    pub(super) fn new(home: &'a Path, places: &'a PrivatePlaces, folder: Option<&'a Path>) -> Self {
        let workspace = folder.and_then(|folder| folder.canonicalize().ok()).filter(|folder| folder.is_dir());
        Self { home, places, folder, workspace }
    }

    /// The full path that the text means; decided on the text alone, before any look at the disk.
    ///
    /// # Errors
    /// Words for the model.
    pub(super) fn full(&self, text: &str) -> Result<PathBuf, String> {
        // The mere look at such a path sends the user's password hash to that computer.
        if cfg!(windows) && text.len() >= 2 && text.chars().take(2).all(|letter| matches!(letter, '/' | '\\'))
        {
            return Err(format!("{text} is a path of another computer or a device."));
        }
        let home_rest = match text {
            "~" => Some(""),
            text => text.strip_prefix("~/").map(|rest| rest.trim_start_matches('/')),
        };
        if let Some(rest) = home_rest {
            return Ok(self.home.join(rest));
        }
        let path = Path::new(text);
        match self.folder {
            _ if path.is_absolute() => Ok(path.to_owned()),
            Some(folder) => Ok(folder.join(path)),
            None => Err(format!(
                "{text} is not a full path, and the session has no working folder. Give the full path."
            )),
        }
    }

    /// The real place of a full path, and what the rules ask about it.
    pub(super) fn locate(&self, full: &Path) -> Located {
        let spelled = folded(full);
        let under =
            |path: &Path| self.workspace.as_deref().is_some_and(|workspace| path.starts_with(workspace));
        let spelled_inside = under(&spelled)
            || self.workspace.is_some()
                && self.folder.is_some_and(|folder| spelled.starts_with(folded(folder)));
        match real(full) {
            Ok(real) => {
                let private = self.places.contains(&real) || self.is_linked(&real);
                Located { inside: under(&real), private, spelled_inside, real }
            }
            // Where it leads is not known, so it is nowhere that is free.
            Err(_) => Located {
                inside: false,
                private: self.places.contains(&spelled),
                spelled_inside,
                real: spelled,
            },
        }
    }

    /// Whether a private file has this name too. Told by the handle, as every system can; only a regular file is opened.
    fn is_linked(&self, real: &Path) -> bool {
        let is_file = real.symlink_metadata().is_ok_and(|found| found.is_file());
        let facts = is_file.then(|| open_plain(real).and_then(|file| Facts::of(&file)));
        let Some(Ok(facts)) = facts else { return false };
        facts.links > 1 && private_files(self.places).is_none_or(|files| files.contains(&facts.id))
    }
}

/// The path without links, `.` and `..`; parts that do not exist yet stay as they are spelled. A link that leads to
/// nothing is followed too: what is written there comes to be where it leads.
///
/// # Errors
/// A folder on the way cannot be looked into, or links lead in a circle.
pub(super) fn real(full: &Path) -> io::Result<PathBuf> {
    let resolved = follow(full, &mut MOST_LINKS.clone())?;
    Ok(canonical(&resolved, &[]))
}

fn follow(path: &Path, links: &mut usize) -> io::Result<PathBuf> {
    let mut real = PathBuf::new();
    for part in path.components() {
        let Component::Normal(name) = part else {
            step(&mut real, part);
            continue;
        };
        let next = real.join(name);
        real = match next.symlink_metadata() {
            Ok(found) if found.is_symlink() => {
                *links = links.checked_sub(1).ok_or_else(|| io::Error::other("too many links"))?;
                follow(&real.join(next.read_link()?), links)?
            }
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Err(error);
            }
            _ => next,
        };
    }
    Ok(real)
}

/// In the system's own spelling (letter case on macOS, `\\?\` on Windows), as far as it exists.
fn canonical(path: &Path, rest: &[&OsStr]) -> PathBuf {
    if let Ok(real) = path.canonicalize() {
        return rest.iter().rev().fold(real, |path, name| path.join(name));
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => canonical(parent, &[rest, &[name]].concat()),
        _ => rest.iter().rev().fold(path.to_owned(), |path, name| path.join(name)),
    }
}

/// Without `.` and `..`, on the text alone.
fn folded(path: &Path) -> PathBuf {
    let mut folded = PathBuf::new();
    path.components().for_each(|part| step(&mut folded, part));
    folded
}

fn step(path: &mut PathBuf, part: Component<'_>) {
    match part {
        Component::CurDir => {}
        Component::ParentDir => {
            path.pop();
        }
        part => path.push(part),
    }
}
