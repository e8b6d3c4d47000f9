//! Reads a granted file: what is held from memory, the rest from the app.

use crate::client::Client;
use crate::fault::Fault;
use crate::read_ahead::{Held, ReadAhead};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};
use talaria_media_frames::{Op, Reply};

/// How long the first answer may take. The thread that starts a pipeline waits for it: in a web view the page's own.
const OPENED_WITHIN: Duration = Duration::from_secs(10);
/// How long a part may take. The streaming thread waits for it, and is woken when it is to stop.
const READ_WITHIN: Duration = Duration::from_secs(30);
/// How long the size may take when it is only asked whether the file has grown: else it has not.
const REFRESHED_WITHIN: Duration = Duration::from_millis(250);
/// A shorter piece is copied: shared, 16 bytes could keep a mebibyte in memory.
const SHARED_FROM: usize = 4096;

/// Bytes of the file.
pub enum Piece {
    /// A copy.
    Own(Vec<u8>),
    /// A stretch of a part that is held anyway.
    Shared(Arc<Vec<u8>>, Range<usize>),
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Shared(part, range) => &part[range.clone()],
        }
    }
}

/// The file's size, and since when that is known.
#[derive(Clone, Copy)]
pub struct Size {
    /// Bytes.
    pub bytes: u64,
    /// When the app said it.
    pub told: Instant,
}

/// An open file of the app.
pub struct Reader {
    client: Client,
    ahead: ReadAhead,
    size: Size,
    file: u64,
}

impl Reader {
    /// Asks for the file's size. Waits for the app.
    pub fn open(mut client: Client) -> Result<Self, Fault> {
        let reply = client.ask(Op::Open, &mut Vec::new(), OPENED_WITHIN)?;
        let size = Size { bytes: reply.size, told: Instant::now() };
        Ok(Self { client, ahead: ReadAhead::default(), size, file: reply.file })
    }

    /// The file's size as the app said it last.
    pub fn size(&self) -> Size {
        self.size
    }

    /// Asks for the size anew.
    pub fn refresh(&mut self) -> Result<(), Fault> {
        let reply = self.client.ask(Op::Open, &mut Vec::new(), REFRESHED_WITHIN)?;
        self.note(reply)
    }

    /// Up to `length` bytes from `offset`; fewer (or none) where the file ends. Waits for the app when they are not
    /// held.
    pub fn read(&mut self, offset: u64, length: usize) -> Result<Piece, Fault> {
        let mut copied = Vec::new();
        while copied.len() < length {
            let Some(at) = offset.checked_add(copied.len() as u64) else { break };
            let Some(Held { part, at: from }) = self.part_with(at)? else { break };
            let to = part.len().min(from + length - copied.len());
            if copied.is_empty() && to - from == length && length >= SHARED_FROM {
                return Ok(Piece::Shared(part, from..to));
            }
            copied.extend_from_slice(&part[from..to]);
        }
        Ok(Piece::Own(copied))
    }

    /// The part with the byte at `offset`, from memory or from the app; `None` behind the end.
    fn part_with(&mut self, offset: u64) -> Result<Option<Held>, Fault> {
        if let Some(held) = self.ahead.held(offset) {
            return Ok(Some(held));
        }
        let plan = self.ahead.plan(offset);
        let mut bytes = Vec::new();
        let reply = self.client.ask(Op::Read { offset, length: plan.length }, &mut bytes, READ_WITHIN)?;
        self.note(reply)?;
        self.ahead.keep(offset, plan, bytes);
        Ok(self.ahead.held(offset))
    }

    fn note(&mut self, reply: Reply) -> Result<(), Fault> {
        if reply.file != self.file {
            return Err(Fault::Replaced);
        }
        self.size = Size { bytes: reply.size, told: Instant::now() };
        self.ahead.cut(reply.size);
        Ok(())
    }
}
