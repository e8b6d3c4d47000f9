//! Grants: who may read which file, by an unguessable name.
//!
//! A grant is 128 random bits for one file and one client. It is the only authority: the file's path is never in an
//! address. No grant holds a file open.

use super::passed::Passed;
use rand::TryRngCore;
use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use talaria_wire::ClientId;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// How many grants one client may hold; the oldest goes first.
pub const MAX_GRANTS: usize = 512;

/// Lower-case hex of `N` bytes from the system's random source.
pub fn random_hex<const N: usize>() -> String {
    let mut bytes = [0_u8; N];
    rand::rngs::OsRng.try_fill_bytes(&mut bytes).expect("the system gives random bytes");
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Which checks a grant's file passes on every request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// All of them.
    Checked,
    /// Only that it is a regular file: issued below the checks.
    Unchecked,
}

/// One client's right to read one file.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Whose it is.
    pub client: ClientId,
    /// The resolved path at the time of the grant.
    pub path: PathBuf,
    /// What is checked on a request.
    pub basis: Basis,
    /// What the last full check found.
    pub passed: Option<Passed>,
    /// Cancelled when the grant ends: a stream under way ends with it.
    pub ended: CancellationToken,
    /// The player's element got bytes or the size of it, since the file was last asked for.
    pub was_read: bool,
}

/// A client from one load of its page to the next: what was asked in one gets no grant in another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Era(u64);

/// All grants. The newest of a client is at the back of its queue.
#[derive(Debug, Default)]
pub struct Grants {
    by_name: HashMap<String, Grant>,
    by_client: HashMap<ClientId, VecDeque<String>>,
    /// Of clients that were dropped at least once: as many as there were windows.
    eras: HashMap<ClientId, Era>,
    /// Changes whenever grants have ended.
    ends: watch::Sender<()>,
}

impl Grants {
    /// The client's era now.
    pub fn era(&self, client: &ClientId) -> Era {
        self.eras.get(client).copied().unwrap_or_default()
    }

    /// The grant's name for this file, a new one or the one that this client already holds, made newest.
    pub fn issue(&mut self, mut grant: Grant) -> String {
        let queue = self.by_client.entry(grant.client.clone()).or_default();
        let held = queue.iter().position(|name| {
            self.by_name.get(name).is_some_and(|held| held.path == grant.path && held.basis == grant.basis)
        });
        let name = match held.and_then(|at| queue.remove(at)) {
            Some(name) => name,
            None => random_hex::<16>(),
        };
        queue.push_back(name.clone());
        if queue.len() > MAX_GRANTS
            && let Some(oldest) = queue.pop_front()
        {
            self.end(&oldest);
        }
        if let Some(held) = self.by_name.get(&name) {
            grant.ended = held.ended.clone();
        }
        self.by_name.insert(name.clone(), grant);
        name
    }

    /// The grant of this name, whoever asks: over loopback it is a bearer secret.
    pub fn bearer(&self, name: &str) -> Option<&Grant> {
        self.by_name.get(name)
    }

    /// The grant of this name if it is this client's.
    pub fn of_client(&self, client: &ClientId, name: &str) -> Option<&Grant> {
        self.by_name.get(name).filter(|grant| grant.client == *client)
    }

    /// Notes what a full check found at the path, unless the grant has ended or names another path by now.
    pub fn seen(&mut self, name: &str, path: &Path, passed: Option<Passed>) {
        if let Some(grant) = self.by_name.get_mut(name)
            && grant.path == path
        {
            grant.passed = passed;
        }
    }

    /// Notes that the player's element was answered, as long as the grant has not ended.
    pub fn read(&mut self, name: &str) {
        if let Some(grant) = self.by_name.get_mut(name) {
            grant.was_read = true;
        }
    }

    /// Ends all grants of a client, and its era.
    pub fn drop_client(&mut self, client: &ClientId) {
        self.eras.entry(client.clone()).or_default().0 += 1;
        for name in self.by_client.remove(client).unwrap_or_default() {
            self.end(&name);
        }
    }

    /// Tells whenever grants have ended.
    pub fn ends(&self) -> watch::Receiver<()> {
        self.ends.subscribe()
    }

    fn end(&mut self, name: &str) {
        if let Some(grant) = self.by_name.remove(name) {
            grant.ended.cancel();
            self.ends.send_replace(());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grant(client: &str, path: &str) -> Grant {
        Grant {
            client: client.into(),
            path: path.into(),
            basis: Basis::Checked,
            passed: None,
            ended: CancellationToken::new(),
            was_read: false,
        }
    }

    #[test]
    fn a_grant_is_128_bits_and_never_twice_the_same() {
        let mut grants = Grants::default();
        let first = grants.issue(grant("a", "/1"));
        assert_eq!(first.len(), 32);
        assert_ne!(first, grants.issue(grant("a", "/2")));
        assert_ne!(first, grants.issue(grant("b", "/1")));
    }

    #[test]
    fn the_same_file_asked_again_keeps_its_grant_and_becomes_newest() {
        let mut grants = Grants::default();
        let kept = grants.issue(grant("a", "/kept"));
        for number in 1..MAX_GRANTS {
            grants.issue(grant("a", &format!("/{number}")));
        }
        assert_eq!(grants.issue(grant("a", "/kept")), kept);
        grants.issue(grant("a", "/one more"));
        assert!(grants.bearer(&kept).is_some());
        assert_eq!(grants.by_name.len(), MAX_GRANTS);
    }

    #[test]
    fn the_oldest_of_a_client_goes_first_and_others_keep_theirs() {
        let mut grants = Grants::default();
        let other = grants.issue(grant("b", "/x"));
        let names: Vec<_> = (0..=MAX_GRANTS).map(|n| grants.issue(grant("a", &format!("/{n}")))).collect();
        assert!(grants.bearer(&names[0]).is_none());
        assert!(grants.bearer(&names[1]).is_some());
        assert!(grants.bearer(&other).is_some());
    }

    #[test]
    fn a_foreign_client_has_no_grant_and_a_dropped_one_has_none_left() {
        let mut grants = Grants::default();
        let name = grants.issue(grant("a", "/x"));
        assert!(grants.of_client(&"b".into(), &name).is_none());
        assert!(grants.of_client(&"a".into(), &name).is_some());
        grants.drop_client(&"b".into());
        assert!(grants.bearer(&name).is_some());
        grants.drop_client(&"a".into());
        assert!(grants.bearer(&name).is_none());
        assert!(grants.by_client.is_empty());
    }

    #[test]
    fn whoever_reads_under_a_grant_is_told_of_its_end() {
        let mut grants = Grants::default();
        let name = grants.issue(grant("a", "/x"));
        let ended = |grants: &Grants, name: &str| grants.bearer(name).expect("held").ended.clone();
        let (reading, other) = (ended(&grants, &name), grants.issue(grant("b", "/x")));
        let other = ended(&grants, &other);
        // Asked again, it is the same grant.
        grants.issue(grant("a", "/x"));
        assert!(!reading.is_cancelled());
        for number in 0..MAX_GRANTS {
            grants.issue(grant("a", &format!("/{number}")));
        }
        assert!(reading.is_cancelled() && !other.is_cancelled());
        grants.drop_client(&"b".into());
        assert!(other.is_cancelled());
    }
}
