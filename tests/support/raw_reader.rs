//! The client of the media bench: HTTP/1.1 on a plain socket that throws away what it reads. It must never be what is
//! measured, so it parses no more of an answer than its status and its length.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// One read, in bytes.
const BUFFER: usize = 256 * 1024;
/// How long a read may stand still before the exchange counts as hung.
const SILENCE: Duration = Duration::from_secs(20);

/// One kept connection.
pub struct RawReader {
    stream: TcpStream,
    host: String,
    buffer: Vec<u8>,
}

impl RawReader {
    /// Connects.
    ///
    /// # Errors
    /// The system's.
    pub fn connect(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(SILENCE))?;
        Ok(Self { stream, host: address.to_string(), buffer: vec![0; BUFFER] })
    }

    /// GET; reads the whole answer, or its first `most` bytes (the connection is of no use then), and hands its content
    /// to `take` piece by piece. Returns how many bytes came.
    ///
    /// # Errors
    /// When the status is not 200 (206 for a range), or less comes than was promised.
    pub fn get(
        &mut self,
        target: &str,
        range: Option<(u64, u64)>,
        most: u64,
        mut take: impl FnMut(&[u8]),
    ) -> io::Result<u64> {
        let range_line =
            range.map_or(String::new(), |(first, last)| format!("Range: bytes={first}-{last}\r\n"));
        let request = format!("GET {target} HTTP/1.1\r\nHost: {}\r\n{range_line}\r\n", self.host);
        self.stream.write_all(request.as_bytes())?;
        let mut filled = 0;
        let content = loop {
            let count = self.stream.read(&mut self.buffer[filled..])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            filled += count;
            if let Some(end) = self.buffer[..filled].windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
        };
        let length = content_length(&self.buffer[..content], range.is_some())?.min(most);
        take(&self.buffer[content..filled]);
        let mut got = (filled - content) as u64;
        while got < length {
            let wanted = (BUFFER as u64).min(length - got) as usize;
            let count = self.stream.read(&mut self.buffer[..wanted])?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            take(&self.buffer[..count]);
            got += count as u64;
        }
        Ok(got)
    }
}

fn content_length(head: &[u8], is_part: bool) -> io::Result<u64> {
    let head = String::from_utf8_lossy(head);
    let wrong = || io::Error::other(format!("not the answer that was asked for: {head}"));
    let status = if is_part { "HTTP/1.1 206 " } else { "HTTP/1.1 200 " };
    let mut lines = head.strip_prefix(status).ok_or_else(wrong)?.lines().skip(1);
    lines
        .find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        })
        .ok_or_else(wrong)
}
