//! What a lineage has beside its rows: its model, what it used, and what the user allowed for good.

use crate::store::error::StoreError;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::{Millis, ModelChoice, Usage};

/// The lineage's own model; `None`: the one of the settings.
pub(super) fn get(db: &Connection, lineage: i64) -> Result<Option<ModelChoice>, StoreError> {
    Ok(db
        .prepare_cached("SELECT base_url, model FROM choices WHERE lineage = ?1")?
        .query_row([lineage], |row| Ok(ModelChoice { base_url: row.get(0)?, model: row.get(1)? }))
        .optional()?)
}

pub(super) fn set(db: &Connection, lineage: i64, choice: Option<&ModelChoice>) -> Result<(), StoreError> {
    match choice {
        Some(choice) => db
            .prepare_cached("INSERT OR REPLACE INTO choices VALUES (?1, ?2, ?3)")?
            .execute((lineage, &choice.base_url, &choice.model))?,
        None => db.prepare_cached("DELETE FROM choices WHERE lineage = ?1")?.execute([lineage])?,
    };
    Ok(())
}

/// Tokens of a request to add, and their cost when there are prices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Used {
    pub input: i64,
    pub output: i64,
    /// In the currency of the prices.
    pub cost: Option<f64>,
}

/// What the lineage has used; `context_max` is not known here.
pub(super) fn usage(db: &Connection, lineage: i64) -> Result<Usage, StoreError> {
    let sql =
        "SELECT input_tokens, output_tokens, calls, context_used, cost_nano FROM usage WHERE lineage = ?1";
    let found = db.prepare_cached(sql)?.query_row([lineage], |row| {
        let cost: Option<i64> = row.get(4)?;
        Ok(Usage {
            input_tokens: row.get(0)?,
            output_tokens: row.get(1)?,
            calls: row.get(2)?,
            context_used: row.get(3)?,
            context_max: None,
            cost: cost.map(|nano| nano as f64 / NANO),
        })
    });
    Ok(found.optional()?.unwrap_or_default())
}

const NANO: f64 = 1e9;

/// Adds a request; answers the sum.
pub(super) fn add(db: &Connection, lineage: i64, used: Used) -> Result<Usage, StoreError> {
    let (input, output) = (used.input.max(0), used.output.max(0));
    // A float too large for the column is its end (Rust reference, "Numeric cast"); then it stays there.
    let cost = used.cost.map(|cost| (cost * NANO).round() as i64);
    db.prepare_cached(
        "INSERT INTO usage VALUES (?1, ?2, ?3, 1, ?2 + ?3, ?4) ON CONFLICT DO UPDATE SET \
         input_tokens = input_tokens + ?2, output_tokens = output_tokens + ?3, calls = calls + 1, \
         context_used = ?2 + ?3, \
         cost_nano = CASE WHEN ?4 IS NULL THEN cost_nano ELSE ifnull(cost_nano, 0) + ?4 END",
    )?
    .execute((lineage, input, output, cost))?;
    usage(db, lineage)
}

/// Whether exactly this was allowed for good.
pub(super) fn is_allowed(
    db: &Connection,
    workspace: &str,
    tool: &str,
    text: &str,
) -> Result<bool, StoreError> {
    Ok(db
        .prepare_cached("SELECT 1 FROM approvals WHERE workspace = ?1 AND tool = ?2 AND text = ?3")?
        .exists((workspace, tool, text))?)
}

pub(super) fn allow(
    db: &Connection,
    workspace: &str,
    tool: &str,
    text: &str,
    now: Millis,
) -> Result<(), StoreError> {
    db.prepare_cached("INSERT OR REPLACE INTO approvals VALUES (?1, ?2, ?3, ?4)")?
        .execute((workspace, tool, text, now))?;
    Ok(())
}
