//! One connection of the scripted server: one request, one reply, close.

use super::reply::{Reply, Step};
use super::{Asked, Shared};
use serde_json::Value;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Bytes of a request; a context near a model's limit fits.
const LONGEST: usize = 64 << 20;

/// How a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As the script says.
    Done,
    /// The client left first.
    Left,
}

pub(super) async fn serve(mut socket: TcpStream, shared: &Shared) -> End {
    // Each step is to be a piece of its own.
    if socket.set_nodelay(true).is_err() {
        return End::Left;
    }
    let Ok((asked, text)) = read(&mut socket).await else { return End::Left };
    let reply = shared.reply(&asked, &text);
    shared.facts.send_modify(|facts| facts.asked.push(asked));
    match write(&mut socket, &reply, shared).await {
        Ok(()) => End::Done,
        Err(_) => End::Left,
    }
}

/// The request, and its body as text.
async fn read(socket: &mut TcpStream) -> io::Result<(Asked, String)> {
    let mut came = Vec::new();
    loop {
        if let Some(request) = parsed(&came)? {
            return Ok(request);
        }
        if came.len() > LONGEST || socket.read_buf(&mut came).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

fn parsed(bytes: &[u8]) -> io::Result<Option<(Asked, String)>> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let head = request.parse(bytes).map_err(io::Error::other)?;
    let httparse::Status::Complete(head) = head else { return Ok(None) };
    let headers: Vec<_> = request
        .headers
        .iter()
        .map(|header| (header.name.to_ascii_lowercase(), String::from_utf8_lossy(header.value).into_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let length: usize = length.map_or(Ok(0), |(_, value)| value.parse()).map_err(io::Error::other)?;
    let Some(body) = bytes.get(head..head + length) else { return Ok(None) };
    let text = String::from_utf8_lossy(body).into_owned();
    let asked = Asked {
        method: request.method.unwrap_or_default().to_owned(),
        path: request.path.unwrap_or_default().to_owned(),
        headers,
        body: serde_json::from_slice(body).unwrap_or(Value::Null),
    };
    Ok(Some((asked, text)))
}

async fn write(socket: &mut TcpStream, reply: &Reply, shared: &Shared) -> io::Result<()> {
    if reply.status != 0 {
        let mut head = format!("HTTP/1.1 {} Scripted\r\nconnection: close\r\n", reply.status);
        for (name, value) in &reply.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("transfer-encoding: chunked\r\n\r\n");
        socket.write_all(head.as_bytes()).await?;
    }
    for step in &reply.steps {
        if let Some(bytes) = step.bytes() {
            send(socket, &bytes).await?;
            continue;
        }
        match step {
            Step::Repeat(text, times) => {
                for _ in 0..*times {
                    send(socket, text.as_bytes()).await?;
                }
            }
            Step::Gate(gate) => {
                shared.facts.send_modify(|facts| {
                    facts.reached.insert(gate.clone());
                });
                let mut facts = shared.facts.subscribe();
                let opened = facts.wait_for(|facts| facts.open.contains(gate));
                tokio::select! {
                    _ = opened => {}
                    left = left(socket) => return Err(left),
                }
            }
            Step::Hold => return Err(left(socket).await),
            // Without the last chunk: the client sees that something is missing.
            Step::Cut => return socket.shutdown().await,
            Step::Wait(millis) => tokio::time::sleep(Duration::from_millis(*millis)).await,
            Step::Event(_) | Step::Text(_) | Step::Bytes(_) => {}
        }
    }
    socket.write_all(b"0\r\n\r\n").await?;
    socket.shutdown().await
}

/// One chunk, in one write.
async fn send(socket: &mut TcpStream, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let mut piece = format!("{:x}\r\n", bytes.len()).into_bytes();
    piece.extend_from_slice(bytes);
    piece.extend_from_slice(b"\r\n");
    socket.write_all(&piece).await
}

/// Comes back when the client has closed its side.
async fn left(socket: &mut TcpStream) -> io::Error {
    let mut byte = [0];
    loop {
        match socket.read(&mut byte).await {
            Ok(0) => return io::ErrorKind::UnexpectedEof.into(),
            // Nothing more is expected; what comes is not for us.
            Ok(_) => {}
            Err(error) => return error,
        }
    }
}
