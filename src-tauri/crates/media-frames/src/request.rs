//! What the element asks.

use crate::{MAGIC, MAX_READ, VERSION, bytes};

/// The 128 bits that name a file in an address and are the right to read it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Grant(pub [u8; 16]);

impl Grant {
    /// From the 32 lower-case hex digits of an address; `None` for anything else.
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 32 {
            return None;
        }
        let mut grant = [0; 16];
        for (byte, pair) in grant.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self(grant))
    }

    /// The 32 lower-case hex digits.
    pub fn hex(&self) -> [u8; 32] {
        let mut digits = [0; 32];
        for (pair, byte) in digits.chunks_exact_mut(2).zip(self.0) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        digits
    }
}

/// A grant is a secret: no log shows it by chance.
impl std::fmt::Debug for Grant {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Grant")
    }
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

/// What is asked of the granted file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Its size and number.
    Open,
    /// A part of it. Fewer bytes than asked mean the end of the file.
    Read {
        /// First byte.
        offset: u64,
        /// Bytes, at most [`MAX_READ`].
        length: u32,
    },
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Which file.
    pub grant: Grant,
    /// What of it.
    pub op: Op,
}

/// Why 36 bytes are no request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadRequest {
    /// Another magic or version: who sent it does not speak these frames, and gets no reply.
    Foreign,
    /// These frames, but an unknown question, a length over [`MAX_READ`], or something where zero must be.
    Malformed,
}

const OPEN: u8 = 1;
const READ: u8 = 2;

impl Request {
    /// Bytes of a request.
    pub const BYTES: usize = 36;

    /// The frame. A length over [`MAX_READ`] is cut to it, for no frame may hold more.
    pub fn encode(&self) -> [u8; Self::BYTES] {
        let (op, offset, length) = match self.op {
            Op::Open => (OPEN, 0, 0),
            Op::Read { offset, length } => (READ, offset, length.min(MAX_READ)),
        };
        let mut frame = [0; Self::BYTES];
        frame[..4].copy_from_slice(&MAGIC);
        frame[4] = VERSION;
        frame[5] = op;
        frame[8..24].copy_from_slice(&self.grant.0);
        frame[24..32].copy_from_slice(&offset.to_be_bytes());
        frame[32..].copy_from_slice(&length.to_be_bytes());
        frame
    }

    /// Reads a frame.
    ///
    /// # Errors
    /// See [`BadRequest`].
    pub fn decode(frame: &[u8; Self::BYTES]) -> Result<Self, BadRequest> {
        if frame[..4] != MAGIC || frame[4] != VERSION {
            return Err(BadRequest::Foreign);
        }
        let offset = u64::from_be_bytes(bytes(frame, 24));
        let length = u32::from_be_bytes(bytes(frame, 32));
        let op = match frame[5] {
            OPEN if offset == 0 && length == 0 => Op::Open,
            READ if length <= MAX_READ => Op::Read { offset, length },
            _ => return Err(BadRequest::Malformed),
        };
        if frame[6..8] != [0; 2] {
            return Err(BadRequest::Malformed);
        }
        Ok(Self { grant: Grant(bytes(frame, 8)), op })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request() -> impl Strategy<Value = Request> {
        let read = (any::<u64>(), 0..=MAX_READ).prop_map(|(offset, length)| Op::Read { offset, length });
        (any::<[u8; 16]>(), prop_oneof![Just(Op::Open), read])
            .prop_map(|(grant, op)| Request { grant: Grant(grant), op })
    }

    proptest! {
        #![proptest_config(crate::generated())]

        #[test]
        fn a_request_comes_back_as_it_went(request in request()) {
            prop_assert_eq!(Request::decode(&request.encode()), Ok(request));
        }

        #[test]
        fn any_bytes_are_refused_or_are_the_frame_of_what_they_mean(
            frame in prop::array::uniform32(any::<u8>()), rest in any::<[u8; 4]>(), ours in any::<bool>(),
        ) {
            let mut whole = [0; Request::BYTES];
            whole[..32].copy_from_slice(&frame);
            whole[32..].copy_from_slice(&rest);
            if ours {
                // Else nearly every one would fall at the magic.
                whole[..5].copy_from_slice(b"HMED\x01");
                whole[5] %= 4;
                whole[6] &= 1;
                whole[7] = 0;
                whole[32] = 0;
                whole[33] &= 31;
            }
            if let Ok(request) = Request::decode(&whole) {
                prop_assert_eq!(request.encode(), whole);
            }
        }

        #[test]
        fn a_single_wrong_bit_in_the_fixed_part_is_refused(request in request(), bit in 0..64_usize) {
            let mut frame = request.encode();
            frame[bit / 8] ^= 1 << (bit % 8);
            let decoded = Request::decode(&frame);
            match bit / 8 {
                0..5 => prop_assert_eq!(decoded, Err(BadRequest::Foreign)),
                // An op that became the other one says something else, never the same.
                5 => prop_assert_ne!(decoded, Ok(request)),
                _ => prop_assert_eq!(decoded, Err(BadRequest::Malformed)),
            }
        }

        #[test]
        fn a_grant_is_its_32_digits_and_nothing_else_is_one(grant in any::<[u8; 16]>(), text in "[0-9a-gA-F]{30,34}") {
            let digits = Grant(grant).hex();
            prop_assert_eq!(Grant::from_hex(std::str::from_utf8(&digits).unwrap()), Some(Grant(grant)));
            if let Some(other) = Grant::from_hex(&text) {
                prop_assert_eq!(&other.hex()[..], text.as_bytes());
            }
        }
    }

    #[test]
    fn the_frame_has_the_bytes_that_its_table_says() {
        let grant = Grant::from_hex("000102030405060708090a0b0c0d0e0f").unwrap();
        let frame =
            Request { grant, op: Op::Read { offset: 0x0102_0304_0506_0708, length: 0x0009_0a0b } }.encode();
        let mut expected = b"HMED\x01\x02\0\0".to_vec();
        expected.extend(0..16);
        expected.extend([1, 2, 3, 4, 5, 6, 7, 8, 0, 9, 10, 11]);
        assert_eq!(frame[..], expected);
    }

    #[test]
    fn a_length_over_a_mebibyte_is_malformed_and_an_open_has_none() {
        let grant = Grant([7; 16]);
        let mut read = Request { grant, op: Op::Read { offset: 0, length: MAX_READ } }.encode();
        assert!(Request::decode(&read).is_ok());
        read[35] = 1;
        assert_eq!(Request::decode(&read), Err(BadRequest::Malformed));
        let mut open = Request { grant, op: Op::Open }.encode();
        open[35] = 1;
        assert_eq!(Request::decode(&open), Err(BadRequest::Malformed));
    }
}
