//! Opening a file with all checks, on the handle. The only place of this module that opens what a message names; a tool's
//! file passes those of kind of file and place (`open_readable`).
//!
//! The order: (1) the path's text, before any stat; then missing; (2) a regular file; (5) private places, so that a
//! key under an innocent name is `blocked` and not merely of a wrong kind; (3) the extension; (4) the first bytes, for
//! what passed everything else. What they found is kept with the grant (`passed`) and stands as long as the next handle is
//! at the same place with the same facts, and no longer than a few seconds.

use super::MAX_PICTURE_BYTES;
use super::error::{Blocked, MediaError, Unsupported};
use super::handle::{Facts, FileId, ReadAt, open_in_place, open_plain, real_path};
use super::links::{Linked, Links};
use super::passed::{Began, Passed};
use super::private::PrivatePlaces;
use super::{kind, signature};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use talaria_wire::MediaKind;

/// How often a path that changes under the look is looked at again (a program that saves by renaming).
const ATTEMPTS: usize = 3;

/// An open file that passed the checks.
#[derive(Debug)]
pub struct Checked {
    /// Open for reading.
    pub file: File,
    /// The facts of the handle.
    pub facts: Facts,
    /// Where it lies.
    pub path: PathBuf,
    /// Its name for people. What is not Unicode is shown as U+FFFD.
    pub name: String,
    /// Audio, video or picture.
    pub kind: MediaKind,
    /// The Content-Type.
    pub mime: String,
    /// What the next open may build upon; `None` when it must ask everything again.
    pub passed: Option<Passed>,
}

/// What a file is checked against, besides itself.
#[derive(Debug)]
pub struct Checks {
    /// The private places.
    pub places: PrivatePlaces,
    /// What is known of hard links.
    pub links: Links,
}

/// Opens `path` (absolute) with checks 2 to 5, to be played or shown. May block on the disk, never on a pipe. `before` is
/// what they found there the last time.
pub fn open_checked(path: &Path, checks: &Checks, before: Option<&Passed>) -> Result<Checked, MediaError> {
    let began = Began::now();
    let before = before.filter(|before| !before.is_over(began.1));
    if let Some(checked) = before.and_then(|before| reopen(path, before)) {
        return Ok(checked);
    }
    let checked = open_fully_checked(path, checks, began)?;
    if checked.kind == MediaKind::Picture && checked.facts.size > MAX_PICTURE_BYTES {
        return Err(MediaError::Unsupported(Unsupported::PictureTooLarge { name: name_of(path) }));
    }
    Ok(checked)
}

/// [`open_checked`] for what is not shown here: a picture may have any size.
pub fn open_of_any_size(path: &Path, checks: &Checks) -> Result<Checked, MediaError> {
    open_fully_checked(path, checks, Began::now())
}

/// The file once more, when it is still what passed: every answer of the checks follows from the handle's facts and place.
/// `None` when anything is different, a refusal included.
fn reopen(path: &Path, before: &Passed) -> Option<Checked> {
    // What has become a device is not opened, as below.
    if !std::fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let file = open_in_place(path).ok()?;
    let facts = Facts::of(&file).ok()?;
    let (name, kind, mime) = before.still(&facts, path)?;
    Some(Checked { file, facts, path: path.to_owned(), name, kind, mime, passed: Some(before.clone()) })
}

fn open_fully_checked(path: &Path, checks: &Checks, began: Began) -> Result<Checked, MediaError> {
    let (file, facts, real) = open_regular(path)?;
    // Refusals say the name that was asked for: where a link leads is not told.
    let asked = name_of(path);
    if checks.places.contains(&real) {
        return Err(MediaError::Blocked(Blocked::Private { name: asked }));
    }
    match checks.links.of(&facts, &checks.places, began) {
        Linked::Nowhere => {}
        Linked::FromPrivate => return Err(MediaError::Blocked(Blocked::Private { name: asked })),
        Linked::Unknown => return Err(MediaError::Blocked(Blocked::Unknown { name: asked })),
    }
    let name = name_of(&real);
    let Some(kind) = kind::of_name(&name) else {
        return Err(MediaError::Unsupported(Unsupported::Kind { name: asked }));
    };
    let head = head(&file).map_err(|_| missing(path))?;
    if !signature::is_media(&head) {
        return Err(MediaError::Unsupported(Unsupported::Content { name: asked, kind }));
    }
    let mime = kind::mime(kind, &name, &head);
    let passed = Passed::new(&facts, &real, &name, kind, &mime, began);
    Ok(Checked { file, facts, path: real, name, kind, mime, passed })
}

/// Opens `path` (absolute) when it is a regular file of any content and not private (checks 2 and 5): the handle, and
/// where it lies. For the tools of an agent.
pub fn open_readable(path: &Path, places: &PrivatePlaces) -> Result<(File, PathBuf), MediaError> {
    let (file, facts, real) = open_regular(path)?;
    if places.contains(&real) {
        return Err(MediaError::Blocked(Blocked::Private { name: name_of(path) }));
    }
    match Links::default().of(&facts, places, Began::now()) {
        Linked::Nowhere => Ok((file, real)),
        Linked::FromPrivate => Err(MediaError::Blocked(Blocked::Private { name: name_of(path) })),
        Linked::Unknown => Err(MediaError::Blocked(Blocked::Unknown { name: name_of(path) })),
    }
}

/// Opens `path` (absolute) when it is a regular file, whatever its place and name.
pub fn open_unchecked(path: &Path) -> Result<Checked, MediaError> {
    let (file, facts, real) = open_regular(path)?;
    let name = name_of(&real);
    let kind = kind::of_name(&name).unwrap_or(MediaKind::Video);
    let mime = kind::mime(kind, &name, &head(&file).map_err(|_| missing(path))?);
    Ok(Checked { file, facts, path: real, name, kind, mime, passed: None })
}

fn open_regular(path: &Path) -> Result<(File, Facts, PathBuf), MediaError> {
    for _ in 0..ATTEMPTS {
        if let Some(opened) = try_open_regular(path)? {
            return Ok(opened);
        }
    }
    Err(missing(path))
}

/// `None` when the path became another file between two looks.
fn try_open_regular(path: &Path) -> Result<Option<(File, Facts, PathBuf)>, MediaError> {
    let not_a_file = || MediaError::Unsupported(Unsupported::NotAFile { name: name_of(path) });
    let canonical = std::fs::canonicalize(path).map_err(|_| missing(path))?;
    // Opening some devices acts (a watchdog, a tape), so what is plainly no file is not opened at all.
    let before = std::fs::symlink_metadata(&canonical).map_err(|_| missing(path))?;
    if before.is_symlink() {
        return Ok(None);
    }
    if !before.is_file() {
        return Err(not_a_file());
    }
    let file = open_plain(&canonical).map_err(|_| missing(path))?;
    let facts = Facts::of(&file).map_err(|_| missing(path))?;
    if !facts.regular {
        return Err(not_a_file());
    }
    let real = real_path(&file, &canonical).map_err(|_| missing(path))?;
    // Replaced or deleted since it was opened: the system then has no true name for it (Linux says "name (deleted)").
    Ok((FileId::of_path(&real).ok() == Some(facts.id)).then_some((file, facts, real)))
}

fn missing(path: &Path) -> MediaError {
    let shown = path.display().to_string();
    // What the message's own text holds; a name in bytes (of a `file:` address) is no Unicode and has no text.
    match path.to_str() {
        Some(text) if text.contains('\u{fffd}') => MediaError::NameLost { path: shown },
        _ => MediaError::Missing { path: shown },
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// The first bytes of the file, fewer when it is shorter.
fn head(file: &File) -> io::Result<Vec<u8>> {
    let mut head = vec![0; signature::HEAD_BYTES];
    let filled = file.read_up_to(&mut head, 0)?;
    head.truncate(filled);
    Ok(head)
}
