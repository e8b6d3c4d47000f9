//! A pipeline as the web view builds one, without a picture and without sound.

use gst::prelude::*;
use gstreamer as gst;
use std::path::{Path, PathBuf};
use std::sync::Once;
use std::time::Duration;

/// For every wait: far longer than any takes, so that only a hang meets it.
pub const LIMIT: Duration = Duration::from_secs(60);

/// Loads the built plugin, once.
pub fn load_plugin() {
    static LOADED: Once = Once::new();
    LOADED.call_once(|| {
        gst::init().expect("GStreamer starts");
        let file = plugin();
        let loaded = gst::Plugin::load_file(&file);
        loaded.unwrap_or_else(|error| {
            panic!("{} does not load ({error}): run \"cargo build --workspace\" first", file.display())
        });
    });
}

/// `target/<profile>/libgsthermesmedia.so`, beside the folder of this test's own binary.
fn plugin() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its binary");
    let profile = test.ancestors().nth(2).expect("the binary lies in target/<profile>/deps");
    profile.join("libgsthermesmedia.so")
}

/// How a pipeline ended.
#[derive(Debug)]
pub enum End {
    /// Of the file.
    OfStream,
    /// GStreamer's kind of error, and all of its words.
    Error(gst::glib::Error, String),
}

/// A playbin whose sinks drop everything. Ends with its last use.
pub struct Player {
    pipeline: gst::Element,
}

impl Player {
    /// Not started.
    pub fn new(address: &str, socket: &Path) -> Self {
        load_plugin();
        let sink = || gst::ElementFactory::make("fakesink").property("sync", true).build().expect("fakesink");
        let pipeline = gst::ElementFactory::make("playbin3")
            .property("uri", address)
            .property("video-sink", sink())
            .property("audio-sink", sink())
            .build()
            .expect("playbin3");
        let socket = socket.to_str().expect("a path in Unicode").to_owned();
        pipeline.connect("source-setup", false, move |values| {
            let source = values[1].get::<gst::Element>().expect("the signal gives the source");
            source.set_property("socket", &socket);
            None
        });
        Self { pipeline }
    }

    /// Plays from where it is.
    pub fn start(&self) {
        self.pipeline.set_state(gst::State::Playing).expect("a prerolled pipeline plays");
    }

    /// Pauses at the start, and does not wait for it.
    pub fn begin(&self) {
        // A failure is told by a message on the bus, too, and there with its words.
        let _ = self.pipeline.set_state(gst::State::Paused);
    }

    /// Pauses at the start, with what is shown there.
    ///
    /// # Errors
    /// How the pipeline ended instead.
    pub fn preroll(&self) -> Result<(), End> {
        self.begin();
        self.wait(Self::is_done)
    }

    /// Waits for the end.
    pub fn end(&self) -> End {
        self.wait(|_, _| false).expect_err("only an end ends this wait")
    }

    /// Seconds; the pipeline is prerolled.
    pub fn duration(&self) -> f64 {
        let duration = self.pipeline.query_duration::<gst::ClockTime>().expect("a duration");
        duration.mseconds() as f64 / 1000.0
    }

    /// Seconds; the pipeline is prerolled.
    pub fn position(&self) -> Option<f64> {
        let position = self.pipeline.query_position::<gst::ClockTime>()?;
        Some(position.mseconds() as f64 / 1000.0)
    }

    /// Jumps there, flushing.
    pub fn jump(&self, seconds: f64) {
        let to = gst::ClockTime::from_mseconds((seconds * 1000.0) as u64);
        self.pipeline.seek_simple(gst::SeekFlags::FLUSH | gst::SeekFlags::ACCURATE, to).expect("it can seek");
    }

    /// Jumps there, and waits until the pipeline has what is shown there.
    ///
    /// # Errors
    /// How the pipeline ended instead.
    pub fn seek(&self, seconds: f64) -> Result<(), End> {
        self.jump(seconds);
        self.wait(Self::is_done)
    }

    /// All sinks have something to show. Said once after a start, and once after each jump.
    fn is_done(&self, message: Option<&gst::Message>) -> bool {
        let done = message.filter(|message| message.type_() == gst::MessageType::AsyncDone);
        done.and_then(|message| message.src()) == Some(self.pipeline.upcast_ref())
    }

    fn bus(&self) -> gst::Bus {
        self.pipeline.bus().expect("a pipeline has a bus")
    }

    /// Until `is_there` says so; it sees every message that is no end.
    fn wait(&self, is_there: impl Fn(&Self, Option<&gst::Message>) -> bool) -> Result<(), End> {
        let started = std::time::Instant::now();
        loop {
            let message = self.bus().timed_pop(gst::ClockTime::from_mseconds(5));
            match message.as_ref().map(|message| message.view()) {
                Some(gst::MessageView::Error(error)) => {
                    let words = format!("{} ({})", error.error(), error.debug().unwrap_or_default());
                    return Err(End::Error(error.error(), words));
                }
                Some(gst::MessageView::Eos(_)) => return Err(End::OfStream),
                _ => {}
            }
            if is_there(self, message.as_ref()) {
                return Ok(());
            }
            let now = self.pipeline.state(gst::ClockTime::ZERO);
            assert!(started.elapsed() < LIMIT, "the pipeline hangs in {now:?}");
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.pipeline.set_state(gst::State::Null).expect("every pipeline can be stopped");
    }
}
