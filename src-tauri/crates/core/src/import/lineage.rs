//! Makes a lineage of our store from its rows in the file. Reads messages, writes nothing.

use super::chains::{Chain, ChainKind};
use super::hermes::{ForeignSession, HermesStore};
use super::notice;
use super::transcript::{self, Planned};
use crate::store::{LineageKind, NewLineage, NewMessage, NewSession, Origin, Relation};
use std::collections::HashMap;
use talaria_wire::{MessageId, MessageRole, Millis, NoticeKind, SessionId};

/// Every session of the file with the id it has, or will have, here.
pub(super) struct Identified {
    pub sessions: Vec<ForeignSession>,
    pub ids: Vec<SessionId>,
    by_origin: HashMap<String, usize>,
}

impl Identified {
    /// Both lists are in the file's order.
    pub(super) fn new(ids: Vec<SessionId>, sessions: Vec<ForeignSession>) -> Self {
        let by_origin = sessions.iter().enumerate().map(|(row, session)| (session.id.clone(), row)).collect();
        Self { sessions, ids, by_origin }
    }
}

/// A lineage, and what of its rows could not be read.
pub(super) struct Read {
    pub lineage: NewLineage,
    /// Index of the session in the file, and why.
    pub unread: Vec<(usize, String)>,
}

/// Reads a lineage whole. `children` are the heads of the lineages it delegated to, oldest first.
///
/// Errors: the index of the session whose messages the file does not give, and why.
pub(super) fn read(
    file: &HermesStore,
    all: &Identified,
    chain: &Chain,
    children: &[usize],
) -> Result<Read, (usize, String)> {
    let mut unread = Vec::new();
    let mut messages = Vec::new();
    for row in &chain.rows {
        let (read, bad) = file.messages(&all.sessions[*row].id).map_err(|why| (*row, why))?;
        unread.extend(bad.into_iter().map(|why| (*row, why)));
        messages.push(read);
    }
    let started: Vec<Millis> =
        chain.rows.iter().map(|row| all.sessions[*row].started_at.unwrap_or(0)).collect();
    let mut messages = written(transcript::planned(messages), &started);
    link_children(file, all, children, &mut messages);
    let (root, tip) = (&all.sessions[chain.rows[0]], &all.sessions[chain.rows[chain.rows.len() - 1]]);
    let first_time = messages.first().map(|message| message.created_at);
    let created_at = root.started_at.or(first_time).unwrap_or(0);
    let newest = messages.iter().map(|message| message.created_at).max();
    let title = chain.rows.iter().rev().find_map(|row| all.sessions[*row].title.clone());
    let lineage = NewLineage {
        title,
        kind: match chain.kind {
            ChainKind::Delegate(owner) => LineageKind::Delegate { owner: all.ids[owner].clone() },
            // The file's own list filters by the root.
            _ if root.archived => LineageKind::Archived,
            _ => LineageKind::Active,
        },
        created_at,
        last_active: newest.or(tip.started_at).unwrap_or(created_at),
        sessions: sessions(all, chain, created_at),
        messages,
    };
    Ok(Read { lineage, unread })
}

fn sessions(all: &Identified, chain: &Chain, created_at: Millis) -> Vec<NewSession> {
    let id_of = |origin: &str| all.by_origin.get(origin).map(|row| all.ids[*row].clone());
    let session = |(position, row): (usize, &usize)| {
        let from = &all.sessions[*row];
        let head = match chain.kind {
            ChainKind::Plain => Relation::Root,
            ChainKind::Branch => Relation::Branch,
            ChainKind::Delegate(_) => Relation::Delegate,
        };
        let parent = match position {
            0 => from.parent.as_deref().or(from.branched_from.as_deref()).and_then(id_of),
            _ => Some(all.ids[chain.rows[position - 1]].clone()),
        };
        NewSession {
            id: all.ids[*row].clone(),
            relation: if position == 0 { head } else { Relation::Continuation },
            parent,
            source: from.source.clone(),
            model: from.model.clone(),
            folder: from.cwd.clone(),
            git_branch: from.git_branch.clone(),
            started_at: from.started_at.unwrap_or(created_at),
            ended_at: from.ended_at,
            end_reason: from.end_reason.clone(),
            origin: Some(Origin { id: from.id.clone(), mark: from.mark.clone() }),
        }
    };
    chain.rows.iter().enumerate().map(session).collect()
}

/// A row without a time has that of the row before it, or of its session's start.
fn written(planned: Vec<Planned>, started: &[Millis]) -> Vec<NewMessage> {
    let mut last: Option<Millis> = None;
    let message = |planned: Planned| {
        let Planned { session, row, shown, divider } = planned;
        let created_at = row.at.or(last).unwrap_or(started[session]);
        last = Some(created_at);
        let notice = if row.role == "user" && !divider { notice::parsed(&row.text) } else { None };
        let (role, known) = match row.role.as_str() {
            _ if divider => (MessageRole::Summary, true),
            "user" if notice.is_some() => (MessageRole::Notice, true),
            "user" => (MessageRole::User, true),
            "assistant" => (MessageRole::Assistant, true),
            "tool" => (MessageRole::Tool, true),
            "system" => (MessageRole::System, true),
            // Bookkeeping of a version that we do not know: kept, not shown.
            _ => (MessageRole::System, false),
        };
        NewMessage {
            id: MessageId(uuid::Uuid::now_v7().to_string()),
            session,
            role,
            shown: shown && known,
            // Bookkeeping is nothing for the model either.
            undone: !known || !(row.active || row.compacted),
            text: row.text,
            created_at,
            tool_calls: row.tool_calls,
            call_id: row.call_id,
            tool_name: row.tool_name,
            notice,
            reasoning: row.reasoning,
            finish_reason: row.finish_reason,
            origin_seq: Some(row.id),
        }
    };
    planned.into_iter().map(message).collect()
}

/// Links notices of delegations to the children they tell of. The file does not name them: a child is the first one,
/// not linked yet, that began before the notice and whose first words are the goal. Of several tasks in one notice none
/// is linked.
fn link_children(file: &HermesStore, all: &Identified, children: &[usize], messages: &mut [NewMessage]) {
    let is_delegation =
        |m: &NewMessage| m.notice.as_ref().is_some_and(|notice| notice.kind == NoticeKind::Delegation);
    if children.is_empty() || !messages.iter().any(is_delegation) {
        return;
    }
    let goal = |row: &usize| {
        let (read, _) = file.messages(&all.sessions[*row].id).ok()?;
        Some((*row, read.into_iter().find(|message| message.role == "user")?.text))
    };
    let mut free: Vec<(usize, String)> = children.iter().filter_map(goal).collect();
    for message in messages.iter_mut() {
        let at = message.created_at;
        let Some(notice) = &mut message.notice else { continue };
        let Some(wanted) = notice.command.as_deref().filter(|goal| !goal.is_empty()) else { continue };
        let found = free.iter().position(|(row, goal)| {
            all.sessions[*row].started_at.unwrap_or(0) <= at && goal.trim_start().starts_with(wanted)
        });
        if let (NoticeKind::Delegation, Some(found)) = (notice.kind, found) {
            notice.child_session_id = Some(all.ids[free.remove(found).0].clone());
        }
    }
}
