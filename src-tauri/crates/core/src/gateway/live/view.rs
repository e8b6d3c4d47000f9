//! A live session as its page sees it, and how a change moves it on. Pure: the page's reducer does the same with the same
//! changes, so a snapshot and the changes behind it never tell two stories.

use talaria_wire::{LiveCall, LiveChange, LiveId, LiveSession, LiveState, ModelChoice, SessionId, Usage};

/// Bytes that are kept of a running call's output: the last ones (wire, `LiveCall::output`).
const OUTPUT: usize = 16 * 1024;

/// A session at rest.
pub(super) fn at_rest(
    live_id: LiveId,
    session_id: Option<SessionId>,
    usage: Usage,
    model: Option<ModelChoice>,
) -> LiveSession {
    LiveSession {
        live_id,
        session_id,
        rev: 0,
        state: LiveState::Idle,
        since: None,
        queued: None,
        text: String::new(),
        reasoning: String::new(),
        calls: Vec::new(),
        approvals: Vec::new(),
        problem: None,
        usage,
        model,
        waiting: None,
    }
}

/// Moves the session on by one change.
pub(super) fn apply(view: &mut LiveSession, change: &LiveChange) {
    view.rev += 1;
    match change {
        LiveChange::State { state, since } => (view.state, view.since) = (*state, *since),
        LiveChange::Text { append } => view.text.push_str(append),
        LiveChange::Reasoning { append } => view.reasoning.push_str(append),
        LiveChange::Stored { session_id, ended, answer, .. } => {
            view.session_id = Some(session_id.clone());
            view.calls.retain(|call| !ended.contains(&call.call_id));
            if *answer {
                view.text.clear();
                view.reasoning.clear();
            }
        }
        LiveChange::Call { call } => set_call(&mut view.calls, call),
        LiveChange::Output { call_id, append } => {
            if let Some(call) = view.calls.iter_mut().find(|call| call.call_id == *call_id) {
                call.output.push_str(append);
                let over = call.output.len().saturating_sub(OUTPUT);
                call.output.drain(..call.output.ceil_char_boundary(over));
            }
        }
        LiveChange::Queued { text } => view.queued.clone_from(text),
        LiveChange::Asked { approval } => view.approvals.push(approval.clone()),
        LiveChange::Answered { approval_id } => view.approvals.retain(|asked| asked.id != *approval_id),
        LiveChange::Problem { problem } => view.problem.clone_from(problem),
        LiveChange::Usage { usage } => view.usage = *usage,
        LiveChange::Model { model } => view.model.clone_from(model),
        LiveChange::Waiting { words } => view.waiting.clone_from(words),
        LiveChange::Refetch => {}
    }
}

fn set_call(calls: &mut Vec<LiveCall>, call: &LiveCall) {
    match calls.iter_mut().find(|known| known.call_id == call.call_id) {
        Some(known) => *known = call.clone(),
        None => calls.push(call.clone()),
    }
}

/// What brings the session to rest: whatever the turn left under way goes, each by a change of its own. `total`: the
/// readable rows of the lineage.
pub(super) fn to_rest(view: &LiveSession, total: i64) -> Vec<LiveChange> {
    let mut changes: Vec<LiveChange> =
        view.approvals.iter().map(|asked| LiveChange::Answered { approval_id: asked.id.clone() }).collect();
    let answer = !(view.text.is_empty() && view.reasoning.is_empty());
    if let Some(session_id) = view.session_id.clone().filter(|_| answer || !view.calls.is_empty()) {
        let ended = view.calls.iter().map(|call| call.call_id.clone()).collect();
        changes.push(LiveChange::Stored { session_id, total, ended, answer });
    }
    if view.waiting.is_some() {
        changes.push(LiveChange::Waiting { words: None });
    }
    changes.push(LiveChange::State { state: LiveState::Idle, since: None });
    changes
}

#[cfg(test)]
mod tests {
    use super::*;
    use talaria_wire::CallState;

    fn view() -> LiveSession {
        at_rest("l".into(), None, Usage::default(), None)
    }

    fn call(id: &str) -> LiveCall {
        LiveCall {
            call_id: id.to_owned(),
            name: "terminal".to_owned(),
            arguments: "{}".to_owned(),
            state: CallState::Running,
            started_at: None,
            output: String::new(),
        }
    }

    #[test]
    fn what_is_stored_leaves_the_tail() {
        let mut view = view();
        for change in [
            LiveChange::Text { append: "Hel".to_owned() },
            LiveChange::Text { append: "lo".to_owned() },
            LiveChange::Call { call: call("a") },
            LiveChange::Call { call: call("b") },
        ] {
            apply(&mut view, &change);
        }
        assert_eq!((view.text.as_str(), view.calls.len(), view.rev), ("Hello", 2, 4));
        let stored = |ended: &[&str], answer| LiveChange::Stored {
            session_id: "s".into(),
            total: 2,
            ended: ended.iter().map(|id| (*id).to_owned()).collect(),
            answer,
        };
        apply(&mut view, &stored(&[], true));
        assert_eq!((view.text.as_str(), view.calls.len()), ("", 2), "its calls are under way");
        apply(&mut view, &stored(&["a"], false));
        assert_eq!(view.calls[0].call_id, "b");
        assert_eq!(view.session_id, Some("s".into()));
    }

    #[test]
    fn nothing_is_under_way_in_a_session_at_rest() {
        let mut view = view();
        view.session_id = Some("s".into());
        for change in [
            LiveChange::State { state: LiveState::Stopping, since: Some(1) },
            LiveChange::Reasoning { append: "hm".to_owned() },
            LiveChange::Call { call: call("a") },
            LiveChange::Waiting { words: Some("Retrying in 4 s".to_owned()) },
        ] {
            apply(&mut view, &change);
        }
        for change in to_rest(&view, 1) {
            apply(&mut view, &change);
        }
        let rest = at_rest("l".into(), Some("s".into()), Usage::default(), None);
        assert_eq!(LiveSession { rev: 0, ..view }, rest);
    }

    #[test]
    fn only_the_end_of_a_long_output_is_kept() {
        let mut view = view();
        apply(&mut view, &LiveChange::Call { call: call("a") });
        for _ in 0..3 {
            let append = "é".repeat(4000);
            apply(&mut view, &LiveChange::Output { call_id: "a".to_owned(), append });
        }
        let output = &view.calls[0].output;
        assert_eq!(output.len(), OUTPUT);
        assert!(output.chars().all(|c| c == 'é'));
    }
}
