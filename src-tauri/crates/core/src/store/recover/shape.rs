//! What the damaged file says of its tables, and what a row must look like to be one of a table.
//!
//! A record has no name on it. Which table it is of is told by the tree it hangs in, or, where that is broken, by the
//! number and kinds of its columns: no two tables of ours are alike in that.

use super::image::Image;
use super::tree;
use crate::store::error::StoreError;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::HashMap;

/// One table of the new file, and how the damaged file has it.
pub(super) struct Table {
    pub name: String,
    pub columns: Vec<Column>,
    /// For each column of a record, the column of the new table it goes to.
    order: Vec<Option<usize>>,
    /// The first page of its tree in the damaged file.
    pub root: Option<u32>,
    /// The first page of an index that has an entry for each row.
    pub counted_by: Option<u32>,
    /// Its rows have no number of their own; they lie in the tree of their key.
    pub keyed: bool,
}

pub(super) struct Column {
    pub name: String,
    kind: String,
    required: bool,
    default: Value,
    /// Another name of the row's number: a record has nothing in its place.
    rowid: bool,
}

/// An entry of `sqlite_schema`.
#[derive(Clone)]
struct Entry {
    kind: String,
    root: u32,
    table: String,
    sql: Option<String>,
}

/// The tables of the new file, in the order that they can be filled in. Derived ones (counts, the search index) are not
/// among them.
pub(super) fn tables(new: &Connection, image: &mut Image) -> Result<Vec<Table>, StoreError> {
    let own = own_entries(new)?;
    let found = entries(image);
    let mut statement = new.prepare(
        "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' \
         AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name <> 'tallies'",
    )?;
    let names = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut tables = Vec::new();
    for name in names {
        let (name, keyed): (String, bool) = name?;
        let columns = columns(new, &name)?;
        let file_columns = found.get(&name).and_then(|entry| columns_by(entry.sql.as_deref()?));
        let position = |wanted: &String| columns.iter().position(|column| column.name == *wanted);
        let order = match &file_columns {
            Some(names) => names.iter().map(position).collect(),
            None => (0..columns.len()).map(Some).collect(),
        };
        // The entry that is lost is taken to be where a new file has it: the first steps of a schema do not change.
        let entry = found.get(&name).or(own.get(&name));
        let counted_by = complete_index(&name).and_then(|index| Some(found.get(index)?.root));
        tables.push(Table { root: entry.map(|entry| entry.root), name, columns, order, counted_by, keyed });
    }
    // Who is referred to comes before who refers: titles and numbers are settled first.
    let rank = |name: &str| ["folders", "lineages", "sessions", "messages"].iter().position(|n| *n == name);
    tables.sort_by_key(|table| (rank(&table.name).unwrap_or(usize::MAX), table.name.clone()));
    Ok(tables)
}

/// The first pages of the indexes that have every lineage, each beginning with its place.
pub(super) fn indexes_by_place(image: &mut Image) -> Vec<u32> {
    let found = entries(image);
    let names = ["lineages_recent", "lineages_created", "lineages_folder", "lineages_heads"];
    names.iter().filter_map(|name| Some(found.get(*name)?.root)).collect()
}

/// An index that has every row of the table.
fn complete_index(table: &str) -> Option<&'static str> {
    match table {
        "lineages" => Some("lineages_recent"),
        "sessions" => Some("sqlite_autoindex_sessions_1"),
        "messages" => Some("messages_lineage"),
        "folders" => Some("folders_name"),
        _ => None,
    }
}

fn columns(db: &Connection, table: &str) -> Result<Vec<Column>, StoreError> {
    let mut statement =
        db.prepare("SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info(?1)")?;
    let rows = statement.query_map([table], |row| {
        let (kind, required, pk): (String, bool, i64) = (row.get(1)?, row.get(2)?, row.get(4)?);
        let said: Option<String> = row.get(3)?;
        let default = match said.as_deref() {
            Some(text) => {
                text.parse().map_or_else(|_| Value::Text(text.trim_matches('\'').to_owned()), Value::Integer)
            }
            None if !required => Value::Null,
            None if kind == "INTEGER" => Value::Integer(0),
            None => Value::Text(String::new()),
        };
        Ok(Column {
            name: row.get(0)?,
            required: required && said.is_none(),
            default,
            rowid: pk == 1 && kind == "INTEGER",
            kind,
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// The names of the columns that a `CREATE TABLE` of the damaged file makes, read by making it elsewhere.
fn columns_by(sql: &str) -> Option<Vec<String>> {
    // Nothing else of a damaged file is run, and this in memory only.
    if !sql.to_ascii_uppercase().starts_with("CREATE TABLE ")
        || sql.to_ascii_uppercase().contains(" AS SELECT")
    {
        return None;
    }
    let scratch = Connection::open_in_memory().ok()?;
    scratch.execute(sql, []).ok()?;
    let names = "SELECT i.name FROM sqlite_schema s, pragma_table_info(s.name) i WHERE s.type = 'table'";
    let mut statement = scratch.prepare(names).ok()?;
    let rows = statement.query_map([], |row| row.get(0)).ok()?;
    rows.collect::<Result<Vec<String>, _>>().ok().filter(|names| !names.is_empty())
}

fn own_entries(new: &Connection) -> Result<HashMap<String, Entry>, StoreError> {
    let mut statement = new.prepare("SELECT name, type, rootpage, tbl_name FROM sqlite_schema")?;
    let rows = statement.query_map([], |row| {
        let entry = Entry { kind: row.get(1)?, root: row.get(2)?, table: row.get(3)?, sql: None };
        Ok((row.get(0)?, entry))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// What the damaged file's list of tables and indexes says, the first entry of each name.
fn entries(image: &mut Image) -> HashMap<String, Entry> {
    let leaves = tree::leaves(image, 1);
    let mut pages = leaves.pages;
    if leaves.broken {
        pages
            .extend((2..=image.pages()).filter(|number| {
                image.page(*number).is_some_and(|page| tree::is_table_leaf(&page, *number))
            }));
    }
    let mut found = HashMap::new();
    for number in pages {
        for row in tree::rows(image, number).0 {
            if let Some((name, entry)) = entry(row.values) {
                found.entry(name).or_insert(entry);
            }
        }
    }
    found
}

fn entry(values: Vec<Value>) -> Option<(String, Entry)> {
    let [Value::Text(kind), Value::Text(name), Value::Text(table), Value::Integer(root), sql] =
        <[Value; 5]>::try_from(values).ok()?
    else {
        return None;
    };
    let sql = match sql {
        Value::Text(sql) => Some(sql),
        Value::Null => None,
        _ => return None,
    };
    let known = matches!(kind.as_str(), "table" | "index");
    let entry = Entry { kind, root: u32::try_from(root).ok()?, table, sql };
    (known && !entry.table.is_empty() && !entry.kind.is_empty()).then_some((name, entry))
}

impl Table {
    /// The columns of the new table from a record, or nothing when it is no row of this table.
    pub(super) fn fit(&self, rowid: i64, values: Vec<Value>) -> Option<Vec<Value>> {
        if values.len() > self.order.len() {
            return None;
        }
        let mut row: Vec<Option<Value>> = self.columns.iter().map(|_| None).collect();
        for (value, column) in values.into_iter().zip(&self.order) {
            let Some(index) = column else { continue };
            let column = &self.columns[*index];
            row[*index] = Some(match value {
                Value::Null if column.rowid && !self.keyed => Value::Integer(rowid),
                Value::Null if !column.required => Value::Null,
                Value::Integer(_) if column.kind == "INTEGER" => value,
                Value::Text(_) if column.kind == "TEXT" => value,
                Value::Blob(_) if column.kind == "BLOB" => value,
                _ => return None,
            });
        }
        let known = |index: usize| self.order.contains(&Some(index));
        let row = row.into_iter().enumerate().map(|(index, value)| match value {
            Some(value) => Some(value),
            // The file has the column and this record does not: it is a record of something else.
            None if self.columns[index].required && known(index) => None,
            None => Some(self.columns[index].default.clone()),
        });
        row.collect()
    }
}
