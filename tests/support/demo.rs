//! The demo session: what an agent's answer can hold, with media made a moment ago.

use crate::generated_media::Clip;
use crate::hermes_file::{HermesFile, Line};
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// The title under which the demo session is listed.
pub const TITLE: &str = "Media demo";

/// What its messages name.
const CLIPS: [Clip; 7] =
    [Clip::Wav, Clip::Mp3, Clip::Mp4IndexAtStart, Clip::Mp4IndexAtEnd, Clip::Webm, Clip::Png, Clip::Jpeg];

/// Writes a Hermes store at `store`: the sample's sessions and [`TITLE`], whose messages name files made in `media`.
/// One file of theirs is missing and one lies in a `.ssh` folder, so that both refusals are seen too.
pub fn write_store(store: &Path, media: &Path) -> io::Result<()> {
    std::fs::create_dir_all(media)?;
    let media = media.canonicalize()?;
    for clip in CLIPS {
        clip.make_in(&media)?;
    }
    let private = media.join(".ssh");
    std::fs::create_dir_all(&private)?;
    std::fs::copy(media.join(Clip::Mp4IndexAtStart.file_name()), private.join("clip.mp4"))?;

    let tag = |name: &str| format!("MEDIA:{}", media.join(name).display());
    let clip = |clip: Clip| tag(clip.file_name());
    let sound = format!(
        "A 440 Hz tone, once without loss and once compressed.\n\n{}\n{}",
        clip(Clip::Wav),
        clip(Clip::Mp3)
    );
    let refused = format!(
        "These two stay closed: the first file is gone, the second lies where keys are kept.\n\n{}\n{}",
        tag("moved-away.mp4"),
        tag(".ssh/clip.mp4")
    );
    let pictures = format!("Two stills of the same card.\n\n{}\n{}", clip(Clip::Jpeg), clip(Clip::Png));
    let videos = format!(
        "The same card as WebM, and as MP4 with its index at the end.\n\n{}\n{}",
        clip(Clip::Webm),
        clip(Clip::Mp4IndexAtEnd)
    );
    let last = format!(
        "Its index stands in front, so the first frames are enough to begin. Length 8 s, 25 frames a second.\n\n{}",
        clip(Clip::Mp4IndexAtStart)
    );
    let lines = [
        Line::User("Make me a short tone, as WAV and as MP3."),
        Line::Tool {
            name: "terminal",
            arguments: r#"{"command": "ffmpeg -f lavfi -i sine=frequency=440:duration=8 tone.wav"}"#,
            output: r#"{"output": "size=    750kB time=00:00:08.00 bitrate= 768.1kbits/s", "exit_code": 0, "error": null}"#,
        },
        Line::Assistant(&sound),
        Line::User("How does the player find a position in the file?"),
        Line::Assistant(EXPLANATION),
        Line::User("Show me the pictures, and what happens to files you may not open."),
        Line::Assistant(&pictures),
        Line::Assistant(&refused),
        Line::User("Now the videos."),
        Line::Assistant(&videos),
        Line::User("And one that can start before it is read to its end."),
        Line::Tool {
            name: "terminal",
            arguments: r#"{"command": "ffmpeg -f lavfi -i testsrc2=size=640x272:rate=25:duration=8 -movflags +faststart test-card.mp4"}"#,
            output: r#"{"output": "frame=  200 fps=0.0 q=-1.0 Lsize=    1021kB time=00:00:07.88", "exit_code": 0, "error": null}"#,
        },
        Line::Assistant(&last),
    ];
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?.as_secs_f64();
    let folder = media.display().to_string();
    HermesFile::copy_of_sample(store)?.add_session("demo_media", TITLE, &folder, now - 120.0, &lines)
}

const EXPLANATION: &str = r#"It asks for **parts** of the file. Each request names a byte range:

| request | answer |
|---|---|
| `bytes=0-1023` | the first 1,024 bytes |
| `bytes=-500` | the last 500 bytes |
| `bytes=9000-` | the rest from byte 9,000 |

For a constant bit rate $r$ and a time $t$ the position is simple:

$$ p = p_0 + \frac{r \cdot t}{8} $$

A handler reads no more than was asked for:

```rust
fn part(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; (end - start) as usize];
    file.read_exact_at(&mut bytes, start)?;
    Ok(bytes)
}
```

1. Read the index.
2. Look up the sample for the time.
3. Ask for its bytes.
"#;
