//! Titles and text.
//!
//! I1 also: `store::titles::a_number_fits_into_a_full_title`, `export::file_name`'s unit tests. I3 also:
//! `store::titles::a_typed_title_is_cleaned_stored_and_cleared`, `store::messages::a_preview_is_the_first_user_message_on_one_line`,
//! `export::formats::a_heading_stays_one_line_whatever_names_it`. I6 also:
//! `store::search::titles_come_first_and_text_newest_first`, `store::search::archived_hits_are_marked_and_the_trash_is_not_searched`,
//! `store::find::a_text_is_found_as_it_stands_in_any_case`.

use app_tests::home::{NOON, TempHome};
use app_tests::seed::{chat, session_id};
use std::sync::Arc;
use talaria_core::export::file_name;
use talaria_core::store::NewLineage;
use talaria_wire::*;

const FAMILY: &str = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
const FLAG: &str = "\u{1f1e9}\u{1f1ea}";
const ACCENT: &str = "e\u{301}";

fn titled(n: usize, title: &str, texts: &[&str]) -> NewLineage {
    NewLineage { title: Some(title.to_owned()), ..chat(n, NOON + n as i64 * 60_000, texts) }
}

async fn put(home: &TempHome, lineages: impl IntoIterator<Item = NewLineage>) {
    for lineage in lineages {
        home.store.lineage_put(Arc::new(lineage)).await.expect("the store takes it");
    }
}

async fn row(home: &TempHome, n: usize) -> SessionRow {
    home.store.session_get(SessionRef { id: session_id(n) }).await.expect("a row")
}

async fn search(home: &TempHome, query: &str) -> SearchResponse {
    let request = SearchRequest {
        query: query.to_owned(),
        archived: ArchivedFilter::Include,
        cursor: None,
        title_cursor: None,
    };
    home.store.session_search(request).await.expect("an answer")
}

/// Takes whole letters of the pattern away; what is left over was cut. A title has no joiners: there a family is its
/// members.
fn left_over_of_title(text: &str) -> String {
    left_over(
        &["\u{1f468}", "\u{1f469}", "\u{1f467}"]
            .iter()
            .fold(text.to_owned(), |text, one| text.replace(one, "")),
    )
}

/// As [`left_over_of_title`], of a text that keeps its joiners.
fn left_over(text: &str) -> String {
    [FAMILY, FLAG, ACCENT, "…", "x", " ", "needle", ".md"]
        .iter()
        .fold(text.to_owned(), |text, whole| text.replace(whole, ""))
}

/// I1. Every length at which a cut could fall into a letter of several characters: of the preview, a title that nobody
/// typed, its number, the place of a hit, a file's name.
#[tokio::test]
async fn i1_no_cut_falls_inside_a_letter_that_is_made_of_several() {
    let home = TempHome::new();
    let text = |n: usize| format!("{}{}", "x".repeat(n), [FAMILY, FLAG, ACCENT].concat().repeat(40));
    for n in 0..24 {
        let text = text(n);
        put(&home, [titled(n, &text, &[&text, &format!("{text}needle{text}")])]).await;
        let row = row(&home, n).await;
        let (title, preview) = (row.title.clone().expect("a title"), row.preview.clone().expect("a preview"));
        let named = file_name::of(&SessionRow { title: None, ..row }, ExportFormat::Markdown);
        let copy = SessionBranchRequest { id: session_id(n), message_id: None };
        let numbered = home.store.session_branch(copy).await.expect("a copy").title.expect("a title");
        for cut in [&preview, &named] {
            assert!(cut.len() > 40 && cut.len() < text.len(), "{n}: {cut}");
            assert_eq!(left_over(cut), "", "{n}: {cut}");
        }
        for cut in [title.as_str(), numbered.trim_end_matches(" #2")] {
            assert!(cut.len() > 40 && cut.len() < text.len(), "{n}: {cut}");
            assert_eq!(left_over_of_title(cut), "", "{n}: {cut}");
        }
    }
    let hits = search(&home, "needle").await.messages;
    assert_eq!(hits.len(), 20);
    for hit in hits {
        let shown: String = hit.snippet.iter().map(|part| part.text.as_str()).collect();
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert_eq!(left_over(&shown), "", "{shown}");
    }
}

/// I3. Whatever a title or a first message holds: one line, in the direction of its letters, with nothing unseen in it.
#[tokio::test]
async fn i3_no_title_preview_or_file_name_turns_or_breaks_its_line() {
    let home = TempHome::new();
    let long = "x".repeat(10_000);
    let texts = [
        ("invoice\u{202e}fdp.exe", "invoicefdp.exe"),
        ("\u{2067}مرحبا 123\u{2069} \u{200f}٤٥", "مرحبا 123 ٤٥"),
        ("zero\u{200b}width\u{feff}\u{2060}", "zerowidth"),
        ("two\nlines\r\n\tand a tab", "two lines and a tab"),
        ("nul\u{0}bell\u{7}esc\u{1b}[31m", "nulbellesc[31m"),
    ];
    let unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    for (n, (text, shown)) in texts.into_iter().enumerate() {
        put(&home, [titled(n, text, &[text])]).await;
        let imported = row(&home, n).await;
        assert_eq!((imported.title.as_deref(), imported.preview.as_deref()), (Some(shown), Some(shown)));
        let name =
            file_name::of(&SessionRow { title: Some(text.to_owned()), ..imported }, ExportFormat::Markdown);
        assert!(!name.contains(unseen), "{name:?}");
        let typed = SessionUpdateRequest {
            id: session_id(n),
            title: Some(format!("{text} typed")),
            archived: None,
            pin_rank: None,
        };
        let typed = home.store.session_update(typed).await.expect("renamed").title;
        assert_eq!(typed, Some(format!("{shown} typed")));
    }
    put(&home, [titled(90, &long, &[&long])]).await;
    let row = row(&home, 90).await;
    assert_eq!(row.title.map(|title| title.chars().count()), Some(100), "one that nobody typed is cut");
    let typed =
        SessionUpdateRequest { id: session_id(90), title: Some(long), archived: None, pin_rank: None };
    let refused = IpcError::from(home.store.session_update(typed).await.expect_err("refused"));
    assert_eq!(refused.code, ErrorCode::TitleTooLong);
    assert!(refused.message.contains("10000"), "{}", refused.message);
}

/// I6. A word that is only in a title, or only in an old message, is found by search and by the list's filter, whatever
/// its script and length; the hit says where it is, and a page can be opened there.
#[tokio::test]
async fn i6_titles_and_old_messages_are_found_and_a_hit_opens_at_its_place() {
    let words = [
        "日",
        "日本",
        "日本語",
        "ß",
        "é",
        "%",
        "_",
        "\"",
        "*",
        "100%",
        "a_b",
        "\"so\"",
        "x*y",
        "qz",
        "q",
        "quartz",
    ];
    let newer = vec!["plain"; 300];
    for word in words {
        let home = TempHome::new();
        let mut texts = vec!["first", word];
        texts.extend(&newer);
        put(&home, [titled(1, &format!("The {word} plan"), &["plain"]), titled(2, "Old", &texts)]).await;
        put(&home, [titled(3, "Other", &newer)]).await;
        let found = search(&home, word).await;
        assert_eq!((found.titles.len(), found.messages.len(), found.stopped_early), (1, 1, false), "{word}");
        let marked: Vec<&str> =
            found.titles[0].title.iter().filter(|part| part.hit).map(|part| part.text.as_str()).collect();
        assert_eq!(marked, [word]);
        let hit = &found.messages[0];
        assert_eq!((hit.index, hit.row.title.as_deref()), (1, Some("Old")));
        assert!(hit.snippet.iter().any(|part| part.hit && part.text == word), "{word}: {:?}", hit.snippet);
        let anchor = PageAnchor::Message { id: hit.message_id.clone() };
        let request = MessagePageRequest { session_id: hit.row.id.clone(), anchor, limit: 20 };
        let page = home.store.message_page(request).await.expect("a page");
        assert!(page.messages.iter().any(|row| row.id == hit.message_id && row.text == word), "{word}");

        let request = SessionListRequest { query: Some(word.to_owned()), ..SessionListRequest::default() };
        let list = home.store.session_list(request).await.expect("a list");
        let titles: Vec<_> = list.rows.iter().filter_map(|row| row.title.as_deref()).collect();
        assert_eq!(titles, ["Old", &format!("The {word} plan")]);
    }
}
