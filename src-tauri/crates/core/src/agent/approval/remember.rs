//! What was answered with "Session" or "Always": exactly this tool, this text and this workspace; never a prefix, a
//! pattern or a part.

use std::collections::HashSet;
use std::path::Path;
use talaria_wire::ApprovalChoice;

/// One remembered approval.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Remembered {
    pub tool: String,
    /// The canonical text, as it was asked (`Judgement::Ask`).
    pub text: String,
    /// The session's working folder.
    pub workspace: String,
}

/// What a session need not be asked again. The durable ones are a plain list: the store holds them.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    session: HashSet<Remembered>,
    always: HashSet<Remembered>,
}

impl Memory {
    /// `always`: the durable ones.
    pub fn new(always: impl IntoIterator<Item = Remembered>) -> Self {
        Self { session: HashSet::new(), always: always.into_iter().collect() }
    }

    /// Whether this was approved before. Without a workspace nothing was.
    pub fn allows(&self, tool: &str, text: &str, workspace: Option<&Path>) -> bool {
        key(tool, text, workspace)
            .is_some_and(|key| self.session.contains(&key) || self.always.contains(&key))
    }

    /// Takes an answer in. `offered`: "Always" was offered (`Judgement::Ask`); else it counts as "Once". Answers what is
    /// to be stored for good.
    pub fn answered(
        &mut self,
        choice: ApprovalChoice,
        offered: bool,
        tool: &str,
        text: &str,
        workspace: Option<&Path>,
    ) -> Option<Remembered> {
        let key = key(tool, text, workspace)?;
        match choice {
            ApprovalChoice::Session => {
                self.session.insert(key);
                None
            }
            ApprovalChoice::Always if offered => {
                self.always.insert(key.clone());
                Some(key)
            }
            ApprovalChoice::Always | ApprovalChoice::Once | ApprovalChoice::Deny => None,
        }
    }
}

/// A folder whose name is no Unicode has no text that is surely its own.
fn key(tool: &str, text: &str, workspace: Option<&Path>) -> Option<Remembered> {
    let workspace = workspace?.to_str()?.to_owned();
    Some(Remembered { tool: tool.to_owned(), text: text.to_owned(), workspace })
}

#[cfg(test)]
mod tests {
    use super::*;
    use ApprovalChoice::{Always, Deny, Once, Session};

    const WS: Option<&str> = Some("/ws");

    fn after(choice: ApprovalChoice, offered: bool, workspace: Option<&str>) -> (Memory, Option<Remembered>) {
        let mut memory = Memory::default();
        let stored = memory.answered(choice, offered, "terminal", "ls a", workspace.map(Path::new));
        (memory, stored)
    }

    #[test]
    fn exactly_the_tool_the_text_and_the_workspace_are_remembered() {
        for choice in [Session, Always] {
            let (memory, stored) = after(choice, true, WS);
            assert_eq!(stored.is_some(), choice == Always);
            let allows = |tool, text, ws| memory.allows(tool, text, Some(Path::new(ws)));
            assert!(allows("terminal", "ls a", "/ws"));
            for (tool, text, workspace) in [
                ("terminal", "ls", "/ws"),
                ("terminal", "ls a ", "/ws"),
                ("terminal", "ls ab", "/ws"),
                ("terminal", "ls a; rm b", "/ws"),
                ("terminal", "LS a", "/ws"),
                ("terminal", "ls a", "/ws/sub"),
                ("terminal", "ls a", "/"),
                ("read_file", "ls a", "/ws"),
            ] {
                assert!(!allows(tool, text, workspace), "{tool} {text} {workspace}");
            }
            assert!(!memory.allows("terminal", "ls a", None));
        }
    }

    #[test]
    fn nothing_else_is_remembered() {
        for (choice, offered, workspace) in [
            (Once, true, WS),
            (Deny, true, WS),
            (Always, false, WS),
            (Always, true, None),
            (Session, true, None),
        ] {
            let (memory, stored) = after(choice, offered, workspace);
            assert_eq!(stored, None);
            assert!(!memory.allows("terminal", "ls a", Some(Path::new("/ws"))), "{choice:?} {workspace:?}");
            assert!(!memory.allows("terminal", "ls a", None));
        }
    }

    #[test]
    fn what_is_stored_for_good_is_known_to_the_next_session() {
        let (_, stored) = after(Always, true, WS);
        let next = Memory::new(stored);
        assert!(next.allows("terminal", "ls a", Some(Path::new("/ws"))));
        let (session, _) = after(Session, true, WS);
        assert!(session.allows("terminal", "ls a", Some(Path::new("/ws"))));
    }
}
