//! Which session rows are one lineage, and what each lineage is. Pure.
//!
//! Rules of reference section 8.4 and 8.5: a row that ended by compression goes on in the best of its children that is
//! neither branch nor child of a delegation nor a tool's. No limit on depth; a circle is cut at its oldest row, and what
//! nothing leads to is still a lineage, so that every row is in exactly one.

use super::hermes::ForeignSession;
use std::cmp::Reverse;
use std::collections::HashMap;

/// A lineage of the file: indices of its rows, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chain {
    pub rows: Vec<usize>,
    pub kind: ChainKind,
}

/// What a lineage is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChainKind {
    Plain,
    Branch,
    /// Child of the row with this index.
    Delegate(usize),
}

/// All lineages; one that delegated stands before its children.
pub(super) fn chains(sessions: &[ForeignSession]) -> Vec<Chain> {
    let index: HashMap<&str, usize> = sessions.iter().enumerate().map(|(i, s)| (s.id.as_str(), i)).collect();
    let parent = |s: &ForeignSession| s.parent.as_deref().and_then(|id| index.get(id)).copied();
    let next = continuations(sessions, parent);
    let mut follows = vec![false; sessions.len()];
    for to in next.values() {
        follows[*to] = true;
    }
    let mut placed = vec![false; sessions.len()];
    let mut found = Vec::new();
    // Heads first; what is left then is in circles, and each is cut at its oldest row.
    let heads = (0..sessions.len()).filter(|i| !follows[*i]);
    let mut rest: Vec<usize> = (0..sessions.len()).collect();
    rest.sort_by_key(|i| (sessions[*i].started_at, *i));
    for head in heads.chain(rest) {
        let mut rows = Vec::new();
        let mut at = Some(head);
        while let Some(row) = at.filter(|row| !placed[*row]) {
            placed[row] = true;
            rows.push(row);
            at = next.get(&row).copied();
        }
        if let Some(head) = rows.first() {
            let kind = kind(&sessions[*head], sessions, &index);
            found.push(Chain { rows, kind });
        }
    }
    owners_first(found, sessions.len())
}

fn continuations(
    sessions: &[ForeignSession],
    parent: impl Fn(&ForeignSession) -> Option<usize>,
) -> HashMap<usize, usize> {
    let mut next: HashMap<usize, usize> = HashMap::new();
    for (child, session) in sessions.iter().enumerate() {
        let Some(of) = parent(session).filter(|of| is_compressed(&sessions[*of])) else { continue };
        if session.branched_from.is_some() || is_delegate(session) {
            continue;
        }
        let best = next.entry(of).or_insert(child);
        if rank(session) > rank(&sessions[*best]) {
            *best = child;
        }
    }
    next
}

/// The child that goes on: itself compressed, else still open, else the rest; then newest message, newest start, id.
fn rank(session: &ForeignSession) -> impl Ord + '_ {
    let open = session.ended_at.is_none() && session.end_reason.is_none();
    (is_compressed(session), open, session.newest, session.started_at, session.id.as_str())
}

fn is_compressed(session: &ForeignSession) -> bool {
    session.end_reason.as_deref() == Some("compression")
}

fn is_delegate(session: &ForeignSession) -> bool {
    session.delegate_from.is_some()
        || (session.parent.is_some() && matches!(session.source.as_str(), "subagent" | "tool"))
}

fn kind(head: &ForeignSession, sessions: &[ForeignSession], index: &HashMap<&str, usize>) -> ChainKind {
    let row = |id: &Option<String>| id.as_deref().and_then(|id| index.get(id)).copied();
    if is_delegate(head) {
        // Whose delegator is gone is shown as a plain row: nothing that can be read is lost.
        return row(&head.delegate_from)
            .or_else(|| row(&head.parent))
            .map_or(ChainKind::Plain, ChainKind::Delegate);
    }
    let left_for_branch = row(&head.parent).map(|parent| &sessions[parent]).is_some_and(|parent| {
        parent.end_reason.as_deref() == Some("branched") && parent.ended_at <= head.started_at
    });
    if head.branched_from.is_some() || left_for_branch { ChainKind::Branch } else { ChainKind::Plain }
}

/// Children behind their owners; children that own each other in a circle become plain rows.
fn owners_first(chains: Vec<Chain>, rows: usize) -> Vec<Chain> {
    let mut chain_of = vec![0; rows];
    for (i, chain) in chains.iter().enumerate() {
        for row in &chain.rows {
            chain_of[*row] = i;
        }
    }
    let mut children: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut order: Vec<usize> = Vec::new();
    for (i, chain) in chains.iter().enumerate() {
        match chain.kind {
            ChainKind::Delegate(owner) => children.entry(chain_of[owner]).or_default().push(i),
            _ => order.push(i),
        }
    }
    let mut at = 0;
    while let Some(owner) = order.get(at).copied() {
        order.extend(children.remove(&owner).unwrap_or_default());
        at += 1;
    }
    let mut chains: Vec<Option<Chain>> = chains.into_iter().map(Some).collect();
    let mut sorted: Vec<Chain> = order.into_iter().filter_map(|i| chains[i].take()).collect();
    let circle = chains.into_iter().flatten().map(|chain| Chain { kind: ChainKind::Plain, ..chain });
    let mut circle: Vec<Chain> = circle.collect();
    circle.sort_by_key(|chain| Reverse(chain.rows.len()));
    sorted.append(&mut circle);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, parent: Option<&str>, end_reason: Option<&str>) -> ForeignSession {
        ForeignSession {
            id: id.to_owned(),
            source: "desktop".to_owned(),
            parent: parent.map(str::to_owned),
            end_reason: end_reason.map(str::to_owned),
            ended_at: end_reason.map(|_| 10),
            ..ForeignSession::default()
        }
    }

    fn delegate(id: &str, of: &str) -> ForeignSession {
        ForeignSession { delegate_from: Some(of.to_owned()), ..row(id, Some(of), Some("agent_close")) }
    }

    fn ids(sessions: &[ForeignSession]) -> Vec<(String, ChainKind)> {
        let name =
            |chain: &Chain| chain.rows.iter().map(|i| sessions[*i].id.as_str()).collect::<Vec<_>>().join(">");
        chains(sessions).iter().map(|chain| (name(chain), chain.kind)).collect()
    }

    #[test]
    fn a_chain_of_sixty_is_one_lineage() {
        let name = |n: usize| format!("s{n}");
        let sessions: Vec<_> = (0..60)
            .map(|n| {
                let parent = (n > 0).then(|| name(n - 1));
                row(&name(n), parent.as_deref(), (n < 59).then_some("compression"))
            })
            .collect();
        let found = chains(&sessions);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].rows, (0..60).collect::<Vec<_>>());
    }

    #[test]
    fn a_circle_is_cut_and_loses_nothing() {
        let sessions = [
            row("a", Some("c"), Some("compression")),
            row("b", Some("a"), Some("compression")),
            row("c", Some("b"), Some("compression")),
            row("self", Some("self"), Some("compression")),
        ];
        assert_eq!(
            ids(&sessions),
            [("a>b>c".to_owned(), ChainKind::Plain), ("self".to_owned(), ChainKind::Plain)]
        );
    }

    #[test]
    fn only_the_best_child_goes_on_and_the_others_stay_rows() {
        let sessions = [
            row("root", None, Some("compression")),
            row("ended", Some("root"), Some("tui_close")),
            row("open", Some("root"), None),
            ForeignSession { branched_from: Some("root".to_owned()), ..row("branch", Some("root"), None) },
        ];
        assert_eq!(
            ids(&sessions),
            [
                ("root>open".to_owned(), ChainKind::Plain),
                ("ended".to_owned(), ChainKind::Plain),
                ("branch".to_owned(), ChainKind::Branch),
            ]
        );
    }

    #[test]
    fn a_child_of_a_parent_that_is_gone_is_a_plain_row() {
        let sessions = [row("child", Some("gone"), None), delegate("sub", "gone too")];
        assert_eq!(
            ids(&sessions),
            [("child".to_owned(), ChainKind::Plain), ("sub".to_owned(), ChainKind::Plain)]
        );
    }

    #[test]
    fn delegates_stand_behind_their_owners_and_circles_of_them_survive() {
        let sessions = [
            delegate("sub2", "sub1"),
            delegate("sub1", "root"),
            row("root", None, None),
            delegate("x", "y"),
            delegate("y", "x"),
        ];
        assert_eq!(
            ids(&sessions),
            [
                ("root".to_owned(), ChainKind::Plain),
                ("sub1".to_owned(), ChainKind::Delegate(2)),
                ("sub2".to_owned(), ChainKind::Delegate(1)),
                ("x".to_owned(), ChainKind::Plain),
                ("y".to_owned(), ChainKind::Plain),
            ]
        );
    }
}
