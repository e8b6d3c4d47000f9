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
use rusqlite::{Connection, OptionalExtension, params_from_iter};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use talaria_wire::{
    ArchivedFilter, CappedCount, MessageHit, MessageId, Millis, SearchRequest, SearchResponse, TitleHit,
};

/// Hits a page, of titles and of messages each.
const PAGE: usize = 20;
/// Counting stops here.
const COUNTED: usize = 1_000;
/// Rows after which a quick look tells rare from common.
const LOOKED: usize = 64;
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
    let search = Search { words, places, after };
    let hits =
        if words.indexed().is_some() { indexed_hits(db, &search)? } else { read_hits(db, &search, budget)? };
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
    /// Lineages that need no further look.
    seen: HashSet<i64>,
    /// The quick look for a common word was taken.
    looked: bool,
}

impl Hits {
    /// Takes the newest hit of a lineage that is new here, when it is in one of the places. Answers whether enough is
    /// known.
    fn take(&mut self, db: &Connection, found: Found, search: &Search<'_>) -> Result<bool, StoreError> {
        self.seen.insert(found.lineage);
        if !is_in(db, found.lineage, search.places)? {
            return Ok(false);
        }
        self.lineages += 1;
        if self.page.len() <= PAGE && search.after.is_none_or(|after| found.seq < after.key) {
            self.page.push(found.seq);
        }
        if self.page.len() == PAGE + 1 && self.lineages <= COUNTED && !self.looked {
            self.looked = true;
            if is_common(db, search)? {
                self.lineages = COUNTED + 1;
            }
        }
        Ok(self.page.len() > PAGE && self.lineages > COUNTED)
    }
}

/// A message that holds all words.
struct Found {
    seq: i64,
    lineage: i64,
}

/// What is looked for, where, and behind which hit.
struct Search<'a> {
    words: &'a Words,
    places: &'a [Place],
    after: Option<Cursor>,
}

fn is_in(db: &Connection, lineage: i64, places: &[Place]) -> Result<bool, StoreError> {
    let mut statement = db.prepare_cached("SELECT place FROM lineages WHERE id = ?1")?;
    let place: i64 = statement.query_row([lineage], |row| row.get(0))?;
    Ok(places.iter().any(|p| *p as i64 == place))
}

/// Whether the newest rows alone show that more lineages hold the words than are counted. A quick look, which spares
/// the walk over all hits of a common word; it gives up when such rows are rare, and then says nothing.
fn is_common(db: &Connection, search: &Search<'_>) -> Result<bool, StoreError> {
    let (mut looked, mut found, mut buffer) = (0, 0, String::new());
    for place in search.places {
        let mut statement = db.prepare_cached(
            "SELECT (SELECT iif(place IS NULL, NULL, text) FROM messages WHERE lineage = l.id ORDER BY seq DESC LIMIT 1) \
             FROM lineages l INDEXED BY lineages_recent WHERE l.place = ?1 ORDER BY l.recency DESC",
        )?;
        let mut rows = statement.query([*place as i64])?;
        while let Some(row) = rows.next()? {
            looked += 1;
            // A row that is not shown, and none at all, hold no word.
            text::fold_into(row.get_ref(0)?.as_str().unwrap_or_default(), &mut buffer);
            found += usize::from(search.words.all_in(&buffer));
            if found > COUNTED {
                return Ok(true);
            }
            if looked > LOOKED && found * 4 < looked {
                return Ok(false);
            }
        }
    }
    Ok(false)
}

fn indexed_hits(db: &Connection, search: &Search<'_>) -> Result<Hits, StoreError> {
    let mut hits = Hits::default();
    let mut statement = db.prepare_cached(
        "SELECT s.rowid, m.lineage FROM message_search s CROSS JOIN messages m ON m.seq = s.rowid \
         WHERE message_search MATCH ?1 ORDER BY s.rowid DESC",
    )?;
    let mut rows = statement.query([search.words.indexed()])?;
    let mut buffer = String::new();
    while let Some(row) = rows.next()? {
        let found = Found { seq: row.get(0)?, lineage: row.get(1)? };
        if hits.seen.contains(&found.lineage) {
            continue;
        }
        if search.words.has_short() {
            text::fold_into(&words_of(db, found.seq)?, &mut buffer);
            if !search.words.all_in(&buffer) {
                continue;
            }
        }
        if hits.take(db, found, search)? {
            break;
        }
    }
    Ok(hits)
}

fn read_hits(db: &Connection, search: &Search<'_>, budget: Duration) -> Result<Hits, StoreError> {
    let started = Instant::now();
    let mut hits = Hits::default();
    let mut statement = db.prepare_cached(
        "SELECT seq, lineage, words FROM message_words WHERE place IS NOT NULL ORDER BY seq DESC",
    )?;
    let mut rows = statement.query([])?;
    let mut buffer = String::new();
    while let Some(row) = rows.next()? {
        if started.elapsed() >= budget {
            hits.stopped_early = true;
            break;
        }
        let found = Found { seq: row.get(0)?, lineage: row.get(1)? };
        if hits.seen.contains(&found.lineage) {
            continue;
        }
        text::fold_into(row.get_ref(2)?.as_str().unwrap_or_default(), &mut buffer);
        if search.words.all_in(&buffer) && hits.take(db, found, search)? {
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
    let mut buffer = String::new();
    while let Some(row) = rows.next()? {
        text::fold_into(row.get_ref(0)?.as_str().unwrap_or_default(), &mut buffer);
        if words.all_in(&buffer) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a search for a word of the newest message of the lists finds its session: the search as the window makes it. Of
/// a store without such a word there is nothing to find.
pub(super) fn finds_the_newest(db: &Connection) -> Result<bool, StoreError> {
    let newest = "SELECT l.id, m.text FROM messages m CROSS JOIN lineages l ON l.id = m.lineage \
         WHERE m.place IS NOT NULL AND l.place IN (0, 1) ORDER BY m.seq DESC LIMIT 1";
    let newest = db.prepare(newest)?.query_row([], |row| Ok((row.get::<_, i64>(0)?, text::read(row, 1)?)));
    let Some((lineage, Some(shown))) = newest.optional()? else { return Ok(true) };
    let word = shown.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| (3..=40).contains(&word.len()));
    let Some(word) = word else { return Ok(true) };
    let words = Words::parse(word)?;
    let places = places(ArchivedFilter::Include);
    // The newest hit is the first.
    let hits = indexed_hits(db, &Search { words: &words, places, after: None })?;
    let Some(seq) = hits.page.first() else { return Ok(false) };
    let found: i64 = db
        .prepare_cached("SELECT lineage FROM messages WHERE seq = ?1")?
        .query_row([seq], |row| row.get(0))?;
    Ok(found == lineage)
}
