//! The report of an import, for a person. Pure.

use std::fmt::Write;
use talaria_wire::ImportReport;

/// Skipped rows that are listed by name; the rest is a number.
const NAMED: usize = 20;

pub fn written(report: &ImportReport) -> String {
    let mut text = String::new();
    let mut line = |words: String| {
        text.push_str(&words);
        text.push('\n');
    };
    line(format!("{}: {}", if report.cancelled { "Stopped" } else { "Imported" }, report.path));
    line(format!(
        "  in the file   {}, {}",
        n(report.source_sessions, "session"),
        n(report.source_messages, "message")
    ));
    line(format!("  brought in    {}, {}", n(report.sessions, "session"), n(report.messages, "message")));
    let parts = [
        (report.listed, "listed"),
        (report.archived, "archived"),
        (report.empty, "empty"),
        (report.lineages, "compressed"),
        (report.branches, "branched"),
        (report.delegate_children, "of sub-agents (not listed)"),
        (report.notices, "notices"),
        (report.tool_calls, "tool calls"),
        (report.unshown_messages, "repeated or undone messages (not shown)"),
    ];
    for (count, what) in parts.into_iter().filter(|(count, _)| *count > 0) {
        line(format!("    {count:>6} {what}"));
    }
    if report.unchanged > 0 {
        line(format!("  left alone    {} already here", n(report.unchanged, "session")));
    }
    if !report.skipped.is_empty() {
        line(format!("  skipped       {}", report.skipped.len()));
        for skip in report.skipped.iter().take(NAMED) {
            let title = skip.title.as_deref().map_or(String::new(), |title| format!(" \"{title}\""));
            line(format!("    {}{title}: {}", skip.origin_id, skip.reason));
        }
        if report.skipped.len() > NAMED {
            line(format!("    and {} more", report.skipped.len() - NAMED));
        }
    }
    let change = |name: &str, before: i64, after: i64| format!("  {name:<13} {before} before, {after} now");
    line(change("active", report.before.active, report.after.active));
    line(change("archived", report.before.archived, report.after.archived));
    line(change("deleted", report.before.trash, report.after.trash));
    let _ = writeln!(text, "  took          {:.1} s", report.elapsed_ms as f64 / 1000.0);
    text
}

fn n(count: i64, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}
