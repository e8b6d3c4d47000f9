//! `read_file`: lines of a text file with their numbers, bounded however long the file or a line is.

use super::answer::{done, failed};
use crate::agent::ports::ToolOutcome;
use crate::media::{MediaError, PrivatePlaces, open_readable};
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;
use tokio_util::sync::CancellationToken;

/// Bytes of lines in one answer.
const LONGEST_ANSWER: usize = 48 * 1024;
/// Bytes of one line.
const LONGEST_LINE: usize = 4 * 1024;
/// Bytes of a file that are looked at; of a longer one only the beginning has lines.
const LONGEST_LOOK: u64 = 256 * 1024 * 1024;
/// Bytes in which a NUL says that a file is no text.
const HEAD: u64 = 8 * 1024;

/// Lines from `offset` (from 1) on. Blocks on the disk.
pub(super) fn read_file(
    real: &Path,
    offset: u64,
    limit: u64,
    places: &PrivatePlaces,
    stop: &CancellationToken,
) -> ToolOutcome {
    let mut file = match open(real, places) {
        Ok(file) => file,
        Err(words) => return failed(words),
    };
    let size = file.metadata().map_or(0, |found| found.len());
    match is_binary(&mut file) {
        Ok(false) => {}
        Ok(true) => return failed(format!("{} is not a text file ({size} bytes).", real.display())),
        Err(error) => return failed(format!("{} could not be read: {error}.", real.display())),
    }
    let mut lines = Lines { offset, limit, line: 1, ..Lines::default() };
    let mut reader = BufReader::with_capacity(64 * 1024, file.take(LONGEST_LOOK));
    loop {
        match reader.fill_buf() {
            _ if stop.is_cancelled() => return failed("Reading was stopped by the user."),
            Ok([]) => break,
            Ok(bytes) => {
                lines.take(bytes);
                let count = bytes.len();
                reader.consume(count);
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return failed(format!("{} could not be read: {error}.", real.display())),
        }
    }
    lines.answer(real, size)
}

/// A regular file that is not private.
///
/// # Errors
/// Words for the model.
pub(super) fn open(real: &Path, places: &PrivatePlaces) -> Result<File, String> {
    let shown = real.display();
    if real.is_dir() {
        return Err(format!("{shown} is a folder."));
    }
    open_readable(real, places).map(|(file, _)| file).map_err(|error| match error {
        MediaError::Blocked(_) => format!("{shown} is a private file of the user. No tool may open it."),
        MediaError::Unsupported(_) => format!("{shown} is a device, a pipe or a socket, not a file."),
        _ if real.exists() => format!("{shown} cannot be read: the user has no right to."),
        _ => format!("{shown} does not exist."),
    })
}

fn is_binary(file: &mut File) -> std::io::Result<bool> {
    let mut head = Vec::new();
    file.by_ref().take(HEAD).read_to_end(&mut head)?;
    file.rewind()?;
    Ok(head.contains(&0))
}

/// Gathers the wanted lines from pieces of a file.
#[derive(Default)]
struct Lines {
    offset: u64,
    limit: u64,
    /// The one that the next byte belongs to.
    line: u64,
    /// Its bytes, when it is wanted, as far as they are kept.
    current: Vec<u8>,
    /// Something of it has come.
    begun: bool,
    cut: bool,
    text: String,
    /// The last line that is in the text.
    last: u64,
    full: bool,
}

impl Lines {
    fn take(&mut self, mut bytes: &[u8]) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.add(&bytes[..end]);
            self.end_line();
            bytes = &bytes[end + 1..];
        }
        if !bytes.is_empty() {
            self.add(bytes);
        }
    }

    fn add(&mut self, bytes: &[u8]) {
        self.begun |= !bytes.is_empty();
        if self.is_wanted() {
            let room = LONGEST_LINE - self.current.len();
            self.cut |= bytes.len() > room;
            self.current.extend_from_slice(&bytes[..bytes.len().min(room)]);
        }
    }

    fn is_wanted(&self) -> bool {
        !self.full && self.line >= self.offset && self.line - self.offset < self.limit
    }

    fn end_line(&mut self) {
        if self.is_wanted() {
            let line = String::from_utf8_lossy(&self.current);
            let mark = if self.cut { " [... the line goes on ...]" } else { "" };
            let line = format!("{}|{line}{mark}\n", self.line);
            if !self.text.is_empty() && self.text.len() + line.len() > LONGEST_ANSWER {
                self.full = true;
            } else {
                self.text.push_str(&line);
                self.last = self.line;
            }
        }
        self.current.clear();
        (self.begun, self.cut) = (false, false);
        self.line += 1;
    }

    fn answer(mut self, path: &Path, size: u64) -> ToolOutcome {
        if self.begun {
            self.end_line();
        }
        let total = self.line - 1;
        let path = path.display();
        if self.last == 0 && self.offset > 1 {
            return failed(format!("{path} has {total} lines; there is no line {}.", self.offset));
        }
        let mut answer = json!({ "content": self.text, "total_lines": total, "file_size": size });
        if self.last < total {
            answer["truncated"] = true.into();
            answer["hint"] = format!("Lines go on at offset {}.", self.last + 1).into();
        }
        if size > LONGEST_LOOK {
            answer["total_lines"] = json!(null);
            answer["truncated"] = true.into();
        }
        done(answer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn lines(pieces: &[&[u8]], offset: u64, limit: u64) -> Value {
        let mut lines = Lines { offset, limit, line: 1, ..Lines::default() };
        pieces.iter().for_each(|piece| lines.take(piece));
        serde_json::from_str(&lines.answer(Path::new("a"), 9).text).unwrap()
    }

    #[test]
    fn lines_have_numbers_and_what_is_left_is_told() {
        let all = lines(&[b"a\nb", b"b\n\nc"], 1, 500);
        assert_eq!(all["content"], "1|a\n2|bb\n3|\n4|c\n");
        assert_eq!((&all["total_lines"], &all["truncated"]), (&json!(4), &Value::Null));
        let some = lines(&[b"a\nb", b"b\n\nc"], 2, 2);
        assert_eq!(some["content"], "2|bb\n3|\n");
        assert_eq!((&some["total_lines"], &some["truncated"]), (&json!(4), &json!(true)));
        assert!(some["hint"].as_str().unwrap().contains("offset 4"));
        assert_eq!(lines(&[], 1, 500)["content"], "");
        assert_eq!(lines(&[b"a\n"], 1, 500)["total_lines"], 1);
        assert!(lines(&[b"a\nb\n"], 3, 1)["error"].as_str().unwrap().contains("2 lines"));
        assert_eq!(lines(&[b"a\n"], 1, u64::MAX)["content"], "1|a\n");
    }

    #[test]
    fn a_long_line_and_many_lines_are_cut() {
        let long = "x".repeat(LONGEST_LINE + 1);
        let one = lines(&[long.as_bytes(), b"\nb"], 1, 500);
        let content = one["content"].as_str().unwrap();
        assert!(content.contains("the line goes on") && content.ends_with("\n2|b\n"), "{}", content.len());
        let many = lines(&[format!("{}\n", "y".repeat(1000)).repeat(100).as_bytes()], 1, 2000);
        assert!(many["content"].as_str().unwrap().len() <= LONGEST_ANSWER);
        assert_eq!((&many["total_lines"], &many["truncated"]), (&json!(100), &json!(true)));
    }

    proptest! {
        #[test]
        fn where_a_file_is_cut_into_reads_changes_nothing(
            pieces in proptest::collection::vec("[ab\n]{0,5}", 0..10), offset in 1..6_u64, limit in 1..6_u64,
        ) {
            let parts: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
            prop_assert_eq!(lines(&parts, offset, limit), lines(&[pieces.concat().as_bytes()], offset, limit));
        }
    }
}
