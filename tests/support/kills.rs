//! How often processes are killed at random moments: the one place that says it.

use std::ffi::OsStr;

/// Kills of a run.
pub struct Kills {
    /// Of a `talariactl` that imports.
    pub importing: usize,
    /// Of a process that archives, renames, drafts and pins.
    pub writing: usize,
    /// Of the app in a turn of a live session.
    pub turns: usize,
    /// Of the app with its window.
    pub window: usize,
}

/// 100 in CI, where minutes are cheap; 20 elsewhere.
pub fn kills() -> Kills {
    if is_ci() {
        Kills { importing: 45, writing: 50, turns: 100, window: 5 }
    } else {
        Kills { importing: 7, writing: 8, turns: 20, window: 5 }
    }
}

/// Whether the run says that it is one of CI: any value of `CI` but an empty one, `false` and `0`.
pub fn is_ci() -> bool {
    says_so(std::env::var_os("CI").as_deref())
}

fn says_so(ci: Option<&OsStr>) -> bool {
    ci.is_some_and(|value| !value.is_empty() && value != "false" && value != "0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_says_ci_but_those_that_say_no() {
        for (value, said) in
            [("true", true), ("1", true), ("yes", true), ("false", false), ("0", false), ("", false)]
        {
            assert_eq!(says_so(Some(OsStr::new(value))), said, "{value}");
        }
        assert!(!says_so(None));
    }
}
