//! Puts what reads of each table into the new file. A row that the new file's rules refuse is lost, never bent.

use super::image::Image;
use super::shape::{Table, indexes_by_place, tables};
use super::{Run, tree};
use crate::store::error::StoreError;
use crate::store::{lineages, titles};
use rusqlite::types::Value;
use rusqlite::{Connection, ErrorCode, params_from_iter};
use serde::de::IgnoredAny;
use std::collections::HashSet;
use talaria_wire::{RecoveredTable, RecoveryProgress};

/// Rows a transaction, and between two looks at whether to stop.
const BATCH: usize = 1_000;

/// What the sessions say they hold, and what of it did not read.
#[derive(Default)]
pub(super) struct Missing {
    pub messages: i64,
    pub sessions: i64,
}

/// Compares the rows with the numbers that the lineages kept of them. Before those are counted anew.
pub(super) fn missing(db: &Connection) -> Result<Missing, StoreError> {
    let sql = "SELECT ifnull(sum(gone), 0), count(*) FROM (SELECT l.row_count - (SELECT count(*) FROM messages m \
               WHERE m.lineage = l.id AND m.place IS NOT NULL) AS gone FROM lineages l) WHERE gone > 0";
    Ok(db.query_row(sql, [], |row| Ok(Missing { messages: row.get(0)?, sessions: row.get(1)? }))?)
}

/// Fills the tables named by `wanted`; answers what came and what is known to be lost.
pub(super) fn fill(
    image: &mut Image,
    new: &Connection,
    wanted: impl Fn(&str) -> bool,
    run: &mut Run<'_>,
) -> Result<Vec<RecoveredTable>, StoreError> {
    let tables: Vec<Table> = tables(new, image)?.into_iter().filter(|table| wanted(&table.name)).collect();
    let free = tree::free_pages(image);
    let trees: Vec<tree::Leaves> =
        tables.iter().map(|table| table.root.map_or_else(broken, |root| tree::leaves(image, root))).collect();
    let strays = if trees.iter().any(|tree| tree.broken) { strays(image, &trees, &free) } else { Vec::new() };
    let mut report = Vec::new();
    for (table, leaves) in tables.iter().zip(&trees) {
        let counted = table.counted_by.map(|root| tree::leaves(image, root)).filter(|tree| !tree.broken);
        let expected = counted.map(|tree| rows_of(image, &tree.pages));
        let mut filling =
            Filling::new(new, table, expected.unwrap_or_else(|| rows_of(image, &leaves.pages)))?;
        let pages = leaves.pages.iter().chain(if leaves.broken && !table.keyed { &strays[..] } else { &[] });
        let mut unread = 0;
        for page in pages {
            let (rows, broken) = tree::rows(image, *page);
            // Of pages found by search nobody knows whose the broken rows are.
            unread += if leaves.pages.contains(page) { broken as i64 } else { 0 };
            for row in rows {
                filling.add(row, run)?;
            }
        }
        let rows = filling.finish(run)?;
        let lost = expected.map_or(unread, |expected| (expected - rows).max(0));
        report.push(RecoveredTable { table: table.name.clone(), rows, lost });
    }
    Ok(report)
}

/// How many sessions the damaged file lists: those of sub-agents are not. `None`: no index is whole that tells it.
pub(super) fn listed(image: &mut Image) -> Option<i64> {
    indexes_by_place(image).into_iter().find_map(|root| listed_by(image, root))
}

fn listed_by(image: &mut Image, root: u32) -> Option<i64> {
    let leaves = tree::leaves(image, root);
    let mut listed = 0;
    for page in &leaves.pages {
        let (rows, broken) = tree::rows(image, *page);
        for row in rows {
            match row.values.first() {
                Some(Value::Integer(0..=2)) => listed += 1,
                Some(Value::Integer(3)) => {}
                _ => return None,
            }
        }
        if broken > 0 {
            return None;
        }
    }
    (!leaves.broken).then_some(listed)
}

fn broken() -> tree::Leaves {
    tree::Leaves { pages: Vec::new(), broken: true }
}

fn rows_of(image: &mut Image, pages: &[u32]) -> i64 {
    pages.iter().map(|page| tree::cell_count(image, *page) as i64).sum()
}

/// Leaves that hang in no tree any more, what was given up apart.
fn strays(image: &mut Image, trees: &[tree::Leaves], free: &HashSet<u32>) -> Vec<u32> {
    let held: HashSet<u32> =
        trees.iter().filter(|tree| !tree.broken).flat_map(|tree| tree.pages.iter().copied()).collect();
    (2..=image.pages())
        .filter(|number| !held.contains(number) && !free.contains(number))
        .filter(|number| image.page(*number).is_some_and(|page| tree::is_table_leaf(&page, *number)))
        .collect()
}

/// One table on its way.
struct Filling<'a> {
    db: &'a Connection,
    table: &'a Table,
    insert: String,
    total: i64,
    rows: i64,
    seen: usize,
}

impl<'a> Filling<'a> {
    fn new(db: &'a Connection, table: &'a Table, total: i64) -> Result<Self, StoreError> {
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        let marks = vec!["?"; names.len()].join(", ");
        let insert = format!("INSERT INTO {} ({}) VALUES ({marks})", table.name, names.join(", "));
        db.execute_batch("BEGIN")?;
        Ok(Self { db, table, insert, total, rows: 0, seen: 0 })
    }

    fn add(&mut self, row: tree::Row, run: &mut Run<'_>) -> Result<(), StoreError> {
        if self.seen.is_multiple_of(BATCH) {
            self.db.execute_batch("COMMIT; BEGIN")?;
            self.tell(run)?;
        }
        self.seen += 1;
        let Some(mut values) = self.table.fit(row.rowid, row.values) else { return Ok(()) };
        match self.table.name.as_str() {
            "lineages" => self.settle_lineage(&mut values)?,
            "messages" => self.settle_message(&mut values)?,
            _ => {}
        }
        match self.db.prepare_cached(&self.insert)?.execute(params_from_iter(values)) {
            Ok(_) => self.rows += 1,
            // It is there already, or it is garbage that only looked like a row.
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn tell(&self, run: &mut Run<'_>) -> Result<(), StoreError> {
        if run.cancel.is_cancelled() {
            return Err(StoreError::Cancelled);
        }
        let (table, done) = (self.table.name.clone(), self.rows);
        (run.progress)(RecoveryProgress { table, done, total: self.total.max(done) });
        Ok(())
    }

    fn finish(self, run: &mut Run<'_>) -> Result<i64, StoreError> {
        self.tell(run)?;
        self.db.execute_batch("COMMIT")?;
        Ok(self.rows)
    }

    fn at(&self, column: &str) -> Option<usize> {
        self.table.columns.iter().position(|known| known.name == column)
    }

    /// What must be unique is made so, rather than that a session is lost for its title.
    fn settle_lineage(&self, values: &mut [Value]) -> Result<(), StoreError> {
        let (Some(id), Some(place), Some(title), Some(recency), Some(tip)) =
            (self.at("id"), self.at("place"), self.at("title"), self.at("recency"), self.at("tip"))
        else {
            return Ok(());
        };
        let number = if let Value::Integer(number) = values[id] { number } else { 0 };
        if self.db.prepare_cached("SELECT 1 FROM lineages WHERE id = ?1")?.exists([number])? {
            return Ok(());
        }
        if let (Value::Text(text), Value::Integer(0 | 1)) = (&values[title], &values[place]) {
            values[title] = match titles::automatic(text) {
                Some(title) => Value::Text(titles::numbered(self.db, &title, number)?),
                None => Value::Null,
            };
        }
        if let Value::Integer(wanted) = values[recency] {
            values[recency] = Value::Integer(lineages::free_recency(self.db, wanted)?);
        }
        if self.db.prepare_cached("SELECT 1 FROM lineages WHERE tip = ?1")?.exists([&values[tip]])? {
            values[tip] = Value::Text(super::mend::made_id("lineage", number));
        }
        Ok(())
    }

    /// Two rows at one place: the later one goes to the end. What is no JSON any more would fail wherever it is read.
    fn settle_message(&self, values: &mut [Value]) -> Result<(), StoreError> {
        for column in ["tool_calls", "notice"].iter().filter_map(|name| self.at(name)) {
            if matches!(&values[column], Value::Text(json) if serde_json::from_str::<IgnoredAny>(json).is_err())
            {
                values[column] = Value::Null;
            }
        }
        let (Some(seq), Some(lineage), Some(place)) = (self.at("seq"), self.at("lineage"), self.at("place"))
        else {
            return Ok(());
        };
        // A page found by search often holds what is there already: it stands in its own way, and is not taken again.
        let is_there = "SELECT 1 FROM messages WHERE seq = ?1";
        if values[place] == Value::Null || self.db.prepare_cached(is_there)?.exists([&values[seq]])? {
            return Ok(());
        }
        let sql = "SELECT 1 FROM messages WHERE lineage = ?1 AND place = ?2";
        if self.db.prepare_cached(sql)?.exists([&values[lineage], &values[place]])? {
            // The condition is the index's: without it every row of the lineage is looked at.
            let sql = "SELECT max(place) + 1 FROM messages WHERE lineage = ?1 AND place IS NOT NULL";
            values[place] = self.db.prepare_cached(sql)?.query_row([&values[lineage]], |row| row.get(0))?;
        }
        Ok(())
    }
}
