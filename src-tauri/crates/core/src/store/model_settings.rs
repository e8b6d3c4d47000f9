//! The settings of the model: one row of the settings table, apart from the others because the page sets them as a whole.

use super::error::StoreError;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::ModelSettings;

/// The row's name; no field of `Settings` has it.
const NAME: &str = "model";

/// What cannot be read is none: then no model is connected, which the page says.
pub(super) fn get(db: &Connection) -> Result<ModelSettings, StoreError> {
    let mut statement = db.prepare_cached("SELECT value FROM settings WHERE name = ?1")?;
    let value: Option<String> = statement.query_row([NAME], |row| row.get(0)).optional()?;
    Ok(value.and_then(|value| serde_json::from_str(&value).ok()).unwrap_or_default())
}

pub(super) fn set(db: &Connection, settings: &ModelSettings) -> Result<(), StoreError> {
    let value =
        serde_json::to_string(settings).map_err(|_| StoreError::Broken("The settings do not fit."))?;
    db.prepare_cached(
        "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value",
    )?
    .execute((NAME, value))?;
    Ok(())
}
