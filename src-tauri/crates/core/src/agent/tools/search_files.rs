//! `search_files`: lines that match a regular expression, in the files below a folder. Bounded in time, results and the
//! size of a file; hidden files, what `.gitignore` names, binary and private files are passed over.

use super::answer::{done, failed};
use crate::agent::ports::ToolOutcome;
use crate::media::{Facts, FileId, PrivateNow, PrivatePlaces, open_plain, private_files};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::sinks::Lossy;
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::WalkBuilder;
use ignore::overrides::{Override, OverrideBuilder};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// How long a search goes on.
pub(super) const LONGEST: Duration = Duration::from_secs(20);
/// Lines in an answer, and their bytes.
const MOST_MATCHES: usize = 100;
const LONGEST_ANSWER: usize = 32 * 1024;
/// Bytes of a line that are shown around the match.
const LONGEST_LINE: usize = 400;
/// Bytes of a file; a longer one is passed over.
const LONGEST_FILE: u64 = 16 * 1024 * 1024;
/// Bytes that the compiled pattern may take.
const LONGEST_PATTERN: usize = 4 * 1024 * 1024;

/// Files in which the walk reads what is ignored, in each folder and in those above.
const LISTS: &[&str] = &[".gitignore", ".ignore"];

/// Searches below the real path (or in it, when it is a file). Blocks on the disk.
pub(super) fn search_files(
    root: &Path,
    pattern: &str,
    glob: Option<&str>,
    workspace: Option<&Path>,
    places: &PrivatePlaces,
    stop: &CancellationToken,
) -> ToolOutcome {
    if !root.exists() {
        return failed(format!("{} does not exist.", root.display()));
    }
    if let Some(folder) = root.ancestors().find(|folder| has_odd_list(folder)) {
        return failed(format!("{} holds a list of ignored files that is no file.", folder.display()));
    }
    let matcher = RegexMatcherBuilder::new()
        .line_terminator(Some(b'\n'))
        .size_limit(LONGEST_PATTERN)
        .dfa_size_limit(LONGEST_PATTERN)
        .build(pattern);
    let matcher = match matcher {
        Ok(matcher) => matcher,
        Err(error) => {
            return failed(format!("The pattern is no regular expression that works here: {error}"));
        }
    };
    let files = match glob.map(|glob| names(root, glob)).transpose() {
        Ok(files) => files,
        Err(words) => return failed(words),
    };
    let mut search = Search {
        found: Vec::new(),
        bytes: 0,
        too_long: 0,
        places,
        now: places.now(),
        linked: None,
        matcher,
        searcher: SearcherBuilder::new().binary_detection(BinaryDetection::quit(0)).build(),
        workspace,
    };
    let end = Instant::now() + LONGEST;
    let private = places.now();
    let walk = WalkBuilder::new(root)
        .require_git(false)
        // It lies where a file of the folder says.
        .git_exclude(false)
        .filter_entry(move |entry| !private.contains(entry.path()) && !has_odd_list(entry.path()))
        .sort_by_file_path(Path::cmp)
        .build();
    let mut whole = true;
    for entry in walk.flatten() {
        if stop.is_cancelled() {
            return failed("The search was stopped by the user.");
        }
        whole = search.has_room() && Instant::now() < end;
        if !whole {
            break;
        }
        let wanted = files.as_ref().is_none_or(|files| files.matched(entry.path(), false).is_whitelist());
        if wanted && entry.file_type().is_some_and(|kind| kind.is_file()) {
            search.file(entry.path());
        }
    }
    search.answer(whole)
}

/// A pipe in the place of a list would be waited for without end.
fn has_odd_list(folder: &Path) -> bool {
    LISTS.iter().any(|list| folder.join(list).metadata().is_ok_and(|found| !found.is_file()))
}

/// Globs as `.gitignore` has them; apart from the walk, which would take named files for not hidden.
fn names(root: &Path, glob: &str) -> Result<Override, String> {
    let wrong = |error| format!("The glob is wrong: {error}.");
    if glob.starts_with('!') {
        return Err("The glob must name the files that are searched, not those that are not.".to_owned());
    }
    let mut builder = OverrideBuilder::new(root);
    builder.add(glob).map_err(wrong)?;
    builder.build().map_err(wrong)
}

struct Search<'a> {
    found: Vec<Value>,
    bytes: usize,
    too_long: usize,
    places: &'a PrivatePlaces,
    now: PrivateNow,
    /// The private files, asked for with the first file that has several names; inside `None`: they are too many to tell.
    linked: Option<Option<HashSet<FileId>>>,
    matcher: RegexMatcher,
    searcher: Searcher,
    workspace: Option<&'a Path>,
}

impl Search<'_> {
    fn has_room(&self) -> bool {
        self.found.len() < MOST_MATCHES && self.bytes < LONGEST_ANSWER
    }

    /// A file that cannot be read has nothing that could be shown.
    fn file(&mut self, path: &Path) {
        let Ok(file) = open_plain(path) else { return };
        let Ok(facts) = Facts::of(&file) else { return };
        if !facts.regular || self.now.contains(path) || facts.links > 1 && self.is_linked(facts.id) {
            return;
        }
        if facts.size > LONGEST_FILE {
            self.too_long += 1;
            return;
        }
        let Self { found, bytes, matcher, searcher, workspace, .. } = self;
        let shown = workspace
            .and_then(|workspace| path.strip_prefix(workspace).ok())
            .unwrap_or(path)
            .to_string_lossy();
        let sink = Lossy(|number, line: &str| {
            let line = around(&*matcher, line.trim_end_matches(['\n', '\r']));
            *bytes += line.len() + shown.len();
            found.push(json!({ "path": shown, "line": number, "content": line }));
            Ok(found.len() < MOST_MATCHES && *bytes < LONGEST_ANSWER)
        });
        if let Err(error) = searcher.search_file(&*matcher, &file, sink) {
            tracing::debug!(%error, "a file was searched only in part");
        }
    }

    fn is_linked(&mut self, id: FileId) -> bool {
        let places = self.places;
        let linked = self.linked.get_or_insert_with(|| private_files(places));
        linked.as_ref().is_none_or(|files| files.contains(&id))
    }

    fn answer(self, whole: bool) -> ToolOutcome {
        let whole = whole && self.has_room();
        let mut answer = json!({ "total_count": self.found.len(), "matches": self.found });
        if !whole {
            answer["truncated"] = true.into();
            answer["hint"] =
                "There may be more matches. Search for less, in fewer folders, or with a glob.".into();
        }
        if self.too_long > 0 {
            let size = LONGEST_FILE / (1024 * 1024);
            answer["note"] =
                format!("{} files of more than {size} MiB were not searched.", self.too_long).into();
        }
        done(answer)
    }
}

/// The line, or the part of a long one that holds the match.
fn around(matcher: &RegexMatcher, line: &str) -> String {
    use grep_matcher::Matcher;
    if line.len() <= LONGEST_LINE {
        return line.to_owned();
    }
    let at = matcher.find(line.as_bytes()).ok().flatten().map_or(0, |found| found.start());
    let from = line.floor_char_boundary(at.saturating_sub(LONGEST_LINE / 4));
    let to = line.floor_char_boundary((from + LONGEST_LINE).min(line.len()));
    let mark = |is: bool| if is { "..." } else { "" };
    format!("{}{}{}", mark(from > 0), &line[from..to], mark(to < line.len()))
}
