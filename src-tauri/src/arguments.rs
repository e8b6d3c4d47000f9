//! The command line. Pure: what it says decides how this start is made, and a second start's never reaches the first.

use std::ffi::OsString;
use talaria_core::media::choice;
use talaria_wire::MediaTransport;

/// What `--help` prints.
const HELP: &str = "\
Usage: talaria [--media-transport=auto|plugin|loopback]

Opens Talaria, or brings the window that is open to the front.

  --media-transport=WAY  how audio and video reach the player in this run (Linux):
                         auto      the plugin where it works, else a local port
                         plugin    the plugin only
                         loopback  the local port only
                         It goes before the setting.
  --help                 print this and end
  --version              print the version and end
";

const TRANSPORT: &str = "--media-transport";

/// What the command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Arguments {
    /// To start the app.
    Start { media_transport: Option<MediaTransport> },
    /// To print this and end.
    Print(String),
    /// Nothing that we know; the words say so.
    Wrong(String),
}

impl Arguments {
    /// Reads the arguments behind the program's name.
    pub(crate) fn read(arguments: impl Iterator<Item = OsString>) -> Self {
        let mut media_transport = None;
        let mut arguments = arguments.map(|word| word.to_string_lossy().into_owned());
        while let Some(argument) = arguments.next() {
            let (name, value) = match argument.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (argument.as_str(), None),
            };
            match (name, value) {
                ("--help" | "-h", None) => return Self::Print(HELP.to_owned()),
                ("--version" | "-V", None) => {
                    return Self::Print(concat!("talaria ", env!("CARGO_PKG_VERSION"), "\n").to_owned());
                }
                (TRANSPORT, value) => {
                    let word = value.or_else(|| arguments.next()).unwrap_or_default();
                    match choice::by_name(&word) {
                        Some(transport) => media_transport = Some(transport),
                        None => {
                            return Self::Wrong(format!(
                                "{TRANSPORT} takes auto, plugin or loopback, not \"{word}\"."
                            ));
                        }
                    }
                }
                _ => {
                    return Self::Wrong(format!(
                        "Talaria does not know \"{argument}\". \"talaria --help\" says what it takes."
                    ));
                }
            }
        }
        Self::Start { media_transport }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Arguments {
        Arguments::read(words.iter().map(OsString::from))
    }

    fn start(media_transport: Option<MediaTransport>) -> Arguments {
        Arguments::Start { media_transport }
    }

    #[test]
    fn a_transport_is_taken_in_both_spellings_and_the_last_one_counts() {
        assert_eq!(read(&[]), start(None));
        assert_eq!(read(&["--media-transport=loopback"]), start(Some(MediaTransport::Loopback)));
        assert_eq!(read(&["--media-transport", "plugin"]), start(Some(MediaTransport::Plugin)));
        let twice = read(&["--media-transport=plugin", "--media-transport=auto"]);
        assert_eq!(twice, start(Some(MediaTransport::Auto)));
    }

    #[test]
    fn what_is_not_known_is_said_and_nothing_starts() {
        for (words, said) in [
            (&["--media-transport=http"][..], "not \"http\""),
            (&["--media-transport"], "auto, plugin or loopback"),
            (&["--media-transport="], "auto, plugin or loopback"),
            (&["--transport=plugin"], "--transport=plugin"),
            (&["--help=me"], "--help=me"),
            (&["file.mp4"], "file.mp4"),
        ] {
            let Arguments::Wrong(told) = read(words) else { panic!("{words:?} is taken") };
            assert!(told.contains(said), "{told}");
        }
    }

    #[test]
    fn help_names_every_argument_and_version_its_number() {
        let Arguments::Print(help) = read(&["--help"]) else { panic!("help is printed") };
        for name in ["--media-transport=", "auto", "plugin", "loopback", "--help", "--version"] {
            assert!(help.contains(name), "{name} is not in\n{help}");
        }
        assert_eq!(
            read(&["-V"]),
            Arguments::Print(concat!("talaria ", env!("CARGO_PKG_VERSION"), "\n").into())
        );
    }
}
