//! The pages of a store's file as they are, its log laid over them. Reads only; nothing in it is believed.
//!
//! The formats are those of sqlite.org/fileformat2.html: sections 1.3 (header) and 4 (the log).

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// What the store's files have, and what is taken when the header does not say.
const PAGE: usize = 4096;
const WAL_HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// A file and its log, page by page.
pub(super) struct Image {
    file: File,
    log: Option<Log>,
    page_size: usize,
    /// Bytes at a page's end that are not used.
    reserved: usize,
    pages: u32,
}

/// The newest committed state of each page in the log.
struct Log {
    file: File,
    /// Where a page's content begins.
    at: HashMap<u32, u64>,
}

impl Image {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        let mut header = [0; 100];
        let whole = read_at(&mut file, 0, &mut header).is_ok() && header.starts_with(b"SQLite format 3\0");
        let page_size = Some(usize::from(u16::from_be_bytes([header[16], header[17]])))
            .filter(|size| whole && size.is_power_of_two() && (512..=32_768).contains(size))
            .unwrap_or(PAGE);
        let mut image = Self {
            file,
            log: None,
            page_size,
            reserved: if whole { usize::from(header[20]).min(page_size / 4) } else { 0 },
            pages: u32::try_from(length.div_ceil(page_size as u64)).unwrap_or(u32::MAX),
        };
        let log = crate::store::file::beside(path, "-wal");
        if let Ok(file) = File::open(log) {
            image.log = Log::read(file, page_size)?;
        }
        let in_log = image.log.iter().flat_map(|log| log.at.keys().copied()).max().unwrap_or(0);
        image.pages = image.pages.max(in_log);
        Ok(image)
    }

    /// How many pages there are; they are numbered from 1.
    pub(super) fn pages(&self) -> u32 {
        self.pages
    }

    /// Bytes of a page that hold content.
    pub(super) fn usable(&self) -> usize {
        self.page_size - self.reserved
    }

    /// A page, or nothing when it lies behind the end or cannot be read.
    pub(super) fn page(&mut self, number: u32) -> Option<Vec<u8>> {
        if number == 0 || number > self.pages {
            return None;
        }
        let mut page = vec![0; self.page_size];
        let (file, at) = match self.log.as_mut().and_then(|log| Some((*log.at.get(&number)?, &mut log.file)))
        {
            Some((at, file)) => (file, at),
            None => (&mut self.file, u64::from(number - 1) * self.page_size as u64),
        };
        read_at(file, at, &mut page).ok()?;
        Some(page)
    }
}

impl Log {
    /// The frames up to the last commit whose sums hold. `None`: there are none.
    fn read(mut file: File, page_size: usize) -> io::Result<Option<Self>> {
        let mut header = [0; WAL_HEADER];
        if read_at(&mut file, 0, &mut header).is_err() {
            return Ok(None);
        }
        let big_endian = match word(&header, 0) {
            0x377f_0682 => false,
            0x377f_0683 => true,
            _ => return Ok(None),
        };
        let mut sum = checksum(big_endian, &header[..24], (0, 0));
        if word(&header, 8) as usize != page_size || sum != (word(&header, 24), word(&header, 28)) {
            return Ok(None);
        }
        let (mut at, mut pending) = (HashMap::new(), HashMap::new());
        let mut frame = vec![0; FRAME_HEADER + page_size];
        let mut position = WAL_HEADER as u64;
        while read_at(&mut file, position, &mut frame).is_ok() {
            sum = checksum(big_endian, &frame[..8], sum);
            sum = checksum(big_endian, &frame[FRAME_HEADER..], sum);
            if frame[8..16] != header[16..24] || sum != (word(&frame, 16), word(&frame, 20)) {
                break;
            }
            pending.insert(word(&frame, 0), position + FRAME_HEADER as u64);
            if word(&frame, 4) != 0 {
                at.extend(pending.drain());
            }
            position += frame.len() as u64;
        }
        Ok((!at.is_empty()).then_some(Self { file, at }))
    }
}

/// A big-endian number of four bytes.
pub(super) fn word(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..at + 4).map_or(0, |four| u32::from_be_bytes([four[0], four[1], four[2], four[3]]))
}

/// The log's running sum (section 4.2).
fn checksum(big_endian: bool, bytes: &[u8], start: (u32, u32)) -> (u32, u32) {
    let number = |four: &[u8]| {
        let four = [four[0], four[1], four[2], four[3]];
        if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) }
    };
    bytes.chunks_exact(8).fold(start, |(first, second), eight| {
        let first = first.wrapping_add(number(&eight[..4])).wrapping_add(second);
        (first, second.wrapping_add(number(&eight[4..])).wrapping_add(first))
    })
}

fn read_at(file: &mut File, at: u64, into: &mut [u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(into)
}
