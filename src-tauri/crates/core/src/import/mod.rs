//! Bringing in a Hermes store.
//!
//! The file is only read, in one transaction, on a thread of its own; a lineage is stored whole or not at all. So Hermes
//! may go on writing, and a cancelled import has whole lineages. A second import adds what is new and touches nothing
//! that the user decided here.

mod batch;
mod chains;
mod error;
mod hermes;
mod lineage;
mod notice;
mod transcript;

pub use error::ImportError;

use crate::store::{Known, NewLineage, Store};
use batch::Batch;
use chains::{Chain, ChainKind};
use hermes::HermesStore;
use lineage::Identified;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;
use talaria_wire::{ImportProbe, ImportProgress, ImportReport, ImportSkip, SessionId};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// Lineages read ahead of the writer.
const AHEAD: usize = 8;

/// Where Hermes keeps its store: `$HERMES_HOME/state.db`, else `~/.hermes/state.db`. The caller reads the environment.
pub fn default_path(hermes_home: Option<&Path>, user_home: &Path) -> PathBuf {
    match hermes_home {
        Some(home) if !home.as_os_str().is_empty() => home.join("state.db"),
        _ => user_home.join(".hermes").join("state.db"),
    }
}

/// What a Hermes store holds; reads no content.
///
/// Errors: `Missing`, `NotHermes`, `Newer`, `Damaged`, `Busy`, `Io`.
pub async fn probe(path: &Path) -> Result<ImportProbe, ImportError> {
    let path = path.to_owned();
    let probed = tokio::task::spawn_blocking(move || HermesStore::open(&path)?.probe()).await;
    probed.unwrap_or(Err(ImportError::Broken))
}

/// Brings in a Hermes store. `progress` is called before each lineage, and once at the end; its `done` counts
/// sessions that are on disk by then, or do not come. A cancelled import is a report with `cancelled` set; what was
/// stored by then stays.
///
/// Errors: those of [`probe`], and those of our store.
pub async fn run(
    store: &Store,
    path: &Path,
    cancel: CancellationToken,
    mut progress: impl FnMut(ImportProgress) + Send + 'static,
) -> Result<ImportReport, ImportError> {
    let started = Instant::now();
    let known = store.known_origins().await?;
    let mut report = ImportReport {
        path: path.display().to_string(),
        before: store.counts().await?,
        ..ImportReport::default()
    };
    let (found, mut finds) = mpsc::channel(AHEAD);
    let (file, stop) = (path.to_owned(), cancel.clone());
    let reading = tokio::task::spawn_blocking(move || read_all(&file, known, &stop, &found));
    let (mut done, mut under_way) = (0, 0);
    let mut batch = Batch::default();
    // The reader ends by itself when this loop does: nobody takes what it sends.
    while let Some(find) = finds.recv().await {
        if cancel.is_cancelled() {
            report.cancelled = true;
            break;
        }
        match find {
            Find::File(probe) => {
                (report.source_sessions, report.source_messages) = (probe.sessions, probe.messages)
            }
            Find::Skipped(skip) => {
                done += 1;
                report.skipped.push(skip);
            }
            Find::Unread(skip) => report.skipped.push(skip),
            Find::Unchanged(sessions) => {
                done += sessions;
                report.unchanged += sessions;
            }
            Find::Lineage { lineage, branch } => {
                let (total, current) = (report.source_sessions, lineage.title.clone());
                progress(ImportProgress { done, total, current });
                under_way += lineage.sessions.len() as i64;
                if batch.add(lineage, branch) {
                    batch.store(store, &mut report).await?;
                    done += std::mem::take(&mut under_way);
                }
            }
        }
    }
    drop(finds);
    // Also when cancelled: these are whole.
    batch.store(store, &mut report).await?;
    done += under_way;
    reading.await.unwrap_or(Err(ImportError::Broken))?;
    report.cancelled |= cancel.is_cancelled() && done < report.source_sessions;
    store.settle().await?;
    progress(ImportProgress { done, total: report.source_sessions, current: None });
    report.after = store.counts().await?;
    report.elapsed_ms = started.elapsed().as_millis() as i64;
    Ok(report)
}

/// What the reader comes upon.
enum Find {
    File(ImportProbe),
    /// A session that is not brought in.
    Skipped(ImportSkip),
    /// A message that is not brought in, of a session that is.
    Unread(ImportSkip),
    /// So many sessions that are here as they are in the file.
    Unchanged(i64),
    Lineage {
        lineage: Arc<NewLineage>,
        branch: bool,
    },
}

fn read_all(
    path: &Path,
    known: HashMap<String, Known>,
    cancel: &CancellationToken,
    found: &mpsc::Sender<Find>,
) -> Result<(), ImportError> {
    let file = HermesStore::open(path)?;
    // A closed channel means that nobody wants more; that is not an error.
    let send = |find| found.blocking_send(find).is_ok();
    let (sessions, unread) = file.sessions()?;
    send(Find::File(file.probe()?));
    for row in unread {
        send(Find::Skipped(ImportSkip { origin_id: row.id, title: row.title, reason: damaged(&row.why) }));
    }
    let id = |session: &hermes::ForeignSession| match known.get(&session.id) {
        Some(known) => known.id.clone(),
        None => SessionId(uuid::Uuid::now_v7().to_string()),
    };
    let all = Identified::new(sessions.iter().map(id).collect(), sessions);
    let chains = chains::chains(&all.sessions);
    let children = children(&chains);
    for chain in &chains {
        if cancel.is_cancelled() {
            break;
        }
        let here = |row: &usize| {
            let session = &all.sessions[*row];
            known.get(&session.id).is_some_and(|known| known.mark.as_ref() == Some(&session.mark))
        };
        if chain.rows.iter().all(here) {
            send(Find::Unchanged(chain.rows.len() as i64));
            continue;
        }
        let skip = |row: usize, why: &str| ImportSkip {
            origin_id: all.sessions[row].id.clone(),
            title: all.sessions[row].title.clone(),
            reason: damaged(why),
        };
        let own: Vec<usize> =
            chain.rows.iter().flat_map(|row| children.get(row).into_iter().flatten().copied()).collect();
        let sent = match lineage::read(&file, &all, chain, &own) {
            // A lineage is whole or not there: a hole in its middle would read as if nothing had been said.
            Err((bad, why)) => chain.rows.iter().all(|row| {
                let why =
                    if *row == bad { why.clone() } else { format!("its lineage cannot be read: {why}") };
                send(Find::Skipped(skip(*row, &why)))
            }),
            Ok(read) => {
                let unread = read.unread.iter().all(|(row, why)| send(Find::Unread(skip(*row, why))));
                let branch = chain.kind == ChainKind::Branch;
                unread && send(Find::Lineage { lineage: Arc::new(read.lineage), branch })
            }
        };
        if !sent {
            break;
        }
    }
    Ok(())
}

fn damaged(why: &str) -> String {
    format!("damaged row: {why}")
}

/// The heads of delegated lineages by the row that delegated, oldest first.
fn children(chains: &[Chain]) -> HashMap<usize, Vec<usize>> {
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    for chain in chains {
        if let (ChainKind::Delegate(owner), Some(head)) = (chain.kind, chain.rows.first()) {
            children.entry(owner).or_default().push(*head);
        }
    }
    children
}
