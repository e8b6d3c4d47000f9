//! `!command`: a prompt that the user typed as a command of their own. It runs as a turn without a model and without a
//! question (security.md, "Approvals"); the rows are those of any tool call. Only prompts from the composer come here,
//! never a text of a model, an import or a notice. Pure.

use serde_json::json;

/// The tool that runs it.
pub(crate) const TOOL: &str = "terminal";

/// The command of a prompt that begins with `!`; `None`: the prompt is for the model.
pub fn command_of(prompt: &str) -> Option<&str> {
    let command = prompt.trim_start().strip_prefix('!')?.trim();
    (!command.is_empty()).then_some(command)
}

pub(crate) fn arguments(command: &str) -> String {
    json!({ "command": command }).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_a_command_when_it_begins_with_an_exclamation_mark() {
        for (prompt, command) in [
            ("!ls -la", Some("ls -la")),
            (" ! echo a\necho b \n", Some("echo a\necho b")),
            ("!", None),
            ("! \n", None),
            ("ls !", None),
            ("", None),
        ] {
            assert_eq!(command_of(prompt), command, "{prompt:?}");
        }
    }
}
