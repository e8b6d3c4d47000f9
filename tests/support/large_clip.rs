//! A video of about 471 MB and 300 s, made in seconds: eight seconds are encoded once and copied again and again. The
//! bytes per second are those of a film; most of them are filler, so that drawing it costs a slow machine little.

use crate::generated_media::ffmpeg;
use std::io;
use std::path::{Path, PathBuf};

/// Length of the video, in seconds.
pub const LARGE_SECONDS: f64 = 300.0;

/// Where an mp4 keeps its index. A player needs it before it can start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexAt {
    /// Before the samples: playing can start with the first bytes.
    Start,
    /// After them: a player has to seek to the end first.
    End,
}

/// Makes `large.mp4` or `large-index-at-end.mp4` (h264 and aac) in `folder` and returns its whole path. Needs twice the
/// room for a moment.
///
/// # Errors
/// In words, when ffmpeg is not installed, does not know one of the codecs, or the disk is full.
pub fn make_large_clip(folder: &Path, index: IndexAt) -> io::Result<PathBuf> {
    let (name, flags) = match index {
        IndexAt::Start => ("large.mp4", &["-movflags", "+faststart"][..]),
        IndexAt::End => ("large-index-at-end.mp4", &[][..]),
    };
    let scratch = tempfile::tempdir_in(folder)?;
    let segment = scratch.path().join("segment.mp4");
    ffmpeg(&words(SEGMENT), &segment)?;
    let input = segment.to_str().ok_or_else(|| io::Error::other("the folder's name is not Unicode"))?;
    let copied = ["-stream_loop", "-1", "-i", input, "-c", "copy", "-t", "300"];
    let path = folder.join(name);
    ffmpeg(&copied.iter().chain(flags).map(|word| (*word).to_owned()).collect::<Vec<_>>(), &path)?;
    Ok(path)
}

/// Constant bitrate with filler: the size does not depend on what is drawn.
const SEGMENT: &str = "-f lavfi -i testsrc2=size=640x360:rate=25:duration=8 \
    -f lavfi -i sine=frequency=440:sample_rate=48000:duration=8 \
    -c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g 25 \
    -b:v 12590k -minrate 12590k -maxrate 12590k -bufsize 12590k -x264-params nal-hrd=cbr -c:a aac -b:a 128k";

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
