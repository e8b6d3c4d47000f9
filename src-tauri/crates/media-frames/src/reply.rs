//! What the app answers.

use crate::{MAX_READ, bytes};

/// How a request went. A status is all that crosses the socket: never a word and never a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Status {
    /// Granted and read.
    Ok = 0,
    /// Guessed, ended, or never given.
    NoGrant = 1,
    /// The file is gone or cannot be read.
    Missing = 2,
    /// It is no media file (any more).
    Unsupported = 3,
    /// It lies in a private place.
    Blocked = 4,
    /// The request does not keep to the frames; the connection ends with this reply.
    BadRequest = 5,
    /// The disk failed.
    Failed = 6,
}

impl Status {
    fn from_byte(byte: u8) -> Option<Self> {
        use Status::{BadRequest, Blocked, Failed, Missing, NoGrant, Ok, Unsupported};
        [Ok, NoGrant, Missing, Unsupported, Blocked, BadRequest, Failed].get(usize::from(byte)).copied()
    }
}

/// A reply's head. `length` bytes of the file follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// How it went.
    pub status: Status,
    /// Bytes that follow, at most [`MAX_READ`]; none unless it is [`Status::Ok`].
    pub length: u32,
    /// The file's size now, in bytes; 0 unless it is [`Status::Ok`].
    pub size: u64,
    /// The file's number, another for another file; 0 unless it is [`Status::Ok`].
    pub file: u64,
}

/// 24 bytes that are no reply: an unknown status, a length that cannot be, or something where zero must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignReply;

impl Reply {
    /// Bytes of a reply's head.
    pub const BYTES: usize = 24;

    /// A reply without content: everything but [`Status::Ok`].
    pub fn refusal(status: Status) -> Self {
        Self { status, length: 0, size: 0, file: 0 }
    }

    /// The frame.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let mut frame = [0; Self::BYTES];
        frame[0] = self.status as u8;
        frame[4..8].copy_from_slice(&self.length.to_be_bytes());
        frame[8..16].copy_from_slice(&self.size.to_be_bytes());
        frame[16..].copy_from_slice(&self.file.to_be_bytes());
        frame
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// See [`ForeignReply`].
    pub fn decode(frame: &[u8; Self::BYTES]) -> Result<Self, ForeignReply> {
        let reply = Self {
            status: Status::from_byte(frame[0]).ok_or(ForeignReply)?,
            length: u32::from_be_bytes(bytes(frame, 4)),
            size: u64::from_be_bytes(bytes(frame, 8)),
            file: u64::from_be_bytes(bytes(frame, 16)),
        };
        let holds_together = reply.length <= MAX_READ && u64::from(reply.length) <= reply.size;
        let is_plain = reply.status == Status::Ok || reply == Self::refusal(reply.status);
        if frame[1..4] == [0; 3] && holds_together && is_plain { Ok(reply) } else { Err(ForeignReply) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn reply() -> impl Strategy<Value = Reply> {
        let ok = (0..=MAX_READ, any::<u64>(), any::<u64>()).prop_map(|(length, size, file)| Reply {
            status: Status::Ok,
            length,
            size: size.max(u64::from(length)),
            file,
        });
        let refused = (1..=6_u8).prop_map(|status| Reply::refusal(Status::from_byte(status).unwrap()));
        prop_oneof![ok, refused]
    }

    proptest! {
        #![proptest_config(crate::generated())]

        #[test]
        fn a_reply_comes_back_as_it_went(reply in reply()) {
            prop_assert_eq!(Reply::decode(&reply.encode()), Ok(reply));
        }

        #[test]
        fn any_bytes_are_refused_or_are_the_frame_of_what_they_mean(
            frame in prop::array::uniform24(any::<u8>()), near in any::<bool>(),
        ) {
            let mut frame = frame;
            if near {
                frame[0] %= 9;
                frame[1..4].fill(0);
                frame[4] = 0;
                frame[5] &= 31;
            }
            if let Ok(reply) = Reply::decode(&frame) {
                prop_assert!(reply.length <= MAX_READ);
                prop_assert_eq!(reply.encode(), frame);
            }
        }
    }

    #[test]
    fn the_frame_has_the_bytes_that_its_table_says() {
        let reply = Reply { status: Status::Ok, length: 0x0001_0203, size: 0x0405_0607_0809_0a0b, file: 12 };
        let frame = reply.encode();
        assert_eq!(frame, [0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0, 0, 0, 0, 0, 0, 0, 12]);
    }

    #[test]
    fn a_reply_that_cannot_be_is_foreign() {
        let whole = Reply { status: Status::Ok, length: MAX_READ, size: u64::from(MAX_READ), file: 1 };
        let mut over = whole.encode();
        over[7] = 1;
        let mut more_than_the_file = whole.encode();
        more_than_the_file[8..16].fill(0);
        let mut with_words = Reply::refusal(Status::Blocked).encode();
        with_words[7] = 1;
        with_words[15] = 1;
        let mut unknown = Reply::refusal(Status::Failed).encode();
        unknown[0] = 7;
        for frame in [over, more_than_the_file, with_words, unknown, [255; 24]] {
            assert_eq!(Reply::decode(&frame), Err(ForeignReply));
        }
    }
}
