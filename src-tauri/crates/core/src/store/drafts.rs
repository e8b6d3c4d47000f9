//! Drafts: text not yet sent, of a lineage (whichever of its ids is named) or of a client's unsaved session.

use super::error::StoreError;
use super::lineages;
use rusqlite::{Connection, OptionalExtension};
use talaria_wire::{ClientId, Draft, DraftGetRequest, DraftSetRequest};

pub(super) fn draft_get(
    db: &Connection,
    client: &ClientId,
    request: &DraftGetRequest,
) -> Result<Draft, StoreError> {
    let read = |row: &rusqlite::Row<'_>| Ok(Draft { text: row.get(0)?, folder: row.get(1)? });
    let draft = match &request.session_id {
        Some(id) => {
            let lineage = lineages::find(db, id)?.lineage;
            db.prepare_cached("SELECT text, folder FROM drafts WHERE lineage = ?1")?
                .query_row([lineage], read)
                .optional()?
        }
        None => db
            .prepare_cached("SELECT text, folder FROM drafts WHERE client = ?1")?
            .query_row([client.as_str()], read)
            .optional()?,
    };
    Ok(draft.unwrap_or_default())
}

/// Empty text removes a session's draft; an unsaved session's also when it has no folder.
pub(super) fn draft_set(
    db: &Connection,
    client: &ClientId,
    request: &DraftSetRequest,
) -> Result<(), StoreError> {
    let folder = request.folder.as_deref().filter(|folder| !folder.is_empty());
    match &request.session_id {
        Some(id) => {
            let lineage = lineages::find(db, id)?.lineage;
            db.prepare_cached("DELETE FROM drafts WHERE lineage = ?1")?.execute([lineage])?;
            if !request.text.is_empty() {
                db.prepare_cached("INSERT INTO drafts (lineage, text) VALUES (?1, ?2)")?
                    .execute((lineage, &request.text))?;
            }
        }
        None => {
            db.prepare_cached("DELETE FROM drafts WHERE client = ?1")?.execute([client.as_str()])?;
            if !request.text.is_empty() || folder.is_some() {
                db.prepare_cached("INSERT INTO drafts (client, text, folder) VALUES (?1, ?2, ?3)")?
                    .execute((client.as_str(), &request.text, folder))?;
            }
        }
    }
    Ok(())
}
