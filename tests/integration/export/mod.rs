//! Files made of sessions, from a real store to a real disk.

mod all;
mod by_command;
mod faults;
mod formats;

use app_tests::home::{NOON, TempHome};
use app_tests::seed::{chat, session_id};
use std::path::Path;
use std::sync::Arc;
use talaria_core::export::{self, ExportError};
use talaria_core::store::{NewLineage, Put};
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

async fn put(home: &TempHome, lineages: impl IntoIterator<Item = NewLineage>) {
    for lineage in lineages {
        let put = home.store.lineage_put(Arc::new(lineage)).await.expect("the store takes it");
        assert_eq!(put, Put::Added);
    }
}

fn titled(n: usize, title: &str, texts: &[&str]) -> NewLineage {
    NewLineage { title: Some(title.to_owned()), ..chat(n, NOON + n as i64 * 60_000, texts) }
}

/// Writes session `n`.
async fn written(
    home: &TempHome,
    n: usize,
    format: ExportFormat,
    target: &Path,
) -> Result<ExportReport, ExportError> {
    export::session(&home.store, &session_id(n), format, target, &CancellationToken::new(), |_| {}).await
}

/// The names in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("text")).collect();
    names.sort();
    names
}
