//! Media that an agent answered with.

use crate::SessionId;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a card shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    Audio,
    Video,
    Picture,
}

/// `media_open`: a grant for one file that a message of this session names.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct MediaOpenRequest {
    pub session_id: SessionId,
    /// As the message's `MEDIA:` tag spells it, unquoted.
    pub path: String,
}

/// `media_position`: where the listener is in an audio or video of this session. Kept on a best effort: a store that
/// cannot be written keeps none and says nothing. Errors: `not_found`, `bad_request` for a path that no message can name.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct MediaPositionRequest {
    pub session_id: SessionId,
    /// As the message's `MEDIA:` tag spells it, unquoted.
    pub path: String,
    /// From the start; 0 (also to be sent when it has ended) forgets the place. What is below 0 is 0.
    pub seconds: f64,
}

/// `file_open`: opens a media file that a message of this session names in the system's own program for it. Errors:
/// those of `media_open`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct FileOpenRequest {
    pub session_id: SessionId,
    /// As the message's `MEDIA:` tag spells it, unquoted.
    pub path: String,
}

/// `file_reveal`: shows a file that a message of this session names in the system's file manager. Errors: `missing`,
/// `blocked`, `remote`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct FileRevealRequest {
    pub session_id: SessionId,
    /// A link's `file:` address, or the target of a `MEDIA:` tag, as the message spells it.
    pub path: String,
}

/// Errors: `missing`, `unsupported`, `blocked`, `remote`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MediaOpenResponse {
    pub url: String,
    /// Where to look when `url` cannot be played (the loopback form on Linux).
    pub fallback_url: Option<String>,
    pub kind: MediaKind,
    pub mime: String,
    /// Bytes.
    pub size: u64,
    /// The file's real name.
    pub name: String,
    /// Seconds; where the listener left it, 0 when it was never played or was played to its end.
    pub position: f64,
}

/// `media_fallback`: the player could not play a file by `url` and goes to `fallback_url`, which answers from now on.
/// `unsupported` where that would not help: the player did get the file by `url`, or there is no other way.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct MediaFallbackRequest {
    /// The file's type, as `media_open` told it.
    pub mime: String,
    /// The address that did not play.
    pub url: String,
    /// The code of the element's MediaError: 1 to 4.
    #[serde(default)]
    pub media_error: Option<u32>,
}

/// `media_status`: what carries audio and video now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MediaStatus {
    /// What is used and why, as a sentence or two.
    pub words: String,
}

/// A complete `MEDIA:` tag in a message, found by the one parser that also decides what may be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MediaTag {
    /// Offset of the tag in the text, in UTF-16 code units, as the page slices strings. Quotes belong to the tag.
    pub start: usize,
    /// Offset behind the tag, in UTF-16 code units.
    pub end: usize,
    /// The path or address, unquoted.
    pub target: String,
    pub kind: TagKind,
    /// The file's name for people: the last part of the path (never cut at `?` or `#`), or the address's host.
    pub name: String,
}

/// What a tag's target is, by its real name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum TagKind {
    Audio,
    Video,
    Picture,
    /// Any other file: a file card.
    File,
    /// `http` or `https`: never fetched by the page.
    Remote,
}
