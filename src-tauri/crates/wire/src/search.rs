//! Search over titles and text.

use crate::{ArchivedFilter, MessageId, MessageRole, Millis, SessionRow};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// `session_search`: every word must occur. Words are letters; `%`, `_`, `"`, `*` have no meaning.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(deny_unknown_fields)]
pub struct SearchRequest {
    pub query: String,
    /// Default for search: `include`; archived hits are marked.
    #[serde(default = "include")]
    pub archived: ArchivedFilter,
    /// The `next_cursor` of the page before: only message hits are answered. Not together with `title_cursor`.
    #[serde(default)]
    pub cursor: Option<String>,
    /// The `next_title_cursor` of the page before: only title hits are answered. Not together with `cursor`.
    #[serde(default)]
    pub title_cursor: Option<String>,
}

fn include() -> ArchivedFilter {
    ArchivedFilter::Include
}

/// Part of a snippet or title, marked or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SnippetPart {
    pub text: String,
    pub hit: bool,
}

/// A session whose title holds all words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct TitleHit {
    pub row: SessionRow,
    pub title: Vec<SnippetPart>,
}

/// The newest message of a lineage that holds all words: at most one a lineage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct MessageHit {
    pub row: SessionRow,
    pub message_id: MessageId,
    /// Its place in the transcript.
    pub index: i64,
    pub role: MessageRole,
    pub created_at: Millis,
    pub snippet: Vec<SnippetPart>,
}

/// A number that stops counting at 1,000.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct CappedCount {
    pub n: i64,
    /// Shown as "1,000+".
    pub more: bool,
}

/// Title hits and message hits, each newest first, 20 a page, each with a cursor of its own. The first page has both; a
/// further page has the kind whose cursor was given, and nothing of the other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct SearchResponse {
    pub titles: Vec<TitleHit>,
    /// Counted for the first page; 0 on further ones.
    pub title_count: CappedCount,
    /// There are more titles.
    pub next_title_cursor: Option<String>,
    pub messages: Vec<MessageHit>,
    /// 0 on further pages of titles.
    pub message_count: CappedCount,
    /// There are more message hits.
    pub next_cursor: Option<String>,
    /// A scan (words of one or two letters) stopped at its time bound before it had seen everything.
    pub stopped_early: bool,
}
