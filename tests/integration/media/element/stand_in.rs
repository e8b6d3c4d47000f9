//! A stand-in for the app at the other end of the element's socket: it counts, and it answers as badly as it is told.

use super::player::load_plugin;
use gst::prelude::*;
use gstreamer as gst;
use std::io::{Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use talaria_media_frames::{Op, Reply, Request, Status};
use tempfile::TempDir;

/// What the stand-in does with a request.
pub enum Act {
    /// Sends these bytes and waits for the next request.
    Say(Vec<u8>),
    /// Sends these bytes and closes the connection.
    SayAndClose(Vec<u8>),
    /// Nothing at all, until the element closes.
    Nothing,
}

/// A socket whose every request goes to a function; the number is how many came before it.
pub struct StandIn {
    folder: TempDir,
    heard: Arc<Heard>,
    accepting: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Heard {
    requests: Mutex<Vec<Op>>,
    connections: AtomicUsize,
    ended: AtomicBool,
}

impl StandIn {
    pub fn new(act: impl Fn(&Request, usize) -> Act + Send + Sync + 'static) -> Self {
        let folder = tempfile::tempdir().expect("a temp folder");
        let listener = UnixListener::bind(folder.path().join("socket")).expect("a socket");
        let heard = Arc::new(Heard::default());
        let accepting = {
            let (heard, act) = (Arc::clone(&heard), Arc::new(act));
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    if heard.ended.load(Ordering::SeqCst) {
                        return;
                    }
                    heard.connections.fetch_add(1, Ordering::SeqCst);
                    let (heard, act) = (Arc::clone(&heard), Arc::clone(&act));
                    std::thread::spawn(move || {
                        // The element closes when it likes.
                        let _ = talk(stream.expect("a connection"), &heard, act.as_ref());
                    });
                }
            })
        };
        Self { folder, heard, accepting: Some(accepting) }
    }

    /// One that serves `content` as the app would.
    pub fn serving(content: Vec<u8>) -> Self {
        Self::new(move |request, _| Act::Say(honest(&content, request)))
    }

    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("socket")
    }

    /// All reads so far: offset and length.
    pub fn reads(&self) -> Vec<(u64, u32)> {
        let requests = self.heard.requests.lock().expect("no thread panicked");
        let reads = requests.iter().filter_map(|op| match op {
            Op::Open => None,
            Op::Read { offset, length } => Some((*offset, *length)),
        });
        reads.collect()
    }

    pub fn connections(&self) -> usize {
        self.heard.connections.load(Ordering::SeqCst)
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.heard.ended.store(true, Ordering::SeqCst);
        let _ = UnixStream::connect(self.socket());
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn talk(mut stream: UnixStream, heard: &Heard, act: &dyn Fn(&Request, usize) -> Act) -> std::io::Result<()> {
    loop {
        let mut frame = [0; Request::BYTES];
        stream.read_exact(&mut frame)?;
        let request = Request::decode(&frame).expect("the element keeps to the frames");
        let before = {
            let mut requests = heard.requests.lock().expect("no thread panicked");
            requests.push(request.op);
            requests.len() - 1
        };
        match act(&request, before) {
            Act::Say(bytes) => stream.write_all(&bytes)?,
            Act::SayAndClose(bytes) => return stream.write_all(&bytes),
            Act::Nothing => {
                stream.read_to_end(&mut Vec::new())?;
                return Ok(());
            }
        }
    }
}

/// The answer of the app for a file of this content, whose number is 1.
pub fn honest(content: &[u8], request: &Request) -> Vec<u8> {
    let (offset, length) = match request.op {
        Op::Open => (0, 0),
        Op::Read { offset, length } => (offset, length),
    };
    let from = content.len().min(offset as usize);
    let bytes = &content[from..content.len().min(from + length as usize)];
    let reply = Reply { status: Status::Ok, length: bytes.len() as u32, size: content.len() as u64, file: 1 };
    [&reply.encode()[..], bytes].concat()
}

/// The element alone, read as a demuxer reads it: any place, any length.
pub struct Tap {
    element: gst::Element,
    pad: gst::Pad,
    bus: gst::Bus,
}

impl Tap {
    /// Opened, or the words of the error.
    pub fn open(address: &str, socket: &Path) -> Result<Self, String> {
        load_plugin();
        let element = gst::ElementFactory::make("hermesmediasrc")
            .property("uri", address)
            .property("socket", socket.to_str().expect("a path in Unicode"))
            .build()
            .expect("the plugin has the element");
        let bus = gst::Bus::new();
        element.set_bus(Some(&bus));
        let pad = element.static_pad("src").expect("a source has a pad");
        let tap = Self { element, pad, bus };
        match tap.pad.activate_mode(gst::PadMode::Pull, true) {
            Ok(()) => Ok(tap),
            Err(_) => Err(tap.words().expect("a failed start is told on the bus")),
        }
    }

    /// Up to `length` bytes at `offset`.
    pub fn read(&self, offset: u64, length: u32) -> Result<Vec<u8>, gst::FlowError> {
        let buffer = self.pad.range(offset, length)?;
        let map = buffer.map_readable().expect("a buffer in memory");
        Ok(map.as_slice().to_vec())
    }

    /// The size, as a demuxer asks for it.
    pub fn size(&self) -> u64 {
        let size = self.pad.query_duration::<gst::format::Bytes>().expect("the size is known");
        *size
    }

    /// The error that was posted, in words.
    pub fn words(&self) -> Option<String> {
        let message = self.bus.pop_filtered(&[gst::MessageType::Error])?;
        match message.view() {
            gst::MessageView::Error(error) => {
                Some(format!("{} ({})", error.error(), error.debug().unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// Stops, in the midst of a read if need be.
    pub fn stop(&self) {
        self.pad.activate_mode(gst::PadMode::Pull, false).expect("it stops");
    }
}

impl Drop for Tap {
    fn drop(&mut self) {
        let _ = self.pad.activate_mode(gst::PadMode::Pull, false);
        let _ = self.element.set_state(gst::State::Null);
    }
}
