//! Makes the new file hold together: what lost its owner gets one, what is derived is derived anew.

use crate::store::error::StoreError;
use crate::store::{counts, lineages, text, titles};
use rusqlite::{Connection, OptionalExtension};

/// The id of something made in the place of what was lost. The number is its row's, so it is nobody else's.
pub(super) fn made_id(what: &str, number: i64) -> String {
    format!("recovered-{what}-{number}")
}

/// Mends all of it. `messages`: they are in this file too.
pub(super) fn mend(db: &Connection, messages: bool) -> Result<(), StoreError> {
    db.execute_batch("BEGIN")?;
    lost_lineages(db)?;
    lost_sessions(db)?;
    db.execute_batch(
        // The tip is one of the lineage's own sessions. In two steps, so that no id is there twice in between.
        "UPDATE lineages SET tip = 'recovered-tip-' || id
           WHERE NOT EXISTS (SELECT 1 FROM sessions s WHERE s.lineage = lineages.id AND s.id = lineages.tip);
         UPDATE lineages SET tip = (SELECT s.id FROM sessions s WHERE s.lineage = lineages.id ORDER BY s.position DESC
           LIMIT 1) WHERE tip = 'recovered-tip-' || id;
         UPDATE lineages SET folder = NULL WHERE folder NOT IN (SELECT id FROM folders);
         -- Alone, a place in a file is worth no session; nor is what a session used, or a turn that it was in.
         DELETE FROM positions WHERE lineage NOT IN (SELECT id FROM lineages);
         DELETE FROM turns WHERE lineage NOT IN (SELECT id FROM lineages);
         DELETE FROM waiting WHERE lineage NOT IN (SELECT id FROM lineages);
         DELETE FROM usage WHERE lineage NOT IN (SELECT id FROM lineages);
         DELETE FROM choices WHERE lineage NOT IN (SELECT id FROM lineages);
         DELETE FROM changes WHERE message NOT IN (SELECT seq FROM messages);",
    )?;
    lost_owners(db)?;
    if messages {
        places(db)?;
        counts::recount_lineages(db)?;
        previews(db)?;
    }
    let mut all = db.prepare("SELECT id FROM lineages")?;
    for lineage in all.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()? {
        lineages::refresh_head(db, lineage)?;
    }
    counts::recount(db)?;
    db.execute_batch("COMMIT")?;
    Ok(())
}

/// A sub-agent's session whose owner is gone would be nowhere: it is listed instead.
fn lost_owners(db: &Connection) -> Result<(), StoreError> {
    let mut statement = db.prepare(
        "SELECT id, title FROM lineages WHERE place = 3 AND (owner IS NULL OR owner NOT IN (SELECT id FROM lineages))",
    )?;
    let lost = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (lineage, title) in lost.collect::<Result<Vec<(i64, Option<String>)>, _>>()? {
        let title = title.map(|title| titles::numbered(db, &title, lineage)).transpose()?;
        db.prepare_cached(
            "UPDATE lineages SET place = 0, archived = 0, owner = NULL, title = ?2 WHERE id = ?1",
        )?
        .execute((lineage, title))?;
    }
    db.execute("UPDATE lineages SET owner = NULL WHERE owner NOT IN (SELECT id FROM lineages)", [])?;
    Ok(())
}

/// Sessions, messages and drafts whose lineage did not read get a plain one.
fn lost_lineages(db: &Connection) -> Result<(), StoreError> {
    let mut statement = db.prepare(
        "SELECT lineage, ifnull((SELECT min(started_at) FROM sessions s WHERE s.lineage = o.lineage), min(at)), \
           ifnull(max(at), 0) FROM (SELECT lineage, started_at AS at FROM sessions UNION ALL \
           SELECT lineage, created_at FROM messages UNION ALL \
           SELECT lineage, NULL FROM drafts WHERE lineage IS NOT NULL) o \
         WHERE lineage NOT IN (SELECT id FROM lineages) GROUP BY lineage",
    )?;
    let lost = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (lineage, created_at, last_active) in lost.collect::<Result<Vec<(i64, Option<i64>, i64)>, _>>()? {
        let newest =
            "SELECT id, source, model FROM sessions WHERE lineage = ?1 ORDER BY position DESC LIMIT 1";
        let newest: Option<(String, String, Option<String>)> = db
            .prepare_cached(newest)?
            .query_row([lineage], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let (tip, source, model) =
            newest.unwrap_or_else(|| (made_id("session", lineage), "talaria".to_owned(), None));
        db.prepare_cached(
            "INSERT INTO lineages (id, place, archived, recency, created_at, last_active, message_count, row_count, \
             open, tip, source, model) VALUES (?1, 0, 0, ?2, ?3, ?4, 0, 0, 0, ?5, ?6, ?7)",
        )?
        .execute((
            lineage,
            lineages::free_recency(db, last_active)?,
            created_at.unwrap_or(last_active),
            last_active,
            tip,
            source,
            model,
        ))?;
    }
    Ok(())
}

/// Messages whose session did not read get one; so do lineages that have none at all. The lineage's tip, when it is the
/// one that is missing, comes back under its own id.
fn lost_sessions(db: &Connection) -> Result<(), StoreError> {
    let mut statement = db.prepare(
        "SELECT session, lineage, min(created_at) FROM messages WHERE session NOT IN (SELECT seq FROM sessions) \
         GROUP BY session UNION ALL SELECT NULL, id, created_at FROM lineages \
         WHERE id NOT IN (SELECT lineage FROM sessions) AND id NOT IN (SELECT lineage FROM messages) ORDER BY 1 DESC",
    )?;
    let lost = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
    for (seq, lineage, started_at) in lost.collect::<Result<Vec<(Option<i64>, i64, i64)>, _>>()? {
        let (tip, source): (String, String) = db
            .prepare_cached("SELECT tip, source FROM lineages WHERE id = ?1")?
            .query_row([lineage], |row| Ok((row.get(0)?, row.get(1)?)))?;
        let known = |id: &str| db.prepare_cached("SELECT 1 FROM sessions WHERE id = ?1")?.exists([id]);
        let id = match seq {
            _ if !known(&tip)? => tip.clone(),
            Some(seq) => made_id("session", seq),
            None => made_id("lineage", lineage),
        };
        // The tip is the last of its lineage; of another one only its number says where it stood.
        let position =
            if id == tip { "ifnull(max(position) + 1, 0)" } else { "ifnull(min(position) - 1, 0)" };
        let sql = format!(
            "INSERT INTO sessions (seq, id, lineage, position, relation, source, started_at) \
             SELECT ?1, ?2, ?3, {position}, 'root', ?4, ?5 FROM sessions WHERE lineage = ?3"
        );
        db.prepare_cached(&sql)?.execute((seq, id, lineage, source, started_at))?;
    }
    Ok(())
}

/// A transcript is paged by place, so its places have no holes.
fn places(db: &Connection) -> Result<(), StoreError> {
    let mut gaps = db.prepare(
        "SELECT lineage FROM messages WHERE place IS NOT NULL GROUP BY lineage \
         HAVING min(place) <> 0 OR max(place) + 1 <> count(*)",
    )?;
    let mut rows =
        db.prepare("SELECT seq FROM messages WHERE lineage = ?1 AND place IS NOT NULL ORDER BY place")?;
    let mut set = db.prepare("UPDATE messages SET place = ?2 WHERE seq = ?1 AND place <> ?2")?;
    for lineage in gaps.query_map([], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()? {
        let shown = rows.query_map([lineage], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>()?;
        // Ascending: each moves to a place that is free already.
        for (place, seq) in shown.into_iter().enumerate() {
            set.execute((seq, place as i64))?;
        }
    }
    Ok(())
}

/// A row without a preview gets it from its first message of the user.
fn previews(db: &Connection) -> Result<(), StoreError> {
    let mut first = db.prepare(
        "SELECT l.id, (SELECT m.text FROM messages m WHERE m.lineage = l.id AND m.place IS NOT NULL \
         AND m.role = 'user' ORDER BY m.place LIMIT 1) AS words FROM lineages l WHERE l.preview IS NULL AND l.row_count > 0",
    )?;
    let found = first.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    for (lineage, words) in found.collect::<Result<Vec<(i64, Option<String>)>, _>>()? {
        if let Some(preview) = words.as_deref().and_then(text::preview) {
            db.prepare_cached("UPDATE lineages SET preview = ?2 WHERE id = ?1")?
                .execute((lineage, preview))?;
        }
    }
    Ok(())
}
