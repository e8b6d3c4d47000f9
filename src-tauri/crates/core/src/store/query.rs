//! A list narrowed by words: a lineage stays when all of them occur in its title, preview and folder, or all in one of
//! its messages.

use super::error::StoreError;
use super::lineages::Listed;
use super::list::{Narrowed, Walk};
use super::page::Cursor;
use super::search;
use super::text;
use super::words::Words;
use rusqlite::Connection;
use std::time::{Duration, Instant};
use talaria_wire::Millis;

/// Rows fetched at a time while reading.
const STEP: usize = 200;
/// Up to this many hits are taken from the index; with more, reading along the walk finds a page sooner.
const INDEX_HITS: usize = 5_000;

/// A page of a narrowed list. When reading took too long, it is short (or empty), and `next` goes on from there.
pub(super) struct Found {
    pub rows: Vec<Listed>,
    pub next: Option<Cursor>,
    /// Left out by `min_messages`.
    pub hidden: i64,
    pub stopped_early: bool,
}

/// How long reading may take, from its beginning on.
struct Clock {
    started: Instant,
    budget: Duration,
}

impl Clock {
    fn is_up(&self) -> bool {
        self.started.elapsed() >= self.budget
    }
}

pub(super) fn page(
    db: &Connection,
    mut walk: Walk,
    words: &Words,
    after: Option<Cursor>,
    limit: usize,
    now: Millis,
    budget: Duration,
) -> Result<Found, StoreError> {
    let Some(by_text) = search::lineages_with(db, words, INDEX_HITS)? else {
        let clock = Clock { started: Instant::now(), budget };
        let mut found = read_page(db, &walk, words, after, limit, now, &clock)?;
        read_hidden(db, &walk, words, now, &clock, &mut found)?;
        return Ok(found);
    };
    let ids: Vec<String> = by_text.iter().map(i64::to_string).collect();
    walk.narrowed = Some(Narrowed { words: words.clone(), lineages: format!("[{}]", ids.join(",")) });
    let mut rows = walk.next(db, after, limit + 1, now)?;
    let more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.last().filter(|_| more).map(|listed| walk.order.cursor(listed));
    Ok(Found { rows, next, hidden: walk.hidden(db)?, stopped_early: false })
}

/// Reads along the walk. At least one row is read, so that asking again and again comes to an end.
fn read_page(
    db: &Connection,
    walk: &Walk,
    words: &Words,
    after: Option<Cursor>,
    limit: usize,
    now: Millis,
    clock: &Clock,
) -> Result<Found, StoreError> {
    let mut found = Found { rows: Vec::new(), next: None, hidden: 0, stopped_early: false };
    let mut at = after;
    loop {
        let step = walk.next(db, at, STEP, now)?;
        let last_step = step.len() < STEP;
        for listed in step {
            if at != after && clock.is_up() {
                found.stopped_early = true;
                found.next = at;
                return Ok(found);
            }
            let here = walk.order.cursor(&listed);
            if matches(db, &listed, words)? {
                if found.rows.len() == limit {
                    found.next = at;
                    return Ok(found);
                }
                found.rows.push(listed);
            }
            at = Some(here);
        }
        if last_step {
            return Ok(found);
        }
    }
}

fn read_hidden(
    db: &Connection,
    walk: &Walk,
    words: &Words,
    now: Millis,
    clock: &Clock,
    found: &mut Found,
) -> Result<(), StoreError> {
    if walk.min_messages == 0 {
        return Ok(());
    }
    for listed in walk.short_of_messages(db, now)? {
        if clock.is_up() {
            found.stopped_early = true;
            break;
        }
        found.hidden += i64::from(matches(db, &listed, words)?);
    }
    Ok(())
}

fn matches(db: &Connection, listed: &Listed, words: &Words) -> Result<bool, StoreError> {
    let row = &listed.row;
    let head =
        [&row.title, &row.preview, &row.folder].map(|part| text::folded(part.as_deref().unwrap_or_default()));
    Ok(words.all_in(&head.join("\n")) || search::occurs_in(db, listed.id, words)?)
}
