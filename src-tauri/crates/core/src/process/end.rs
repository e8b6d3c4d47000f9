//! How a command ended, and the words for it. Pure.

use std::process::ExitStatus;
use std::time::Duration;

/// A command that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct End {
    /// What it printed on both outputs, in the order in which it came; bounded by [`Limits`](super::Limits), with a line
    /// that says what is left out. Colours and other control sequences are as they came.
    pub output: String,
    pub ending: Ending,
    /// A process that it started goes on by itself.
    pub left_running: bool,
}

/// How it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal that somebody else sent.
    Signalled(i32),
    /// Stopped by us: its time was up.
    TimedOut(Duration),
    /// Stopped by us: the user wanted it.
    Stopped,
}

impl Ending {
    pub(super) fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signalled(signal);
        }
        Self::Exited(status.code().unwrap_or(-1))
    }

    /// As a shell tells it in `$?`: 128 and the signal's number; 124 after a time-out, as `timeout` of coreutils; 130 when
    /// stopped, as after Ctrl-C.
    pub fn code(self) -> i32 {
        match self {
            Self::Exited(code) => code,
            Self::Signalled(signal) => 128 + signal,
            Self::TimedOut(_) => 124,
            Self::Stopped => 130,
        }
    }

    /// Why it did not end by itself; `None` when it did, with whatever code.
    pub fn words(self) -> Option<String> {
        match self {
            Self::Exited(_) => None,
            Self::Signalled(signal) => Some(match name(signal) {
                Some(name) => format!("The command was ended by the signal {name}."),
                None => format!("The command was ended by signal {signal}."),
            }),
            Self::TimedOut(time) => {
                Some(format!("The command was stopped: it did not end within {} seconds.", time.as_secs()))
            }
            Self::Stopped => Some("The command was stopped by the user.".to_owned()),
        }
    }
}

/// With a word on what it mostly means.
#[cfg(unix)]
fn name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        libc::SIGHUP => "HUP",
        libc::SIGINT => "INT",
        libc::SIGQUIT => "QUIT",
        libc::SIGILL => "ILL (an instruction that this computer does not have)",
        libc::SIGTRAP => "TRAP",
        libc::SIGABRT => "ABRT (it gave up)",
        libc::SIGBUS => "BUS",
        libc::SIGFPE => "FPE (an arithmetic error)",
        libc::SIGKILL => "KILL (also when memory runs out)",
        libc::SIGSEGV => "SEGV (a crash)",
        libc::SIGPIPE => "PIPE",
        libc::SIGTERM => "TERM",
        libc::SIGXCPU => "XCPU (its limit of processor time)",
        libc::SIGXFSZ => "XFSZ (its limit of a file's size)",
        _ => return None,
    })
}

#[cfg(not(unix))]
fn name(_signal: i32) -> Option<&'static str> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_has_a_code_and_all_but_its_own_have_words() {
        let minutes = Duration::from_secs(180);
        for (ending, code, words) in [
            (Ending::Exited(0), 0, None),
            (Ending::Exited(7), 7, None),
            (Ending::TimedOut(minutes), 124, Some("180 seconds")),
            (Ending::Stopped, 130, Some("by the user")),
            (Ending::Signalled(63), 191, Some("signal 63")),
        ] {
            assert_eq!(ending.code(), code);
            match words {
                None => assert_eq!(ending.words(), None),
                Some(words) => assert!(ending.words().unwrap().contains(words), "{ending:?}"),
            }
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_signal_is_told_by_its_name() {
        use std::os::unix::process::ExitStatusExt;
        let ending = Ending::of(ExitStatus::from_raw(libc::SIGSEGV));
        assert_eq!(ending, Ending::Signalled(libc::SIGSEGV));
        assert!(ending.words().unwrap().contains("SEGV"));
        assert_eq!(Ending::of(ExitStatus::from_raw(3 << 8)), Ending::Exited(3));
    }
}
