//! Sound, video and pictures made on the spot by ffmpeg: a moving test card and a tone. Nothing is downloaded and
//! nothing of it is committed.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Length of every sound and video, in seconds. ffmpeg may add a frame at the end.
pub const SECONDS: f64 = 8.0;

/// One file that ffmpeg can make: every format that a session may name, small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clip {
    Wav,
    Mp3,
    /// Vorbis.
    Ogg,
    /// Vorbis, under the name for sound alone.
    Oga,
    Opus,
    Flac,
    M4a,
    /// AAC without a container (ADTS): its length is only estimated.
    Aac,
    /// h264 and aac, the index before the samples.
    Mp4IndexAtStart,
    /// h264 and aac, the index after the samples: a player has to seek before it can start.
    Mp4IndexAtEnd,
    M4v,
    Mov,
    Mkv,
    /// h264 and mp3.
    Avi,
    /// vp8 and opus.
    Webm,
    /// Theora and vorbis.
    Ogv,
    /// An mp4 whose picture track names a codec that nobody has; its sound is aac.
    Mp4UnknownPicture,
    Png,
    Jpeg,
    Gif,
    Webp,
    Bmp,
}

impl Clip {
    /// Everything with a clock: sound, then video.
    pub const PLAYED: [Clip; 16] = [
        Clip::Wav,
        Clip::Mp3,
        Clip::Ogg,
        Clip::Oga,
        Clip::Opus,
        Clip::Flac,
        Clip::M4a,
        Clip::Aac,
        Clip::Mp4IndexAtStart,
        Clip::Mp4IndexAtEnd,
        Clip::M4v,
        Clip::Mov,
        Clip::Mkv,
        Clip::Avi,
        Clip::Webm,
        Clip::Ogv,
    ];

    pub const PICTURES: [Clip; 5] = [Clip::Png, Clip::Jpeg, Clip::Gif, Clip::Webp, Clip::Bmp];

    pub fn file_name(self) -> &'static str {
        match self {
            Clip::Wav => "tone.wav",
            Clip::Mp3 => "tone.mp3",
            Clip::Ogg => "tone.ogg",
            Clip::Oga => "tone.oga",
            Clip::Opus => "tone.opus",
            Clip::Flac => "tone.flac",
            Clip::M4a => "tone.m4a",
            Clip::Aac => "tone.aac",
            Clip::Mp4IndexAtStart => "test-card.mp4",
            Clip::Mp4IndexAtEnd => "test-card-index-at-end.mp4",
            Clip::M4v => "test-card.m4v",
            Clip::Mov => "test-card.mov",
            Clip::Mkv => "test-card.mkv",
            Clip::Avi => "test-card.avi",
            Clip::Webm => "test-card.webm",
            Clip::Ogv => "test-card.ogv",
            Clip::Mp4UnknownPicture => "unknown-picture.mp4",
            Clip::Png => "test-card.png",
            Clip::Jpeg => "test-card.jpg",
            Clip::Gif => "test-card.gif",
            Clip::Webp => "test-card.webp",
            Clip::Bmp => "test-card.bmp",
        }
    }

    /// Whether it has a picture that moves.
    pub fn is_video(self) -> bool {
        self.file_name().starts_with("test-card") && !Self::PICTURES.contains(&self)
    }

    /// The name of its card.
    pub fn card(self) -> String {
        let kind = match self {
            _ if Self::PICTURES.contains(&self) => "Picture",
            Clip::Mp4UnknownPicture => "Video",
            _ if self.is_video() => "Video",
            _ => "Audio",
        };
        format!("{kind}: {}", self.file_name())
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
        ffmpeg(&self.arguments(), path)?;
        if self == Clip::Mp4UnknownPicture { hide_codec(path) } else { Ok(()) }
    }

    fn arguments(self) -> Vec<String> {
        let tone = format!("sine=frequency=440:sample_rate=48000:duration={SECONDS}");
        let card = format!("testsrc2=size=640x272:rate=25:duration={SECONDS}");
        let still = "testsrc2=size=1280x720:rate=1:duration=1".to_owned();
        let sound = ["-f", "lavfi", "-i", &tone].map(str::to_owned);
        let video = ["-f", "lavfi", "-i", &card].map(str::to_owned);
        let picture = ["-f", "lavfi", "-i", &still, "-frames:v", "1"].map(str::to_owned);
        let h264 = "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -g 25";
        let aac = "-c:a aac -shortest";
        let (inputs, rest): (Vec<String>, String) = match self {
            Clip::Wav => (sound.to_vec(), "-c:a pcm_s16le".to_owned()),
            Clip::Mp3 => (sound.to_vec(), "-c:a libmp3lame -b:a 96k".to_owned()),
            Clip::Ogg | Clip::Oga => (sound.to_vec(), "-c:a libvorbis -f ogg".to_owned()),
            Clip::Opus => (sound.to_vec(), "-c:a libopus".to_owned()),
            Clip::Flac => (sound.to_vec(), "-c:a flac".to_owned()),
            Clip::M4a | Clip::Aac => (sound.to_vec(), "-c:a aac".to_owned()),
            Clip::Mp4IndexAtStart | Clip::Mp4UnknownPicture => {
                ([video, sound].concat(), format!("{h264} {aac} -movflags +faststart"))
            }
            Clip::Mp4IndexAtEnd | Clip::Mov | Clip::Mkv => ([video, sound].concat(), format!("{h264} {aac}")),
            // ffmpeg's own choice for this extension knows no aac.
            Clip::M4v => ([video, sound].concat(), format!("{h264} {aac} -f mp4")),
            Clip::Avi => ([video, sound].concat(), format!("{h264} -c:a libmp3lame -shortest")),
            Clip::Webm => (
                [video, sound].concat(),
                "-c:v libvpx -deadline realtime -cpu-used 8 -b:v 800k -g 25 -c:a libopus -shortest"
                    .to_owned(),
            ),
            Clip::Ogv => {
                ([video, sound].concat(), "-c:v libtheora -q:v 5 -g 25 -c:a libvorbis -shortest".to_owned())
            }
            Clip::Png | Clip::Jpeg | Clip::Gif | Clip::Webp | Clip::Bmp => (picture.to_vec(), String::new()),
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

/// Gives the picture track of an mp4 a codec of a name that nobody knows (ISO 14496-12, 8.5.2: the type of the first
/// sample entry stands 12 bytes after the word `stsd`).
fn hide_codec(path: &Path) -> io::Result<()> {
    let mut bytes = std::fs::read(path)?;
    let entry = bytes
        .windows(20)
        .position(|window| window.starts_with(b"stsd") && window.ends_with(b"avc1"))
        .ok_or_else(|| io::Error::other("the mp4 has no h264 track"))?;
    bytes[entry + 16..entry + 20].copy_from_slice(b"zzzz");
    std::fs::write(path, bytes)
}

/// A wav of silence that needs no room on the disk: no player reads so much ahead. An old file of that name is replaced.
///
/// # Errors
/// When the file cannot be written.
pub fn silent_wav(path: &Path, seconds: u32) -> io::Result<()> {
    let rate = 48_000_u32;
    let bytes = seconds * rate * 4;
    let mut head = Vec::new();
    head.extend_from_slice(b"RIFF");
    head.extend_from_slice(&(bytes + 36).to_le_bytes());
    head.extend_from_slice(b"WAVEfmt ");
    head.extend_from_slice(&16_u32.to_le_bytes());
    // PCM, two channels of 16 bits.
    head.extend_from_slice(&[1, 0, 2, 0]);
    head.extend_from_slice(&rate.to_le_bytes());
    head.extend_from_slice(&(rate * 4).to_le_bytes());
    head.extend_from_slice(&[4, 0, 16, 0]);
    head.extend_from_slice(b"data");
    head.extend_from_slice(&bytes.to_le_bytes());
    let mut file = File::create(path)?;
    file.write_all(&head)?;
    file.set_len(u64::from(bytes) + head.len() as u64)
}
