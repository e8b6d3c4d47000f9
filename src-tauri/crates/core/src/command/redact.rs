//! Takes out of a text what nobody else is to read: keys, tokens, home folders, user names, titles. Pure.
//!
//! Rather too much than too little: what looks like a key goes, whatever it is.

use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// What stands in the place of a secret.
const REMOVED: &str = "[removed]";
/// Shorter titles are ordinary words.
const TITLE_CHARS: usize = 4;

/// Names whose value is a secret, in a header, an address, a variable or JSON.
const NAMED: &str = r#"(?i)([\w.-]*(?:token|secret|passw(?:or)?d|passphrase|api[_-]?key|access[_-]?key|private[_-]?key|credential|cookie|signature|authorization|auth)[\w-]*["']?\s*[=:]\s*["']?)(?:(?:bearer|basic|token)\s+)?[^\s"'&,;\])}]+"#;

/// Each pattern and what it becomes, in the order in which they are applied.
static RULES: LazyLock<Vec<(Regex, String)>> = LazyLock::new(|| {
    let rule = |pattern: &str, with: String| {
        (Regex::new(pattern).expect("the patterns are constant and tested"), with)
    };
    vec![
        // A private key in a file, on however many lines.
        rule(r"(?s)-----BEGIN [A-Z ]+-----.*?(?:-----END [A-Z ]+-----|\z)", REMOVED.to_owned()),
        // The password inside an address.
        rule(r"://[^\s/@]+@", format!("://{REMOVED}@")),
        rule(NAMED, format!("${{1}}{REMOVED}")),
        rule(r"(?i)\b(bearer|basic)\s+[\w.+/=~-]{4,}", format!("${{1}} {REMOVED}")),
        // Keys that say what they are: OpenAI and its kind, GitHub, Slack, AWS, Google, Hugging Face, GitLab, JWT.
        rule(
            r"\b(?:sk-|rk-|pk-|gh[pousr]_|github_pat_|xox[a-z]-|AKIA|ASIA|AIza|hf_|glpat-|eyJ)[\w.~+/=-]{6,}",
            REMOVED.to_owned(),
        ),
        rule(r"[\w.+-]+@[\w-]+\.[\w.-]+", REMOVED.to_owned()),
        // The user in a path. A name may have blanks on Windows, so it ends at a separator or at the line's end.
        rule(r"(?i)([a-z]:[\\/]+users[\\/]+)[^\\/\r\n]+", "${1}[user]".to_owned()),
        rule(r"(/home/|/Users/|/run/media/|/var/mobile/)[^/\s]+", "${1}[user]".to_owned()),
        rule(r"(/run/user/)\d+", "${1}[user]".to_owned()),
    ]
});

/// Runs of letters and digits as keys have them.
static RUN: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"[A-Za-z0-9+/_=-]{24,}").expect("the pattern is constant and tested"));

/// Quoted text may be a title or somebody's words.
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""[^"\r\n]+""#).expect("the pattern is constant and tested"));

/// The text without what is private. `user_home` becomes `~`; `titles` are those of the user's sessions.
pub(super) fn redacted(text: &str, user_home: &Path, titles: &[String]) -> String {
    let mut text = text.to_owned();
    // The longest first: one may be a part of another.
    let mut titles: Vec<&String> =
        titles.iter().filter(|title| title.chars().count() >= TITLE_CHARS).collect();
    titles.sort_by_key(|title| std::cmp::Reverse(title.len()));
    for title in titles {
        text = text.replace(title.as_str(), "[title]");
    }
    let home = user_home.to_string_lossy();
    let home = home.trim_end_matches(['/', '\\']);
    if home.len() > 1 {
        text = text.replace(home, "~");
    }
    for (pattern, with) in RULES.iter() {
        text = pattern.replace_all(&text, with.as_str()).into_owned();
    }
    text = RUN
        .replace_all(
            &text,
            |run: &regex::Captures<'_>| {
                if is_key(&run[0]) { REMOVED.to_owned() } else { run[0].to_owned() }
            },
        )
        .into_owned();
    QUOTED.replace_all(&text, "\"[text]\"").into_owned()
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
        redacted(text, Path::new("/home/maria"), &["Quarterly numbers".to_owned(), "Fix".to_owned()])
    }

    #[test]
    fn what_is_private_goes_and_what_helps_stays() {
        for (text, expected) in [
            ("key sk-proj-Ab12Cd34Ef56 used", "key [removed] used"),
            ("Authorization: Bearer abc.def-123", "Authorization: [removed]"),
            ("sent bearer abcdef", "sent bearer [removed]"),
            ("GET /x?token=abc&limit=5", "GET /x?token=[removed]&limit=5"),
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
    }
}
