//! One conversation: finding words in it, starting over from it, and the size of everything.

use crate::steps::{bring_in_answer, choose_for, open_app, open_session};
use app_tests::desktop::{App, Page, Stage, reference};
use app_tests::home::NOON;
use app_tests::seed;
use fantoccini::key::Key;
use serde_json::{Value, json};
use std::sync::Arc;
use talaria_core::clock::ManualClock;
use talaria_core::store::{OwnerLock, Store};

const MESSAGES: usize = 50_000;
const LONG: &str = "A long one";

/// A session of 50,000 messages; "zeppelin" is in three, once inside bold letters and a code block's folded end.
async fn seed_long(stage: &Stage) {
    let mut texts: Vec<String> = (0..MESSAGES).map(|n| format!("Message number {n} of many.")).collect();
    let code: Vec<String> = (0..60).map(|line| format!("line {line}")).collect();
    texts[12] = "The Zeppelin is **zep**pelin as well.".to_owned();
    texts[25_000] = format!("```text\n{}\nzeppelin\n```", code.join("\n"));
    texts[49_900] = "zeppelin zeppelin ZEPPELIN".to_owned();
    let home = stage.talaria_home();
    std::fs::create_dir_all(&home).expect("a home");
    let lock = OwnerLock::acquire(&home).expect("nobody has the home");
    let store = Store::open(&home, lock, Arc::new(ManualClock::at(NOON))).expect("a store");
    let mut lineage = seed::chat(1, NOON, &texts);
    lineage.title = Some(LONG.to_owned());
    store.lineages_put(vec![Arc::new(lineage)]).await.expect("the store takes it");
    store.close().await;
}

/// What is marked, and whether the first mark of the message at hand is in view.
const MARKS: &str = "const read = (name) => [...(CSS.highlights.get(name) ?? [])].map(String);
    const current = [...(CSS.highlights.get('find-current') ?? [])][0];
    const log = page.first('log', 'Transcript').getBoundingClientRect();
    const place = current?.getBoundingClientRect();
    const bar = page.first('search', 'Find in conversation');
    return { words: page.text(page.all('status', undefined, 'is', bar)[0]), current: read('find-current'), all: read('find'),
        inView: place !== undefined && place.height > 0 && place.top >= log.top && place.bottom <= log.bottom,
        changed: document.querySelectorAll('article mark').length }";

async fn wait_for_marks(page: &Page, words: &str, current: &[&str]) -> Value {
    let script = format!(
        "const found = (() => {{ {MARKS} }})();
        return found.words === args[0] && found.inView && JSON.stringify(found.current) === JSON.stringify(args[1]) && found"
    );
    let what = format!("{current:?} marked and {words:?} said");
    page.wait_with(&what, &script, &[json!(words), json!(current)]).await
}

#[tokio::test]
async fn find_in_conversation_reaches_rows_that_were_never_drawn_in_fifty_thousand() {
    let stage = Stage::new();
    seed_long(&stage).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, LONG).await;
    page.wait_for("the newest message", "return document.body.innerText.includes('Message number 49999')")
        .await;
    let message = page.find("textbox", "Message").await;
    page.focus(&message).await;
    page.press(&[Key::Control.into(), 'f']).await;
    page.find("searchbox", "Find in conversation").await;
    page.client()
        .active_element()
        .await
        .expect("a field")
        .send_keys("zeppelin")
        .await
        .expect("it takes keys");

    let found = wait_for_marks(page, "Message 3 of 3", &["zeppelin", "zeppelin", "ZEPPELIN"]).await;
    assert_eq!(found["changed"], json!(0), "marks change no message");
    page.screenshot("find-newest").await;
    page.press(&[Key::Shift.into(), Key::Enter.into()]).await;
    // It lies in the folded end of a code block, which opens.
    wait_for_marks(page, "Message 2 of 3", &["zeppelin"]).await;
    page.screenshot("find-folded").await;
    page.press(&[Key::Shift.into(), Key::F3.into()]).await;
    wait_for_marks(page, "Message 1 of 3", &["Zeppelin", "zeppelin"]).await;
    page.press(&[Key::F3.into()]).await;
    wait_for_marks(page, "Message 2 of 3", &["zeppelin"]).await;
    let articles = page.run("return document.querySelectorAll('article').length", &[]).await;
    assert!(articles.as_u64().is_some_and(|count| count <= 85), "{articles} rows in the page");

    // Words of many messages are counted up to a thousand; the ones in view are all marked.
    page.press(&[Key::Control.into(), 'f']).await;
    page.press(&[Key::Control.into(), 'a']).await;
    page.client().active_element().await.expect("a field").send_keys("number").await.expect("it takes keys");
    let many = "return page.text(page.first('search', 'Find in conversation')).includes('of 1,000+')
        && CSS.highlights.get('find')?.size > 5";
    page.wait_for("more than a thousand", many).await;
    page.axe_finds_nothing_serious("the find bar").await;
    page.press(&[Key::Control.into(), 'a']).await;
    page.client()
        .active_element()
        .await
        .expect("a field")
        .send_keys("nothing of it")
        .await
        .expect("it takes keys");
    let none = "return page.text(page.first('search', 'Find in conversation')).includes('No match')";
    page.wait_for("words for no match", none).await;
    page.press(&[Key::Escape.into()]).await;
    page.gone("search", "Find in conversation").await;
    let ended = "return [...CSS.highlights.values()].every((marks) => marks.size === 0) && document.activeElement === page.first('textbox', 'Message')";
    page.wait_for("no mark, and the focus where it was", ended).await;
    app.close().await;
}

#[tokio::test]
async fn a_branch_from_a_message_opens_and_undo_takes_it_away() {
    let stage = Stage::new();
    bring_in_answer(&stage, "Orchard", "An answer.").await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Orchard").await;
    let first = "const row = document.querySelector('article[data-role=user]');
        row.focus();
        const button = page.first('button', 'Branch from here');
        button.click();
        return true";
    page.run(first, &[]).await;
    page.find("heading", "Orchard #2").await;
    page.reads("status", "Branched").await;
    page.wait_for("one message", "return document.querySelectorAll('article').length === 1").await;
    page.click("button", "Undo").await;
    page.no_row("Orchard #2").await;
    page.find("heading", "Orchard").await;

    choose_for(page, "Orchard", "Duplicate").await;
    page.find("heading", "Orchard #2").await;
    page.wait_for("all messages", "return document.querySelectorAll('article').length === 2").await;
    page.row("Orchard #2").await;
    app.close().await;
}

/// The size is said for a moment only: keeps what was said.
const LISTEN: &str = "window.said = [];
    new MutationObserver(() => {
        for (const status of page.all('status')) window.said.push(page.text(status));
    }).observe(document.body, { childList: true, subtree: true, characterData: true });
    return true";
const SAID: &str = "return window.said.includes(args[0])";

/// What is cut off at the window's edges, or scrolls sideways and should not. Text that ends in an ellipsis is meant to.
const CUT: &str = "const found = [];
    if (document.documentElement.scrollWidth > innerWidth) found.push('the window scrolls sideways');
    for (const element of document.querySelectorAll('button, input, select, textarea, h1, h2, h3, legend, [role=row], [role=searchbox]')) {
        if (page.hidden(element) || element.closest('.spoken')) continue;
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.height <= 1) continue;
        if (box.left < -0.5 || box.right > innerWidth + 0.5) {
            const scrolls = element.closest('[data-overflows], pre');
            if (!scrolls) found.push(`${page.role(element)} ${page.name(element)} from ${box.left} to ${box.right} of ${innerWidth}`);
        }
    }
    return found";

async fn nothing_is_cut(page: &Page, view: &str) {
    // Waits for what moves, first of all.
    page.axe_finds_nothing_serious(view).await;
    assert_eq!(page.run(CUT, &[]).await, json!([]), "at 200 % in {view}");
    page.screenshot(&format!("zoom-200-{view}")).await;
}

/// A click by script: the driver aims at where things would be without the zoom (measured).
async fn click(page: &Page, role: &str, name: &str) {
    let button = page.find_starting(role, name).await;
    page.run("args[0].click()", &[reference(&button)]).await;
}

#[tokio::test]
async fn everything_grows_to_twice_its_size_and_nothing_is_cut() {
    let stage = Stage::new();
    let text = "# Sizes\n\nA sentence that is long enough to fill more than one line at twice the size of everything.\n\n\
        | a column | another | a third | a fourth |\n|---|---|---|---|\n| one | two | three | four |\n\n\
        ```rust\nfn a_function_with_a_long_name(argument: &str) -> Result<(), std::io::Error> { Ok(()) }\n```";
    bring_in_answer(&stage, "Sizes", text).await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Sizes").await;
    let width = page.run("return innerWidth", &[]).await.as_f64().expect("a width");
    page.run(LISTEN, &[]).await;
    for percent in ["110 %", "125 %", "150 %", "175 %", "200 %"] {
        page.press(&[Key::Control.into(), '=']).await;
        page.wait_with(percent, SAID, &[json!(percent)]).await;
    }
    page.wait_with("half the width", "return Math.abs(innerWidth - args[0] / 2) < 2", &[json!(width)]).await;
    page.find("button", "Open sidebar").await;
    nothing_is_cut(page, "chat").await;
    page.press(&[Key::Control.into(), 'f']).await;
    page.find("searchbox", "Find in conversation").await;
    nothing_is_cut(page, "find").await;
    page.press(&[Key::Escape.into()]).await;
    click(page, "button", "Open sidebar").await;
    page.find("treegrid", "Sessions").await;
    nothing_is_cut(page, "drawer").await;
    click(page, "button", "Actions for Sizes").await;
    page.find_starting("menuitem", "Export").await;
    nothing_is_cut(page, "menu").await;
    click(page, "menuitem", "Export").await;
    page.find("dialog", "Export “Sizes”").await;
    nothing_is_cut(page, "export").await;
    click(page, "button", "Cancel").await;
    page.gone("dialog", "Export “Sizes”").await;
    click(page, "button", "Settings").await;
    for (entry, heading) in [
        ("General", "General"),
        ("Archived Chats", "Archived sessions"),
        ("Keyboard", "Keyboard"),
        ("About", "About"),
    ] {
        click(page, "button", entry).await;
        page.find_starting("heading", heading).await;
        nothing_is_cut(page, &entry.to_lowercase().replace(' ', "-")).await;
    }
    app.close().await;

    // It is kept, and the way back is one key.
    let app = open_app_narrow(&stage).await;
    let page = &app.page;
    page.wait_with("half the width", "return Math.abs(innerWidth - args[0] / 2) < 2", &[json!(width)]).await;
    page.run(LISTEN, &[]).await;
    page.press(&[Key::Control.into(), '0']).await;
    page.wait_with("100 %", SAID, &[json!("100 %")]).await;
    page.find("navigation", "Sidebar").await;
    app.close().await;
}

/// The app, which has no room for its sidebar.
async fn open_app_narrow(stage: &Stage) -> App {
    let app = stage.launch_without_waiting(&[]).await;
    app.page.find("button", "Open sidebar").await;
    app
}
