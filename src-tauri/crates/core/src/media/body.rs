//! The two bodies of an answer: read whole into one buffer, or streamed.

use super::handle::ReadAt;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use tokio::task::JoinHandle;

/// How much of a file one streamed answer holds in memory, in bytes.
const CHUNK: u64 = 64 * 1024;

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
    },
}

impl Body {
    /// Reads all of it, for a transport whose answer is one buffer. Blocks.
    ///
    /// # Errors
    /// `UnexpectedEof` when the file has shrunk under the answer; never padded, never short.
    pub fn read(self) -> io::Result<Vec<u8>> {
        match self {
            Self::Empty => Ok(Vec::new()),
            Self::Text(text) => Ok(text.into_bytes()),
            Self::Part { source, start, length } => {
                let length = usize::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge)?;
                let mut buffer = vec![0; length];
                source.read_exact_at(&mut buffer, start)?;
                Ok(buffer)
            }
        }
    }

    /// Streams it from the disk as the peer takes it. Polled on a tokio runtime.
    pub fn stream(self) -> Streamed {
        match self {
            Self::Empty => Streamed::Text(Bytes::new()),
            Self::Text(text) => Streamed::Text(text.into()),
            Self::Part { source, start, length } => {
                Streamed::File { source, next: start, left: length, reading: None }
            }
        }
    }
}

/// A body of constant memory: one chunk is read when the connection has taken the one before.
pub enum Streamed {
    /// Held in memory; empty when it was given.
    Text(Bytes),
    /// The rest of a part of a file.
    File {
        /// The open file.
        source: Arc<dyn ReadAt>,
        /// The next byte to give.
        next: u64,
        /// Bytes still to give.
        left: u64,
        /// The read under way, if any.
        reading: Option<JoinHandle<io::Result<Bytes>>>,
    },
}

impl HttpBody for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        match &mut *self {
            Self::Text(text) if text.is_empty() => Poll::Ready(None),
            Self::Text(text) => Poll::Ready(Some(Ok(Frame::data(std::mem::take(text))))),
            Self::File { left: 0, .. } => Poll::Ready(None),
            Self::File { source, next, left, reading } => {
                let read = reading.get_or_insert_with(|| {
                    let (source, offset, length) = (Arc::clone(source), *next, CHUNK.min(*left));
                    tokio::task::spawn_blocking(move || read_chunk(&*source, offset, length))
                });
                let result = ready!(Pin::new(read).poll(context));
                *reading = None;
                let chunk = result.map_err(io::Error::other).flatten();
                match &chunk {
                    Ok(chunk) => {
                        *next += chunk.len() as u64;
                        *left -= chunk.len() as u64;
                    }
                    // The error ends the answer: the length was promised, so the connection is cut.
                    Err(_) => *left = 0,
                }
                Poll::Ready(Some(chunk.map(Frame::data)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Text(text) => text.is_empty(),
            Self::File { left, .. } => *left == 0,
        }
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(match self {
            Self::Text(text) => text.len() as u64,
            Self::File { left, .. } => *left,
        })
    }
}

fn read_chunk(source: &dyn ReadAt, offset: u64, length: u64) -> io::Result<Bytes> {
    let mut buffer = vec![0; length as usize];
    source.read_exact_at(&mut buffer, offset)?;
    Ok(buffer.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    /// A file whose end moves after the first read.
    struct Shrinking(std::sync::atomic::AtomicUsize);

    impl ReadAt for Shrinking {
        fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
            let end = self.0.swap(0, std::sync::atomic::Ordering::SeqCst) as u64;
            let count = end.saturating_sub(offset).min(buffer.len() as u64) as usize;
            buffer[..count].fill(7);
            Ok(count)
        }
    }

    fn shrinking(length: u64) -> Body {
        Body::Part { source: Arc::new(Shrinking(((CHUNK + 10) as usize).into())), start: 0, length }
    }

    #[tokio::test]
    async fn a_file_that_shrinks_ends_the_stream_with_an_error_and_no_padding() {
        let mut body = shrinking(CHUNK * 2).stream();
        let first = body.frame().await.expect("a frame").expect("a chunk").into_data().expect("data");
        assert_eq!(first.len() as u64, CHUNK);
        assert_eq!(body.size_hint().exact(), Some(CHUNK));
        let second = body.frame().await.expect("a frame").expect_err("the file has shrunk");
        assert_eq!(second.kind(), io::ErrorKind::UnexpectedEof);
        assert!(body.frame().await.is_none());
    }

    #[test]
    fn a_file_that_shrinks_is_never_a_short_buffer() {
        let error = shrinking(CHUNK * 2).read().expect_err("the file has shrunk");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
