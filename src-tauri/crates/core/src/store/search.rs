//! `session_search`: titles first, then text, newest first, one hit a lineage.
//!
//! Words of three and more letters are looked up in the index. Shorter ones are read for, newest first, within a time
//! bound. Found is what a reader sees: text, and the names and arguments of tool calls.

use super::error::StoreError;
use super::lineages::{self, Listed, Place};
use super::list::places;
use super::messages::role;
use super::page::Cursor;
use super::snippet;
use super::text;
use super::words::Words;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use talaria_wire::{CappedCount, MessageHit, MessageId, Millis, SearchRequest, SearchResponse, TitleHit};

/// Hits a page, of titles and of messages each.
const PAGE: usize = 20;
/// Counting stops here.
const COUNTED: usize = 1_000;
/// Marks the cursors of title hits.
const TITLE_CURSOR: char = 't';
/// Marks the cursors of message hits.
const CURSOR: char = 'm';

pub(super) fn session_search(
    db: &Connection,
    request: &SearchRequest,
    now: Millis,
    budget: Duration,
) -> Result<SearchResponse, StoreError> {
    let words = Words::parse(&request.query)?;
    let after = Cursor::decode_option(request.cursor.as_deref(), CURSOR)?;
    let after_title = Cursor::decode_option(request.title_cursor.as_deref(), TITLE_CURSOR)?;
    if after.is_some() && after_title.is_some() {
        return Err(StoreError::bad("A page has titles or messages; provide 'cursor' or 'title_cursor'."));
    }
    let mut response = SearchResponse::default();
    if words.is_empty() {
        return Ok(response);
    }
    let places = places(request.archived);
    if after.is_none() {
        titles(db, &words, places, after_title, now, &mut response)?;
    }
    if after_title.is_none() {
        messages(db, &words, places, after, now, budget, &mut response)?;
    }
    Ok(response)
}

fn capped(n: usize, more: bool) -> CappedCount {
    CappedCount { n: n.min(COUNTED) as i64, more: more || n > COUNTED }
}

/// The title hits behind `after`, into the response; counts them when it is the first page.
fn titles(
    db: &Connection,
    words: &Words,
    places: &[Place],
    after: Option<Cursor>,
    now: Millis,
    response: &mut SearchResponse,
) -> Result<(), StoreError> {
    let most = if after.is_none() { COUNTED } else { PAGE } + 1;
    let found = titled(db, words, places, after, most)?;
    if after.is_none() {
        response.title_count = capped(found.len(), false);
    }
    for key in found.iter().take(PAGE) {
        let row = lineages::get(db, key.id, now)?.row;
        let title = snippet::marked(row.title.as_deref().unwrap_or_default(), words);
        response.titles.push(TitleHit { row, title });
    }
    let last = found.get(PAGE - 1).filter(|_| found.len() > PAGE);
    response.next_title_cursor = last.map(|key| key.encode(TITLE_CURSOR));
    Ok(())
}

/// The keys of lineages whose title holds all words, newest first, at most `most` of each place.
fn titled(
    db: &Connection,
    words: &Words,
    places: &[Place],
    after: Option<Cursor>,
    most: usize,
) -> Result<Vec<Cursor>, StoreError> {
    // The first line of a head is the title. All of this is in the index: no row is fetched to be left out.
    let title = "substr(l.head, 1, instr(l.head, char(10)) - 1)";
    let holds: String =
        (1..=words.iter().count()).map(|n| format!(" AND instr({title}, ?{n}) > 0")).collect();
    // A recency key is never there twice, so it alone is the place to go on from.
    let before = after.map_or(i64::MAX, |after| after.key);
    let mut found = Vec::new();
    for place in places {
        let sql = format!(
            "SELECT l.recency, l.id FROM lineages l INDEXED BY lineages_heads WHERE l.place = {}{holds} \
             AND l.recency < ?{} ORDER BY l.recency DESC LIMIT {most}",
            *place as i64,
            words.iter().count() + 1,
        );
        let mut statement = db.prepare_cached(&sql)?;
        let values = words.iter().map(|word| Value::from(word.to_owned())).chain([Value::from(before)]);
        let rows = statement
            .query_map(params_from_iter(values), |row| Ok(Cursor { key: row.get(0)?, id: row.get(1)? }))?;
        for row in rows {
            found.push(row?);
        }
    }
    found.sort_unstable_by(|a, b| b.cmp(a));
    Ok(found)
}

/// The message hits behind `after`, into the response.
fn messages(
    db: &Connection,
    words: &Words,
    places: &[Place],
    after: Option<Cursor>,
    now: Millis,
    budget: Duration,
    response: &mut SearchResponse,
) -> Result<(), StoreError> {
    let hits = if words.indexed().is_some() {
        indexed_hits(db, words, places, after)?
    } else {
        read_hits(db, words, places, after, budget)?
    };
    response.message_count = capped(hits.lineages, hits.stopped_early);
    response.stopped_early = hits.stopped_early;
    for seq in hits.page.iter().take(PAGE) {
        response.messages.push(message_hit(db, *seq, words, now)?);
    }
    let last = hits.page.get(PAGE - 1).filter(|_| hits.page.len() > PAGE);
    response.next_cursor = last.map(|seq| Cursor { key: *seq, id: 0 }.encode(CURSOR));
    Ok(())
}

/// The newest hits of lineages: those of the page (one more than fits, when there is more), and how many in all.
#[derive(Default)]
struct Hits {
    page: Vec<i64>,
    lineages: usize,
    stopped_early: bool,
    seen: HashSet<i64>,
}

impl Hits {
    /// Takes the hit when it is the first (newest) of its lineage. Answers whether enough is known.
    fn take(&mut self, seq: i64, lineage: i64, after: Option<Cursor>) -> bool {
        if self.seen.insert(lineage) {
            self.lineages += 1;
            if self.page.len() <= PAGE && after.is_none_or(|after| seq < after.key) {
                self.page.push(seq);
            }
        }
        self.page.len() > PAGE && self.lineages > COUNTED
    }
}

fn indexed_hits(
    db: &Connection,
    words: &Words,
    places: &[Place],
    after: Option<Cursor>,
) -> Result<Hits, StoreError> {
    let mut hits = Hits::default();
    let mut statement = db.prepare_cached(
        "SELECT s.rowid, m.lineage, l.place FROM message_search s CROSS JOIN messages m ON m.seq = s.rowid \
         CROSS JOIN lineages l ON l.id = m.lineage WHERE message_search MATCH ?1 ORDER BY s.rowid DESC",
    )?;
    let mut rows = statement.query([words.indexed()])?;
    while let Some(row) = rows.next()? {
        let (seq, lineage, place): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if !places.iter().any(|p| *p as i64 == place) || hits.seen.contains(&lineage) {
            continue;
        }
        if words.has_short() && !words.all_in(&text::folded(&words_of(db, seq)?)) {
            continue;
        }
        if hits.take(seq, lineage, after) {
            break;
        }
    }
    Ok(hits)
}

fn read_hits(
    db: &Connection,
    words: &Words,
    places: &[Place],
    after: Option<Cursor>,
    budget: Duration,
) -> Result<Hits, StoreError> {
    let started = Instant::now();
    let mut hits = Hits::default();
    let mut statement = db.prepare_cached(
        "SELECT w.seq, w.lineage, l.place, w.words FROM message_words w CROSS JOIN lineages l ON l.id = w.lineage \
         WHERE w.place IS NOT NULL ORDER BY w.seq DESC",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        if started.elapsed() >= budget {
            hits.stopped_early = true;
            break;
        }
        let (seq, lineage, place): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
        if !places.iter().any(|p| *p as i64 == place) || hits.seen.contains(&lineage) {
            continue;
        }
        if words.all_in(&text::folded(row.get_ref(3)?.as_str().unwrap_or_default()))
            && hits.take(seq, lineage, after)
        {
            break;
        }
    }
    Ok(hits)
}

fn words_of(db: &Connection, seq: i64) -> Result<String, StoreError> {
    Ok(db
        .prepare_cached("SELECT words FROM message_words WHERE seq = ?1")?
        .query_row([seq], |row| row.get(0))?)
}

fn message_hit(db: &Connection, seq: i64, words: &Words, now: Millis) -> Result<MessageHit, StoreError> {
    let sql = "SELECT lineage, id, place, role, created_at, words FROM message_words WHERE seq = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let (lineage, hit): (i64, _) = statement.query_row([seq], |row| {
        let shown: String = row.get(5)?;
        Ok((
            row.get(0)?,
            (MessageId(row.get(1)?), row.get(2)?, role(&row.get::<_, String>(3)?), row.get(4)?, shown),
        ))
    })?;
    let (message_id, index, role, created_at, shown) = hit;
    let Listed { row, .. } = lineages::get(db, lineage, now)?;
    Ok(MessageHit { row, message_id, index, role, created_at, snippet: snippet::around(&shown, words) })
}

/// The lineages with a message that holds all words, from the index. `None`: the index cannot tell (short words), or
/// more than `most` messages do.
pub(super) fn lineages_with(
    db: &Connection,
    words: &Words,
    most: usize,
) -> Result<Option<HashSet<i64>>, StoreError> {
    let Some(expression) = words.indexed().filter(|_| !words.has_short()) else { return Ok(None) };
    let mut statement = db.prepare_cached(
        "SELECT m.lineage FROM message_search s CROSS JOIN messages m ON m.seq = s.rowid \
         WHERE message_search MATCH ?1 LIMIT ?2",
    )?;
    let mut found = HashSet::new();
    let mut messages = 0;
    let mut rows = statement.query((expression, most as i64 + 1))?;
    while let Some(row) = rows.next()? {
        messages += 1;
        found.insert(row.get(0)?);
    }
    Ok((messages <= most).then_some(found))
}

/// Whether one of the lineage's messages holds all words, by reading them.
pub(super) fn occurs_in(db: &Connection, lineage: i64, words: &Words) -> Result<bool, StoreError> {
    let mut statement =
        db.prepare_cached("SELECT words FROM message_words WHERE lineage = ?1 AND place IS NOT NULL")?;
    let mut rows = statement.query([lineage])?;
    while let Some(row) = rows.next()? {
        if words.all_in(&text::folded(row.get_ref(0)?.as_str().unwrap_or_default())) {
            return Ok(true);
        }
    }
    Ok(false)
}
