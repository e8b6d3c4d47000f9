//! Why a file is not opened, and the words for it.

use http::StatusCode;
use talaria_wire::{ErrorCode, IpcError, MediaKind};

/// Why a file is not opened. Every front turns it into its own form: an [`IpcError`] for a command, a status for HTTP.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MediaError {
    /// The file does not exist, cannot be read, or the text is no absolute path.
    #[error("File is missing. Looked for {path}. It was moved or deleted.")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// Missing, and the text holds U+FFFD: the file's name is not Unicode, and a message cannot carry it.
    #[error(
        "File is missing. Looked for {path}. Its name is not Unicode and was lost in the message. Rename the file."
    )]
    NameLost {
        /// Where it was looked for.
        path: String,
    },
    /// It exists, but it is not a file that is played or shown.
    #[error("{0}")]
    Unsupported(Unsupported),
    /// It must not be opened from a chat, whoever asks.
    #[error("{0}")]
    Blocked(Blocked),
    /// The text is a web address: it lives on another computer and is never fetched.
    #[error("File is on another computer. Open it on {host} in the browser.")]
    Remote {
        /// The address's host.
        host: String,
    },
    /// Who asked is gone: the window closed or loaded anew in the meantime.
    #[error("The window that asked for this file is gone. Open the file again from its message.")]
    Gone,
}

/// Why a file that exists is not played or shown.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsupported {
    /// A folder, a pipe, a socket or a device.
    #[error("Not a file. {name} is a folder or a device. Only files can be played or shown.")]
    NotAFile {
        /// Its name.
        name: String,
    },
    /// An extension outside the list.
    #[error("Not a media file. {name} cannot be played or shown here. Open it with another program.")]
    Kind {
        /// Its name.
        name: String,
    },
    /// The extension of the list, but none of its signatures.
    #[error("Not a media file. {name} has the name of {}, but not its content.", of_kind(.kind))]
    Content {
        /// Its name.
        name: String,
        /// What the name promises.
        kind: MediaKind,
    },
    /// A picture over [`super::MAX_PICTURE_BYTES`].
    #[error("Picture is too large. {name} is over 64 MB. Open it with another program.")]
    PictureTooLarge {
        /// Its name.
        name: String,
    },
}

/// Why a file must not be opened from a chat.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Blocked {
    /// `..`, a NUL, a network or a device form: refused before anything is looked up.
    #[error("Path is not allowed. A message may name only a plain, full path on this computer.")]
    Path,
    /// Keys, passwords, browser profiles, the app's own data.
    #[error(
        "File is private. {name} is in a place for keys, passwords or program data, which a message cannot open."
    )]
    Private {
        /// Its name.
        name: String,
    },
    /// A file with several names, and more private files than are compared with it.
    #[error(
        "File could not be checked. {name} has more than one name on this disk, and there are too many private files to \
         make sure that none of them is this one. Copy the file and put the copy in its place."
    )]
    Unknown {
        /// Its name.
        name: String,
    },
}

fn of_kind(kind: &MediaKind) -> &'static str {
    match kind {
        MediaKind::Audio => "a sound",
        MediaKind::Video => "a video",
        MediaKind::Picture => "a picture",
    }
}

impl MediaError {
    /// The status of the HTTP forms: 404, 415 or 403.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Missing { .. } | Self::NameLost { .. } | Self::Remote { .. } => StatusCode::NOT_FOUND,
            Self::Unsupported(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Blocked(_) | Self::Gone => StatusCode::FORBIDDEN,
        }
    }

    /// The words for who holds an address and not the message: no path in them, for the address has none.
    pub fn without_path(&self) -> String {
        match self {
            Self::Missing { .. } | Self::NameLost { .. } => {
                "File is missing. It was moved or deleted.".to_owned()
            }
            other => other.to_string(),
        }
    }
}

impl From<MediaError> for IpcError {
    fn from(error: MediaError) -> Self {
        let words = error.to_string();
        match error {
            // The file may be written or mounted again: the card offers another try.
            MediaError::Missing { .. } | MediaError::NameLost { .. } => {
                Self::retryable(ErrorCode::Missing, words)
            }
            MediaError::Unsupported(Unsupported::PictureTooLarge { .. }) => {
                Self::new(ErrorCode::TooLarge, words)
            }
            MediaError::Unsupported(_) => Self::new(ErrorCode::Unsupported, words),
            MediaError::Blocked(_) => Self::new(ErrorCode::Blocked, words),
            MediaError::Remote { .. } => Self::new(ErrorCode::Remote, words),
            MediaError::Gone => Self::retryable(ErrorCode::Cancelled, words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_says_where_it_looked() {
        let error = IpcError::from(MediaError::Missing { path: "/out/clip.mp4".into() });
        assert_eq!(error.code, ErrorCode::Missing);
        assert_eq!(error.message, "File is missing. Looked for /out/clip.mp4. It was moved or deleted.");
        assert!(error.retryable);
    }

    #[test]
    fn every_reason_has_its_code_and_status() {
        let name = || "x".to_owned();
        for (error, code, status) in [
            (MediaError::Missing { path: name() }, ErrorCode::Missing, 404),
            (MediaError::Unsupported(Unsupported::Kind { name: name() }), ErrorCode::Unsupported, 415),
            (
                MediaError::Unsupported(Unsupported::Content { name: name(), kind: MediaKind::Video }),
                ErrorCode::Unsupported,
                415,
            ),
            (
                MediaError::Unsupported(Unsupported::PictureTooLarge { name: name() }),
                ErrorCode::TooLarge,
                415,
            ),
            (MediaError::Blocked(Blocked::Private { name: name() }), ErrorCode::Blocked, 403),
            (MediaError::Blocked(Blocked::Path), ErrorCode::Blocked, 403),
            (MediaError::Blocked(Blocked::Unknown { name: name() }), ErrorCode::Blocked, 403),
            (MediaError::NameLost { path: name() }, ErrorCode::Missing, 404),
            (MediaError::Remote { host: name() }, ErrorCode::Remote, 404),
        ] {
            assert_eq!(error.status().as_u16(), status);
            assert_eq!(IpcError::from(error).code, code);
        }
    }
}
