//! Files made of sessions: Markdown for reading, JSON and JSONL for other programs.
//!
//! A transcript is read as a window reads it, and only a page of it is in memory. A file takes its place when it is
//! whole; until then, and when it is cancelled or fails, nothing is there but what was there before. Knows no SQL and no
//! window; called by `command`.

mod error;
pub mod file_name;
pub mod folder;
mod json;
mod jsonl;
mod markdown;

pub use error::ExportError;

use crate::files::{Part, remove_left_behind};
use crate::media::tags;
use crate::store::{Store, StoreError};
use file_name::Names;
use std::path::Path;
use talaria_wire::*;
use tokio_util::sync::CancellationToken;

/// Messages in memory at a time.
const PAGE: u32 = 100;
/// List rows asked for at a time.
const ROWS: u32 = 500;
/// Skipped sessions that a report names.
const NAMED: usize = 20;

/// Writes one session to `target`; what is there is replaced when the new file is whole. `progress` hears of messages.
/// Blocks while it writes: to be run on a thread for that.
///
/// Errors: what the store says of the session; `Cancelled`; `File`.
pub async fn session(
    store: &Store,
    id: &SessionId,
    format: ExportFormat,
    target: &Path,
    cancel: &CancellationToken,
    progress: impl FnMut(ExportProgress),
) -> Result<ExportReport, ExportError> {
    if let Some(folder) = target.parent() {
        remove_left_behind(folder);
    }
    write_session(store, id, format, target, cancel, progress).await
}

async fn write_session(
    store: &Store,
    id: &SessionId,
    format: ExportFormat,
    target: &Path,
    cancel: &CancellationToken,
    mut progress: impl FnMut(ExportProgress),
) -> Result<ExportReport, ExportError> {
    let mut part: Option<Part> = None;
    let mut done = 0;
    loop {
        let request = MessagePageRequest {
            session_id: id.clone(),
            anchor: PageAnchor::From { index: done },
            limit: PAGE,
        };
        let mut page = store.message_page(request).await?;
        tags::fill(&mut page.messages);
        if cancel.is_cancelled() {
            return Err(ExportError::Cancelled);
        }
        // Only now: a session that cannot be read touches no disk.
        let file = match &mut part {
            Some(file) => file,
            none => {
                let file = none.insert(Part::beside(target, store.path(), None)?);
                file.write(head(format, &page.session).as_bytes())?;
                file
            }
        };
        for (at, row) in page.messages.iter().enumerate() {
            file.write(message(format, row, done == 0 && at == 0).as_bytes())?;
        }
        done += page.messages.len() as i64;
        progress(ExportProgress { done, total: page.total.max(done) });
        if page.messages.is_empty() || done >= page.total {
            break;
        }
    }
    let mut part = part.expect("the loop has made it");
    part.write(tail(format).as_bytes())?;
    let bytes = part.finish()?.bytes;
    Ok(ExportReport {
        path: target.display().to_string(),
        sessions: 1,
        messages: done,
        bytes,
        skipped: Vec::new(),
    })
}

/// Writes every active and archived session into `folder`, a file each, under names that are free there. A session that
/// cannot be read is skipped and reported. `progress` hears of sessions. Files that are whole stay, however it ends.
/// Blocks while it writes.
///
/// Errors: what the store says of the list; `Cancelled`; `File`.
pub async fn all(
    store: &Store,
    format: ExportFormat,
    folder: &Path,
    cancel: &CancellationToken,
    mut progress: impl FnMut(ExportProgress),
) -> Result<ExportReport, ExportError> {
    let mut report = ExportReport { path: folder.display().to_string(), ..ExportReport::default() };
    remove_left_behind(folder);
    let mut names = Names::of(folder);
    let (mut done, mut skipped, mut cursor) = (0, 0, None);
    loop {
        // By creation, which no change of a session moves while this goes on.
        let request = SessionListRequest {
            limit: ROWS,
            cursor,
            archived: ArchivedFilter::Include,
            order: SessionOrder::Created,
            ..SessionListRequest::default()
        };
        let list = store.session_list(request).await?;
        let total = list.counts.active + list.counts.archived;
        for row in &list.rows {
            if cancel.is_cancelled() {
                return Err(ExportError::Cancelled);
            }
            let target = names.free(row, format)?;
            match write_session(store, &row.id, format, &target, cancel, |_| {}).await {
                Ok(one) => {
                    report.sessions += 1;
                    report.messages += one.messages;
                    report.bytes += one.bytes;
                }
                Err(ExportError::Store(error)) => {
                    skipped += 1;
                    if report.skipped.len() < NAMED {
                        report.skipped.push(unread(row, error));
                    }
                }
                Err(error) => return Err(error),
            }
            done += 1;
            progress(ExportProgress { done, total: total.max(done) });
        }
        cursor = list.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    if skipped > NAMED {
        report.skipped.push(format!("{} more", skipped - NAMED));
    }
    Ok(report)
}

fn unread(row: &SessionRow, error: StoreError) -> String {
    format!("{}: {}", file_name::stem(row), IpcError::from(error).message)
}

fn head(format: ExportFormat, session: &SessionRow) -> String {
    match format {
        ExportFormat::Markdown => markdown::head(session),
        ExportFormat::Json => json::head(session),
        ExportFormat::Jsonl => jsonl::line(session),
    }
}

fn message(format: ExportFormat, row: &MessageRow, first: bool) -> String {
    match format {
        ExportFormat::Markdown => markdown::message(row),
        ExportFormat::Json => json::message(row, first),
        ExportFormat::Jsonl => jsonl::line(row),
    }
}

fn tail(format: ExportFormat) -> &'static str {
    match format {
        ExportFormat::Json => json::TAIL,
        ExportFormat::Markdown | ExportFormat::Jsonl => "",
    }
}
