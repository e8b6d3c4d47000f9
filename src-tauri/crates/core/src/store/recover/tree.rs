//! Trees of pages: which leaves a table has, what is in them, and what could not be followed
//! (sqlite.org/fileformat2.html, section 1.6). Reads pages past SQLite, so one broken page hides no other.

use super::image::{Image, word};
use super::record::{columns, varint};
use rusqlite::types::Value;
use std::collections::HashSet;

const TABLE_LEAF: u8 = 0x0d;
const TABLE_INTERIOR: u8 = 0x05;
const INDEX_LEAF: u8 = 0x0a;
const INDEX_INTERIOR: u8 = 0x02;

/// One row of a page. Index trees have no row number.
pub(super) struct Row {
    pub rowid: i64,
    pub values: Vec<Value>,
}

/// The pages of a tree that hold rows, in their order.
#[derive(Default)]
pub(super) struct Leaves {
    pub pages: Vec<u32>,
    /// A page of it is missing or is no page of such a tree: there may be more leaves than these.
    pub broken: bool,
}

/// The pages with content below `root`. Broken pointers may lead into another tree: whose rows they are, their shape
/// tells.
pub(super) fn leaves(image: &mut Image, root: u32) -> Leaves {
    let mut leaves = Leaves::default();
    let mut seen = HashSet::new();
    let mut ahead = vec![root];
    let mut table = None;
    while let Some(number) = ahead.pop() {
        let page = image.page(number).filter(|_| !seen.contains(&number));
        let Some((page, kind)) = page.and_then(|page| kind(&page, number).map(|kind| (page, kind))) else {
            leaves.broken = true;
            continue;
        };
        let is_table = matches!(kind, TABLE_LEAF | TABLE_INTERIOR);
        if *table.get_or_insert(is_table) != is_table {
            leaves.broken = true;
            continue;
        }
        seen.insert(number);
        // A table's rows are in its leaves; an index keeps some further up.
        if kind != TABLE_INTERIOR {
            leaves.pages.push(number);
        }
        if matches!(kind, TABLE_INTERIOR | INDEX_INTERIOR) {
            let children = children(&page, number, image.usable());
            leaves.broken |= children.len() != cells(&page, number) + 1;
            ahead.extend(children.into_iter().rev());
        }
    }
    leaves
}

/// Whether the page is a leaf of a table.
pub(super) fn is_table_leaf(page: &[u8], number: u32) -> bool {
    kind(page, number) == Some(TABLE_LEAF)
}

/// The rows of a page, and how many of its cells are none.
pub(super) fn rows(image: &mut Image, number: u32) -> (Vec<Row>, usize) {
    let Some(page) = image.page(number) else { return (Vec::new(), 1) };
    let Some(kind) = kind(&page, number) else { return (Vec::new(), 1) };
    let (mut rows, mut broken) = (Vec::new(), 0);
    for index in 0..cells(&page, number) {
        match row(image, &page, number, kind, index) {
            Some(row) => rows.push(row),
            None => broken += 1,
        }
    }
    (rows, broken)
}

/// How many rows a page says it has.
pub(super) fn cell_count(image: &mut Image, number: u32) -> usize {
    image.page(number).map_or(0, |page| cells(&page, number))
}

/// The pages that the file keeps for later: what is in them was deleted.
pub(super) fn free_pages(image: &mut Image) -> HashSet<u32> {
    let mut free = HashSet::new();
    let mut trunk = image.page(1).map_or(0, |page| word(&page, 32));
    while let Some(page) = image.page(trunk).filter(|_| free.insert(trunk)) {
        let most = image.usable() / 4 - 2;
        for index in 0..(word(&page, 4) as usize).min(most) {
            free.insert(word(&page, 8 + index * 4));
        }
        trunk = word(&page, 0);
    }
    free
}

/// The first page begins with the file's header.
fn start(number: u32) -> usize {
    if number == 1 { 100 } else { 0 }
}

fn kind(page: &[u8], number: u32) -> Option<u8> {
    let kind = *page.get(start(number))?;
    matches!(kind, TABLE_LEAF | TABLE_INTERIOR | INDEX_LEAF | INDEX_INTERIOR).then_some(kind)
}

fn half(page: &[u8], at: usize) -> usize {
    page.get(at..at + 2).map_or(0, |two| usize::from(u16::from_be_bytes([two[0], two[1]])))
}

/// The number of cells, as far as their pointers fit the page.
fn cells(page: &[u8], number: u32) -> usize {
    half(page, start(number) + 3).min(page.len() / 2)
}

fn header_length(kind: u8) -> usize {
    if matches!(kind, TABLE_INTERIOR | INDEX_INTERIOR) { 12 } else { 8 }
}

/// Where cell `index` begins.
fn cell(page: &[u8], number: u32, kind: u8, index: usize) -> Option<usize> {
    let at = half(page, start(number) + header_length(kind) + index * 2);
    (at >= start(number) + header_length(kind) && at < page.len()).then_some(at)
}

fn children(page: &[u8], number: u32, usable: usize) -> Vec<u32> {
    let kind = page[start(number)];
    let mut children: Vec<u32> = (0..cells(page, number))
        .filter_map(|index| cell(page, number, kind, index).filter(|at| at + 4 <= usable))
        .map(|at| word(page, at))
        .collect();
    children.push(word(page, start(number) + 8));
    children
}

fn row(image: &mut Image, page: &[u8], number: u32, kind: u8, index: usize) -> Option<Row> {
    let usable = image.usable();
    let mut at = cell(page, number, kind, index)?;
    if kind == INDEX_INTERIOR {
        at += 4;
    }
    let (length, taken) = varint(page.get(at..usable)?)?;
    at += taken;
    let mut rowid = 0;
    if kind == TABLE_LEAF {
        let (number, taken) = varint(page.get(at..usable)?)?;
        rowid = number as i64;
        at += taken;
    }
    let length = usize::try_from(length).ok()?;
    let payload = payload(image, page, at, length, kind == TABLE_LEAF)?;
    Some(Row { rowid, values: columns(&payload)? })
}

/// The bytes of a row, those on overflow pages too (section 1.6, "cell payload overflow pages").
fn payload(image: &mut Image, page: &[u8], at: usize, length: usize, table: bool) -> Option<Vec<u8>> {
    let usable = image.usable();
    let most = if table { usable - 35 } else { (usable - 12) * 64 / 255 - 23 };
    if length <= most {
        return page.get(at..at + length).map(<[u8]>::to_vec);
    }
    if length as u64 > u64::from(image.pages()) * usable as u64 {
        return None;
    }
    let least = (usable - 12) * 32 / 255 - 23;
    let here = least + (length - least) % (usable - 4);
    let here = if here <= most { here } else { least };
    let mut bytes = page.get(at..at + here)?.to_vec();
    let mut next = word(page.get(at + here..at + here + 4)?, 0);
    // The length is bounded by the file, so a chain that bites its tail ends too.
    while bytes.len() < length {
        let overflow = image.page(next)?;
        let take = (length - bytes.len()).min(usable - 4);
        bytes.extend_from_slice(overflow.get(4..4 + take)?);
        next = word(&overflow, 0);
    }
    Some(bytes)
}
