//! What a file is, by its real name; and what to call it on the wire.

use talaria_wire::{MediaKind, TagKind};

/// Extensions that are played as sound.
const AUDIO: &[&str] = &["mp3", "m4a", "wav", "ogg", "opus", "flac", "oga", "aac"];
/// Extensions that are played as video.
const VIDEO: &[&str] = &["mp4", "mov", "mkv", "webm", "avi", "m4v", "ogv"];
/// Extensions that are shown as pictures. SVG is a document with scripts: a file card.
const PICTURE: &[&str] = &["png", "jpg", "jpeg", "gif", "webp", "bmp"];

/// The kind of a file by its real name, in any letter case; `None` when it is neither played nor shown.
pub fn of_name(name: &str) -> Option<MediaKind> {
    let extension = extension(name)?;
    let is_in = |list: &[&str]| list.contains(&extension.as_str());
    if is_in(AUDIO) {
        Some(MediaKind::Audio)
    } else if is_in(VIDEO) {
        Some(MediaKind::Video)
    } else if is_in(PICTURE) {
        Some(MediaKind::Picture)
    } else {
        None
    }
}

/// The kind of a tag's target by its name.
pub fn tag_kind(name: &str) -> TagKind {
    match of_name(name) {
        Some(MediaKind::Audio) => TagKind::Audio,
        Some(MediaKind::Video) => TagKind::Video,
        Some(MediaKind::Picture) => TagKind::Picture,
        None => TagKind::File,
    }
}

/// The part behind the last dot, in lower case. The name is never cut at `?` or `#`; a leading dot makes none.
fn extension(name: &str) -> Option<String> {
    let (stem, extension) = name.rsplit_once('.')?;
    (!stem.is_empty() && !extension.is_empty()).then(|| extension.to_ascii_lowercase())
}

/// The Content-Type: the content's own when it agrees with the kind, else the extension's.
pub fn mime(kind: MediaKind, name: &str, head: &[u8]) -> String {
    let family = match kind {
        MediaKind::Audio => "audio/",
        MediaKind::Video => "video/",
        MediaKind::Picture => "image/",
    };
    let by_content = infer::get(head).map(|found| found.mime_type()).filter(|mime| mime.starts_with(family));
    // A full path would do as well, but only the extension counts here.
    let extension = extension(name).unwrap_or_default();
    let by_name = mime_guess::from_ext(&extension).iter_raw().find(|mime| mime.starts_with(family));
    usual(by_content.or(by_name).unwrap_or("application/octet-stream")).to_owned()
}

/// The registered spelling of names that the two libraries spell in the old way; web views know these everywhere.
fn usual(mime: &str) -> &str {
    match mime {
        "audio/x-wav" => "audio/wav",
        "audio/x-flac" => "audio/flac",
        "audio/m4a" | "audio/x-m4a" => "audio/mp4",
        "audio/opus" => "audio/ogg",
        "video/x-m4v" => "video/mp4",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_is_by_the_last_extension_in_any_case() {
        assert_eq!(of_name("a.MP4"), Some(MediaKind::Video));
        assert_eq!(of_name("a.tar.Flac"), Some(MediaKind::Audio));
        assert_eq!(of_name("a?b#c.png"), Some(MediaKind::Picture));
        for name in ["clip.mp4?x", "clip.mp4#t", "a.svg", "mp4", ".mp4", "a.", "a.mp4 ", ""] {
            assert_eq!(of_name(name), None, "{name:?}");
        }
    }

    #[test]
    fn content_names_the_type_within_the_kind() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        assert_eq!(mime(MediaKind::Picture, "a.jpg", png), "image/png");
        assert_eq!(mime(MediaKind::Video, "a.mp4", png), "video/mp4");
        assert_eq!(mime(MediaKind::Audio, "a.wav", b"RIFF\0\0\0\0WAVEfmt "), "audio/wav");
        assert_eq!(mime(MediaKind::Video, "a.ogv", b"OggS\0\x02"), "video/ogg");
    }

    #[test]
    fn every_extension_has_a_type_of_its_own_family_without_content() {
        for (list, kind, family) in [
            (AUDIO, MediaKind::Audio, "audio/"),
            (VIDEO, MediaKind::Video, "video/"),
            (PICTURE, MediaKind::Picture, "image/"),
        ] {
            for extension in list {
                let found = mime(kind, &format!("a.{extension}"), b"");
                assert!(found.starts_with(family), "{extension}: {found}");
            }
        }
    }
}
