//! Takes apart the texts that background work left as user rows (reference section 9.4). Pure.

use talaria_wire::{Notice, NoticeKind};

const PROCESS: &str = "[IMPORTANT: ";
const DELEGATION: &str = "[ASYNC DELEGATION";

/// The notice that a user row's text is; `None`: the user's own words.
pub(super) fn parsed(text: &str) -> Option<Notice> {
    if let Some(body) = text.strip_prefix(PROCESS) {
        let body = body.trim_end();
        return Some(process(body.strip_suffix(']').unwrap_or(body)));
    }
    text.strip_prefix(DELEGATION).map(delegation)
}

fn process(body: &str) -> Notice {
    let (line, rest) = body.split_once('\n').unwrap_or((body, ""));
    let Some((id, what)) = line.strip_prefix("Background process ").and_then(|line| line.split_once(' '))
    else {
        return message(body);
    };
    let (command, output) = sections(rest);
    let notice = |kind, state: String, failed| Notice {
        kind,
        source_id: Some(id.to_owned()),
        state,
        failed,
        command: command.clone(),
        output: output.clone(),
        child_session_id: None,
    };
    if let Some(pattern) = what.strip_prefix("matched watch pattern \"") {
        let pattern = pattern.trim_end_matches('.').trim_end_matches('"');
        return notice(NoticeKind::WatchMatch, format!("{pattern} matched"), false);
    }
    let exit_code = what.split_once("(exit code ").and_then(|(_, rest)| {
        let digits = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..digits].parse::<i64>().ok()
    });
    let (state, failed) = match exit_code {
        _ if what.starts_with("terminated by ") => ("killed".to_owned(), true),
        _ if what.starts_with("marked lost") => ("lost".to_owned(), true),
        _ if what.starts_with("failed to start") => ("failed to start".to_owned(), true),
        Some(code) => (format!("exit {code}"), code != 0),
        None if what.starts_with("completed normally") => ("exit 0".to_owned(), false),
        None => return message(body),
    };
    notice(NoticeKind::Completion, state, failed)
}

/// The command, and the lines under the output's heading.
fn sections(rest: &str) -> (Option<String>, String) {
    let rest = rest.strip_prefix("Command: ").unwrap_or(rest);
    let parts = ["\nOutput:", "\nMatched output:"].iter().filter_map(|heading| rest.split_once(heading));
    match parts.min_by_key(|(command, _)| command.len()) {
        Some((command, output)) => (Some(command.to_owned()), output.trim_matches('\n').to_owned()),
        None => ((!rest.is_empty()).then(|| rest.trim_end().to_owned()), String::new()),
    }
}

/// A text without parts: a watch that was turned off, or other news.
fn message(body: &str) -> Notice {
    let lower = body.to_lowercase();
    let off = lower.contains("watch")
        && ["disabled", "rate limit", "turned off", "overflow", "suppress"]
            .iter()
            .any(|word| lower.contains(word));
    let id = body
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .find(|word| word.strip_prefix("proc_").is_some_and(|rest| !rest.is_empty()));
    Notice {
        kind: if off { NoticeKind::WatchDisabled } else { NoticeKind::Notice },
        source_id: id.map(str::to_owned),
        state: if off { "watch off" } else { "notice" }.to_owned(),
        failed: false,
        command: None,
        output: body.trim().to_owned(),
        child_session_id: None,
    }
}

fn delegation(rest: &str) -> Notice {
    let (header, body) = rest.split_once('\n').unwrap_or((rest, ""));
    let id =
        header.trim_end_matches(']').rsplit(['—', '-']).next().map(str::trim).filter(|id| !id.is_empty());
    let tasks = tasks(body);
    let (failed, command, output) = if tasks.is_empty() { single(body) } else { batch(&tasks) };
    Notice {
        kind: NoticeKind::Delegation,
        source_id: id.map(str::to_owned),
        state: if failed { "error" } else { "done" }.to_owned(),
        failed,
        command,
        output,
        child_session_id: None,
    }
}

struct Task<'a> {
    failed: bool,
    goal: &'a str,
    summary: String,
}

/// The tasks of a batch: `--- ✓ TASK 1/2: goal  (status=completed, ...) ---`, then the summary.
fn tasks(body: &str) -> Vec<Task<'_>> {
    let mut tasks: Vec<Task<'_>> = Vec::new();
    for line in body.lines() {
        if let Some(task) = task_line(line) {
            tasks.push(task);
        } else if let Some(task) = tasks.last_mut() {
            // A path for the model, not for the reader.
            if !line.starts_with("Full live transcript (") {
                task.summary.push_str(line);
                task.summary.push('\n');
            }
        }
    }
    tasks
}

fn task_line(line: &str) -> Option<Task<'_>> {
    let line = line.strip_prefix("--- ")?.strip_suffix(" ---")?;
    let (mark, rest) = line.split_once(" TASK ")?;
    let (_, goal) = rest.split_once(": ")?;
    let (goal, facts) =
        goal.rsplit_once("(status=").map_or((goal, ""), |(goal, facts)| (goal.trim_end(), facts));
    let failed = mark != "✓" || !(facts.is_empty() || facts.starts_with("completed"));
    Some(Task { failed, goal, summary: String::new() })
}

fn batch(tasks: &[Task<'_>]) -> (bool, Option<String>, String) {
    let goals: Vec<&str> = tasks.iter().map(|task| task.goal).collect();
    let summary = |task: &Task<'_>| match tasks {
        [_] => task.summary.trim().to_owned(),
        _ => format!("{}:\n{}", task.goal, task.summary.trim()),
    };
    let output: Vec<String> = tasks.iter().map(summary).collect();
    (tasks.iter().any(|task| task.failed), Some(goals.join("\n")), output.join("\n\n"))
}

fn single(body: &str) -> (bool, Option<String>, String) {
    let after = |heading: &str| body.split_once(heading).map(|(_, rest)| rest);
    let goal = after("Original goal:").map(|rest| {
        let ends = ["\nContext you provided:", "\nToolsets:", "\nRole:", "\nStatus:", "\n---"];
        let end = ends.iter().filter_map(|end| rest.find(end)).min().unwrap_or(rest.len());
        rest[..end].trim().to_owned()
    });
    let status = after("Status:").and_then(|rest| rest.split_whitespace().next());
    let output = after("--- RESULT ---").unwrap_or(body).trim().to_owned();
    (status.is_some_and(|status| status != "completed"), goal, output)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(text: &str) -> Notice {
        parsed(text).expect("a notice")
    }

    #[test]
    fn the_users_words_are_no_notice() {
        assert_eq!(parsed("IMPORTANT: do it"), None);
        assert_eq!(parsed("see [IMPORTANT: x]"), None);
    }

    #[test]
    fn a_process_that_ended() {
        let n = notice(
            "[IMPORTANT: Background process proc_1 completed normally (exit code 0).\nCommand: sleep 2; echo done\nOutput:\ndone\n]",
        );
        assert_eq!((n.kind, n.source_id.as_deref()), (NoticeKind::Completion, Some("proc_1")));
        assert_eq!((n.state.as_str(), n.failed), ("exit 0", false));
        assert_eq!((n.command.as_deref(), n.output.as_str()), (Some("sleep 2; echo done"), "done"));
        let n = notice(
            "[IMPORTANT: Background process proc_2 exited (exit code 101).\nCommand: a\nb\nOutput:\n[x]\n]",
        );
        assert_eq!((n.state.as_str(), n.failed, n.command.as_deref()), ("exit 101", true, Some("a\nb")));
        assert_eq!(n.output, "[x]", "only the bracket of the notice is taken off");
        let n = notice(
            "[IMPORTANT: Background process p terminated by process.kill (exit code -15, SIGTERM).\nCommand: x\nOutput:\n]",
        );
        assert_eq!((n.state.as_str(), n.failed, n.output.as_str()), ("killed", true, ""));
        let n = notice(
            "[IMPORTANT: Background process p marked lost because the process backend disappeared.\nCommand: x\nOutput:\n]",
        );
        assert_eq!((n.state.as_str(), n.failed), ("lost", true));
    }

    #[test]
    fn a_watch_that_matched_and_one_that_was_turned_off() {
        let n = notice(
            "[IMPORTANT: Background process proc_c matched watch pattern \"READY\".\nCommand: for i in 1; do echo READY; done\nMatched output:\ntick READY 1]",
        );
        assert_eq!((n.kind, n.state.as_str()), (NoticeKind::WatchMatch, "READY matched"));
        assert_eq!(n.output, "tick READY 1");
        let n = notice("[IMPORTANT: Watch patterns of proc_9 were disabled: too many matches.]");
        assert_eq!((n.kind, n.source_id.as_deref()), (NoticeKind::WatchDisabled, Some("proc_9")));
        let n = notice("[IMPORTANT: The disk is nearly full.]");
        assert_eq!((n.kind, n.output.as_str()), (NoticeKind::Notice, "The disk is nearly full."));
    }

    #[test]
    fn a_batch_of_sub_agents() {
        let text = "[ASYNC DELEGATION BATCH COMPLETE — deleg_3]\nA fan-out.\n\n--- ✓ TASK 1/2: say hi  (status=completed, api_calls=1, 0.16s) ---\nhi\nFull live transcript (complete tool/assistant trace): /x.log\n--- ✗ TASK 2/2: fail  (status=error, api_calls=0, 0s) ---\nno key";
        let n = notice(text);
        assert_eq!((n.kind, n.source_id.as_deref()), (NoticeKind::Delegation, Some("deleg_3")));
        assert_eq!((n.state.as_str(), n.failed), ("error", true));
        assert_eq!(n.command.as_deref(), Some("say hi\nfail"));
        assert_eq!(n.output, "say hi:\nhi\n\nfail:\nno key");
    }

    #[test]
    fn a_single_sub_agent() {
        let text = "[ASYNC DELEGATION COMPLETE — deleg_7]\nIt is done.\n\nDispatched: x\nOriginal goal: count\nContext you provided: none\nStatus: completed   API calls: 1\n--- RESULT ---\n42";
        let n = notice(text);
        assert_eq!((n.command.as_deref(), n.output.as_str(), n.failed), (Some("count"), "42", false));
        assert!(notice(&text.replace("Status: completed", "Status: timeout")).failed);
    }
}
