//! Settings: one row a field. A field that cannot be read is its default, so a strange value loses only itself.

use super::error::StoreError;
use rusqlite::Connection;
use serde_json::Value;
use talaria_wire::{Settings, SettingsPatch};

/// CSS pixels.
const SIDEBAR: std::ops::RangeInclusive<u32> = 220..=480;
/// Percent.
const ZOOM: std::ops::RangeInclusive<u32> = 80..=200;
/// Ten years: what is older is never meant.
pub(super) const MOST_DAYS: u32 = 3_650;

pub(super) fn settings_get(db: &Connection) -> Result<Settings, StoreError> {
    let mut settings = Settings::default();
    let mut statement = db.prepare_cached("SELECT name, value FROM settings")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, value): (String, String) = (row.get(0)?, row.get(1)?);
        if let Some(patch) = patch(&name, &value) {
            apply(&mut settings, patch);
        }
    }
    Ok(settings)
}

/// Stores the fields that are given; a number outside its range is moved into it.
pub(super) fn settings_update(db: &Connection, patch: &SettingsPatch) -> Result<Settings, StoreError> {
    let mut patch = patch.clone();
    patch.sidebar_width = patch.sidebar_width.map(|width| width.clamp(*SIDEBAR.start(), *SIDEBAR.end()));
    patch.zoom = patch.zoom.map(|zoom| zoom.clamp(*ZOOM.start(), *ZOOM.end()));
    patch.archive_after_days = patch.archive_after_days.map(|days| days.min(MOST_DAYS));
    if let Ok(Value::Object(fields)) = serde_json::to_value(&patch) {
        let mut statement = db.prepare_cached(
            "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT DO UPDATE SET value = excluded.value",
        )?;
        for (name, value) in fields.iter().filter(|(_, value)| !value.is_null()) {
            statement.execute((name, value.to_string()))?;
        }
    }
    settings_get(db)
}

fn patch(name: &str, value: &str) -> Option<SettingsPatch> {
    let value: Value = serde_json::from_str(value).ok()?;
    serde_json::from_value(Value::Object([(name.to_owned(), value)].into_iter().collect())).ok()
}

fn apply(settings: &mut Settings, patch: SettingsPatch) {
    // Taken apart in full: a new field that is forgotten here does not compile.
    let SettingsPatch {
        theme,
        group_by_workspace,
        show_empty,
        sidebar_width,
        closed_groups,
        group_order,
        setup_done,
        archive_after_days,
        letter_keys,
        zoom,
        media_transport,
        row_click,
    } = patch;
    let Settings {
        theme: old_theme,
        group_by_workspace: old_group,
        show_empty: old_empty,
        sidebar_width: old_width,
        closed_groups: old_closed,
        group_order: old_order,
        setup_done: old_done,
        archive_after_days: old_days,
        letter_keys: old_letters,
        zoom: old_zoom,
        media_transport: old_transport,
        row_click: old_click,
    } = settings;
    set(old_theme, theme);
    set(old_group, group_by_workspace);
    set(old_empty, show_empty);
    set(old_width, sidebar_width.filter(|width| SIDEBAR.contains(width)));
    set(old_closed, closed_groups);
    set(old_order, group_order);
    set(old_done, setup_done);
    set(old_days, archive_after_days.filter(|days| *days <= MOST_DAYS));
    set(old_letters, letter_keys);
    set(old_zoom, zoom.filter(|zoom| ZOOM.contains(zoom)));
    set(old_transport, media_transport);
    set(old_click, row_click);
}

fn set<T>(field: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *field = value;
    }
}
