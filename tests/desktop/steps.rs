//! Steps that several tests take.

use app_tests::demo;
use app_tests::desktop::{App, Page, Stage};
use app_tests::hermes_file::{self, HermesFile, Line};
use app_tests::profile;
use serde_json::json;
use std::path::{Path, PathBuf};

/// A stage whose home holds the sample's sessions already.
pub async fn stage_with_sample() -> Stage {
    let stage = Stage::new();
    let copy = stage.files().join("sample.db");
    std::fs::write(&copy, std::fs::read(hermes_file::sample()).expect("the sample is there"))
        .expect("a copy");
    bring_in(&stage, &copy).await;
    stage
}

/// Reads a Hermes store into the stage's home.
pub async fn bring_in(stage: &Stage, file: &Path) {
    profile::import_into(&stage.talaria_home(), file).await.expect("the store is read in");
}

/// Fills the stage with the sample and one more session, in which the assistant answers with `text`.
pub async fn bring_in_answer(stage: &Stage, title: &str, text: &str) {
    let lines = [Line::User("Show me."), Line::Assistant(text)];
    bring_in_sessions(stage, &[(title, "/home/user/answers", &lines)]).await;
}

/// Fills the stage with the sample and more sessions, each newer than the one before: title, folder, lines.
pub async fn bring_in_sessions(stage: &Stage, sessions: &[(&str, &str, &[Line<'_>])]) {
    let file = HermesFile::copy_of_sample(&stage.files().join("hermes.db")).expect("a copy of the sample");
    for (number, (title, folder, lines)) in sessions.iter().enumerate() {
        let at = LATER + 3600.0 * number as f64;
        file.add_session(&format!("more_{number}"), title, folder, at, lines).expect("one more session");
    }
    let path = file.path().to_owned();
    drop(file);
    bring_in(stage, &path).await;
}

/// Seconds since 1970 of a moment after everything in the sample: such a session is listed first.
const LATER: f64 = 1_796_080_000.0;

/// A folder for media, outside the app's data.
pub fn media_folder(stage: &Stage) -> PathBuf {
    let folder = stage.files().join("media");
    std::fs::create_dir_all(&folder).expect("a folder for media");
    folder
}

/// Titles of the rows in the tree "Sessions", from top to bottom.
pub async fn titles(page: &Page) -> Vec<String> {
    let script = "return page.all('row', undefined, 'is', page.first('treegrid', 'Sessions'))
        .filter((row) => row.dataset.sessionId)
        .map((row) => page.name(row).split(', ')[0])";
    serde_json::from_value(page.run(script, &[]).await).expect("a list of titles")
}

/// Waits until the tree "Sessions" holds so many rows.
pub async fn wait_for_rows(page: &Page, count: u64) {
    let script = "const tree = page.first('treegrid', 'Sessions');
        return tree && page.all('row', undefined, 'is', tree)
            .filter((row) => row.dataset.sessionId).length === args[0]";
    page.wait_with(&format!("{count} session rows"), script, &[json!(count)]).await;
}

/// Starts the app and waits for the sidebar.
pub async fn open_app(stage: &Stage) -> App {
    let app = stage.launch().await;
    app.page.find("navigation", "Sidebar").await;
    app
}

/// Opens a session by a click on its row and waits for its transcript.
pub async fn open_session(page: &Page, title: &str) {
    page.click_on(&page.row(title).await).await;
    page.find("heading", title).await;
    page.wait_for("a message", "return page.first('log', 'Transcript')?.querySelector('article') != null")
        .await;
}

/// The app on the demo profile, with its session of media open.
pub async fn open_demo(stage: &Stage) -> App {
    let store = stage.files().join("hermes.db");
    demo::write_store(&store, &media_folder(stage)).expect("the demo's store");
    bring_in(stage, &store).await;
    let app = open_app(stage).await;
    open_session(&app.page, demo::TITLE).await;
    app
}

/// Chooses an entry of a row's own menu.
pub async fn choose_for(page: &Page, title: &str, entry: &str) {
    page.click("button", &format!("Actions for {title}")).await;
    page.click_on(&page.find_starting("menuitem", entry).await).await;
}

/// Settings, "Archived Chats".
pub async fn open_archived_page(page: &Page) {
    page.click_on(&page.find_starting("button", "Settings").await).await;
    page.click("button", "Archived Chats").await;
    page.find_starting("heading", "Archived sessions").await;
}

/// Clicks the button in the row (or list item) of this title.
pub async fn press_in_row(page: &Page, title: &str, button: &str) {
    let script = "const holders = [...page.all('row'), ...page.all('listitem')]
            .filter((element) => page.text(element).includes(args[0]) || page.name(element).includes(args[0]));
        const found = holders.flatMap((holder) =>
            page.all('button', undefined, 'is', holder).filter((item) => page.name(item).startsWith(args[1])));
        if (!found.length || found[0].disabled) return null;
        found[0].click();
        return true";
    page.wait_with(&format!("{button:?} of {title:?}"), script, &[json!(title), json!(button)]).await;
}
