//! From a grant's name to the open file: what the three transports ask. Every question opens the file anew (`open`); who
//! may ask for which grant is decided here and nowhere else.

use super::conditions::{Validators, http_seconds};
use super::grants::{Basis, Grant};
use super::handle::{Facts, ReadAt};
use super::open::{Checked, open_checked, open_unchecked};
use super::serve::{Refusal, Representation, Resolver};
use super::{Media, address, scheme};
use std::io;
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use talaria_wire::ClientId;
use tokio_util::sync::CancellationToken;

/// What a read found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Read {
    /// Bytes read. Fewer than asked: the file ends there.
    pub count: usize,
    /// The file's size now, in bytes.
    pub size: u64,
    /// The file's number: another for another file.
    pub file: u64,
}

/// Why a read gave nothing.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// No grant, or the file does not pass the checks now.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The disk failed.
    #[error("The file could not be read. {0}.")]
    Disk(io::Error),
}

impl Media {
    /// The answer to a request of `client`'s web view over the scheme; 403 when the grant is not its own. Blocks on
    /// the disk.
    pub fn scheme(&self, client: &ClientId, request: http::Request<Vec<u8>>) -> http::Response<Vec<u8>> {
        scheme::answer(&request, &Granted { media: self, client: Some(client) })
    }

    /// Resolves grants as bearer secrets, for a transport that does not know who is calling.
    pub fn bearer(&self) -> impl Resolver {
        Granted { media: self, client: None }
    }

    /// Reads a granted file from `offset` into `buffer`, as far as both go: bytes read, and the file as it is now. The
    /// grant is a bearer secret. Every read repeats all checks. Blocks on the disk.
    ///
    /// # Errors
    /// [`ReadError::Refused`] for what [`Resolver::resolve`] refuses, [`ReadError::Disk`] when the disk fails.
    pub fn read_at(&self, grant: &str, offset: u64, buffer: &mut [u8]) -> Result<Read, ReadError> {
        let (Checked { file, facts, .. }, _) = Granted { media: self, client: None }.open(grant)?;
        // Behind the end there is nothing to read, and an offset there may be no offset at all to the system.
        let wanted = if offset < facts.size { buffer.len() } else { 0 };
        let count = file.read_up_to(&mut buffer[..wanted], offset).map_err(ReadError::Disk)?;
        self.grants().read(grant);
        // A file that is being written may have grown since it was asked for its size.
        let end = if count > 0 { offset + count as u64 } else { 0 };
        Ok(Read { count, size: facts.size.max(end), file: facts.id.number() })
    }

    /// Whether the player's element was answered for this address of the client's, since the file was last opened for
    /// it: then the way to the file works, and another would bring the same bytes.
    pub fn was_read(&self, client: &ClientId, scheme_url: &str) -> bool {
        address::grant_of(scheme_url)
            .is_some_and(|grant| self.grants().of_client(client, grant).is_some_and(|grant| grant.was_read))
    }
}

/// Grants of one client, or of anybody who knows their names.
struct Granted<'a> {
    media: &'a Media,
    client: Option<&'a ClientId>,
}

impl Granted<'_> {
    /// The file, and the end of the right to read it.
    fn open(&self, name: &str) -> Result<(Checked, CancellationToken), Refusal> {
        let Grant { path, basis, passed: before, ended, .. } = {
            let grants = self.media.grants();
            match self.client {
                Some(client) => grants.of_client(client, name),
                None => grants.bearer(name),
            }
            .cloned()
            .ok_or(Refusal::NoGrant)?
        };
        let checked = match basis {
            Basis::Checked => open_checked(&path, &self.media.0.checks, before.as_ref())?,
            Basis::Unchecked => open_unchecked(&path)?,
        };
        let is_as_before = matches!((&before, &checked.passed), (Some(one), Some(other)) if one.is(other));
        if !is_as_before {
            self.media.grants().seen(name, &path, checked.passed.clone());
        }
        Ok((checked, ended))
    }
}

impl Resolver for Granted<'_> {
    fn resolve(&self, name: &str) -> Result<Representation, Refusal> {
        let (Checked { file, facts, name, kind, mime, .. }, ended) = self.open(name)?;
        let validators = validators(&facts);
        let source = Arc::new(file);
        Ok(Representation { source, size: facts.size, validators, kind, mime, name, ended })
    }
}

/// Device, inode, size and the time of the last write to the nanosecond: another of any is another state.
fn validators(facts: &Facts) -> Validators {
    let nanoseconds = facts.modified.map_or(0, |time| match time.duration_since(UNIX_EPOCH) {
        Ok(after) => after.as_nanos() as i128,
        Err(before) => -(before.duration().as_nanos() as i128),
    });
    let (device, inode, size) = (facts.id.device, facts.id.inode, facts.size);
    Validators {
        etag: format!("\"{device:x}-{inode:x}-{size:x}-{nanoseconds:x}\""),
        modified: facts.modified.and_then(http_seconds),
    }
}
