//! `session_list` and `trash_list`: pages of lineages by keyset.
//!
//! A page is the walk of an index from the cursor on, so the first one costs the same at 100 and at 100,000.

use super::counts;
use super::error::StoreError;
use super::folders;
use super::lineages::{self, Listed, Place};
use super::page::{Cursor, list_rows};
use super::query;
use super::words::Words;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::time::Duration;
use talaria_wire::{
    ArchivedFilter, Millis, SessionListRequest, SessionListResponse, SessionOrder, TrashListRequest,
};

/// Which lineages a list walks, and in what order.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    pub places: &'static [Place],
    pub order: Order,
    pub min_messages: i64,
    pub folder: Option<folders::Group>,
    pub pinned: Option<bool>,
    /// Only these.
    pub narrowed: Option<Narrowed>,
}

/// Lineages whose head holds all words, and those with these numbers.
#[derive(Clone, Debug)]
pub(super) struct Narrowed {
    pub words: Words,
    /// A JSON list.
    pub lineages: String,
}

/// The order of a walk; the letter marks its cursors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    Recent,
    Created,
    Pinned,
    Deleted,
}

impl Order {
    pub(super) fn letter(self) -> char {
        match self {
            Self::Recent => 'r',
            Self::Created => 'c',
            Self::Pinned => 'p',
            Self::Deleted => 'd',
        }
    }

    fn column(self) -> &'static str {
        match self {
            Self::Recent => "l.recency",
            Self::Created => "l.created_at",
            Self::Pinned => "l.pin_rank",
            Self::Deleted => "l.deleted_at",
        }
    }

    pub(super) fn cursor(self, listed: &Listed) -> Cursor {
        let key = match self {
            Self::Recent => listed.recency,
            Self::Created => listed.row.created_at,
            Self::Pinned => listed.row.pin_rank.unwrap_or_default(),
            Self::Deleted => listed.row.deleted_at.unwrap_or_default(),
        };
        Cursor { key, id: listed.id }
    }
}

impl Walk {
    fn of(db: &Connection, request: &SessionListRequest) -> Result<Self, StoreError> {
        Ok(Self {
            places: places(request.archived),
            order: match (request.pinned, request.order) {
                (Some(true), _) => Order::Pinned,
                (_, SessionOrder::Recent) => Order::Recent,
                (_, SessionOrder::Created) => Order::Created,
            },
            min_messages: request.min_messages.max(0),
            folder: request.workspace.as_deref().map(|path| folders::group(db, path)).transpose()?,
            pinned: request.pinned,
            narrowed: None,
        })
    }

    /// The conditions besides place and cursor. Numbers only, so writing them into the text is safe.
    fn filters(&self) -> String {
        let mut sql = String::new();
        match self.min_messages {
            0 => {}
            1 => sql.push_str(" AND l.message_count > 0"),
            min => sql.push_str(&format!(" AND l.message_count >= {min}")),
        }
        match self.folder {
            None => {}
            Some(folders::Group::None) => sql.push_str(" AND l.folder IS NULL"),
            Some(folders::Group::Folder(id)) => sql.push_str(&format!(" AND l.folder = {id}")),
            Some(folders::Group::Unknown) => sql.push_str(" AND 0"),
        }
        match self.pinned {
            None => {}
            Some(true) => sql.push_str(" AND l.pin_rank IS NOT NULL"),
            Some(false) => sql.push_str(" AND l.pin_rank IS NULL"),
        }
        sql
    }

    /// The index that is this walk: its order, and most of what it filters by.
    fn index(&self) -> &'static str {
        match (self.order, self.folder) {
            (Order::Recent, _) if self.narrowed.is_some() => "INDEXED BY lineages_heads",
            (Order::Recent, Some(folders::Group::Folder(_) | folders::Group::None)) => {
                "INDEXED BY lineages_folder"
            }
            // The words that `filters` writes for 1 are the condition of the index.
            (Order::Recent, _) if self.min_messages == 1 => "INDEXED BY lineages_said",
            (Order::Recent, _) => "INDEXED BY lineages_recent",
            (Order::Created, _) => "INDEXED BY lineages_created",
            (Order::Pinned, _) => "INDEXED BY lineages_pinned",
            (Order::Deleted, _) => "INDEXED BY lineages_trash",
        }
    }

    /// The condition of `narrowed`, and its parameters, which begin with number `first`.
    fn narrowing(&self, first: usize) -> (String, Vec<Value>) {
        let Some(Narrowed { words, lineages }) = &self.narrowed else { return (String::new(), Vec::new()) };
        let mut values: Vec<Value> = words.iter().map(|word| Value::from(word.to_owned())).collect();
        let heads: Vec<String> =
            (first..first + values.len()).map(|n| format!("instr(l.head, ?{n}) > 0")).collect();
        let last = first + values.len();
        values.push(Value::from(lineages.clone()));
        let heads = heads.join(" AND ");
        (format!(" AND (({heads}) OR l.id IN (SELECT value FROM json_each(?{last})))"), values)
    }

    /// The next rows behind `after`, at most `limit`.
    pub(super) fn next(
        &self,
        db: &Connection,
        after: Option<Cursor>,
        limit: usize,
        now: Millis,
    ) -> Result<Vec<Listed>, StoreError> {
        let (column, index) = (self.order.column(), self.index());
        let (compare, direction, start) = match self.order {
            Order::Pinned => (">", "", i64::MIN),
            _ => ("<", " DESC", i64::MAX),
        };
        // A recency key is never there twice.
        let then = if self.order == Order::Recent { String::new() } else { format!(", l.id{direction}") };
        let filters = self.filters();
        let (narrowing, values) = self.narrowing(4);
        let after = after.unwrap_or(Cursor { key: start, id: start });
        let mut found = Vec::new();
        for place in self.places {
            let condition = format!(
                "WHERE l.place = {}{filters} AND ({column}, l.id) {compare} (?1, ?2){narrowing} \
                 ORDER BY {column}{direction}{then} LIMIT ?3",
                *place as i64
            );
            let keys = [after.key, after.id, limit as i64].map(Value::from);
            let params = params_from_iter(keys.into_iter().chain(values.iter().cloned()));
            found.extend(lineages::select_by(db, index, &condition, params, now)?);
        }
        if self.places.len() > 1 {
            found.sort_by_key(|listed| self.order.cursor(listed));
            if self.order != Order::Pinned {
                found.reverse();
            }
            found.truncate(limit);
        }
        Ok(found)
    }

    /// The rows of this list that `min_messages` leaves out.
    pub(super) fn short_of_messages(&self, db: &Connection, now: Millis) -> Result<Vec<Listed>, StoreError> {
        let filters = Self { min_messages: 0, ..self.clone() }.filters();
        let mut short = Vec::new();
        for place in self.places {
            let condition = format!("WHERE l.place = {}{filters} AND l.message_count < ?1", *place as i64);
            short.extend(lineages::select(db, &condition, [self.min_messages], now)?);
        }
        Ok(short)
    }

    /// How many lineages of this list `min_messages` leaves out.
    pub(super) fn hidden(&self, db: &Connection) -> Result<i64, StoreError> {
        if self.min_messages == 0 {
            return Ok(0);
        }
        let mut hidden = 0;
        for place in self.places {
            let place = *place as i64;
            let (sql, values) = if self.min_messages == 1 && self.narrowed.is_none() {
                let folder =
                    self.folder.map_or(String::new(), |group| format!(" AND folder = {}", group.number()));
                let pinned = self.pinned.map_or(String::new(), |pinned| format!(" AND pinned = {pinned}"));
                let sum = "SELECT ifnull(sum(n), 0) FROM tallies WHERE empty = 1";
                (format!("{sum} AND place = {place}{folder}{pinned}"), Vec::new())
            } else {
                let filters = Self { min_messages: 0, ..self.clone() }.filters();
                let (narrowing, values) = self.narrowing(1);
                let less = format!("AND l.message_count < {}", self.min_messages);
                let count = "SELECT count(*) FROM lineages l WHERE l.place";
                (format!("{count} = {place}{filters} {less}{narrowing}"), values)
            };
            hidden +=
                db.prepare_cached(&sql)?.query_row(params_from_iter(values), |row| row.get::<_, i64>(0))?;
        }
        Ok(hidden)
    }
}

/// The places that an archive filter names.
pub(super) fn places(archived: ArchivedFilter) -> &'static [Place] {
    match archived {
        ArchivedFilter::Exclude => &[Place::Active],
        ArchivedFilter::Only => &[Place::Archived],
        ArchivedFilter::Include => &[Place::Active, Place::Archived],
    }
}

pub(super) fn session_list(
    db: &Connection,
    request: &SessionListRequest,
    now: Millis,
    budget: Duration,
) -> Result<SessionListResponse, StoreError> {
    let walk = Walk::of(db, request)?;
    let after = Cursor::decode_option(request.cursor.as_deref(), walk.order.letter())?;
    let limit = list_rows(request.limit);
    let mut counts = counts::all(db)?;
    let words = Words::parse(request.query.as_deref().unwrap_or_default())?;
    if words.is_empty() {
        counts.hidden = walk.hidden(db)?;
        return Ok(answer(walk.next(db, after, limit + 1, now)?, limit, walk.order, counts));
    }
    let query::Found { rows, next, hidden, stopped_early } =
        query::page(db, walk.clone(), &words, after, limit, now, budget)?;
    counts.hidden = hidden;
    Ok(SessionListResponse {
        rows: rows.into_iter().map(|listed| listed.row).collect(),
        counts,
        next_cursor: next.map(|cursor| cursor.encode(walk.order.letter())),
        stopped_early,
    })
}

pub(super) fn trash_list(
    db: &Connection,
    request: &TrashListRequest,
    now: Millis,
) -> Result<SessionListResponse, StoreError> {
    let walk = Walk {
        places: &[Place::Trash],
        order: Order::Deleted,
        min_messages: 0,
        folder: None,
        pinned: None,
        narrowed: None,
    };
    let after = Cursor::decode_option(request.cursor.as_deref(), walk.order.letter())?;
    let limit = list_rows(request.limit);
    Ok(answer(walk.next(db, after, limit + 1, now)?, limit, walk.order, counts::all(db)?))
}

/// A page of at most `limit` rows; one more than that in `found` means that there is another page.
fn answer(
    mut found: Vec<Listed>,
    limit: usize,
    order: Order,
    counts: talaria_wire::SessionCounts,
) -> SessionListResponse {
    let more = found.len() > limit;
    found.truncate(limit);
    let last = found.last().filter(|_| more);
    let next_cursor = last.map(|listed| order.cursor(listed).encode(order.letter()));
    SessionListResponse {
        rows: found.into_iter().map(|listed| listed.row).collect(),
        counts,
        next_cursor,
        stopped_early: false,
    }
}
