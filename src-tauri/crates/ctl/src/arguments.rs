//! The command line, taken apart. Pure.

use std::ffi::OsString;
use std::path::PathBuf;

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    Help,
    Version,
    Import { file: Option<PathBuf>, json: bool },
}

/// Errors: words for what is wrong with the line.
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, String> {
    let mut arguments = arguments.into_iter();
    let Some(command) = arguments.next() else { return Ok(Command::Help) };
    match command.to_str() {
        Some("help" | "--help" | "-h") => nothing_more(arguments, Command::Help),
        Some("version" | "--version" | "-V") => nothing_more(arguments, Command::Version),
        Some("import") => import(arguments),
        Some("") => Err("a command is missing".to_owned()),
        _ => Err(format!("there is no command {}", command.display())),
    }
}

fn import(arguments: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let (mut file, mut json, mut only_files) = (None, false, false);
    for argument in arguments {
        match argument.to_str() {
            Some("--json") if !only_files => json = true,
            Some("--help" | "-h") if !only_files => return Ok(Command::Help),
            Some("--") if !only_files => only_files = true,
            Some(option) if option.starts_with('-') && !only_files => {
                return Err(format!("import has no option {option}"));
            }
            Some("") => return Err("import takes the name of a file".to_owned()),
            _ if file.is_some() => return Err("import takes one file".to_owned()),
            _ => file = Some(PathBuf::from(argument)),
        }
    }
    Ok(Command::Import { file, json })
}

fn nothing_more(mut rest: impl Iterator<Item = OsString>, command: Command) -> Result<Command, String> {
    rest.next().map_or(Ok(command), |more| Err(format!("{} is one word too many", more.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<Command, String> {
        parse(text.split_whitespace().map(OsString::from))
    }

    #[test]
    fn import_takes_a_file_and_an_option_in_any_order() {
        let command = Command::Import { file: Some("a.db".into()), json: true };
        assert_eq!(line("import --json a.db").as_ref(), Ok(&command));
        assert_eq!(line("import a.db --json").as_ref(), Ok(&command));
        assert_eq!(line("import"), Ok(Command::Import { file: None, json: false }));
        assert_eq!(
            line("import -- --json"),
            Ok(Command::Import { file: Some("--json".into()), json: false })
        );
    }

    #[test]
    fn what_is_not_understood_is_said() {
        assert_eq!(line("import --fast").expect_err("no such option"), "import has no option --fast");
        assert_eq!(line("import a b").expect_err("two files"), "import takes one file");
        assert_eq!(line("export").expect_err("no such command"), "there is no command export");
        assert_eq!(line(""), Ok(Command::Help));
    }
}
