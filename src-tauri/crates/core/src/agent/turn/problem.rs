//! The words of what stops a turn, and whether asking again may help. Pure.

use crate::agent::ports::{ModelError, ModelErrorKind};
use talaria_wire::{IpcError, Millis, TurnProblem};

/// Times that one request is asked again.
pub(super) const RETRIES: u32 = 5;
/// A server that wants a longer pause is not waited for.
const LONGEST_WAIT: Millis = 60_000;

/// How long to wait before the request is asked again, after `failures` ones before this; `None`: not again.
pub(super) fn pause(error: &ModelError, failures: u32) -> Option<Millis> {
    use ModelErrorKind::{Busy, Cut, Unreachable};
    if !matches!(error.kind, Busy | Unreachable | Cut) || failures >= RETRIES {
        return None;
    }
    match error.retry_after {
        Some(asked) => (asked <= LONGEST_WAIT).then_some(asked.max(0)),
        None => Some(1000 << failures.min(3)),
    }
}

/// What is said while the turn waits.
pub(super) fn waiting(error: &ModelError, ms: Millis) -> String {
    let seconds = ms.div_euclid(1000) + i64::from(ms.rem_euclid(1000) > 0);
    match error.kind {
        ModelErrorKind::Busy => format!("The model's server is busy. Retrying in {seconds} s"),
        _ => format!("The model's server does not answer. Retrying in {seconds} s"),
    }
}

/// A request that failed before anything came.
pub(super) fn of_model(error: &ModelError) -> TurnProblem {
    use ModelErrorKind as Kind;
    let (title, retryable, settings) = match error.kind {
        Kind::NoModel => ("No model answers", true, true),
        Kind::Key => ("The model's server refused the key", true, true),
        Kind::Busy => ("The model's server is busy", true, false),
        Kind::Unreachable => ("The model's server does not answer", true, true),
        Kind::Cut | Kind::Cancelled => ("The answer broke off", true, false),
        Kind::TooLong => ("The conversation is too long for the model", false, true),
        Kind::Refused => ("The model's server refused the request", true, true),
    };
    TurnProblem { title: title.into(), message: error.message.clone(), retryable, settings }
}

/// A stream that broke off after something had come.
pub(super) fn cut(error: &ModelError) -> TurnProblem {
    problem("The answer broke off", format!("What came is kept. {}", error.message))
}

pub(super) fn empty() -> TurnProblem {
    problem("The model answered nothing", "It ended its answer without a word. Retry asks again.")
}

pub(super) fn too_many_requests(most: u32) -> TurnProblem {
    problem(
        "The turn was stopped here",
        format!("The model was asked {most} times for one prompt. Retry lets it go on from here."),
    )
}

pub(super) fn cost(limit: f64) -> TurnProblem {
    TurnProblem {
        settings: true,
        ..problem(
            "The session's cost limit is reached",
            format!("It stops at {limit:.2}. Raise the limit in Settings > Model, then retry."),
        )
    }
}

/// The session could not be summed up, and needed not be.
pub(in crate::agent) fn not_compressed(words: &str) -> TurnProblem {
    TurnProblem {
        retryable: false,
        ..problem("The session could not be summed up", format!("Nothing was changed. {words}"))
    }
}

/// The session had to be summed up to go on, and could not be.
pub(super) fn too_long(words: &str) -> TurnProblem {
    TurnProblem {
        settings: true,
        ..problem(
            "The conversation is too long for the model",
            format!("Summing it up failed, nothing was changed. {words}"),
        )
    }
}

pub(super) fn not_stored(error: &IpcError) -> TurnProblem {
    problem("The turn could not be saved", format!("It was stopped. {error}"))
}

pub(super) fn not_read(error: &IpcError) -> TurnProblem {
    problem("The session could not be read", error.to_string())
}

fn problem(title: &str, message: impl Into<String>) -> TurnProblem {
    TurnProblem { title: title.into(), message: message.into(), retryable: true, settings: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(kind: ModelErrorKind, retry_after: Option<Millis>) -> ModelError {
        ModelError { kind, message: "x".into(), retry_after }
    }

    #[test]
    fn a_pause_doubles_up_to_eight_seconds_and_ends_after_five_retries() {
        let busy = error(ModelErrorKind::Busy, None);
        let pauses: Vec<_> = (0..7).map(|failures| pause(&busy, failures)).collect();
        let seconds = |n: Millis| Some(n * 1000);
        assert_eq!(pauses, [seconds(1), seconds(2), seconds(4), seconds(8), seconds(8), None, None]);
    }

    #[test]
    fn the_server_says_how_long_to_wait_up_to_a_minute() {
        for (asked, expected) in [(0, Some(0)), (7_500, Some(7_500)), (60_000, Some(60_000)), (60_001, None)]
        {
            assert_eq!(pause(&error(ModelErrorKind::Busy, Some(asked)), 0), expected, "{asked}");
        }
    }

    #[test]
    fn what_cannot_pass_by_itself_is_not_asked_again() {
        use ModelErrorKind::{Cancelled, Key, NoModel, Refused, TooLong};
        for kind in [NoModel, Key, TooLong, Refused, Cancelled] {
            assert_eq!(pause(&error(kind, None), 0), None, "{kind:?}");
        }
    }

    #[test]
    fn a_begun_second_is_said_as_a_whole_one() {
        let busy = error(ModelErrorKind::Busy, None);
        assert!(waiting(&busy, 1_001).ends_with("2 s"));
        assert!(waiting(&busy, 4_000).ends_with("4 s"));
    }
}
