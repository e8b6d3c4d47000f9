//! Lineages on their way into the store, many in one transaction, and the account of what became of each.
//!
//! Knows nothing of the foreign file. Called by the import's loop alone.

use crate::store::{LineageKind, NewLineage, NewMessage, Put, Store, StoreError};
use std::collections::HashSet;
use std::sync::Arc;
use talaria_wire::{ImportReport, ImportSkip, MessageRole, SessionId};

/// Lineages that are stored in one transaction: the search index costs by the transaction.
#[derive(Default)]
pub(super) struct Batch {
    lineages: Vec<(Arc<NewLineage>, bool)>,
    messages: usize,
    bytes: usize,
    /// Sessions that were deleted here: so are the children they delegated to.
    deleted: HashSet<SessionId>,
}

impl Batch {
    const LINEAGES: usize = 64;
    const MESSAGES: usize = 2_000;
    /// Text; with its search index a transaction stays far below the 64 MB that the log may have.
    const BYTES: usize = 8 * 1024 * 1024;

    /// Answers whether the batch is full: then it is to be stored.
    pub(super) fn add(&mut self, lineage: Arc<NewLineage>, branch: bool) -> bool {
        self.messages += lineage.messages.len();
        self.bytes += lineage.messages.iter().map(size).sum::<usize>();
        self.lineages.push((lineage, branch));
        self.lineages.len() >= Self::LINEAGES || self.messages >= Self::MESSAGES || self.bytes >= Self::BYTES
    }

    /// Stores what is in the batch, and accounts for it.
    pub(super) async fn store(&mut self, store: &Store, report: &mut ImportReport) -> Result<(), StoreError> {
        let lineages = std::mem::take(&mut self.lineages);
        (self.messages, self.bytes) = (0, 0);
        let puts =
            store.lineages_put(lineages.iter().map(|(lineage, _)| Arc::clone(lineage)).collect()).await?;
        for ((lineage, branch), put) in lineages.iter().zip(puts) {
            let owner_deleted =
                matches!(&lineage.kind, LineageKind::Delegate { owner } if self.deleted.contains(owner));
            if put == Put::Deleted || owner_deleted {
                self.deleted.extend(lineage.sessions.iter().map(|session| session.id.clone()));
            }
            account(report, lineage, *branch, put, owner_deleted);
        }
        Ok(())
    }
}

/// The bytes of a message that grow with what was said.
fn size(message: &NewMessage) -> usize {
    let calls = message.tool_calls.iter().map(|call| call.arguments.len()).sum::<usize>();
    message.text.len() + message.reasoning.as_ref().map_or(0, String::len) + calls
}

fn account(report: &mut ImportReport, lineage: &NewLineage, branch: bool, put: Put, owner_deleted: bool) {
    let sessions = lineage.sessions.len() as i64;
    let skip =
        |reason: &'static str| {
            let title = lineage.title.clone();
            lineage.sessions.iter().filter_map(|session| session.origin.as_ref()).map(move |origin| {
                ImportSkip { origin_id: origin.id.clone(), title: title.clone(), reason: reason.to_owned() }
            })
        };
    match put {
        Put::Added => added(report, lineage, branch),
        Put::Extended { sessions: new, messages } => {
            report.sessions += new as i64;
            report.messages += messages as i64;
            report.unchanged += sessions - new as i64;
        }
        Put::Unchanged => report.unchanged += sessions,
        Put::Deleted => report.skipped.extend(skip("deleted here")),
        Put::Differs => report.skipped.extend(skip("differs from what is here")),
        Put::NoOwner if owner_deleted => report.skipped.extend(skip("deleted here")),
        Put::NoOwner => report.skipped.extend(skip("damaged row: who delegated it could not be read")),
        Put::ContinuedHere => report.skipped.extend(skip("continued here")),
    }
}

fn added(report: &mut ImportReport, lineage: &NewLineage, branch: bool) {
    let sessions = lineage.sessions.len() as i64;
    let count = |which: fn(&NewMessage) -> bool| {
        lineage.messages.iter().filter(|message| which(message)).count() as i64
    };
    report.sessions += sessions;
    report.messages += lineage.messages.len() as i64;
    report.notices += count(|message| message.shown && message.role == MessageRole::Notice);
    report.unshown_messages += count(|message| !message.shown);
    report.tool_calls +=
        lineage.messages.iter().filter(|m| m.shown).map(|m| m.tool_calls.len() as i64).sum::<i64>();
    report.branches += i64::from(branch);
    report.lineages +=
        i64::from(sessions > 1 || lineage.messages.iter().any(|m| m.role == MessageRole::Summary));
    match lineage.kind {
        LineageKind::Delegate { .. } => report.delegate_children += sessions,
        LineageKind::Active | LineageKind::Archived => {
            report.listed += 1;
            report.archived += if lineage.kind == LineageKind::Archived { sessions } else { 0 };
            report.empty += i64::from(count(|m| m.shown && m.role != MessageRole::Summary) == 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use talaria_wire::MessageId;

    /// A lineage of one message.
    fn said(text: String) -> Arc<NewLineage> {
        let message = NewMessage {
            id: MessageId("message".to_owned()),
            session: 0,
            role: MessageRole::User,
            shown: true,
            undone: false,
            text,
            created_at: 0,
            tool_calls: Vec::new(),
            call_id: None,
            tool_name: None,
            notice: None,
            reasoning: None,
            finish_reason: None,
            origin_seq: Some(1),
        };
        Arc::new(NewLineage {
            title: None,
            kind: LineageKind::Active,
            created_at: 0,
            last_active: 0,
            sessions: Vec::new(),
            messages: vec![message],
        })
    }

    #[test]
    fn a_batch_is_bounded_by_lineages_and_by_text() {
        let filled = |text: fn() -> String| {
            let mut batch = Batch::default();
            (1..).find(|_| batch.add(said(text()), false)).expect("it fills up")
        };
        assert_eq!(filled(|| "short".to_owned()), Batch::LINEAGES);
        assert_eq!(filled(|| "x".repeat(1024 * 1024)), 8, "the log must hold it");
    }
}
