//! The system's keyring, asked on a thread of its own: it may wait for a person to unlock it, or for a service that never
//! answers.

use secrecy::{ExposeSecret, SecretString};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// The service under which keyrings show our entries.
const SERVICE: &str = "Talaria";

/// How long an answer is waited for.
const LIMIT: Duration = Duration::from_secs(3);

/// A keyring. Calls block; `false` and `None` stand for every reason why not.
pub trait Keyring: Send + Sync + 'static {
    fn get(&self, account: &str) -> Option<SecretString>;
    fn set(&self, account: &str, secret: &SecretString) -> bool;
    fn delete(&self, account: &str) -> bool;
}

/// Secret Service, Keychain or Credential Manager.
pub struct SystemKeyring;

impl Keyring for SystemKeyring {
    fn get(&self, account: &str) -> Option<SecretString> {
        said(keyring::Entry::new(SERVICE, account).and_then(|entry| entry.get_password()))
            .map(SecretString::from)
    }

    fn set(&self, account: &str, secret: &SecretString) -> bool {
        let entry = keyring::Entry::new(SERVICE, account);
        said(entry.and_then(|entry| entry.set_password(secret.expose_secret()))).is_some()
    }

    fn delete(&self, account: &str) -> bool {
        said(keyring::Entry::new(SERVICE, account).and_then(|entry| entry.delete_credential())).is_some()
    }
}

/// A computer without one: keys go to the file.
pub struct NoKeyring;

impl Keyring for NoKeyring {
    fn get(&self, _: &str) -> Option<SecretString> {
        None
    }

    fn set(&self, _: &str, _: &SecretString) -> bool {
        false
    }

    fn delete(&self, _: &str) -> bool {
        false
    }
}

fn said<T>(answer: keyring::Result<T>) -> Option<T> {
    // Which error it is, not its text: one of them carries what was read.
    answer
        .inspect_err(|error| tracing::info!(reason = reason(error), "the system's keyring did not help"))
        .ok()
}

fn reason(error: &keyring::Error) -> &'static str {
    match error {
        keyring::Error::NoEntry => "no entry",
        keyring::Error::NoStorageAccess(_) => "no access",
        keyring::Error::NoDefaultStore => "no keyring",
        keyring::Error::PlatformFailure(_) => "it failed",
        _ => "other",
    }
}

pub(super) async fn get(keyring: &Arc<dyn Keyring>, account: String) -> Option<SecretString> {
    on_thread(keyring, move |keyring| keyring.get(&account)).await.flatten()
}

/// Whether it is kept. An answer that comes too late is taken back.
pub(super) async fn set(keyring: &Arc<dyn Keyring>, account: String, secret: SecretString) -> bool {
    let (answer, wait) = oneshot::channel();
    let keyring = Arc::clone(keyring);
    spawn(move || {
        let kept = keyring.set(&account, &secret);
        if answer.send(kept).is_err() && kept {
            // Nobody knows of it any more.
            keyring.delete(&account);
        }
    });
    matches!(tokio::time::timeout(LIMIT, wait).await, Ok(Ok(true)))
}

pub(super) async fn delete(keyring: &Arc<dyn Keyring>, account: String) {
    // What cannot be deleted now is an entry that nothing names.
    on_thread(keyring, move |keyring| keyring.delete(&account)).await;
}

async fn on_thread<T: Send + 'static>(
    keyring: &Arc<dyn Keyring>,
    work: impl FnOnce(&dyn Keyring) -> T + Send + 'static,
) -> Option<T> {
    let (answer, wait) = oneshot::channel();
    let keyring = Arc::clone(keyring);
    spawn(move || drop(answer.send(work(&*keyring))));
    tokio::time::timeout(LIMIT, wait).await.ok()?.ok()
}

/// A thread that is never waited for: it may stand until the app ends.
fn spawn(work: impl FnOnce() + Send + 'static) {
    if let Err(error) = std::thread::Builder::new().name("keyring".into()).spawn(work) {
        tracing::warn!(%error, "no thread for the keyring");
    }
}
