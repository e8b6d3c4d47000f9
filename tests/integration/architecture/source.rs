//! Sources as text: walk the tree, leave comments and strings out of Rust, find what a file names.

use std::path::{Path, PathBuf};

/// What kind of text a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Rust,
    /// TypeScript or JavaScript.
    Script,
    Svelte,
    Other,
}

/// One file of ours.
pub struct Source {
    /// From the repository's top, with `/`.
    pub path: String,
    pub kind: Kind,
    pub text: String,
    /// The text with Rust's comments and strings blanked; line numbers stay.
    code: String,
}

impl Source {
    /// Lines of code with their numbers, from 1.
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.code.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests lies in the repository").to_owned()
}

/// Every hand-written source file, sorted by path.
pub fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for top in ["src-tauri", "ui", "tests", ".make", ".ci"] {
        walk(&repository().join(top), top, &mut found);
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    found
}

fn walk(folder: &Path, path: &str, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).expect("a folder of ours can be listed") {
        let entry = entry.expect("an entry");
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{path}/{name}");
        if entry.file_type().expect("an entry has a type").is_dir() {
            let made = ["node_modules", "dist", "generated", "gen", "fixtures", "target", "snapshots"];
            if !made.contains(&name.as_str()) {
                walk(&entry.path(), &path, found);
            }
            continue;
        }
        let kind = match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("rs") => Kind::Rust,
            Some("ts" | "js") => Kind::Script,
            Some("svelte") => Kind::Svelte,
            Some("css" | "html" | "sql" | "sh" | "toml") => Kind::Other,
            _ => continue,
        };
        let text = std::fs::read_to_string(entry.path()).expect("a source is readable text");
        let code = if kind == Kind::Rust { without_comments_and_strings(&text) } else { text.clone() };
        found.push(Source { path, kind, text, code });
    }
}

/// Blanks comments, string and character literals, so that words in them are not taken for code.
fn without_comments_and_strings(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let length = if rest.starts_with(b"//") {
            rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())
        } else if rest.starts_with(b"/*") {
            block_comment(rest)
        } else if let Some(length) = raw_string(bytes, at) {
            length
        } else if rest[0] == b'"' {
            quoted(rest, b'"')
        } else if rest[0] == b'\'' && is_character(rest) {
            quoted(rest, b'\'')
        } else {
            at += 1;
            continue;
        };
        for byte in &mut code[at..at + length] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at += length;
    }
    String::from_utf8(code).expect("whole literals were blanked, so the text is still UTF-8")
}

fn block_comment(rest: &[u8]) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        if rest[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
        } else if rest[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += 1;
        }
    }
    rest.len()
}

/// The length of a raw string that starts here: `r"..."`, `r#"..."#`, `br"..."`.
fn raw_string(bytes: &[u8], at: usize) -> Option<usize> {
    let after_word = at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || bytes[at - 1] == b'_');
    let rest = &bytes[at..];
    let start = if rest.starts_with(b"br") { 2 } else { usize::from(rest.starts_with(b"r")) };
    if start == 0 || after_word {
        return None;
    }
    let hashes = rest[start..].iter().take_while(|byte| **byte == b'#').count();
    if rest.get(start + hashes) != Some(&b'"') {
        return None;
    }
    let end: Vec<u8> = std::iter::once(b'"').chain(std::iter::repeat_n(b'#', hashes)).collect();
    let body = start + hashes + 1;
    let closing = rest[body..].windows(end.len()).position(|window| window == end);
    Some(closing.map_or(rest.len(), |position| body + position + end.len()))
}

fn quoted(rest: &[u8], mark: u8) -> usize {
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            byte if byte == mark => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// A character, not a lifetime: `'a'` closes after one character, `'a` does not.
fn is_character(rest: &[u8]) -> bool {
    match rest.get(1) {
        Some(b'\\') => true,
        Some(first) => {
            let width = match first {
                0..=0x7F => 1,
                0x80..=0xDF => 2,
                0xE0..=0xEF => 3,
                _ => 4,
            };
            rest.get(1 + width) == Some(&b'\'')
        }
        None => false,
    }
}

/// Identifiers of a line.
pub fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !letter.is_alphanumeric() && letter != '_').filter(|word| !word.is_empty())
}

/// The crate's own top modules that a file names, by `crate::` or by enough `super::`, with their lines.
/// `inside` is the file's path below `src`.
pub fn crate_paths(source: &Source, inside: &str) -> Vec<(usize, String)> {
    let parts: Vec<&str> = inside.trim_end_matches(".rs").split('/').collect();
    let depth = parts.len() - usize::from(parts.last() == Some(&"mod"));
    let to_top = "super::".repeat(depth);
    let mut found = Vec::new();
    for start in ["crate::", to_top.as_str()] {
        for (at, _) in source.code.match_indices(start) {
            let before = source.code[..at].chars().next_back();
            if before.is_some_and(|letter| letter.is_alphanumeric() || letter == '_' || letter == ':') {
                continue;
            }
            let line = source.code[..at].matches('\n').count() + 1;
            let rest = &source.code[at + start.len()..];
            found.extend(first_names(rest).into_iter().map(|name| (line, name)));
        }
    }
    found
}

/// `store::Store` names store; `{clock::Clock, media}` names both.
fn first_names(rest: &str) -> Vec<String> {
    let name = |text: &str| words(text).next().filter(|_| !text.starts_with('*')).map(str::to_owned);
    let Some(group) = rest.strip_prefix('{') else { return name(rest).into_iter().collect() };
    let (mut depth, mut names, mut at_start) = (0, Vec::new(), true);
    for (at, letter) in group.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            letter if depth == 0 && at_start && !letter.is_whitespace() => {
                names.extend(name(&group[at..]));
                at_start = false;
            }
            _ => {}
        }
    }
    names
}

/// One `import` or `export ... from` of a script.
pub struct ScriptImport {
    pub line: usize,
    /// What stands between `import` and `from`; empty for a bare or dynamic import.
    pub names: String,
    pub from: String,
}

impl ScriptImport {
    /// The named file's path from the top, without its extension being looked up.
    pub fn resolve(&self, importer: &str) -> String {
        let mut parts: Vec<&str> = importer.split('/').collect();
        parts.pop();
        for part in self.from.split('/') {
            match part {
                "." => {}
                ".." => {
                    parts.pop();
                }
                part => parts.push(part),
            }
        }
        parts.join("/")
    }
}

/// Every module that a script or a component names, static or dynamic.
pub fn script_imports(source: &Source) -> Vec<ScriptImport> {
    let text = &source.text;
    let mut found = Vec::new();
    for (at, keyword) in text.match_indices("import").chain(text.match_indices("export")) {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|letter| letter.is_alphanumeric() || "_$.\"'`/".contains(letter)) {
            continue;
        }
        let line = text[..at].matches('\n').count() + 1;
        let rest = text[at + keyword.len()..].trim_start_matches(['(', ' ', '\n']);
        let bare = keyword == "import" && rest.starts_with(['"', '\'']);
        let (names, rest) = if bare {
            ("", rest)
        } else {
            // The clause ends at `from`; a `;` or `=` before it means that this was no import.
            let Some(end) = rest.find(" from ") else { continue };
            if rest[..end].contains([';', '=', '(']) {
                continue;
            }
            (&rest[..end], rest[end + " from ".len()..].trim_start())
        };
        let Some(mark) = rest.chars().next().filter(|mark| matches!(mark, '"' | '\'')) else { continue };
        let Some(from) = rest[1..].split(mark).next() else { continue };
        found.push(ScriptImport { line, names: names.trim().to_owned(), from: from.to_owned() });
    }
    found
}

#[test]
fn comments_and_strings_are_no_code() {
    let text = "use a; // tauri\nlet b = \"tauri\"; let c = r#\"tau\"ri\"#; /* tauri /* x */ */ fn f<'a>(d: &'a str) { '\"'; tauri }";
    let code = without_comments_and_strings(text);
    assert_eq!(code.matches("tauri").count(), 1, "{code}");
    assert!(code.contains("fn f<'a>(d: &'a str)"), "{code}");
}

#[test]
fn a_group_names_each_of_its_modules() {
    assert_eq!(
        first_names("{clock::{Clock, SystemClock}, store, media::tags as t};"),
        ["clock", "store", "media"]
    );
    assert_eq!(first_names("boot::run()"), ["boot"]);
    assert!(first_names("*;").is_empty());
}

#[test]
fn imports_of_every_form_are_seen() {
    let text = "import { a,\n b } from \"./x\";\nimport type { C } from '../y';\nimport \"./z.css\";\n\
                const d = await import(\"./w\");\nexport * from \"./v\";\nexport const e = 1; // taken from \"here\"\n";
    let source =
        Source { path: "ui/src/lib/q.ts".into(), kind: Kind::Script, text: text.into(), code: text.into() };
    let mut found: Vec<_> = script_imports(&source).into_iter().map(|import| import.from).collect();
    found.sort();
    assert_eq!(found, ["../y", "./v", "./w", "./x", "./z.css"]);
}
