//! Markdown: what a reader of the transcript sees, as a text file. Pure.
//!
//! A message stands as it was written. What is no message (calls, outputs, commands) stands in fences that nothing inside
//! can close, and a fence that a message left open is closed behind it: one row never swallows the next.

use super::file_name;
use crate::media::tags::Fences;
use crate::store::{is_unseen, one_line};
use std::fmt::Write;
use talaria_wire::{MessageRole, MessageRow, Millis, Notice, SessionRow, ToolState};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Title and the line below it: day, folder, model, number of messages.
pub(super) fn head(session: &SessionRow) -> String {
    let title = session.title.as_deref().or(session.preview.as_deref()).unwrap_or("Untitled session");
    let count = match session.message_count {
        1 => "1 message".to_owned(),
        n => format!("{n} messages"),
    };
    let parts = [
        Some(file_name::day(session.created_at)),
        session.folder.as_deref().map(line),
        session.model.as_deref().map(line),
        Some(count),
    ];
    format!("# {}\n\n{}\n", line(title), parts.into_iter().flatten().collect::<Vec<_>>().join(" · "))
}

/// One row, with an empty line before it.
pub(super) fn message(row: &MessageRow) -> String {
    let mut out = String::new();
    if row.role == MessageRole::Summary {
        out.push_str("\n---\n");
    }
    heading(&mut out, row);
    if let Some(thought) = row.reasoning.as_deref().filter(|thought| !thought.trim().is_empty()) {
        labelled(&mut out, "Thinking", "", thought);
    }
    match (&row.tool, &row.notice) {
        (Some(_), _) => fenced(&mut out, "", &row.text),
        (_, Some(notice)) => news(&mut out, notice),
        _ => text(&mut out, &row.text),
    }
    for call in &row.tool_calls {
        labelled(&mut out, &format!("Call: {}", line(&call.name)), "json", &call.arguments);
    }
    if row.role == MessageRole::Summary {
        out.push_str("\n---\n");
    }
    out
}

fn heading(out: &mut String, row: &MessageRow) {
    let what = match row.role {
        MessageRole::User => "User",
        MessageRole::Assistant => "Assistant",
        MessageRole::Tool => "Tool",
        MessageRole::Notice => "Notice",
        MessageRole::Summary => "Summary of the messages above",
        MessageRole::System => "System",
    };
    write!(out, "\n## {what}").expect(STRING);
    if let Some(tool) = &row.tool {
        let state = match tool.state {
            ToolState::Done => "done",
            ToolState::Failed => "failed",
            ToolState::Denied => "denied",
        };
        write!(out, " · {} · {state}", line(&tool.name)).expect(STRING);
    }
    if let Some(notice) = &row.notice {
        write!(out, " · {}", line(&notice.state)).expect(STRING);
    }
    writeln!(out, " · {}", moment(row.created_at)).expect(STRING);
}

fn news(out: &mut String, notice: &Notice) {
    if let Some(command) = &notice.command {
        labelled(out, "Command", "", command);
    }
    if !notice.output.is_empty() {
        labelled(out, "Output", "", &notice.output);
    }
}

/// A message's own text, and the end of a fence that it left open.
fn text(out: &mut String, text: &str) {
    if text.is_empty() {
        return;
    }
    out.push('\n');
    ended(out, text);
    let mut fences = Fences::default();
    for line in text.lines() {
        fences.is_code(line);
    }
    if let Some(end) = fences.end() {
        ended(out, &end);
    }
}

fn labelled(out: &mut String, label: &str, language: &str, text: &str) {
    writeln!(out, "\n**{label}**").expect(STRING);
    fenced(out, language, text);
}

/// The text between fences longer than any run of their sign inside it.
fn fenced(out: &mut String, language: &str, text: &str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    writeln!(out, "\n{fence}{language}").expect(STRING);
    if !text.is_empty() {
        ended(out, text);
    }
    writeln!(out, "{fence}").expect(STRING);
}

/// The text with a line break at its end.
fn ended(out: &mut String, text: &str) {
    out.push_str(text);
    if !text.ends_with('\n') {
        out.push('\n');
    }
}

/// On one line, without characters that are not seen: what stands in a heading may come from anywhere.
fn line(text: &str) -> String {
    one_line(text, is_unseen)
}

/// To the second, as RFC 3339 writes UTC.
fn moment(at: Millis) -> String {
    let moment =
        OffsetDateTime::from_unix_timestamp(at.div_euclid(1000)).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    moment.format(&Rfc3339).expect("the store keeps times before the year 10000")
}

const STRING: &str = "a String takes everything";

#[cfg(test)]
mod tests {
    use super::*;

    /// A fence that holds what looks like its own end.
    #[test]
    fn a_fence_is_longer_than_any_inside_it() {
        for (inside, fence) in [
            ("plain", "```"),
            ("a ``` b", "````"),
            ("````\nrm -rf\n````", "`````"),
            ("", "```"),
            ("~~~", "```"),
        ] {
            let mut out = String::new();
            fenced(&mut out, "json", inside);
            let lines: Vec<&str> = out.trim().lines().collect();
            assert_eq!(
                (lines[0], lines[lines.len() - 1]),
                (format!("{fence}json").as_str(), fence),
                "{inside}"
            );
            assert!(!inside.contains(fence));
        }
    }

    #[test]
    fn a_fence_that_a_message_left_open_ends_with_it() {
        let written = |from: &str| {
            let mut out = String::new();
            text(&mut out, from);
            out
        };
        assert_eq!(written("so:\n````js\nlet x\n```"), "\nso:\n````js\nlet x\n```\n````\n");
        assert_eq!(written("~~~\nx"), "\n~~~\nx\n~~~\n");
        assert_eq!(written("```\nx\n```"), "\n```\nx\n```\n");
        assert_eq!(written(""), "");
    }

    #[test]
    fn a_time_is_written_in_utc() {
        assert_eq!(moment(1_796_040_000_999), "2026-11-30T12:00:00Z");
        assert_eq!(moment(crate::store::LATEST), "9999-12-31T23:59:59Z");
    }
}
