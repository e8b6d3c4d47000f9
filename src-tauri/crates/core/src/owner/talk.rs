//! What is said over the socket: one request as a line of JSON, answers as lines of JSON. Pure but for the reading of a
//! line, which is bounded.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io;
use talaria_wire::{ImportReport, IpcError};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// A request is a path and a few words; the longest path of a system has 4096 bytes.
pub const REQUEST_LIMIT: u64 = 64 * 1024;
/// A report names each session that was skipped: this holds some 200,000.
pub const ANSWER_LIMIT: u64 = 64 * 1024 * 1024;

/// What is asked of the owner. The end of the asking side (closed, or gone) takes a running import back.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Request {
    Front,
    /// A full path.
    Import {
        path: String,
    },
}

/// What the owner says. `Progress` may come many times, the others end the talk.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "say", rename_all = "snake_case")]
pub enum Answer {
    /// The window came forward.
    Here,
    /// So many sessions of so many are on disk.
    Progress {
        done: i64,
        total: i64,
    },
    Report {
        report: Box<ImportReport>,
    },
    Error {
        error: IpcError,
    },
}

/// One line with its end.
pub fn line<T: Serialize>(said: &T) -> Vec<u8> {
    let mut line = serde_json::to_vec(said).expect("what is said is plain data");
    line.push(b'\n');
    line
}

/// The next line, of at most `limit` bytes. `None`: the other side said all it had.
///
/// # Errors
/// `InvalidData` for a line that is too long, broken off or not understood; else the socket's own.
pub async fn read<T: DeserializeOwned>(
    from: &mut (impl AsyncBufRead + Unpin),
    limit: u64,
) -> io::Result<Option<T>> {
    let mut line = Vec::new();
    from.take(limit).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a line without an end"));
    }
    serde_json::from_slice(&line).map(Some).map_err(|e| io::Error::new(io::ErrorKind::InvalidData, e))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn request(bytes: &[u8]) -> Result<Option<Request>, io::ErrorKind> {
        read(&mut &bytes[..], REQUEST_LIMIT).await.map_err(|error| error.kind())
    }

    #[tokio::test]
    async fn what_is_written_is_read_again_line_by_line() {
        let asked = Request::Import { path: "/home/u/a \"b\"\n.db".to_owned() };
        let two = [line(&asked), line(&Request::Front)].concat();
        let mut from = &two[..];
        assert_eq!(read(&mut from, REQUEST_LIMIT).await.unwrap(), Some(asked));
        assert_eq!(read(&mut from, REQUEST_LIMIT).await.unwrap(), Some(Request::Front));
        assert_eq!(read::<Request>(&mut from, REQUEST_LIMIT).await.unwrap(), None);
        assert_eq!(
            line(&Answer::Progress { done: 1, total: 2 }),
            b"{\"say\":\"progress\",\"done\":1,\"total\":2}\n"
        );
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_broken_off_or_strange_is_refused() {
        let long = [b"{\"ask\":\"import\",\"path\":\"".to_vec(), vec![b'a'; REQUEST_LIMIT as usize]].concat();
        let bad = Err(io::ErrorKind::InvalidData);
        assert_eq!(request(&long).await, bad);
        assert_eq!(request(b"{\"ask\":\"front\"}").await, bad, "broken off");
        for strange in ["{\"ask\":\"purge\"}\n", "[]\n", "\n", "GET / HTTP/1.1\n"] {
            assert_eq!(request(strange.as_bytes()).await, bad, "{strange}");
        }
    }
}
