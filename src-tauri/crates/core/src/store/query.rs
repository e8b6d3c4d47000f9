//! A list narrowed by words: a lineage stays when all of them occur in its title, preview and folder, or all in one of
//! its messages.

use super::error::StoreError;
use super::lineages::Listed;
use super::list::Walk;
use super::page::Cursor;
use super::search;
use super::text;
use super::words::Words;
use rusqlite::Connection;
use std::collections::HashSet;
use std::time::{Duration, Instant};
use talaria_wire::Millis;

/// Rows fetched at a time while walking.
const STEP: usize = 200;
/// Up to this many hits are taken from the index; with more, reading along the walk finds a page sooner.
const INDEX_HITS: usize = 20_000;

/// A page of a narrowed list. When reading took too long, it is short and `next` goes on from there.
pub(super) struct Found {
    pub rows: Vec<Listed>,
    pub next: Option<Cursor>,
}

pub(super) fn page(
    db: &Connection,
    walk: &Walk,
    words: &Words,
    after: Option<Cursor>,
    limit: usize,
    now: Millis,
    budget: Duration,
) -> Result<Found, StoreError> {
    let by_text = search::lineages_with(db, words, INDEX_HITS)?;
    let started = Instant::now();
    let mut found = Found { rows: Vec::new(), next: None };
    let mut at = after;
    loop {
        let step = walk.next(db, at, STEP, now)?;
        let last_step = step.len() < STEP;
        for listed in step {
            let here = walk.order.cursor(&listed);
            if matches(db, &listed, words, by_text.as_ref())? {
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
        if started.elapsed() >= budget && !found.rows.is_empty() {
            found.next = at;
            return Ok(found);
        }
    }
}

/// How many lineages that match were left out by `min_messages`.
pub(super) fn hidden(db: &Connection, walk: &Walk, words: &Words, now: Millis) -> Result<i64, StoreError> {
    if walk.min_messages == 0 {
        return Ok(0);
    }
    let mut hidden = 0;
    for listed in walk.short_of_messages(db, now)? {
        hidden += i64::from(matches(db, &listed, words, None)?);
    }
    Ok(hidden)
}

fn matches(
    db: &Connection,
    listed: &Listed,
    words: &Words,
    by_text: Option<&HashSet<i64>>,
) -> Result<bool, StoreError> {
    let row = &listed.row;
    let head =
        [&row.title, &row.preview, &row.folder].map(|part| text::folded(part.as_deref().unwrap_or_default()));
    if words.all_in(&head.join("\n")) {
        return Ok(true);
    }
    match by_text {
        Some(lineages) => Ok(lineages.contains(&listed.id)),
        None => search::occurs_in(db, listed.id, words),
    }
}
