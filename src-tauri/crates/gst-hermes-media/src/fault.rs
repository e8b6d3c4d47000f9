//! Why there are no bytes, and the words for it.

use gst::ResourceError;
use gstreamer as gst;
use rustix::io::Errno;
use talaria_media_frames::Status;

/// Why a question to the app has no good answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The element is being flushed or stopped: no error.
    Flushing,
    /// Nobody listens, or the connection broke twice: the app has ended.
    Gone,
    /// Somebody listens and does not answer.
    Silent,
    /// The answer keeps to no rule of the frames.
    Garbled,
    /// The app refuses.
    Refused(Status),
    /// Another file stands in the place of the one that was opened.
    Replaced,
    /// This process can open no connection (no descriptors left).
    System(Errno),
}

impl Fault {
    /// GStreamer's kind of error, and words. Neither holds a path, an address or a grant.
    pub fn told(self) -> (ResourceError, &'static str) {
        match self {
            Self::Flushing => (ResourceError::Read, "Reading was interrupted."),
            Self::Gone => (ResourceError::Read, "Talaria does not answer: it has ended."),
            Self::Silent => {
                (ResourceError::Read, "Talaria does not answer: the disk or the computer is too slow.")
            }
            Self::Garbled => {
                (ResourceError::Read, "Talaria answered something else: the plugin is of another version.")
            }
            Self::Refused(Status::NoGrant) => (
                ResourceError::NotAuthorized,
                "This address has ended. Open the file again from its message.",
            ),
            Self::Refused(Status::Blocked) => {
                (ResourceError::NotAuthorized, "The file is private. A message cannot open it.")
            }
            Self::Refused(Status::Missing) => {
                (ResourceError::NotFound, "The file is missing. It was moved or deleted.")
            }
            Self::Refused(Status::Unsupported) => (ResourceError::Failed, "The file is not a media file."),
            Self::Refused(Status::Ok | Status::BadRequest) => {
                (ResourceError::Read, "Talaria did not understand the plugin: it is of another version.")
            }
            Self::Refused(Status::Failed) => {
                (ResourceError::Read, "The file could not be read from the disk.")
            }
            Self::Replaced => (ResourceError::Read, "The file was replaced by another while it was played."),
            Self::System(_) => (ResourceError::OpenRead, "No connection to Talaria could be made."),
        }
    }
}
