//! Breaks stores on purpose: which page holds what, and bytes over it.

use rand::rngs::StdRng;
use rand::{RngCore, SeedableRng};
use rusqlite::Connection;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// Bytes of a page of our stores.
pub const PAGE: u64 = 4096;

/// A page of a table or an index.
#[derive(Clone, Debug)]
pub struct Page {
    /// The table or index.
    pub of: String,
    pub number: u32,
    /// It holds rows; else it only leads to those that do.
    pub is_leaf: bool,
    /// Rows or entries on it.
    pub rows: i64,
    pub is_root: bool,
}

/// The pages of everything in a closed store, overflow pages apart.
pub fn pages(file: &Path) -> Vec<Page> {
    let db = Connection::open(file).expect("the store's file");
    let sql =
        "SELECT name, pageno, pagetype = 'leaf', ncell, path = '/' FROM dbstat WHERE pagetype <> 'overflow'";
    let mut statement = db.prepare(sql).expect("SQLite tells its pages");
    let rows = statement.query_map([], |row| {
        Ok(Page {
            of: row.get(0)?,
            number: row.get(1)?,
            is_leaf: row.get(2)?,
            rows: row.get(3)?,
            is_root: row.get(4)?,
        })
    });
    rows.expect("pages").map(|page| page.expect("a page")).collect()
}

/// Writes `length` bytes that depend on `seed` alone over a page, from `offset` on.
pub fn overwrite(file: &Path, page: u32, offset: u64, length: usize, seed: u64) {
    let mut noise = vec![0; length];
    StdRng::seed_from_u64(seed).fill_bytes(&mut noise);
    let mut file = std::fs::OpenOptions::new().write(true).open(file).expect("the store's file");
    file.seek(SeekFrom::Start(u64::from(page - 1) * PAGE + offset)).expect("the page");
    file.write_all(&noise).expect("overwritten");
}
