//! What a reader sees of a lineage's messages. Pure.
//!
//! A compression leaves its rows where they are and goes on with a new set: the first rows and the last rows again, the
//! summary of the others between them (reference section 8.4). In a new session, or in the same one, its rows then
//! marked as compressed. The repeated rows are kept for the model and not shown; the summary becomes a divider.

use super::hermes::ForeignMessage;

/// How a summary begins, now and in older versions.
const SUMMARY: &[&str] = &["[CONTEXT COMPACTION", "[CONTEXT SUMMARY]"];

/// A message of a lineage with what is to be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// Index of its session in the lineage.
    pub session: usize,
    pub row: ForeignMessage,
    pub shown: bool,
    /// The summary of a compression.
    pub divider: bool,
}

/// All messages of a lineage, session by session.
pub(super) fn planned(sessions: Vec<Vec<ForeignMessage>>) -> Vec<Planned> {
    let mut all = Vec::new();
    // The set that the next one may repeat.
    let mut set: Vec<ForeignMessage> = Vec::new();
    for (session, rows) in sessions.into_iter().enumerate() {
        // Undone rows take no part: a compression has not seen them.
        let seen: Vec<&ForeignMessage> = rows.iter().filter(|row| row.active || row.compacted).collect();
        let mut repeated = vec![false; seen.len()];
        let mut start = 0;
        loop {
            let rest = &seen[start..];
            let lead = repetition(&set, rest);
            for at in &lead.repeated {
                repeated[start + at] = true;
            }
            let Some(next) = next_set(rest, lead.end) else { break };
            set = rest[..next].iter().copied().cloned().collect();
            start += next;
        }
        set = seen[start..].iter().copied().cloned().collect();
        let mut repeated = repeated.into_iter();
        for row in rows {
            let shown = (row.active || row.compacted) && repeated.next() == Some(false);
            all.push(Planned { session, shown, divider: is_summary(&row), row });
        }
    }
    all
}

struct Repetition {
    repeated: Vec<usize>,
    /// The first row behind what the compression wrote.
    end: usize,
}

/// The leading rows of `rows` that repeat `set`: its first ones, then (behind the summary) its last ones.
fn repetition(set: &[ForeignMessage], rows: &[&ForeignMessage]) -> Repetition {
    let head = set.iter().zip(rows).take_while(|(a, b)| same(a, b)).count();
    let mut repeated: Vec<usize> = (0..head).collect();
    let behind = head + usize::from(rows.get(head).is_some_and(|row| is_summary(row)));
    let tail = repeated_tail(set, &rows[behind..]);
    repeated.extend(behind..behind + tail);
    Repetition { repeated, end: behind + tail }
}

/// How many of the first `rows` are the end of `set`. When its end was changed on the way, the longest piece of two
/// rows or more counts: one equal row may be a user who says "ok" again.
fn repeated_tail(set: &[ForeignMessage], rows: &[&ForeignMessage]) -> usize {
    let run = |from: usize| set[from..].iter().zip(rows).take_while(|(a, b)| same(a, b)).count();
    let runs = || (0..set.len()).map(|from| (from, run(from)));
    if let Some((_, length)) = runs().find(|(from, length)| *length > 0 && from + length == set.len()) {
        return length;
    }
    runs().map(|(_, length)| length).max().filter(|length| *length >= 2).unwrap_or(0)
}

/// Where the next compression of the same session wrote its set, if there was one. `from` is behind the last one's.
fn next_set(rows: &[&ForeignMessage], from: usize) -> Option<usize> {
    (from.max(1)..rows.len()).find_map(|at| {
        if rows[at - 1].compacted && !rows[at - 1].active && rows[at].active {
            return Some(at);
        }
        // Two compressions on, nothing but the summary marks the set; the first rows stand before it.
        is_summary(rows[at]).then(|| {
            let head = (0..=(at - from.max(1)).min(at / 2))
                .rev()
                .find(|head| (0..*head).all(|i| same(rows[i], rows[at - head + i])));
            at - head.unwrap_or(0)
        })
    })
}

fn same(a: &ForeignMessage, b: &ForeignMessage) -> bool {
    a.role == b.role && a.text == b.text && a.tool_calls == b.tool_calls
}

fn is_summary(row: &ForeignMessage) -> bool {
    row.role != "tool" && SUMMARY.iter().any(|start| row.text.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `u:text` is a user's row, `a:text` an assistant's, `S` a summary; `-` before it: compressed, `x`: undone.
    fn rows(script: &str) -> Vec<ForeignMessage> {
        let mut id = 0;
        let row = |word: &str| {
            id += 1;
            let (compacted, word) = word.strip_prefix('-').map_or((false, word), |word| (true, word));
            let (undone, word) = word.strip_prefix('x').map_or((false, word), |word| (true, word));
            let (role, text) = word.split_once(':').unwrap_or(("S", word));
            let (role, text) = match role {
                "u" => ("user", text.to_owned()),
                "a" => ("assistant", text.to_owned()),
                _ => ("assistant", format!("[CONTEXT COMPACTION {text}")),
            };
            ForeignMessage {
                id,
                role: role.to_owned(),
                text,
                active: !compacted && !undone,
                compacted,
                ..ForeignMessage::default()
            }
        };
        script.split_whitespace().map(row).collect()
    }

    fn shown(sessions: &[&str]) -> String {
        let planned = planned(sessions.iter().map(|script| rows(script)).collect());
        let word = |p: &Planned| if p.divider { "|".to_owned() } else { p.row.text.clone() };
        planned.iter().filter(|p| p.shown).map(word).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_rotated_lineage_shows_each_message_once() {
        let parent = "u:1 a:1 u:2 a:2 u:3 a:3";
        assert_eq!(shown(&[parent, "u:1 a:1 S1 u:3 a:3 u:4 a:4"]), "1 1 2 2 3 3 | 4 4");
        assert_eq!(shown(&[parent, "S1 u:3 a:3 u:4"]), "1 1 2 2 3 3 | 4");
        assert_eq!(shown(&[parent, "u:4 a:4"]), "1 1 2 2 3 3 4 4", "a set that repeats nothing");
    }

    #[test]
    fn a_second_rotation_repeats_the_repetition() {
        let sessions =
            ["u:1 a:1 u:2 a:2 u:3 a:3", "u:1 a:1 S1 u:3 a:3 u:4 a:4", "u:1 a:1 S2 u:4 a:4 u:5 a:5"];
        assert_eq!(shown(&sessions), "1 1 2 2 3 3 | 4 4 | 5 5");
    }

    #[test]
    fn in_place_once_and_twice() {
        assert_eq!(shown(&["-u:1 -a:1 -u:2 -a:2 u:1 S1 u:2 a:2 u:3 a:3"]), "1 1 2 2 | 3 3");
        let twice = "-u:1 -a:1 -u:2 -a:2 -u:1 -S1 -u:2 -a:2 -u:3 -a:3 u:1 S2 u:3 a:3 u:4 a:4";
        assert_eq!(shown(&[twice]), "1 1 2 2 | 3 3 | 4 4");
    }

    #[test]
    fn a_user_who_says_the_same_again_is_still_heard() {
        assert_eq!(shown(&["u:ok a:A u:ok a:B", "u:ok S1 u:ok a:B u:ok a:C"]), "ok A ok B | ok C");
        assert_eq!(shown(&["u:ok a:A u:2 a:B", "S1 u:ok a:C"]), "ok A 2 B | ok C");
    }

    #[test]
    fn undone_rows_are_not_shown_and_do_not_disturb() {
        assert_eq!(shown(&["u:1 a:1 xu:oops u:2 a:2", "u:1 S1 u:2 xa:oops a:2 u:3"]), "1 1 2 2 | 3");
    }

    #[test]
    fn a_summary_whose_parent_is_gone_is_a_divider() {
        assert_eq!(shown(&["u:1 S1 u:2"]), "1 | 2");
    }
}
