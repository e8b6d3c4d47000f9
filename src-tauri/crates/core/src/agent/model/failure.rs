//! What a server says of a failure, as a [`ModelError`] in words for the user. Pure.
//!
//! A server's own words are hostile text: cut, in one line, without control characters, and without the key, which some
//! servers repeat.

use crate::agent::ports::{ModelError, ModelErrorKind};
use crate::store::{is_unseen, one_line};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use std::time::{Duration, SystemTime};
use talaria_wire::Millis;

/// Characters of a server's words.
const WORDS: usize = 300;

/// The least length of a key that is looked for in a server's words; a shorter one is in every second word.
const KEY: usize = 4;

/// Longer waits than a day are a mistake of the server.
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 60 * 60);

/// A failure as a server words it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// As they came.
    pub words: String,
    /// Its own code or type, in lower case; empty: none.
    code: String,
    /// A status inside the body, as some relays put it there.
    status: Option<u16>,
}

impl Said {
    /// The failure in a JSON body or chunk, if it is one.
    pub fn in_body(body: &Value) -> Option<Self> {
        let error = &body["error"];
        let (words, holder) = match error {
            Value::String(words) => (words.clone(), body),
            Value::Object(_) => (words_of(error), error),
            _ if body["object"] == "error" => (words_of(body), body),
            _ => return None,
        };
        let text = |name: &str| holder[name].as_str().unwrap_or_default().to_lowercase();
        let number = holder["code"].as_u64().or_else(|| holder["status"].as_u64());
        let status = number.and_then(|number| u16::try_from(number).ok()).filter(|s| (400..600).contains(s));
        Some(Self { words, code: format!("{} {}", text("code"), text("type")).trim().to_owned(), status })
    }

    /// The body of a response that is a failure.
    pub fn in_response(content_type: &str, body: &[u8]) -> Self {
        let text = String::from_utf8_lossy(body);
        if let Ok(json) = serde_json::from_str::<Value>(&text) {
            return Self::in_body(&json)
                .unwrap_or_else(|| Self { words: words_of(&json), ..Self::default() });
        }
        if content_type.contains("html") || text.trim_start().starts_with('<') {
            // A page is for a browser; its title is what can be said of it.
            return Self { words: title(&text).unwrap_or_default().to_owned(), ..Self::default() };
        }
        Self { words: text.into_owned(), ..Self::default() }
    }

    /// Whether its words hold one of these, in lower case.
    pub fn names(&self, words: &[&str]) -> bool {
        let said = self.words.to_lowercase();
        words.iter().any(|words| said.contains(words) || self.code.contains(words))
    }

    /// `said so: "..."` for the end of a sentence; nothing when the server said nothing.
    fn quoted(&self, key: Option<&SecretString>) -> String {
        let words = server_words(&self.words, key);
        if words.is_empty() { String::new() } else { format!(" It says: {words}") }
    }
}

/// A text of the server as it may be shown.
pub(super) fn server_words(text: &str, key: Option<&SecretString>) -> String {
    let hidden = match key.map(SecretString::expose_secret) {
        Some(key) if key.len() >= KEY => text.replace(key, "[key]"),
        _ => text.to_owned(),
    };
    let line = one_line(&hidden, is_unseen);
    match line.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
        None => line,
    }
}

/// Where a server puts its words: OpenAI, FastAPI, and others.
fn words_of(json: &Value) -> String {
    let fields = ["message", "detail", "error_description", "msg", "title"];
    let found = fields.iter().map(|field| &json[*field]).find(|value| !value.is_null());
    match found.unwrap_or(&Value::Null) {
        Value::String(words) => words.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn title(page: &str) -> Option<&str> {
    // Only a byte for a byte: places must stay.
    let lower = page.to_ascii_lowercase();
    let from = lower.find("<title>")? + "<title>".len();
    let end = from + lower[from..].find("</title>")?;
    Some(&page[from..end])
}

/// What a request was for; for the words.
#[derive(Clone, Copy, Debug)]
pub(super) struct About<'a> {
    /// Host and port.
    pub host: &'a str,
    /// The model asked for.
    pub model: &'a str,
    pub key: Option<&'a SecretString>,
}

/// What servers call a request that is longer than the model's context.
const CONTEXT: [&str; 9] = [
    "context length",
    "context_length",
    "context window",
    "context size",
    "maximum context",
    "prompt is too long",
    "input is too long",
    "too many tokens",
    "exceeds the available context",
];

/// A response whose status is not of the 200s.
pub(super) fn refused(
    status: u16,
    said: &Said,
    retry_after: Option<Millis>,
    about: &About<'_>,
) -> ModelError {
    use ModelErrorKind as Kind;
    let About { host, model, key } = *about;
    let quoted = said.quoted(key);
    let (kind, message) = match status {
        300..=399 => (
            Kind::Refused,
            format!("{host} sends us to another address. Enter the server's own address in Settings, Model."),
        ),
        _ if said.names(&["insufficient_quota", "billing"]) || status == 402 => {
            (Kind::Refused, format!("The account at {host} has no credit left.{quoted}"))
        }
        401 | 403 => {
            let what = if key.is_some() { "does not accept the key" } else { "asks for a key" };
            (Kind::Key, format!("{host} {what}. Enter it in Settings, Model.{quoted}"))
        }
        400 if said.names(&["api key", "api_key"]) => {
            (Kind::Key, format!("{host} does not accept the key. Enter it in Settings, Model.{quoted}"))
        }
        404 | 405 => (
            Kind::NoModel,
            format!(
                "{host} has no model \"{model}\", or no chat at this address: most servers have it below /v1. \
                 Choose another model or address.{quoted}"
            ),
        ),
        400 | 422
            if said.names(&["model_not_found", "model not found", "unknown model", "invalid model name"]) =>
        {
            (Kind::NoModel, format!("{host} has no model \"{model}\". Choose another one.{quoted}"))
        }
        413 => (Kind::TooLong, too_long(&quoted)),
        400..=499 if said.names(&CONTEXT) => (Kind::TooLong, too_long(&quoted)),
        429 => (Kind::Busy, format!("{host} takes no more requests at the moment.{quoted}")),
        // 529: overloaded, as Anthropic says it.
        529 => (Kind::Busy, format!("{host} is overloaded at the moment.{quoted}")),
        408 | 425 | 500.. => (Kind::Unreachable, format!("{host} has a fault (status {status}).{quoted}")),
        _ => (Kind::Refused, format!("{host} refused the request (status {status}).{quoted}")),
    };
    ModelError { kind, message, retry_after }
}

fn too_long(quoted: &str) -> String {
    format!(
        "The conversation is longer than the model can take. Compress it, or choose another model.{quoted}"
    )
}

/// A failure told inside a stream, or with status 200.
pub(super) fn in_stream(said: &Said, about: &About<'_>) -> ModelError {
    let of_its_code = || match said.code.as_str() {
        code if code.contains("rate_limit") || code.contains("overloaded") => 429,
        code if code.contains("server_error") || code.contains("internal") => 500,
        code if code.contains("authentication") || code.contains("permission") => 401,
        // What is refused in mid-answer has no status of its own.
        _ => 400,
    };
    let mut error = refused(said.status.unwrap_or_else(of_its_code), said, None, about);
    if error.kind == ModelErrorKind::Refused && said.status.is_none() {
        error.message = format!("{} broke the answer off.{}", about.host, said.quoted(about.key));
    }
    error
}

/// An error of the kind, without a wait.
pub(super) fn failure(kind: ModelErrorKind, message: impl Into<String>) -> ModelError {
    ModelError { kind, message: message.into(), retry_after: None }
}

/// `Retry-After` in milliseconds: seconds, or a date (RFC 9110, 10.2.3). Not more than a day.
pub(super) fn retry_after(value: &str, now: SystemTime) -> Option<Millis> {
    let value = value.trim();
    let wait = match value.parse::<f64>() {
        Ok(seconds) if seconds.is_finite() && seconds >= 0.0 => {
            Duration::from_secs_f64(seconds.min(LONGEST_WAIT.as_secs_f64()))
        }
        Ok(_) => return None,
        Err(_) => httpdate::parse_http_date(value).ok()?.duration_since(now).unwrap_or_default(),
    };
    Millis::try_from(wait.min(LONGEST_WAIT).as_millis()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::time::UNIX_EPOCH;

    const ABOUT: About<'_> = About { host: "x.org", model: "m", key: None };

    fn kind(status: u16, body: Value) -> ModelErrorKind {
        let said = Said::in_response("application/json", body.to_string().as_bytes());
        refused(status, &said, None, &ABOUT).kind
    }

    #[test]
    fn each_refusal_is_of_the_kind_that_says_what_helps() {
        use ModelErrorKind as Kind;
        let error = |words: &str| json!({ "error": { "message": words } });
        for (status, body, expected) in [
            (401, error("Incorrect API key"), Kind::Key),
            (403, Value::Null, Kind::Key),
            (400, error("API key not valid. Please pass a valid API key."), Kind::Key),
            (404, error("model 'x' not found"), Kind::NoModel),
            (400, json!({ "error": { "code": "model_not_found", "message": "no" } }), Kind::NoModel),
            (400, error("Invalid model name passed in model=x"), Kind::NoModel),
            (429, error("Slow down"), Kind::Busy),
            (429, json!({ "error": { "code": "insufficient_quota", "message": "no" } }), Kind::Refused),
            (402, Value::Null, Kind::Refused),
            (500, Value::Null, Kind::Unreachable),
            (503, Value::Null, Kind::Unreachable),
            (529, Value::Null, Kind::Busy),
            (408, Value::Null, Kind::Unreachable),
            (413, Value::Null, Kind::TooLong),
            (
                400,
                error("This model's maximum context length is 8192 tokens. However, you asked for 9000."),
                Kind::TooLong,
            ),
            (400, json!({ "error": { "code": "context_length_exceeded", "message": "" } }), Kind::TooLong),
            (
                400,
                error("the request exceeds the available context size. try increasing the context size"),
                Kind::TooLong,
            ),
            (400, json!({ "detail": "messages: field required" }), Kind::Refused),
            (307, Value::Null, Kind::Refused),
            (451, Value::Null, Kind::Refused),
        ] {
            assert_eq!(kind(status, body.clone()), expected, "{status} {body}");
        }
    }

    #[test]
    fn the_words_of_a_server_are_found_in_every_usual_shape() {
        let words = |content_type: &str, body: &str| Said::in_response(content_type, body.as_bytes()).words;
        let json = "application/json";
        assert_eq!(words(json, r#"{"error": {"message": "a"}}"#), "a");
        assert_eq!(words(json, r#"{"error": "a"}"#), "a");
        assert_eq!(words(json, r#"{"detail": "a"}"#), "a");
        assert_eq!(words(json, r#"{"detail": [{"msg": "a"}]}"#), r#"[{"msg":"a"}]"#);
        assert_eq!(words(json, r#"{"object": "error", "message": "a"}"#), "a");
        assert_eq!(
            words("text/html", "<html><head><TITLE>502 Bad Gateway</title></head><body>x"),
            "502 Bad Gateway"
        );
        assert_eq!(words("", "<p>no title"), "");
        assert_eq!(words("text/plain", "a"), "a");
    }

    #[test]
    fn the_words_of_a_server_are_cut_made_one_line_and_never_hold_the_key() {
        let key = SecretString::from("hunter2-hunter2");
        let said = server_words("bad\r\nkey \u{1b}[31mhunter2-hunter2\u{202e} here", Some(&key));
        assert_eq!(said, "bad key [31m[key] here");
        let long = server_words(&"é".repeat(2_000), None);
        assert_eq!(long.chars().count(), WORDS + 1);
        assert!(long.ends_with('…'));
    }

    #[test]
    fn a_failure_in_a_stream_is_of_the_kind_that_its_code_says() {
        use ModelErrorKind as Kind;
        for (body, expected) in [
            (json!({ "error": { "code": 502, "message": "no" } }), Kind::Unreachable),
            (json!({ "error": { "code": 429, "message": "no" } }), Kind::Busy),
            (json!({ "error": { "type": "overloaded_error", "message": "no" } }), Kind::Busy),
            (json!({ "error": { "type": "server_error", "message": "no" } }), Kind::Unreachable),
            (
                json!({ "error": { "type": "invalid_request_error", "message": "context length" } }),
                Kind::TooLong,
            ),
            (json!({ "error": "no" }), Kind::Refused),
        ] {
            let said = Said::in_body(&body).expect("a failure");
            assert_eq!(in_stream(&said, &ABOUT).kind, expected, "{body}");
        }
    }

    #[test]
    fn a_wait_is_read_as_seconds_or_as_a_date() {
        let now = UNIX_EPOCH + Duration::from_secs(784_111_770);
        for (value, millis) in [
            ("7", Some(7_000)),
            ("0.5", Some(500)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(7_000)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("99999999999", Some(86_400_000)),
            ("-1", None),
            ("NaN", None),
            ("soon", None),
        ] {
            assert_eq!(retry_after(value, now), millis, "{value}");
        }
    }
}
