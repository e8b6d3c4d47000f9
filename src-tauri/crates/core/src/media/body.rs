//! What an answer carries. One transport reads it whole into a buffer, the other streams it (`connection`).

use super::handle::ReadAt;
use std::io;
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What an answer carries; nothing is read yet.
pub enum Body {
    /// No content.
    Empty,
    /// A sentence for whoever looks at the answer.
    Text(String),
    /// Exactly these bytes of an open file.
    Part {
        /// The open file.
        source: Arc<dyn ReadAt>,
        /// First byte.
        start: u64,
        /// Bytes.
        length: u64,
        /// Cancelled when no more of it may be given out.
        ended: CancellationToken,
    },
}

impl Body {
    /// Reads all of it, for a transport whose answer is one buffer. Blocks.
    ///
    /// # Errors
    /// `UnexpectedEof` when the file has shrunk under the answer; never padded, never short. `PermissionDenied` when the
    /// right to read it ended meanwhile.
    pub fn read(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Empty => Ok(Vec::new()),
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Part { source, start, length, ended } => {
                let length = usize::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
                let mut buffer = vec![0; length];
                source.read_exact_at(&mut buffer, start)?;
                if ended.is_cancelled() {
                    return Err(io::ErrorKind::PermissionDenied.into());
                }
                Ok(buffer)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that ends before the part that was promised.
    struct Shrunk;

    impl ReadAt for Shrunk {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let count = 10_u64.saturating_sub(offset).min(buffer.len() as u64) as usize;
            buffer[..count].fill(7);
            Ok(count)
        }
    }

    #[test]
    fn a_file_that_shrinks_is_never_a_short_buffer() {
        let ended = CancellationToken::new();
        let part = |length| Body::Part { source: Arc::new(Shrunk), start: 0, length, ended: ended.clone() };
        assert_eq!(part(10).read().expect("all of it"), [7; 10]);
        let error = part(11).read().expect_err("the file has shrunk");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        ended.cancel();
        assert_eq!(part(10).read().expect_err("no right").kind(), io::ErrorKind::PermissionDenied);
    }
}
