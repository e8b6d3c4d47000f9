//! The store on real files.

mod archive;
mod branch;
mod bulk;
mod drafts_and_settings;
pub(crate) mod faults;
mod find;
mod health;
mod killed;
mod list;
mod live;
mod messages;
mod partition;
mod positions;
mod processes;
mod reading;
mod recover;
mod search;
mod sweep;
mod titles;
mod trash;

use app_tests::home::{NOON, TempHome};
use app_tests::seed::{chat, session_id};
use std::sync::Arc;
use talaria_core::store::{LineageKind, NewLineage, Put, StoreError};
use talaria_wire::*;

/// No session.
const NONE: [usize; 0] = [];

/// Puts lineages in; all must be new.
async fn put(home: &TempHome, lineages: impl IntoIterator<Item = NewLineage>) {
    for lineage in lineages {
        let put = home.store.lineage_put(Arc::new(lineage)).await.expect("the store takes it");
        assert_eq!(put, Put::Added);
    }
}

/// Session `n` with a title and these texts, `n` minutes after noon.
fn titled(n: usize, title: &str, texts: &[&str]) -> NewLineage {
    NewLineage { title: Some(title.to_owned()), ..chat(n, NOON + n as i64 * 60_000, texts) }
}

fn archived(lineage: NewLineage) -> NewLineage {
    NewLineage { kind: LineageKind::Archived, ..lineage }
}

fn in_folder(mut lineage: NewLineage, folder: &str) -> NewLineage {
    lineage.sessions[0].folder = Some(folder.to_owned());
    lineage
}

async fn list(home: &TempHome, request: SessionListRequest) -> SessionListResponse {
    home.store.session_list(request).await.expect("a list")
}

/// The numbers of the rows' sessions, in order.
fn numbers(rows: &[SessionRow]) -> Vec<usize> {
    rows.iter().map(|row| number(&row.id)).collect()
}

/// The number of a session.
fn number(id: &SessionId) -> usize {
    id.as_str().trim_start_matches("session-").parse().expect("a number")
}

fn archive(n: usize, archived: bool) -> SessionUpdateRequest {
    SessionUpdateRequest { id: session_id(n), title: None, archived: Some(archived), pin_rank: None }
}

fn rename(n: usize, title: &str) -> SessionUpdateRequest {
    SessionUpdateRequest { id: session_id(n), title: Some(title.to_owned()), archived: None, pin_rank: None }
}

fn pin(n: usize, rank: Option<i64>) -> SessionPinRequest {
    SessionPinRequest { id: session_id(n), pinned: true, rank }
}

fn delete(n: usize, mode: DeleteMode) -> SessionDeleteRequest {
    SessionDeleteRequest { id: session_id(n), mode }
}

fn restore(n: usize) -> SessionRestoreRequest {
    SessionRestoreRequest { id: session_id(n), pin_rank: None }
}

fn code(error: StoreError) -> ErrorCode {
    IpcError::from(error).code
}
