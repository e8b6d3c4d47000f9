//! The rules.

use super::text;
use crate::agent::ports::Judgement;
use std::path::PathBuf;

/// Longest text that is remembered for good, in bytes: nobody has read a longer one so that he would want it unseen again.
const LONGEST_ALWAYS: usize = 16 * 1024;

/// A path as the disk has it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// Without links and `..`, the parts that do not exist yet as they are spelled.
    pub real: PathBuf,
    /// The real path is the workspace or lies below it. False without a workspace.
    pub inside: bool,
    /// As it is spelled it is the workspace or lies below it: with `inside` false, a link leads out.
    pub spelled_inside: bool,
    /// On the list of private places and names, by its real path, or another name of such a file.
    pub private: bool,
}

/// What a call would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Run a command in the shell.
    Run {
        command: String,
    },
    Read {
        path: Located,
    },
    Search {
        path: Located,
        pattern: String,
        glob: Option<String>,
    },
    Write {
        path: Located,
        content: String,
    },
}

/// What the rules say. `workspace`: the session has a working folder that is there.
pub fn judge(act: &Act, workspace: bool) -> Judgement {
    match act {
        Act::Run { command } => ask(command.clone(), workspace && text::is_single(command)),
        Act::Read { path } | Act::Search { path, .. } | Act::Write { path, .. } if path.private => refuse(
            path,
            "is a private place or file of the user. No tool may open it, and the user is not asked.",
        ),
        Act::Read { path } | Act::Search { path, .. } if workspace && path.inside => Judgement::Free,
        Act::Read { path } => ask(text::of_path(&path.real), workspace),
        Act::Search { path, pattern, glob } => {
            ask(text::of_search(&path.real, pattern, glob.as_deref()), workspace)
        }
        Act::Write { path, .. } if path.spelled_inside && !path.inside => refuse(
            path,
            "is outside the working folder: a link leads there. To write there, give the real path.",
        ),
        Act::Write { path, content } => ask(text::of_write(&path.real, content), workspace),
    }
}

fn ask(text: String, always: bool) -> Judgement {
    let always = always && text.len() <= LONGEST_ALWAYS;
    Judgement::Ask { text, always }
}

fn refuse(path: &Located, why: &str) -> Judgement {
    Judgement::Refuse { words: format!("{} {why}", text::of_path(&path.real)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn located(inside: bool, spelled_inside: bool, private: bool) -> Located {
        Located { real: "/ws/a.txt".into(), inside, spelled_inside, private }
    }

    fn acts(path: Located) -> [Act; 3] {
        [
            Act::Read { path: path.clone() },
            Act::Search { path: path.clone(), pattern: "p".into(), glob: None },
            Act::Write { path, content: "c".into() },
        ]
    }

    /// `f` free, `a` ask with "Always" offered, `o` ask without it, `r` refused: of a read, a search and a write.
    fn letters(path: Located, workspace: bool) -> String {
        let letter = |judgement| match judgement {
            Judgement::Free => 'f',
            Judgement::Ask { always: true, .. } => 'a',
            Judgement::Ask { always: false, .. } => 'o',
            Judgement::Refuse { .. } => 'r',
        };
        acts(path).iter().map(|act| letter(judge(act, workspace))).collect()
    }

    #[test]
    fn reading_inside_is_free_every_write_asks_and_what_is_private_is_refused() {
        for (path, workspace, expected) in [
            (located(true, true, false), true, "ffa"),
            (located(false, false, false), true, "aaa"),
            (located(false, true, false), true, "aar"),
            (located(true, true, true), true, "rrr"),
            (located(false, false, true), true, "rrr"),
            // Without a working folder everything asks, and nothing is offered for good.
            (located(false, false, false), false, "ooo"),
            (located(true, true, false), false, "ooo"),
            (located(false, false, true), false, "rrr"),
        ] {
            assert_eq!(letters(path.clone(), workspace), expected, "{path:?} {workspace}");
        }
    }

    #[test]
    fn every_command_asks_with_its_whole_text() {
        for (command, always) in [
            ("ls", true),
            ("cargo test --workspace", true),
            ("cat 'a b'", true),
            ("ls; rm x", false),
            ("ls & ", false),
            ("ls && rm x", false),
            ("ls | sh", false),
            ("echo `id`", false),
            ("echo $(id)", false),
            ("echo a > b", false),
            ("ls\nrm x", false),
            ("ls\rrm x", false),
            ("sudo ls", false),
            ("SUDO ls", false),
            ("/usr/bin/sudo -n ls", false),
            ("s\\udo ls", false),
            ("s'u'do ls", false),
            ("env \"sudo\" ls", false),
            // No more than it is: such a command is remembered as this one text.
            ("echo $HOME", true),
        ] {
            let act = Act::Run { command: command.into() };
            assert_eq!(judge(&act, true), Judgement::Ask { text: command.into(), always }, "{command}");
            assert_eq!(
                judge(&act, false),
                Judgement::Ask { text: command.into(), always: false },
                "{command}"
            );
        }
    }

    #[test]
    fn what_nobody_can_have_read_is_not_offered_for_good() {
        let act = Act::Run { command: format!("echo {}", "a".repeat(LONGEST_ALWAYS)) };
        assert!(matches!(judge(&act, true), Judgement::Ask { always: false, .. }));
    }
}
