//! Runs a command to its end, its time-out or its stop, and gathers what it prints.
//!
//! A thread of its own reads the pipe, so that a process that outlives the command can go on writing to it after nobody
//! listens any more: it is not ended by a broken pipe.

use super::decode::Decoder;
use super::end::{End, Ending};
use super::environment::Environment;
use super::group::Group;
use super::kept::Kept;
use std::ffi::OsString;
use std::io::{self, ErrorKind, PipeReader, Read};
use std::path::PathBuf;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;

/// Bytes read at once.
const READ: usize = 16 * 1024;
/// Reads that may wait to be taken; a command that prints faster waits in its write.
const READS: usize = 8;
/// How long the pipe is read after the command has ended, when somebody still holds it.
const HELD_OPEN: Duration = Duration::from_secs(1);
/// Bytes that wait for a listener who is slow; of more the newest stay. He hears what is going on, the end says all.
const UNHEARD: usize = 64 * 1024;

/// What is started.
#[derive(Clone, Debug)]
pub struct Command {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    /// The last argument; on Windows not quoted again.
    pub text: Option<OsString>,
    /// Where it starts.
    pub folder: PathBuf,
    pub environment: Environment,
}

/// How long and how much.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of output that are kept from its beginning.
    pub head: usize,
    /// And from its end.
    pub tail: usize,
}

/// Runs it. `output` gets what it prints while it runs, as text; a listener who is slow or gone does not hold it up.
///
/// When the time is up, and after `stop`, its whole group is ended: TERM, 5 s, KILL. Dropping this future kills the group.
///
/// # Errors
/// It could not be started: no such program or folder.
pub async fn run(
    command: &Command,
    limits: Limits,
    output: mpsc::Sender<String>,
    stop: CancellationToken,
) -> io::Result<End> {
    let deadline = Instant::now() + limits.time;
    let (reader, writer) = io::pipe()?;
    let mut group = Group::start(command, writer)?;
    let mut pipe = read(reader)?;
    let mut gathered = Gathered::new(limits, output);
    let ending = loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break Ending::Stopped,
            () = sleep_until(deadline) => break Ending::TimedOut(limits.time),
            status = group.leader() => break Ending::of(status?),
            bytes = pipe.recv(), if gathered.open => gathered.take(bytes),
        }
    };
    if !matches!(ending, Ending::Exited(_) | Ending::Signalled(_)) {
        let stopping = group.stop();
        tokio::pin!(stopping);
        loop {
            tokio::select! {
                () = &mut stopping => break,
                bytes = pipe.recv(), if gathered.open => gathered.take(bytes),
            }
        }
    }
    let patience = Instant::now() + HELD_OPEN;
    // Looked at by itself: who prints without end always has something ready.
    while gathered.open
        && Instant::now() < patience
        && let Ok(bytes) = timeout_at(patience, pipe.recv()).await
    {
        gathered.take(bytes);
    }
    let left_running = gathered.open || group.has_members();
    Ok(End { output: gathered.finish(), ending, left_running })
}

/// Reads to the end of the pipe, also when nobody takes it any more.
fn read(mut pipe: PipeReader) -> io::Result<mpsc::Receiver<Vec<u8>>> {
    let (sender, receiver) = mpsc::channel(READS);
    let work = move || {
        let mut buffer = vec![0; READ];
        loop {
            match pipe.read(&mut buffer) {
                Ok(0) => return,
                // Nobody takes it: it is read and forgotten.
                Ok(count) => drop(sender.blocking_send(buffer[..count].to_vec())),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    tracing::warn!(%error, "the output of a command could not be read to its end");
                    return;
                }
            }
        }
    };
    std::thread::Builder::new().name("command output".to_owned()).spawn(work)?;
    Ok(receiver)
}

/// What came, for the end and for the listener.
struct Gathered {
    decoder: Decoder,
    kept: Kept,
    unheard: String,
    output: mpsc::Sender<String>,
    /// The pipe has not come to its end.
    open: bool,
}

impl Gathered {
    fn new(limits: Limits, output: mpsc::Sender<String>) -> Self {
        let kept = Kept::new(limits.head, limits.tail);
        Self { decoder: Decoder::default(), kept, unheard: String::new(), output, open: true }
    }

    fn take(&mut self, bytes: Option<Vec<u8>>) {
        let text = match bytes {
            Some(bytes) => self.decoder.push(&bytes),
            None => {
                self.open = false;
                self.decoder.finish()
            }
        };
        self.kept.push(&text);
        self.tell(&text);
    }

    fn tell(&mut self, text: &str) {
        self.unheard.push_str(text);
        if self.unheard.len() > UNHEARD {
            let from = self.unheard.ceil_char_boundary(self.unheard.len() - UNHEARD);
            self.unheard.drain(..from);
        }
        if !self.unheard.is_empty()
            && let Ok(place) = self.output.try_reserve()
        {
            place.send(std::mem::take(&mut self.unheard));
        }
    }

    fn finish(mut self) -> String {
        let rest = self.decoder.finish();
        self.kept.push(&rest);
        self.tell(&rest);
        self.kept.finish()
    }
}
