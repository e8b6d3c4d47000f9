//! Lineages: what the list shows. One row per listed thing, in exactly one place.

use super::error::StoreError;
use super::text;
use rusqlite::{Connection, OptionalExtension, Params, Row};
use talaria_wire::{Millis, SessionId, SessionRow};

/// Where a lineage is; the numbers are the column's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Active = 0,
    Archived = 1,
    Trash = 2,
    Delegate = 3,
}

/// A row is "active" for this long after its last message.
const ACTIVE_MS: Millis = 300_000;

/// Columns of [`read`], with `l` the lineage and `f` its folder. Equal last parts of folders show the parent too.
const COLUMNS: &str = "l.id, l.recency, l.tip, l.title, l.preview, l.created_at, l.last_active, l.message_count, \
    l.archived, l.open, l.unread, l.pin_rank, f.path, CASE WHEN f.parent <> '' AND EXISTS (SELECT 1 FROM folders o \
    WHERE o.name = f.name AND o.id <> f.id) THEN f.parent || '/' || f.name ELSE f.name END, l.git_branch, l.model, \
    l.source, l.deleted_at, l.row_count";

/// A row with the keys that lists are walked by.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub id: i64,
    pub recency: i64,
    pub row_count: i64,
    pub row: SessionRow,
}

/// Lineages by a condition on `l`; `now` decides what is active.
pub(super) fn select(
    db: &Connection,
    condition: &str,
    params: impl Params,
    now: Millis,
) -> Result<Vec<Listed>, StoreError> {
    select_by(db, "", condition, params, now)
}

/// [`select`] by a named index (`INDEXED BY ...`): statistics must not talk SQLite into sorting a whole list.
pub(super) fn select_by(
    db: &Connection,
    index: &str,
    condition: &str,
    params: impl Params,
    now: Millis,
) -> Result<Vec<Listed>, StoreError> {
    let from = format!("lineages AS l {index} LEFT JOIN folders f ON f.id = l.folder");
    let sql = format!("SELECT {COLUMNS} FROM {from} {condition}");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map(params, |row| read(row, now))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

fn read(row: &Row<'_>, now: Millis) -> rusqlite::Result<Listed> {
    let last_active: Millis = row.get(6)?;
    let open: bool = row.get(9)?;
    let pin_rank: Option<i64> = row.get(11)?;
    Ok(Listed {
        id: row.get(0)?,
        recency: row.get(1)?,
        row_count: row.get(18)?,
        row: SessionRow {
            id: SessionId(text::read(row, 2)?.unwrap_or_default()),
            title: text::read(row, 3)?,
            preview: text::read(row, 4)?,
            created_at: row.get(5)?,
            last_active,
            message_count: row.get(7)?,
            archived: row.get(8)?,
            is_active: open && now.saturating_sub(last_active) < ACTIVE_MS,
            unread: row.get(10)?,
            pinned: pin_rank.is_some(),
            pin_rank,
            folder: text::read(row, 12)?,
            workspace: text::read(row, 13)?,
            git_branch: text::read(row, 14)?,
            // What runs is known to the gateway alone; a stored row is at rest.
            running: false,
            approvals: 0,
            model: text::read(row, 15)?,
            source: text::read(row, 16)?.unwrap_or_default(),
            deleted_at: row.get(17)?,
        },
    })
}

/// One lineage by its number.
pub(super) fn get(db: &Connection, lineage: i64, now: Millis) -> Result<Listed, StoreError> {
    select(db, "WHERE l.id = ?1", [lineage], now)?.pop().ok_or(StoreError::NO_SESSION)
}

/// What a write has to know of a lineage first.
#[derive(Clone, Debug)]
pub(super) struct Standing {
    pub lineage: i64,
    pub place: i64,
    pub archived: bool,
    pub pin_rank: Option<i64>,
    pub title: Option<String>,
    pub tip: SessionId,
    pub unread: bool,
}

/// Columns of [`standing`], with `l` the lineage.
const STANDING: &str = "l.id, l.place, l.archived, l.pin_rank, l.title, l.tip, l.unread";

fn standing(row: &Row<'_>) -> rusqlite::Result<Standing> {
    Ok(Standing {
        lineage: row.get(0)?,
        place: row.get(1)?,
        archived: row.get(2)?,
        pin_rank: row.get(3)?,
        title: row.get(4)?,
        tip: SessionId(row.get(5)?),
        unread: row.get(6)?,
    })
}

impl Standing {
    pub(super) fn is(&self, place: Place) -> bool {
        self.place == place as i64
    }
}

/// The lineage that any of its session ids names.
///
/// Errors: `NotFound`.
pub(super) fn find(db: &Connection, id: &SessionId) -> Result<Standing, StoreError> {
    let sql =
        format!("SELECT {STANDING} FROM sessions s JOIN lineages l ON l.id = s.lineage WHERE s.id = ?1");
    let found = db.prepare_cached(&sql)?.query_row([id.as_str()], standing).optional()?;
    found.ok_or(StoreError::NO_SESSION)
}

/// The lineages that these ids name, each with the id it was named by, in this order. `None`: not here.
pub(super) fn find_all(
    db: &Connection,
    ids: &[SessionId],
) -> Result<Vec<(SessionId, Option<Standing>)>, StoreError> {
    let sql = format!(
        "SELECT {STANDING}, named.value FROM json_each(?1) named LEFT JOIN sessions s ON s.id = named.value \
         LEFT JOIN lineages l ON l.id = s.lineage ORDER BY named.key"
    );
    let ids = serde_json::to_string(ids).expect("ids are plain text");
    let mut statement = db.prepare_cached(&sql)?;
    let rows = statement.query_map([ids], |row| {
        let here: Option<i64> = row.get(0)?;
        Ok((SessionId(row.get(7)?), here.map(|_| standing(row)).transpose()?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Lineages by a condition on `l`.
pub(super) fn standings(
    db: &Connection,
    condition: &str,
    params: impl Params,
) -> Result<Vec<Standing>, StoreError> {
    let mut statement = db.prepare_cached(&format!("SELECT {STANDING} FROM lineages l {condition}"))?;
    let rows = statement.query_map(params, standing)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Numbers as the JSON list that a statement takes. One statement for many rows costs a fraction of one for each (measured:
/// SQLite keeps a journal of its own for every statement that fires triggers).
pub(super) fn json(lineages: &[i64]) -> String {
    serde_json::to_string(lineages).expect("numbers are plain data")
}

/// A recency key for something that was last active at `wanted`: the lowest free one from there on.
pub(super) fn free_recency(db: &Connection, wanted: i64) -> Result<i64, StoreError> {
    let taken = db.prepare_cached("SELECT 1 FROM lineages WHERE recency = ?1")?.exists([wanted])?;
    if !taken {
        return Ok(wanted);
    }
    // The end of the run of taken keys: the first one whose successor is free.
    Ok(db
        .prepare_cached(
            "SELECT recency + 1 FROM lineages a WHERE recency >= ?1 \
             AND NOT EXISTS (SELECT 1 FROM lineages b WHERE b.recency = a.recency + 1) ORDER BY recency LIMIT 1",
        )?
        .query_row([wanted], |row| row.get(0))?)
}

/// Columns of [`read_head`], and where they come from.
pub(super) const HEAD: &str =
    "l.title, l.preview, f.path FROM lineages l LEFT JOIN folders f ON f.id = l.folder";

/// What search reads of a lineage, made of its columns from `first` on. Lines, because a word of a query has no line
/// break: none is found across two parts.
pub(super) fn read_head(row: &Row<'_>, first: usize) -> rusqlite::Result<String> {
    let part = |column| text::read(row, first + column).map(Option::unwrap_or_default);
    Ok([part(0)?, part(1)?, part(2)?].map(|part| text::folded(&part)).join("\n"))
}

/// Writes what search reads of a lineage, after its title, preview or folder changed.
pub(super) fn refresh_head(db: &Connection, lineage: i64) -> Result<(), StoreError> {
    let head = db
        .prepare_cached(&format!("SELECT {HEAD} WHERE l.id = ?1"))?
        .query_row([lineage], |row| read_head(row, 0))?;
    db.prepare_cached("UPDATE lineages SET head = ?2 WHERE id = ?1")?.execute((lineage, head))?;
    Ok(())
}
