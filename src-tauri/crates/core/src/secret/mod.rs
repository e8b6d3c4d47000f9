//! Keys of endpoints: in the system's keyring, else in a file of mode 0600 in the data folder.
//!
//! A key belongs to one origin (scheme, host, port) and is given for no other. It never crosses to a page, and never
//! stands in a `Debug`, a log or an error. Callers: `agent`, `command`.

mod file;
mod system;

pub use system::{Keyring, NoKeyring, SystemKeyring};

use file::{Kept, KeyFile};
use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use talaria_wire::{ErrorCode, IpcError, KeyPlace};
use tokio::sync::Mutex;
use uuid::Uuid;

/// Characters of a key; the longest known ones have a few hundred.
const LONGEST: usize = 8 * 1024;

/// The keys of one data folder. Clones share them.
#[derive(Clone)]
pub struct Keys(Arc<Inner>);

struct Inner {
    file: KeyFile,
    keyring: Arc<dyn Keyring>,
    /// What was read or given in this run, so that the keyring is asked once. Also keeps changes apart.
    known: Mutex<HashMap<String, SecretString>>,
}

impl Keys {
    /// Reads nothing yet.
    pub fn new(home: &Path, keyring: Arc<dyn Keyring>) -> Self {
        Self(Arc::new(Inner { file: KeyFile::in_folder(home), keyring, known: Mutex::default() }))
    }

    /// The key of an origin; `None` when there is none, or it cannot be read now.
    pub async fn get(&self, origin: &str) -> Option<SecretString> {
        let mut known = self.0.known.lock().await;
        if let Some(key) = known.get(origin) {
            return Some(key.clone());
        }
        let key = match self.0.file.get(origin).await? {
            Kept::Here(key) => key,
            Kept::Keyring(account) => system::get(&self.0.keyring, account).await?,
        };
        known.insert(origin.to_owned(), key.clone());
        Some(key)
    }

    /// Where the key of an origin is kept. Does not ask the keyring.
    pub async fn place(&self, origin: &str) -> KeyPlace {
        match self.0.file.get(origin).await {
            None => KeyPlace::None,
            Some(Kept::Here(_)) => KeyPlace::File,
            Some(Kept::Keyring(_)) => KeyPlace::Keyring,
        }
    }

    /// Keeps a key, in place of the one before; on disk when this answers.
    ///
    /// # Errors
    /// `BadRequest` for a text that no key is; `DiskFull`, `ReadOnly` or `Internal` when the data folder does not take it.
    pub async fn set(&self, origin: &str, key: SecretString) -> Result<KeyPlace, IpcError> {
        let text = key.expose_secret();
        if text.is_empty() || text.len() > LONGEST || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(IpcError::bad_request(
                "A key is one line of letters, digits and signs, without blanks. Copy it again.",
            ));
        }
        let mut known = self.0.known.lock().await;
        let before = self.0.file.get(origin).await;
        // A new name each time: whoever shares the keyring with another data folder overwrites nothing there.
        let account = format!("{origin} {}", Uuid::new_v4().simple());
        let (kept, place) = if system::set(&self.0.keyring, account.clone(), key.clone()).await {
            (Kept::Keyring(account), KeyPlace::Keyring)
        } else {
            (Kept::Here(key.clone()), KeyPlace::File)
        };
        self.0.file.put(origin, Some(kept)).await.map_err(words)?;
        known.insert(origin.to_owned(), key);
        self.drop_from_keyring(before).await;
        Ok(place)
    }

    /// Forgets the key of an origin; none is fine.
    ///
    /// # Errors
    /// When the data folder cannot be written.
    pub async fn forget(&self, origin: &str) -> Result<(), IpcError> {
        let mut known = self.0.known.lock().await;
        known.remove(origin);
        let before = self.0.file.get(origin).await;
        if before.is_some() {
            self.0.file.put(origin, None).await.map_err(words)?;
        }
        self.drop_from_keyring(before).await;
        Ok(())
    }

    async fn drop_from_keyring(&self, kept: Option<Kept>) {
        if let Some(Kept::Keyring(account)) = kept {
            system::delete(&self.0.keyring, account).await;
        }
    }
}

fn words(error: std::io::Error) -> IpcError {
    use std::io::ErrorKind as Kind;
    match error.kind() {
        Kind::StorageFull | Kind::QuotaExceeded => IpcError::retryable(
            ErrorCode::DiskFull,
            "No space is left for the key. Free some, then try again.",
        ),
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => IpcError::retryable(
            ErrorCode::ReadOnly,
            "The key was not kept: the data folder cannot be written. Allow writing there, then try again.",
        ),
        _ => IpcError::internal(format!("The key was not kept ({error}).")),
    }
}
