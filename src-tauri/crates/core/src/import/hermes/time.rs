//! Times of a Hermes store: seconds as REAL, and the text forms that older data holds. Pure.

use rusqlite::types::ValueRef;
use talaria_wire::Millis;

/// Beyond this a number is milliseconds, not seconds (the year 5138).
const SECONDS: f64 = 1e11;

/// Milliseconds UTC. `None`: the value says no time.
pub(super) fn millis(value: ValueRef<'_>) -> Option<Millis> {
    match value {
        ValueRef::Integer(n) => number(n as f64),
        ValueRef::Real(n) => number(n),
        ValueRef::Text(text) => words(std::str::from_utf8(text).ok()?.trim()),
        ValueRef::Null | ValueRef::Blob(_) => None,
    }
}

fn number(n: f64) -> Option<Millis> {
    let millis = if n.abs() < SECONDS { n * 1000.0 } else { n };
    (n.is_finite() && millis >= 0.0 && millis <= crate::store::LATEST as f64).then_some(millis as Millis)
}

/// `1776438552`, `1776438552Z`, or an ISO 8601 time; without an offset it is UTC.
fn words(text: &str) -> Option<Millis> {
    if let Ok(n) = text.trim_end_matches(['Z', 'z']).parse::<f64>() {
        return number(n);
    }
    let (date, clock) = text.split_once(['T', 't', ' '])?;
    let mut date = date.splitn(3, '-').map(str::parse::<i64>);
    let (year, month, day) = (date.next()?.ok()?, date.next()?.ok()?, date.next()?.ok()?);
    let (clock, offset) = split_offset(clock)?;
    let mut parts = clock.splitn(3, ':');
    let (hour, minute) = (parts.next()?.parse::<i64>().ok()?, parts.next()?.parse::<i64>().ok()?);
    let second: f64 = parts.next().unwrap_or("0").parse().ok()?;
    let in_range = (1970..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=31).contains(&day)
        && (0..24).contains(&hour)
        && (0..60).contains(&minute)
        && (0.0..61.0).contains(&second);
    if !in_range {
        return None;
    }
    let seconds = days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 - offset * 60;
    number(seconds as f64 + second)
}

/// The time of day, and the offset in minutes east of UTC.
fn split_offset(clock: &str) -> Option<(&str, i64)> {
    if let Some(clock) = clock.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = clock.rfind(['+', '-']) else { return Some((clock, 0)) };
    let (clock, offset) = clock.split_at(at);
    let sign = if offset.starts_with('-') { -1 } else { 1 };
    let digits: String = offset[1..].chars().filter(|c| *c != ':').collect();
    let (hours, minutes) =
        if digits.len() == 2 { (digits.as_str(), "0") } else { digits.split_at_checked(2)? };
    let number = |text: &str| text.parse::<u8>().ok().map(i64::from);
    Some((clock, sign * (number(hours)? * 60 + number(minutes)?)))
}

/// Days since 1970-01-01 in the Gregorian calendar. The year is taken to begin in March, so that a leap day is its
/// last.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let month = (month + 9) % 12;
    let leaps = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    // 719,468 days lie between 0000-03-01 and 1970-01-01.
    year * 365 + leaps + (month * 153 + 2) / 5 + day - 1 - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_forms_of_a_time_are_read() {
        for (text, millis) in [
            ("1776438552Z", 1_776_438_552_000),
            ("1776438552.25", 1_776_438_552_250),
            ("2026-05-01T14:10:34Z", 1_777_644_634_000),
            ("2026-05-01T23:10:34+09:00", 1_777_644_634_000),
            ("2026-05-01 10:10:34-0400", 1_777_644_634_000),
            ("2026-05-01T14:10:34.500", 1_777_644_634_500),
            ("1970-01-01T00:00:00Z", 0),
            ("2000-02-29T00:00:00Z", 951_782_400_000),
        ] {
            assert_eq!(words(text), Some(millis), "{text}");
        }
    }

    #[test]
    fn nonsense_is_no_time() {
        for text in ["", "yesterday", "2026-13-01T00:00:00Z", "2026-05-01T25:00:00Z", "2026-05-01", "NaN"] {
            assert_eq!(words(text), None, "{text}");
        }
        // Numbers that no calendar has, and that arithmetic would not bear.
        for text in [
            "9223372036854775807-01-01T00:00:00Z",
            "100000000000000000-01-01T00:00:00Z",
            "2026-05-01T14:10:34+009223372036854775807",
        ] {
            assert_eq!(words(text), None, "{text}");
        }
        assert_eq!(millis(ValueRef::Real(1_796_070_048.6837337)), Some(1_796_070_048_683));
        assert_eq!(millis(ValueRef::Real(-5.0)), None);
        assert_eq!(millis(ValueRef::Real(1e300)), None);
    }
}
