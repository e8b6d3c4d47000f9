//! Server-sent events out of bytes, whatever their borders (HTML Living Standard, "Interpreting an event stream"). Pure.
//!
//! More forgiving than the standard in one place: an event that the end of the stream finds without its empty line counts,
//! because some servers leave it out after `[DONE]`.

use std::mem;

/// Bytes of one event. A whole file in the arguments of a tool call fits.
pub(super) const LONGEST: usize = 16 << 20;

/// A line or an event was longer than [`LONGEST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooLong;

/// One event. Comments, ids and retry times are of no use here and are dropped.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Event {
    /// Empty: a plain message.
    pub name: String,
    pub data: String,
}

/// Takes a stream apart. Text that is not UTF-8 gets replacement signs.
#[derive(Debug, Default)]
pub(super) struct Sse {
    line: Vec<u8>,
    event: Event,
    /// The event has a `data` field, if only an empty one.
    has_data: bool,
    /// The last byte was a carriage return: a line feed after it belongs to it.
    after_return: bool,
    /// The stream's first line is past.
    begun: bool,
}

impl Sse {
    /// The events that these bytes complete.
    ///
    /// # Errors
    /// [`TooLong`]: nothing of this stream can be read any more.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLong> {
        let mut events = Vec::new();
        let mut rest = bytes;
        if !rest.is_empty() && mem::take(&mut self.after_return) {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            self.line.extend_from_slice(&rest[..end]);
            self.fits()?;
            events.extend(self.end_line());
            let was_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if was_return {
                self.after_return = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
        }
        self.line.extend_from_slice(rest);
        self.fits()?;
        Ok(events)
    }

    /// The event that the end of the stream completes.
    pub fn finish(mut self) -> Option<Event> {
        let last = if self.line.is_empty() { None } else { self.end_line() };
        last.or_else(|| self.end_event())
    }

    fn fits(&self) -> Result<(), TooLong> {
        if self.line.len() + self.event.data.len() > LONGEST { Err(TooLong) } else { Ok(()) }
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = mem::take(&mut self.line);
        let line: &[u8] = if mem::replace(&mut self.begun, true) {
            &line
        } else {
            line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(&line)
        };
        if line.is_empty() {
            return self.end_event();
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let (name, value) = line.split_at(colon);
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match name {
            b"data" => {
                if mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(&value);
            }
            b"event" => self.event.name = value.into_owned(),
            // A comment, an id, a retry time, or a field nobody knows.
            _ => {}
        }
        None
    }

    fn end_event(&mut self) -> Option<Event> {
        let event = mem::take(&mut self.event);
        mem::take(&mut self.has_data).then_some(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(pieces: &[&[u8]]) -> Vec<Event> {
        let mut sse = Sse::default();
        let mut events = Vec::new();
        for piece in pieces {
            events.extend(sse.push(piece).expect("a short stream"));
        }
        events.extend(sse.finish());
        events
    }

    fn data(text: &[u8]) -> Vec<String> {
        read(&[text]).into_iter().map(|event| event.data).collect()
    }

    #[test]
    fn fields_lines_and_events_are_read_as_the_standard_says() {
        for (text, expected) in [
            ("data: a\n\ndata: b\n\n", vec!["a", "b"]),
            ("data: a\r\n\r\ndata: b\r\rdata: c\n\n", vec!["a", "b", "c"]),
            ("\u{feff}data: a\n\n", vec!["a"]),
            ("data: \u{feff}a\n\n", vec!["\u{feff}a"]),
            (": hello\n\ndata: a\n: there\n\n", vec!["a"]),
            ("data:a\ndata:  b\n\n", vec!["a\n b"]),
            ("data\n\n", vec![""]),
            ("data:\ndata:\n\n", vec!["\n"]),
            ("id: 7\nretry: 10\ndata: a\nsome: thing\n\n", vec!["a"]),
            ("event: ping\n\n\n\n", vec![]),
            ("data: a: b\n\n", vec!["a: b"]),
            ("data: no end", vec!["no end"]),
            ("data: no empty line\n", vec!["no empty line"]),
            ("Data: other case\n\n", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(data(text.as_bytes()), expected, "{text:?}");
        }
    }

    #[test]
    fn an_event_has_its_name_and_the_next_one_has_none() {
        let events = read(&[b"event: error\ndata: a\n\ndata: b\n\n"]);
        let names: Vec<_> = events.iter().map(|event| event.name.as_str()).collect();
        assert_eq!(names, ["error", ""]);
    }

    #[test]
    fn what_is_not_utf_8_is_replaced_and_the_rest_stays() {
        assert_eq!(data(b"data: a\xffb\xf0\x9f\n\ndata: c\n\n"), ["a\u{fffd}b\u{fffd}", "c"]);
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut sse = Sse::default();
        let piece = vec![b'x'; LONGEST / 4];
        let mut said = Ok(Vec::new());
        for _ in 0..5 {
            said = sse.push(&piece);
        }
        assert_eq!(said, Err(TooLong));
        let mut sse = Sse::default();
        let lines = [b"data: ".as_slice(), &vec![b'x'; LONGEST / 3], b"\n"].concat();
        assert!((0..4).map(|_| sse.push(&lines)).any(|said| said == Err(TooLong)), "many lines of one event");
    }

    proptest! {
        #[test]
        fn the_borders_of_the_pieces_change_nothing(
            text in proptest::collection::vec(
                proptest::sample::select(vec![
                    "data: ", "data:", "event: x", ":", "\n", "\r", "\r\n", "\n\n", "{\"a\": \"\u{e9}\u{1f600}\"}", "\u{feff}",
                ]),
                0..40,
            ),
            cuts in proptest::collection::vec(0usize..400, 0..12),
        ) {
            let text = text.concat().into_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
            cuts.extend([0, text.len()]);
            cuts.sort_unstable();
            let pieces: Vec<_> = cuts.windows(2).map(|cut| &text[cut[0]..cut[1]]).collect();
            prop_assert_eq!(read(&pieces), read(&[&text]));
        }
    }
}
