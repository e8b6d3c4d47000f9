//! `model-keys.json` of the data folder: for each origin its key, or the name under which the keyring has it. Mode 0600,
//! replaced as a whole.

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const NAME: &str = "model-keys.json";

/// Where a key is.
#[derive(Clone)]
pub(super) enum Kept {
    Here(SecretString),
    /// Its account there.
    Keyring(String),
}

/// As it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Written {
    Key(String),
    Keyring(String),
}

/// The file. Written by one task at a time: its caller sees to that.
#[derive(Clone)]
pub(super) struct KeyFile(Arc<Path>);

impl KeyFile {
    pub fn in_folder(home: &Path) -> Self {
        Self(home.join(NAME).into())
    }

    /// What is kept for the origin. A file that cannot be read holds nothing.
    pub async fn get(&self, origin: &str) -> Option<Kept> {
        let (path, origin) = (Arc::clone(&self.0), origin.to_owned());
        let read = move || read(&path).ok()?.remove(&origin);
        match tokio::task::spawn_blocking(read).await.ok()?? {
            Written::Key(key) => Some(Kept::Here(key.into())),
            Written::Keyring(account) => Some(Kept::Keyring(account)),
        }
    }

    /// Puts what is kept for the origin in the place of what was; `None` takes it away.
    pub async fn put(&self, origin: &str, kept: Option<Kept>) -> io::Result<()> {
        let (path, origin) = (Arc::clone(&self.0), origin.to_owned());
        let write = move || {
            let mut all = read(&path)?;
            match kept {
                Some(Kept::Here(key)) => {
                    all.insert(origin, Written::Key(key.expose_secret().to_owned()));
                }
                Some(Kept::Keyring(account)) => {
                    all.insert(origin, Written::Keyring(account));
                }
                None => drop(all.remove(&origin)),
            }
            replace(&path, &serde_json::to_vec_pretty(&all)?)
        };
        tokio::task::spawn_blocking(write).await.map_err(|_| io::Error::other("the write broke off"))?
    }
}

/// Everything in the file. One that is not as we wrote it is begun anew; one that cannot be opened is an error.
fn read(path: &Path) -> io::Result<BTreeMap<String, Written>> {
    match fs::read(path) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

/// Writes a file beside it and gives it the name: whole or not at all, and private from its first byte.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    // One that a crash left may have other rights.
    match fs::remove_file(&part) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let written = write(&part, bytes).and_then(|()| fs::rename(&part, path)).and_then(|()| settle(path));
    if written.is_err() {
        // The failure is told; a part that stays is removed by the next write.
        let _ = fs::remove_file(&part);
    }
    written
}

fn write(part: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(part)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The new name survives a power cut.
fn settle(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        let folder: PathBuf = path.parent().map(Path::to_owned).unwrap_or_default();
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
