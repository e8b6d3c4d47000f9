//! Text that would turn, hide or copy something: the output of terminals (field report F10) and titles (I1, I3).

use crate::steps::{bring_in_sessions, choose_for, open_app, open_session};
use app_tests::desktop::{Page, Stage};
use app_tests::hermes_file::Line;
use fantoccini::key::Key;
use serde_json::{Value, json};

/// What a terminal would obey, each between two words that have to stay.
const SEQUENCES: &[&str] = &[
    "\u{1b}]52;c;c3RvbGVu\u{7}",
    "\u{1b}]52;c;c3RvbGVu\u{1b}\\",
    "\u{9d}52;c;c3RvbGVu\u{9c}",
    "\u{1b}]0;a title\u{7}",
    "\u{1b}]2;a title\u{1b}\\",
    "\u{1b}]8;;https://evil.example\u{7}",
    "\u{1b}]8;;\u{7}",
    "\u{1b}]9;a notice\u{7}",
    "\u{1b}]1337;File=inline=1:AAAA\u{7}",
    "\u{1b}[2J\u{1b}[H\u{1b}[3J",
    "\u{9b}2J",
    "\u{1b}[10A\u{1b}[99D\u{1b}[K",
    "\u{1b}[?1049h\u{1b}[?25l",
    "\u{1b}[6n\u{1b}[c",
    "\u{1b}Pq#0;2;0;0;0\u{1b}\\",
    "\u{90}payload\u{9c}",
    "\u{1b}_private\u{1b}\\",
    "\u{1b}^message\u{1b}\\",
    "\u{1b}c\u{1b}(0\u{1b}#8",
    "\0\u{7}\u{8}\u{c}\u{7f}",
    "\u{202e}\u{2066}\u{200f}",
    "\u{1b}[31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31;31m",
    "\u{1b}[999999999999999999999m",
    "\u{1b}[38;2;1;2m",
];

async fn pasted(page: &Page) -> Value {
    let field = page.find("textbox", "Message").await;
    page.focus(&field).await;
    page.press(&[Key::Control.into(), 'a']).await;
    page.press(&[Key::Control.into(), 'v']).await;
    page.wait_for("a pasted text", "return page.first('textbox', 'Message').value !== ''").await;
    page.run("return page.first('textbox', 'Message').value", &[]).await
}

#[tokio::test]
async fn terminal_output_keeps_its_text_and_loses_everything_a_terminal_obeys() {
    let written: Vec<String> =
        SEQUENCES.iter().enumerate().map(|(n, sequence)| format!("from{n} {sequence}to{n}")).collect();
    let expected: Vec<String> = (0..SEQUENCES.len()).map(|n| format!("from{n} to{n}")).collect();
    let output = written.join("\n");
    let notice = format!(
        "[IMPORTANT: Background process proc_1 completed normally (exit code 0).\nCommand: sh\nOutput:\n{}\n]",
        written[..3].join("\n").replace('\0', "")
    );
    let lines = [
        Line::User("Run it."),
        Line::Tool { name: "terminal", arguments: r#"{"command": "sh"}"#, output: &output },
        Line::User(&notice),
    ];
    let stage = Stage::new();
    bring_in_sessions(&stage, &[("Terminal", "/home/user/answers", &lines)]).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    let window_title = page.run("return document.title", &[]).await;
    open_session(page, "Terminal").await;
    // The clipboard holds something of the user's before the output is looked at.
    choose_for(page, "Terminal", "Copy ID").await;
    let id = pasted(page).await;

    let card = page.find_starting("button", "terminal").await;
    page.click_on(&card).await;
    page.click("button", "Show all").await;
    let read = "const output = document.querySelector('article[data-role=tool] pre[aria-label=Output]');
        return output && output.textContent.trim().split('\\n').length === args[0] && output.textContent.trim()";
    let shown = page.wait_with("all lines of the output", read, &[json!(SEQUENCES.len())]).await;
    assert_eq!(shown, json!(expected.join("\n")));
    let notice = "const output = document.querySelector('article[data-role=notice] pre');
        return output && output.textContent.trim()";
    let told = page.wait_with("the notice's output", notice, &[]).await;
    assert_eq!(told, json!(expected[..3].join("\n")));
    page.screenshot("hostile-terminal").await;
    assert_eq!(pasted(page).await, id, "the clipboard");
    assert_eq!(page.run("return document.title", &[]).await, window_title);
    let links = "return document.querySelectorAll('article[data-role=tool] a').length";
    assert_eq!(page.run(links, &[]).await, json!(0));

    // What is copied is what is read.
    page.click("button", "Copy output").await;
    page.wait_for("the copy", "return page.first('button', 'Copied') !== null").await;
    let copied = pasted(page).await;
    assert_eq!(copied.as_str().map(str::trim), Some(expected.join("\n").as_str()));
    app.close().await;
}

/// Every row's place and what its title looks like.
const ROWS: &str = "const tree = page.first('treegrid', 'Sessions');
    return page.all('row', undefined, 'is', tree).filter((row) => row.dataset.sessionId).slice(0, args[0]).map((row) => {
        const title = row.querySelector('.title');
        const style = getComputedStyle(title);
        const range = new Range();
        range.selectNodeContents(title);
        const [box, place, age] = [row, title, row.querySelector('.age')].map((part) => part.getBoundingClientRect());
        return { height: box.height, top: box.top, lines: new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size,
            inside: place.height <= box.height && place.right <= age.left + 0.5, left: place.left, age: Math.round(age.right),
            cut: style.textOverflow === 'ellipsis' && style.whiteSpace === 'nowrap' && style.overflow === 'hidden',
            isolated: style.unicodeBidi === 'isolate', dir: title.dir, wide: title.scrollWidth > title.clientWidth,
            unseen: /[\\u0000-\\u001f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff]/.test(title.textContent) }; })";

#[tokio::test]
async fn titles_keep_their_rows_in_line_whatever_they_hold() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}\u{200d}\u{1f466}";
    let titles = [
        "invoice \u{202e}fdp.exe".to_owned(),
        "before\0after".to_owned(),
        format!("{}{family}\u{1f1e9}\u{1f1ea}", "x".repeat(48)),
        family.repeat(60),
        "word ".repeat(2_000),
        "x".repeat(10_000),
        "تقرير ٢٠٢٤ رقم 123 (نهائي) 45%".to_owned(),
        "עברית".repeat(40),
        "a\u{200b}b\u{200d}c\u{feff}d\u{2060}e".to_owned(),
        "one\ntwo\r\nthree\tfour\u{2028}five".to_owned(),
        format!("Z{}algo", "\u{336}\u{489}\u{35f}".repeat(30)),
        "\u{2067}\u{2067}\u{2067}open isolates".to_owned(),
        "A plain neighbour".to_owned(),
    ];
    let lines = [Line::User("Hello."), Line::Assistant("Hello.")];
    let sessions: Vec<(&str, &str, &[Line])> =
        titles.iter().map(|title| (title.as_str(), "/home/user/titles", &lines[..])).collect();
    let stage = Stage::new();
    bring_in_sessions(&stage, &sessions).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    page.row("A plain neighbour").await;
    let rows = page.run(ROWS, &[json!(titles.len())]).await;
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), titles.len());
    let first = &rows[0];
    for (number, row) in rows.iter().enumerate() {
        let what = format!("{number} from the top: {row}");
        assert_eq!(row["height"], json!(30), "{what}");
        assert_eq!(
            row["top"].as_f64(),
            first["top"].as_f64().map(|top| top + 30.0 * number as f64),
            "{what}"
        );
        assert_eq!((&row["left"], &row["age"]), (&first["left"], &first["age"]), "{what}");
        for (part, value) in [("inside", true), ("cut", true), ("isolated", true), ("unseen", false)] {
            assert_eq!(row[part], json!(value), "{part}, {what}");
        }
        assert_eq!(row["dir"], json!("auto"), "{what}");
    }
    assert!(rows.iter().any(|row| row["wide"] == true), "some titles are longer than their row");
    for line in rows.iter().map(|row| &row["lines"]) {
        assert!(
            line.as_u64().is_some_and(|lines| lines <= 2),
            "one line of letters, of one or two fonts: {line}"
        );
    }
    // The header is one line as well.
    open_session(page, "A plain neighbour").await;
    let plain =
        page.run("return document.querySelector('main header').getBoundingClientRect().height", &[]).await;
    page.click_on(&page.find_starting("row", "xxxxxxxxxx").await).await;
    page.find_starting("heading", "xxxxxxxxxx").await;
    assert_eq!(
        page.run("return document.querySelector('main header').getBoundingClientRect().height", &[]).await,
        plain
    );
    page.screenshot("hostile-titles-header").await;
    app.close().await;
}

#[tokio::test]
async fn a_typed_title_of_more_than_a_hundred_letters_is_refused_in_words() {
    let stage = Stage::new();
    let lines = [Line::User("Hello.")];
    bring_in_sessions(&stage, &[("Short", "/home/user/titles", &lines)]).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    choose_for(page, "Short", "Rename").await;
    // All of the old title is selected: what is typed takes its place.
    page.find("textbox", "Session title").await;
    page.wait_for(
        "the field's focus",
        "return document.activeElement === page.first('textbox', 'Session title')",
    )
    .await;
    let field = page.client().active_element().await.expect("a focused field");
    field.send_keys(&"y".repeat(101)).await.expect("a field takes keys");
    page.press(&[Key::Enter.into()]).await;
    page.reads("alert", "100").await;
    page.screenshot("hostile-rename").await;
    page.press(&[Key::Escape.into()]).await;
    page.row("Short").await;
    app.close().await;
}
