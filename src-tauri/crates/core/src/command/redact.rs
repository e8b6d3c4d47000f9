//! Takes out of a text what nobody else is to read: keys, tokens, home folders, user names, titles. Pure.
//!
//! Rather too much than too little: what looks like a key goes, whatever it is. Everything is looked for in the text as
//! it came, and taken out at once: what one rule takes can never hide from another what it would have taken.

use regex::Regex;
use std::ops::Range;
use std::path::Path;
use std::sync::LazyLock;

/// What stands in the place of a secret.
const REMOVED: &str = "[removed]";
/// Shorter titles are ordinary words,
const TITLE_CHARS: usize = 4;
/// but for those of a script in which a sign is a word.
const SIGNS: usize = 2;

/// Names whose value is a secret, in a header, an address, a variable or JSON.
const NAMED: &str = r#"(?i)[\w.-]*(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|cookie|signature|authorization|auth)[\w-]*["']?\s*[=:]\s*["']?(?<it>(?:(?:bearer|basic|token)\s+)?[^\s"'&,;\])}]+)"#;

/// Each pattern and what stands in the place of its group `it`. Where two begin at the same letter, the longer one says
/// what is read there, else the later one.
static RULES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let rule =
        |pattern: &str, with| (Regex::new(pattern).expect("the patterns are constant and tested"), with);
    vec![
        // A private key in a file, on however many lines.
        rule(r"(?s)(?<it>-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\z))", REMOVED),
        // The password inside an address.
        rule(r"://(?<it>[^\s/@]+)@", REMOVED),
        rule(NAMED, REMOVED),
        rule(r"(?i)\b(?:bearer|basic)\s+(?<it>[\w.+/=~-]{4,})", REMOVED),
        // Keys that say what they are: OpenAI and its kind, GitHub, Slack, AWS, Google, Hugging Face, GitLab, JWT.
        rule(
            r"\b(?<it>(?:sk-|rk-|pk-|gh[pousr]_|github_pat_|xox[a-z]-|AKIA|ASIA|AIza|hf_|glpat-|eyJ)[\w.~+/=-]{6,})",
            REMOVED,
        ),
        rule(r"(?<it>[\w.+-]+@[\w-]+\.[\w.-]+)", REMOVED),
        // The user in a path. A name may have blanks on Windows, so it ends at a separator or at the line's end.
        rule(r"(?i)[a-z]:[\\/]+users[\\/]+(?<it>[^\\/\r\n]+)", "[user]"),
        rule(r"(?:/home/|/Users/|/run/media/|/var/mobile/)(?<it>[^/\s]+)", "[user]"),
        rule(r"/run/user/(?<it>\d+)", "[user]"),
        // Quoted text may be a title or somebody's words.
        rule(r#""(?<it>[^"\r\n]+)""#, "[text]"),
    ]
});

/// Runs of letters and digits as keys have them.
static RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/_=-]{24,}").expect("the pattern is constant and tested"));

/// A sign of a script in which two make a title.
static SIGN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]").expect("the pattern is constant and tested")
});

/// A part of a text, and what is read in its place.
struct Found {
    part: Range<usize>,
    with: &'static str,
}

/// The text without what is private. `user_home` becomes `~`, a `data_folder` elsewhere `<data folder>`; `titles` are those
/// of the user's sessions.
pub(super) fn redacted(text: &str, user_home: &Path, data_folder: &Path, titles: &[String]) -> String {
    let mut found = folder(text, user_home, "~");
    if !data_folder.starts_with(user_home) {
        found.extend(folder(text, data_folder, "<data folder>"));
    }
    for title in titles.iter().filter(|title| is_looked_for(title)) {
        let there = text.match_indices(title.as_str());
        found.extend(there.map(|(at, _)| Found { part: at..at + title.len(), with: "[title]" }));
    }
    for run in RUN.find_iter(text).filter(|run| is_key(run.as_str())) {
        found.push(Found { part: run.range(), with: REMOVED });
    }
    for (pattern, with) in RULES.iter() {
        let there = pattern.captures_iter(text).filter_map(|all| all.name("it").map(|it| it.range()));
        found.extend(there.map(|part| Found { part, with }));
    }
    without(text, found)
}

/// The text with every part replaced; parts that lie over one another are replaced as one.
fn without(text: &str, mut found: Vec<Found>) -> String {
    // Stable, so of two equal parts the later one is behind.
    found.sort_by_key(|found| (found.part.start, found.part.end));
    let mut said = String::with_capacity(text.len());
    let mut end = 0;
    let mut rest = found.into_iter().peekable();
    while let Some(mut first) = rest.next() {
        while let Some(next) = rest.next_if(|next| next.part.start < first.part.end) {
            if next.part.start == first.part.start {
                first.with = next.with;
            }
            first.part.end = first.part.end.max(next.part.end);
        }
        said.push_str(&text[end..first.part.start]);
        said.push_str(first.with);
        end = first.part.end;
    }
    said.push_str(&text[end..]);
    said
}

/// Where a folder is named, and not another one that begins with its name.
fn folder(text: &str, folder: &Path, with: &'static str) -> Vec<Found> {
    let folder = folder.to_string_lossy();
    let folder = folder.trim_end_matches(['/', '\\']);
    if folder.len() < 2 {
        return Vec::new();
    }
    let ends = |at: usize| !text[at + folder.len()..].starts_with(char::is_alphanumeric);
    let there = text.match_indices(folder).filter(|(at, _)| ends(*at));
    there.map(|(at, _)| Found { part: at..at + folder.len(), with }).collect()
}

fn is_looked_for(title: &str) -> bool {
    let least = if SIGN.is_match(title) { SIGNS } else { TITLE_CHARS };
    title.chars().nth(least - 1).is_some()
}

/// Whether a run is random rather than words: digits among letters, in a part that is long, or in all of it.
fn is_key(run: &str) -> bool {
    let mixed = |text: &str| {
        let has = |kind: fn(&u8) -> bool| text.bytes().any(|byte| kind(&byte));
        has(u8::is_ascii_digit) && has(u8::is_ascii_alphabetic)
    };
    let long_hex = |text: &str| text.len() >= 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_path = run.starts_with('/') || run.matches('/').count() * 20 > run.len();
    let part = |text: &str| (text.len() >= 24 && mixed(text)) || long_hex(text);
    run.split('/').any(part) || (!is_path && mixed(run))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redact(text: &str) -> String {
        redact_titled(
            text,
            &["Quarterly numbers", "Fix", "\u{9031}\u{5831}", "Plan password: hunter2 now", "token"],
        )
    }

    fn redact_titled(text: &str, titles: &[&str]) -> String {
        let titles: Vec<String> = titles.iter().map(|title| (*title).to_owned()).collect();
        redacted(text, Path::new("/home/maria"), Path::new("/srv/t"), &titles)
    }

    #[test]
    fn what_is_private_goes_and_what_helps_stays() {
        for (text, expected) in [
            ("key sk-proj-Ab12Cd34Ef56 used", "key [removed] used"),
            ("Authorization: Bearer abc.def-123", "Authorization: [removed]"),
            ("sent bearer abcdef", "sent bearer [removed]"),
            ("GET /x?token=abc&limit=5", "GET /x?[title]=[removed]&limit=5"),
            ("OPENAI_API_KEY=hello", "OPENAI_API_KEY=[removed]"),
            (r#"{"api_key": "hello", "n": 1}"#, "{\"[text]\": \"[text]\", \"[text]\": 1}"),
            ("password: hunter2", "password: [removed]"),
            ("https://me:pw@host/path", "https://[removed]@host/path"),
            ("ghp_0123456789abcdef", "[removed]"),
            ("AKIAIOSFODNN7EXAMPLE", "[removed]"),
            ("eyJhbGciOi.eyJzdWIiOiIx.sig-na", "[removed]"),
            ("d41d8cd98f00b204e9800998ecf8427e", "[removed]"),
            ("0192f5a0-7b1c-7def-8a12-0123456789ab", "[removed]"),
            ("q83vEjRWeJq83vEjRWeJq83v/AbCdEf0=", "[removed]"),
            ("mail maria@example.org now", "mail [removed] now"),
            ("-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nend", "[removed]\nend"),
            ("/home/maria/.local/share/talaria/talaria.db", "~/.local/share/talaria/talaria.db"),
            ("/home/paul/notes and /Users/paul/x", "/home/[user]/notes and /Users/[user]/x"),
            (r"C:\Users\Paul Meier\AppData\x", r"C:\Users\[user]\AppData\x"),
            ("opened Quarterly numbers again", "opened [title] again"),
            ("opened \u{9031}\u{5831}.", "opened [title]."),
            ("set Plan password: hunter2 now, and", "set [title], and"),
            ("?token=Quarterly numbers", "?[title]=[title]"),
            (
                "/srv/t/talaria.db, /srv/table and /srv/t",
                "<data folder>/talaria.db, /srv/table and <data folder>",
            ),
            ("/home/maria2/x", "/home/[user]/x"),
            (r#"named "my words" here"#, r#"named "[text]" here"#),
            // These are what a log is read for.
            (
                "2026-11-30T12:00:00.123456Z  WARN talaria_core::boot: start failed code=Damaged",
                "2026-11-30T12:00:00.123456Z  WARN talaria_core::boot: start failed code=Damaged",
            ),
            (
                "Tree 17 page 204 cell 3: Rowid 5 out of order",
                "Tree 17 page 204 cell 3: Rowid 5 out of order",
            ),
            (
                "src-tauri/crates/core/src/store/recover/mod.rs:120",
                "src-tauri/crates/core/src/store/recover/mod.rs:120",
            ),
            ("/mnt/disk2/talaria/talaria.db", "/mnt/disk2/talaria/talaria.db"),
            ("Fix the disk", "Fix the disk"),
        ] {
            assert_eq!(redact(text), expected);
        }
    }

    /// A secret of some kind, as it would be written.
    fn secret() -> impl Strategy<Value = (String, String)> {
        prop_oneof![
            "sk-[A-Za-z0-9_-]{16,40}".prop_map(|key| (key.clone(), key)),
            "gh[ps]_[A-Za-z0-9]{20,36}".prop_map(|key| (key.clone(), key)),
            "[a-f0-9]{32,64}".prop_map(|key| (key.clone(), key)),
            "[A-Za-z]{12}[0-9][A-Za-z0-9]{24,40}".prop_map(|key| (key.clone(), key)),
            "[A-Za-z0-9]{8,20}".prop_map(|key| (format!("Authorization: Bearer {key}"), key)),
            "[A-Za-z0-9]{8,20}".prop_map(|key| (format!("?token={key}&x=1"), key)),
            "[A-Za-z0-9]{8,20}".prop_map(|key| (format!("client_secret: '{key}'"), key)),
            "[a-z]{8,12}".prop_map(|user| (format!("/home/{user}/file"), user)),
        ]
    }

    proptest! {
        #[test]
        fn a_planted_secret_never_comes_out(
            before in "[ -~]{0,60}",
            (written, secret) in secret(),
            after in "[ -~]{0,60}",
        ) {
            let text = format!("{before} {written} {after}");
            // Where the words around it hold the same letters they say nothing of it.
            prop_assume!(!before.contains(&secret) && !after.contains(&secret));
            let said = redact(&text);
            prop_assert!(!said.contains(&secret), "{text:?} became {said:?}");
        }

        #[test]
        fn a_title_never_shields_a_secret(
            titles in proptest::collection::vec(
                prop_oneof![
                    proptest::sample::select(vec![
                        "token", "secret", "password", "passwd", "passphrase", "api_key", "api-key", "access_key",
                        "private-key", "credential", "cookie", "signature", "authorization", "auth", "Bearer",
                        "client_secret", "Authorization: ", "?token", "token=", "home", "/home/", "sk-",
                    ])
                    .prop_map(str::to_owned),
                    "[ -~]{4,8}",
                ],
                1..6,
            ),
            (written, secret) in secret(),
        ) {
            let titles: Vec<&str> = titles.iter().map(String::as_str).collect();
            let said = redact_titled(&format!("at {written} end"), &titles);
            prop_assert!(!said.contains(&secret), "{titles:?}: {written:?} became {said:?}");
        }
    }
}
