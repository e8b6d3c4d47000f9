//! Keys with a keyring that works, one that never answers, and one that lost what it had.

use secrecy::{ExposeSecret, SecretString};
use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use talaria_core::secret::{Keyring, Keys};
use talaria_wire::KeyPlace;

const ORIGIN: &str = "https://x.org";
const KEY: &str = "hunter2-hunter2";

/// A keyring in memory.
#[derive(Default)]
struct Memory(Mutex<HashMap<String, String>>);

impl Keyring for Memory {
    fn get(&self, account: &str) -> Option<SecretString> {
        self.0.lock().unwrap().get(account).cloned().map(SecretString::from)
    }

    fn set(&self, account: &str, secret: &SecretString) -> bool {
        self.0.lock().unwrap().insert(account.to_owned(), secret.expose_secret().to_owned());
        true
    }

    fn delete(&self, account: &str) -> bool {
        self.0.lock().unwrap().remove(account).is_some()
    }
}

/// A keyring that waits until the test lets it go on, as one does that asks a person for its password.
struct Stuck {
    memory: Memory,
    wait: Mutex<Receiver<()>>,
    deleted: Mutex<Sender<()>>,
}

impl Keyring for Stuck {
    fn get(&self, account: &str) -> Option<SecretString> {
        self.memory.get(account)
    }

    fn set(&self, account: &str, secret: &SecretString) -> bool {
        let _ = self.wait.lock().unwrap().recv();
        self.memory.set(account, secret)
    }

    fn delete(&self, account: &str) -> bool {
        let deleted = self.memory.delete(account);
        let _ = self.deleted.lock().unwrap().send(());
        deleted
    }
}

async fn key(keys: &Keys) -> Option<String> {
    keys.get(ORIGIN).await.map(|key| key.expose_secret().to_owned())
}

fn on_disk(home: &Path) -> String {
    std::fs::read_to_string(home.join("model-keys.json")).unwrap()
}

#[tokio::test]
async fn a_keyring_has_the_key_and_the_file_only_its_name() {
    let home = tempfile::tempdir().unwrap();
    let keyring = Arc::new(Memory::default());
    let keys = Keys::new(home.path(), keyring.clone());
    assert_eq!(keys.set(ORIGIN, KEY.into()).await.unwrap(), KeyPlace::Keyring);
    assert!(!on_disk(home.path()).contains(KEY));
    // The next run.
    let keys = Keys::new(home.path(), keyring.clone());
    assert_eq!((keys.place(ORIGIN).await, key(&keys).await.as_deref()), (KeyPlace::Keyring, Some(KEY)));
    keys.set(ORIGIN, "another-key".into()).await.unwrap();
    assert_eq!(keyring.0.lock().unwrap().len(), 1, "the one before is gone");
    keys.forget(ORIGIN).await.unwrap();
    assert!(keyring.0.lock().unwrap().is_empty());
    assert_eq!((keys.place(ORIGIN).await, key(&keys).await), (KeyPlace::None, None));
}

#[tokio::test]
async fn two_data_folders_do_not_meet_in_one_keyring() {
    let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let keyring = Arc::new(Memory::default());
    let (first, second) = (Keys::new(one.path(), keyring.clone()), Keys::new(two.path(), keyring.clone()));
    first.set(ORIGIN, KEY.into()).await.unwrap();
    second.set(ORIGIN, "another-key".into()).await.unwrap();
    second.forget(ORIGIN).await.unwrap();
    let first = Keys::new(one.path(), keyring);
    assert_eq!(key(&first).await.as_deref(), Some(KEY));
}

#[tokio::test]
async fn a_keyring_that_never_answers_is_passed_over_and_what_it_takes_too_late_is_taken_back() {
    let home = tempfile::tempdir().unwrap();
    let ((go_on, wait), (deleted, told)) = (channel(), channel());
    let keyring =
        Arc::new(Stuck { memory: Memory::default(), wait: Mutex::new(wait), deleted: Mutex::new(deleted) });
    let keys = Keys::new(home.path(), keyring.clone());
    assert_eq!(keys.set(ORIGIN, KEY.into()).await.unwrap(), KeyPlace::File);
    let keys = Keys::new(home.path(), keyring.clone());
    assert_eq!(key(&keys).await.as_deref(), Some(KEY));
    go_on.send(()).unwrap();
    told.recv_timeout(super::DEADLINE).unwrap();
    assert!(keyring.memory.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_keyring_that_lost_the_key_and_a_file_that_does_not_read_mean_no_key() {
    let home = tempfile::tempdir().unwrap();
    let keys = Keys::new(home.path(), Arc::new(Memory::default()));
    keys.set(ORIGIN, KEY.into()).await.unwrap();
    let keys = Keys::new(home.path(), Arc::new(Memory::default()));
    assert_eq!(key(&keys).await, None);
    std::fs::write(home.path().join("model-keys.json"), b"{\"half").unwrap();
    assert_eq!((keys.place(ORIGIN).await, key(&keys).await), (KeyPlace::None, None));
    keys.set(ORIGIN, KEY.into()).await.unwrap();
    assert_eq!(key(&keys).await.as_deref(), Some(KEY), "a new one can be given");
}
