//! What the store knows about itself.

use super::error::StoreError;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::Millis;

/// When the app last ran; `None` in a new store.
pub(super) fn last_run(db: &Connection) -> Result<Option<Millis>, StoreError> {
    Ok(db.query_row("SELECT value FROM meta WHERE name = 'last_run'", [], |row| row.get(0)).optional()?)
}

pub(super) fn set_last_run(db: &Connection, now: Millis) -> Result<(), StoreError> {
    db.execute(
        "INSERT INTO meta VALUES ('last_run', ?1) ON CONFLICT DO UPDATE SET value = excluded.value",
        [now],
    )?;
    Ok(())
}
