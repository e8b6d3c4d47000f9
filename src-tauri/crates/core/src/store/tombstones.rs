//! Origin ids of what was deleted for good.

use super::error::StoreError;
use rusqlite::Connection;
use talaria_wire::Millis;

/// Remembers where the sessions of these lineages, a JSON list of numbers, came from.
pub(super) fn add_lineages(db: &Connection, lineages: &str, now: Millis) -> Result<(), StoreError> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO tombstones (origin_id, deleted_at) SELECT origin_id, ?2 FROM sessions \
         WHERE lineage IN (SELECT value FROM json_each(?1)) AND origin_id IS NOT NULL",
    )?
    .execute((lineages, now))?;
    Ok(())
}

/// Whether this was deleted here.
pub(super) fn has(db: &Connection, origin_id: &str) -> Result<bool, StoreError> {
    Ok(db.prepare_cached("SELECT 1 FROM tombstones WHERE origin_id = ?1")?.exists([origin_id])?)
}
