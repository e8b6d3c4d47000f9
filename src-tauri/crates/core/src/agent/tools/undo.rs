//! Takes a tool's write back: only while the file holds exactly what the tool wrote.

use super::write_file::{content_of, put};
use crate::agent::ports::ChangedFile;
use crate::media::PrivatePlaces;
use std::path::Path;

/// What is to be done.
#[derive(Debug, PartialEq, Eq)]
enum Undo<'a> {
    Write(&'a [u8]),
    Remove,
    Refuse(&'static str),
}

/// `now`: the file's bytes; `None`: there is no file.
fn decide<'a>(now: Option<&[u8]>, change: &'a ChangedFile) -> Undo<'a> {
    match (now, &change.before) {
        (now, before) if now == before.as_deref() => Undo::Refuse("The file is as it was before already."),
        (Some(now), before) if now == change.after => before.as_deref().map_or(Undo::Remove, Undo::Write),
        (None, _) => Undo::Refuse("The file was removed since. Nothing was changed."),
        (Some(_), _) => {
            Undo::Refuse("The file was changed since. Nothing was changed, so that no work is lost.")
        }
    }
}

/// Puts the file back as it was before the write. `store`: the store's file. Blocks on the disk.
///
/// # Errors
/// Words for the user; the file is as it was found.
pub fn undo(change: &ChangedFile, places: &PrivatePlaces, store: &Path) -> Result<(), String> {
    let path = &change.path;
    // A folder on the way that became a link would lead elsewhere.
    if !super::place::real(path).is_ok_and(|real| real == *path) {
        return Err(format!(
            "{} is another place now: a link leads away. Nothing was changed.",
            path.display()
        ));
    }
    let now = content_of(path, places)?;
    match decide(now.as_deref(), change) {
        Undo::Write(bytes) => put(path, bytes, store),
        Undo::Remove => std::fs::remove_file(path)
            .map_err(|error| format!("{} could not be removed: {error}.", path.display())),
        Undo::Refuse(words) => Err(format!("{}: {words}", path.display())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_tool_wrote_is_taken_back() {
        let change = |before: Option<&[u8]>| ChangedFile {
            path: "/ws/a".into(),
            before: before.map(<[u8]>::to_vec),
            after: b"new".to_vec(),
            diff: String::new(),
        };
        let refused = |undo| matches!(undo, Undo::Refuse(_));
        let replaced = change(Some(b"old"));
        assert_eq!(decide(Some(b"new"), &replaced), Undo::Write(b"old"));
        for now in [None, Some(&b"old"[..]), Some(b"newer"), Some(b"ne"), Some(b"")] {
            assert!(refused(decide(now, &replaced)), "{now:?}");
        }
        let made = change(None);
        assert_eq!(decide(Some(b"new"), &made), Undo::Remove);
        for now in [None, Some(&b"newer"[..]), Some(b"")] {
            assert!(refused(decide(now, &made)), "{now:?}");
        }
    }
}
