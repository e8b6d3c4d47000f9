//! The parts of a file that are held, and how much is asked for when one is missing. Pure.
//!
//! Demuxers read 16 bytes at a time, and go to and fro: between an index and the samples, between sound and picture.
//! So a miss asks for [`FIRST`] bytes, for twice as many each time the reading goes on where a part ended, up to
//! [`MAX_READ`]; the last few parts are held, whichever were used last.

use std::collections::VecDeque;
use std::sync::Arc;
use talaria_media_frames::MAX_READ;

/// Bytes that are asked for at a place where nothing was read before.
pub const FIRST: u32 = 256 * 1024;
/// Parts that are held: at most this many times [`MAX_READ`] bytes.
const PARTS: usize = 4;

/// A part of the file.
struct Part {
    start: u64,
    bytes: Arc<Vec<u8>>,
    /// How much would have been asked for, had nothing been held behind it.
    reach: u32,
}

impl Part {
    fn end(&self) -> u64 {
        self.start + self.bytes.len() as u64
    }
}

/// Where a byte of the file is held.
pub struct Held {
    /// The part that has it.
    pub part: Arc<Vec<u8>>,
    /// Where in the part.
    pub at: usize,
}

/// What to ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Bytes, from where they are missing.
    pub length: u32,
    reach: u32,
}

/// The held parts; the one used last is at the back.
#[derive(Default)]
pub struct ReadAhead {
    parts: VecDeque<Part>,
}

impl ReadAhead {
    /// The byte at `offset`, if it is held.
    pub fn held(&mut self, offset: u64) -> Option<Held> {
        let at = self.parts.iter().position(|part| (part.start..part.end()).contains(&offset))?;
        let part = self.parts.remove(at)?;
        let found = Held { part: Arc::clone(&part.bytes), at: (offset - part.start) as usize };
        self.parts.push_back(part);
        Some(found)
    }

    /// What to ask for at `offset`, which is not held: up to where the next held part begins, so that nothing comes
    /// twice.
    pub fn plan(&self, offset: u64) -> Plan {
        let before = self.parts.iter().find(|part| part.end() == offset);
        let reach = before.map_or(FIRST, |part| part.reach.saturating_mul(2).min(MAX_READ));
        let next = self.parts.iter().filter(|part| part.start > offset).map(|part| part.start - offset).min();
        let length = next.map_or(reach, |free| u64::from(reach).min(free) as u32);
        Plan { length, reach }
    }

    /// Holds what came for a plan at `start`. The part that was not used for longest goes.
    pub fn keep(&mut self, start: u64, plan: Plan, bytes: Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        if self.parts.len() == PARTS {
            self.parts.pop_front();
        }
        self.parts.push_back(Part { start, bytes: Arc::new(bytes), reach: plan.reach });
    }

    /// The file has `size` bytes now: a part that goes over its end is no longer true.
    pub fn cut(&mut self, size: u64) {
        self.parts.retain(|part| part.end() <= size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    /// Reads `length` at `offset` as the reader does, from a file without end; what was asked for is noted.
    fn read(ahead: &mut ReadAhead, asked: &mut Vec<(u64, u32)>, offset: u64, length: u64) {
        let mut at = offset;
        while at < offset + length {
            if let Some(held) = ahead.held(at) {
                at += (held.part.len() - held.at) as u64;
                continue;
            }
            let plan = ahead.plan(at);
            asked.push((at, plan.length));
            ahead.keep(at, plan, vec![0; plan.length as usize]);
        }
    }

    #[test]
    fn reading_on_doubles_up_to_a_mebibyte() {
        let (mut ahead, mut asked) = (ReadAhead::default(), Vec::new());
        for offset in (0..4096 * KIB).step_by(16 * 1024) {
            read(&mut ahead, &mut asked, offset, 16 * KIB);
        }
        let lengths: Vec<_> = asked.iter().map(|(_, length)| u64::from(*length) / KIB).collect();
        assert_eq!(lengths, [256, 512, 1024, 1024, 1024, 1024]);
    }

    #[test]
    fn a_jump_begins_small_and_going_back_asks_for_nothing() {
        let (mut ahead, mut asked) = (ReadAhead::default(), Vec::new());
        read(&mut ahead, &mut asked, 0, 16);
        read(&mut ahead, &mut asked, 100 << 20, 16);
        read(&mut ahead, &mut asked, 32, 16);
        assert_eq!(asked, [(0, FIRST), (100 << 20, FIRST)]);
    }

    #[test]
    fn two_streams_that_alternate_are_each_read_once() {
        let (mut ahead, mut asked) = (ReadAhead::default(), Vec::new());
        for step in 0..100 {
            read(&mut ahead, &mut asked, step * 40 * KIB, 40 * KIB);
            read(&mut ahead, &mut asked, (1 << 30) + step * 3 * KIB, 3 * KIB);
        }
        let total: u64 = asked.iter().map(|(_, length)| u64::from(*length)).sum();
        assert!(total <= 100 * 43 * KIB + 2 * u64::from(MAX_READ), "{asked:?}");
        let mut places: Vec<_> = asked.iter().map(|(offset, _)| offset).collect();
        places.dedup();
        assert_eq!(places.len(), asked.len());
    }

    #[test]
    fn what_is_held_behind_a_gap_is_not_asked_for_again() {
        let (mut ahead, mut asked) = (ReadAhead::default(), Vec::new());
        read(&mut ahead, &mut asked, 100 * KIB, 1);
        read(&mut ahead, &mut asked, 0, 1);
        assert_eq!(asked, [(100 * KIB, FIRST), (0, 100 * 1024)]);
    }

    #[test]
    fn no_more_than_four_parts_are_held_and_a_shorter_file_drops_those_behind_its_end() {
        let (mut ahead, mut asked) = (ReadAhead::default(), Vec::new());
        for part in 0..20 {
            read(&mut ahead, &mut asked, part << 20, 1);
        }
        assert_eq!(ahead.parts.len(), PARTS);
        ahead.cut((18 << 20) + 1);
        assert!(ahead.held(16 << 20).is_some() && ahead.held(18 << 20).is_none());
    }
}
