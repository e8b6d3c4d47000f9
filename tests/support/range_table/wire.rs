//! HTTP/1.1 on a raw socket: what is written is what was given, and nothing of the answer is repaired.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long a read may stand still before the exchange counts as hung.
const SILENCE: Duration = Duration::from_secs(20);

/// A request.
#[derive(Clone, Debug)]
pub struct Ask {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    host: Option<String>,
}

impl Ask {
    /// A request with the listener's own Host.
    pub fn new(method: &str, target: &str) -> Self {
        Self { method: method.to_owned(), target: target.to_owned(), headers: Vec::new(), host: None }
    }

    /// One more header line.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Another Host.
    pub fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    /// Sends it on a connection of its own and reads the head of the answer.
    ///
    /// # Errors
    /// What went wrong on the wire.
    pub fn send(&self, address: SocketAddr) -> Result<Reply, String> {
        let mut stream = connect(address)?;
        let request = self.text(address, "close");
        stream.write_all(request.as_bytes()).map_err(|error| format!("not sent: {error}"))?;
        Reply::read_head(BufReader::new(stream))
    }

    fn text(&self, address: SocketAddr, connection: &str) -> String {
        let host = self.host.clone().unwrap_or_else(|| address.to_string());
        let mut request = format!("{} {} HTTP/1.1\r\nHost: {host}\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str(&format!("Connection: {connection}\r\n\r\n"));
        request
    }
}

fn connect(address: SocketAddr) -> Result<TcpStream, String> {
    let stream = TcpStream::connect(address).map_err(|error| format!("not connected: {error}"))?;
    stream.set_read_timeout(Some(SILENCE)).map_err(|error| error.to_string())?;
    Ok(stream)
}

/// A connection for many requests, one after the other. Opened again when the listener has closed it.
pub struct Kept {
    address: SocketAddr,
    stream: Option<BufReader<TcpStream>>,
}

impl Kept {
    /// Connects with the first request.
    pub fn new(address: SocketAddr) -> Self {
        Self { address, stream: None }
    }

    /// Status, headers and content of the answer to a GET.
    ///
    /// # Errors
    /// What went wrong on the wire.
    pub fn get(&mut self, ask: &Ask) -> Result<(Reply, Vec<u8>), String> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(connect(self.address)?),
        };
        let request = ask.text(self.address, "keep-alive");
        stream.get_mut().write_all(request.as_bytes()).map_err(|error| format!("not sent: {error}"))?;
        let mut reply = Reply::read_head(stream)?;
        let length = reply.header("content-length").map_or(Ok(0), str::parse);
        let content = reply.read(length.map_err(|_| "a Content-Length that is no number")?)?;
        if reply.header("connection") != Some("close") {
            let stream = reply.content.get_ref().try_clone().map_err(|error| error.to_string())?;
            self.stream = Some(BufReader::new(stream));
        }
        Ok((reply, content))
    }
}

/// An answer whose content is still to be read.
pub struct Reply {
    /// The status.
    pub status: u16,
    headers: Vec<(String, String)>,
    content: BufReader<TcpStream>,
}

impl Reply {
    fn read_head(mut content: BufReader<TcpStream>) -> Result<Self, String> {
        let status_line = line(&mut content)?;
        let status = status_line.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse().ok());
        let status = status.ok_or_else(|| format!("no status line: {status_line:?}"))?;
        let mut headers = Vec::new();
        loop {
            let line = line(&mut content)?;
            if line.is_empty() {
                return Ok(Self { status, headers, content });
            }
            let (name, value) = line.split_once(':').ok_or_else(|| format!("no header: {line:?}"))?;
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
    }

    /// A header's value by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// Exactly the next `length` bytes of the content.
    ///
    /// # Errors
    /// When it ends before.
    pub fn read(&mut self, length: usize) -> Result<Vec<u8>, String> {
        let mut buffer = vec![0; length];
        self.content.read_exact(&mut buffer).map_err(|error| format!("content cut short: {error}"))?;
        Ok(buffer)
    }

    /// Passes over the next `length` bytes of the content through a small buffer.
    ///
    /// # Errors
    /// When it ends before.
    pub fn skip(&mut self, length: u64) -> Result<(), String> {
        let skipped = std::io::copy(&mut self.content.by_ref().take(length), &mut std::io::sink());
        match skipped {
            Ok(skipped) if skipped == length => Ok(()),
            Ok(skipped) => Err(format!("content cut short after {skipped} of {length} bytes")),
            Err(error) => Err(format!("content broken off: {error}")),
        }
    }

    /// All of the content until the connection closes, whatever was promised.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn read_to_end(mut self) -> Result<Vec<u8>, String> {
        let mut buffer = Vec::new();
        self.content.read_to_end(&mut buffer).map_err(|error| format!("content broken off: {error}"))?;
        Ok(buffer)
    }

    /// Whether no byte follows.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn is_at_end(&mut self) -> Result<bool, String> {
        self.content
            .fill_buf()
            .map(<[u8]>::is_empty)
            .map_err(|error| format!("content does not end: {error}"))
    }
}

fn line(content: &mut impl BufRead) -> Result<String, String> {
    let mut line = Vec::new();
    content.read_until(b'\n', &mut line).map_err(|error| format!("no answer: {error}"))?;
    let line = line.strip_suffix(b"\r\n").ok_or("the head of the answer is cut short")?;
    Ok(String::from_utf8_lossy(line).into_owned())
}
