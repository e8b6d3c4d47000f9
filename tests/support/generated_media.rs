//! Sound, video and pictures made on the spot by ffmpeg: a moving test card and a tone. Nothing is downloaded and
//! nothing of it is committed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Length of every sound and video, in seconds. ffmpeg may add a frame at the end.
pub const SECONDS: f64 = 8.0;

/// One file that ffmpeg can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
    Wav,
    Mp3,
    /// h264 and aac, the index before the samples.
    Mp4IndexAtStart,
    /// h264 and aac, the index after the samples: a player has to seek before it can start.
    Mp4IndexAtEnd,
    /// vp8 and opus.
    Webm,
    Png,
    Jpeg,
}

impl Clip {
    pub const ALL: [Clip; 7] =
        [Clip::Wav, Clip::Mp3, Clip::Mp4IndexAtStart, Clip::Mp4IndexAtEnd, Clip::Webm, Clip::Png, Clip::Jpeg];

    pub fn file_name(self) -> &'static str {
        match self {
            Clip::Wav => "tone.wav",
            Clip::Mp3 => "tone.mp3",
            Clip::Mp4IndexAtStart => "test-card.mp4",
            Clip::Mp4IndexAtEnd => "test-card-index-at-end.mp4",
            Clip::Webm => "test-card.webm",
            Clip::Png => "test-card.png",
            Clip::Jpeg => "test-card.jpg",
        }
    }

    /// Makes the file in `folder` and returns its whole path. An old file of that name is replaced.
    ///
    /// # Errors
    /// In words, when ffmpeg is not installed or does not know one of the codecs.
    pub fn make_in(self, folder: &Path) -> io::Result<PathBuf> {
        let path = folder.join(self.file_name());
        self.make_at(&path)?;
        Ok(path)
    }

    /// Like [`Clip::make_in`], under any name whose extension fits.
    pub fn make_at(self, path: &Path) -> io::Result<()> {
        ffmpeg(&self.arguments(), path)
    }

    fn arguments(self) -> Vec<String> {
        let tone = format!("sine=frequency=440:sample_rate=48000:duration={SECONDS}");
        let card = format!("testsrc2=size=640x272:rate=25:duration={SECONDS}");
        let still = "testsrc2=size=1280x720:rate=1:duration=1".to_owned();
        let sound = ["-f", "lavfi", "-i", &tone].map(str::to_owned);
        let video = ["-f", "lavfi", "-i", &card].map(str::to_owned);
        let picture = ["-f", "lavfi", "-i", &still, "-frames:v", "1"].map(str::to_owned);
        let h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25 -c:a aac -shortest";
        let (inputs, rest): (Vec<String>, String) = match self {
            Clip::Wav => (sound.to_vec(), "-c:a pcm_s16le".to_owned()),
            Clip::Mp3 => (sound.to_vec(), "-c:a libmp3lame -b:a 96k".to_owned()),
            Clip::Mp4IndexAtStart => ([video, sound].concat(), format!("{h264} -movflags +faststart")),
            Clip::Mp4IndexAtEnd => ([video, sound].concat(), h264.to_owned()),
            Clip::Webm => (
                [video, sound].concat(),
                "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 800k -g 25 -c:a libopus -shortest"
                    .to_owned(),
            ),
            Clip::Png | Clip::Jpeg => (picture.to_vec(), String::new()),
        };
        inputs.into_iter().chain(rest.split_whitespace().map(str::to_owned)).collect()
    }
}

/// Runs ffmpeg with `path` as what it makes; an old file there is replaced.
///
/// # Errors
/// In words, when ffmpeg is not installed or complains.
pub fn ffmpeg(arguments: &[String], path: &Path) -> io::Result<()> {
    let output = Command::new("ffmpeg")
        .args(["-nostdin", "-hide_banner", "-loglevel", "error", "-y"])
        .args(arguments)
        .arg(path)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => io::Error::new(
                io::ErrorKind::NotFound,
                "ffmpeg is missing. Install the package ffmpeg, then run this again.",
            ),
            _ => error,
        })?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "ffmpeg did not make {}: {}",
        path.display(),
        String::from_utf8_lossy(&output.stderr).trim()
    )))
}
