//! What GStreamer asks of the element, and what it answers from a [`Reader`].
//!
//! The streaming thread holds `reader` while it reads. Everything else that may run meanwhile (flushing, a question for
//! the size from the web view's main thread) never waits for it.

use crate::address;
use crate::client::{Client, Wake};
use crate::fault::Fault;
use crate::reader::{Reader, Size};
use gst::glib;
use gst::prelude::*;
use gst::subclass::prelude::*;
use gst_base::prelude::*;
use gst_base::subclass::base_src::CreateSuccess;
use gst_base::subclass::prelude::*;
use gstreamer as gst;
use gstreamer_base as gst_base;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, TryLockError};
use std::time::Duration;
use talaria_media_frames::{Grant, SOCKET_VARIABLE};

/// Bytes a buffer when the element pushes (a parser that cannot pull).
const PUSHED: u32 = 64 * 1024;
/// How old the size may be before the app is asked again.
const SIZE_HOLDS: Duration = Duration::from_millis(250);

static LOG: LazyLock<gst::DebugCategory> = LazyLock::new(|| {
    gst::DebugCategory::new("hermesmediasrc", gst::DebugColorFlags::empty(), Some("Talaria's media source"))
});

/// What is set before the start.
#[derive(Default)]
struct Settings {
    address: Option<(String, Grant)>,
    socket: Option<PathBuf>,
}

#[derive(Default)]
pub struct HermesMediaSrc {
    settings: Mutex<Settings>,
    reader: Mutex<Option<Reader>>,
    wake: Mutex<Option<Arc<Wake>>>,
    size: Mutex<Option<Size>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no thread panics while it holds the element")
}

#[glib::object_subclass]
impl ObjectSubclass for HermesMediaSrc {
    const NAME: &'static str = "TalariaHermesMediaSrc";
    type Type = super::HermesMediaSrc;
    type ParentType = gst_base::BaseSrc;
    type Interfaces = (gst::URIHandler,);
}

impl ObjectImpl for HermesMediaSrc {
    fn constructed(&self) {
        self.parent_constructed();
        self.obj().set_format(gst::Format::Bytes);
        self.obj().set_blocksize(PUSHED);
    }

    fn properties() -> &'static [glib::ParamSpec] {
        static PROPERTIES: LazyLock<Vec<glib::ParamSpec>> = LazyLock::new(|| {
            vec![
                glib::ParamSpecString::builder("uri")
                    .nick("URI")
                    .blurb("hermes-media://localhost/stream/<grant>/<name>")
                    .mutable_ready()
                    .build(),
                glib::ParamSpecString::builder("socket")
                    .nick("Socket")
                    .blurb("The app's socket; HERMES_MEDIA_SOCKET when not set")
                    .mutable_ready()
                    .build(),
            ]
        });
        &PROPERTIES
    }

    fn set_property(&self, _id: usize, value: &glib::Value, property: &glib::ParamSpec) {
        let text = value.get::<Option<String>>().expect("both properties are texts");
        match property.name() {
            "uri" => {
                if let Err(error) = self.set_uri(text.as_deref().unwrap_or_default()) {
                    gst::warning!(LOG, imp: self, "{error}");
                }
            }
            _ => lock(&self.settings).socket = text.map(PathBuf::from),
        }
    }

    fn property(&self, _id: usize, property: &glib::ParamSpec) -> glib::Value {
        match property.name() {
            "uri" => self.uri().to_value(),
            _ => lock(&self.settings).socket.as_ref().map(|path| path.display().to_string()).to_value(),
        }
    }
}

impl GstObjectImpl for HermesMediaSrc {}

impl ElementImpl for HermesMediaSrc {
    fn metadata() -> Option<&'static gst::subclass::ElementMetadata> {
        static METADATA: LazyLock<gst::subclass::ElementMetadata> = LazyLock::new(|| {
            gst::subclass::ElementMetadata::new(
                "Talaria media source",
                "Source/Network",
                "Reads the media of an agent's message from the Talaria app",
                "Talaria",
            )
        });
        Some(&METADATA)
    }

    fn pad_templates() -> &'static [gst::PadTemplate] {
        static TEMPLATES: LazyLock<Vec<gst::PadTemplate>> = LazyLock::new(|| {
            let any = gst::Caps::new_any();
            let template =
                gst::PadTemplate::new("src", gst::PadDirection::Src, gst::PadPresence::Always, &any);
            vec![template.expect("a plain template is well formed")]
        });
        &TEMPLATES
    }
}

impl BaseSrcImpl for HermesMediaSrc {
    fn start(&self) -> Result<(), gst::ErrorMessage> {
        let (grant, socket) = {
            let settings = lock(&self.settings);
            let grant = settings.address.as_ref().map(|(_, grant)| *grant);
            let socket = settings.socket.clone();
            (grant, socket.or_else(|| std::env::var_os(SOCKET_VARIABLE).map(PathBuf::from)))
        };
        let Some(grant) = grant else {
            return Err(gst::error_msg!(gst::ResourceError::NotFound, ("No address was set.")));
        };
        let opened = self.open(socket.unwrap_or_default(), grant);
        let reader = opened.map_err(|fault| {
            let (kind, words) = fault.told();
            gst::error_msg!(kind, ("{words}"), ["{fault:?}"])
        })?;
        gst::debug!(LOG, imp: self, "opened, {} bytes", reader.size().bytes);
        *lock(&self.size) = Some(reader.size());
        *lock(&self.reader) = Some(reader);
        self.tell_that_nothing_loads();
        Ok(())
    }

    fn stop(&self) -> Result<(), gst::ErrorMessage> {
        *lock(&self.reader) = None;
        *lock(&self.wake) = None;
        *lock(&self.size) = None;
        Ok(())
    }

    fn is_seekable(&self) -> bool {
        true
    }

    /// Asked at the start, and by the streaming thread for each read that reaches the end.
    fn size(&self) -> Option<u64> {
        let last = (*lock(&self.size))?;
        if last.told.elapsed() < SIZE_HOLDS {
            return Some(last.bytes);
        }
        // The file may still be written to, and goes on then. While a read is under way its answer tells the size.
        let mut reader = match self.reader.try_lock() {
            Ok(reader) => reader,
            Err(TryLockError::WouldBlock) => return Some(last.bytes),
            Err(TryLockError::Poisoned(_)) => return None,
        };
        let reader = reader.as_mut()?;
        if let Err(fault) = reader.refresh() {
            // The next read meets it, too, and tells it.
            gst::debug!(LOG, imp: self, "the size may be an old one: {fault:?}");
        }
        *lock(&self.size) = Some(reader.size());
        Some(reader.size().bytes)
    }

    fn create(
        &self,
        offset: u64,
        buffer: Option<&mut gst::BufferRef>,
        length: u32,
    ) -> Result<CreateSuccess, gst::FlowError> {
        let piece = {
            let mut held = lock(&self.reader);
            let reader = held.as_mut().ok_or(gst::FlowError::Flushing)?;
            let piece = reader.read(offset, length as usize);
            *lock(&self.size) = Some(reader.size());
            piece
        };
        let piece = piece.map_err(|fault| self.tell(fault))?;
        let bytes = piece.as_ref();
        if bytes.is_empty() && length > 0 {
            return Err(gst::FlowError::Eos);
        }
        let Some(buffer) = buffer else {
            let mut made = gst::Buffer::from_slice(piece);
            let fresh = made.get_mut().expect("nobody else has a new buffer");
            fresh.set_offset(offset);
            fresh.set_offset_end(offset + fresh.size() as u64);
            return Ok(CreateSuccess::NewBuffer(made));
        };
        let count = bytes.len();
        {
            let mut map = buffer.map_writable().map_err(|_| gst::FlowError::Error)?;
            map.as_mut_slice().get_mut(..count).ok_or(gst::FlowError::Error)?.copy_from_slice(bytes);
        }
        buffer.set_size(count);
        Ok(CreateSuccess::FilledBuffer)
    }

    fn unlock(&self) -> Result<(), gst::ErrorMessage> {
        if let Some(wake) = &*lock(&self.wake) {
            wake.set();
        }
        Ok(())
    }

    fn unlock_stop(&self) -> Result<(), gst::ErrorMessage> {
        if let Some(wake) = &*lock(&self.wake) {
            wake.clear();
        }
        Ok(())
    }
}

impl HermesMediaSrc {
    fn open(&self, socket: PathBuf, grant: Grant) -> Result<Reader, Fault> {
        let wake = Arc::new(Wake::new()?);
        *lock(&self.wake) = Some(Arc::clone(&wake));
        Reader::open(Client::new(socket, grant, wake))
    }

    /// Says that every byte is at hand, as it is on a disk. Without these words WebKit takes the file for one that goes
    /// on loading, and its controls show that in the place of the time line until it is played (measured).
    fn tell_that_nothing_loads(&self) {
        let whole = gst::message::Buffering::builder(100)
            .src(&*self.obj())
            .stats(gst::BufferingMode::Download, -1, -1, 0)
            .build();
        // Refused only by an element that is in no pipeline, where nobody would read it.
        let _ = self.obj().post_message(whole);
    }

    /// Posts the fault for the player, and says how the stream ends.
    fn tell(&self, fault: Fault) -> gst::FlowError {
        if fault == Fault::Flushing {
            return gst::FlowError::Flushing;
        }
        let (kind, words) = fault.told();
        gst::element_imp_error!(self, kind, ("{words}"), ["{fault:?}"]);
        gst::FlowError::Error
    }
}

impl URIHandlerImpl for HermesMediaSrc {
    const URI_TYPE: gst::URIType = gst::URIType::Src;

    fn protocols() -> &'static [&'static str] {
        &[address::SCHEME]
    }

    fn uri(&self) -> Option<String> {
        lock(&self.settings).address.as_ref().map(|(uri, _)| uri.clone())
    }

    fn set_uri(&self, uri: &str) -> Result<(), glib::Error> {
        if self.obj().current_state() > gst::State::Ready {
            let words = "The address cannot change while it is played.";
            return Err(glib::Error::new(gst::URIError::BadState, words));
        }
        let grant = address::grant(uri).ok_or_else(|| {
            glib::Error::new(gst::URIError::BadUri, "This is no address of Talaria's media.")
        })?;
        lock(&self.settings).address = Some((uri.to_owned(), grant));
        Ok(())
    }
}
