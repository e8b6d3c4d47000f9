use crate::steps::{open_archived_page, open_demo, open_session};
use app_tests::desktop::Stage;
use app_tests::hermes_file::HermesFile;

#[tokio::test]
async fn axe_finds_nothing_serious_on_the_first_start() {
    let stage = Stage::new();
    drop(HermesFile::copy_of_sample(&stage.hermes_home().join("state.db")).expect("a Hermes store"));
    let app = stage.launch().await;
    app.page.find("main", "Set up Talaria").await;
    app.page.find("button", "Import all").await;
    app.page.axe_finds_nothing_serious("the first start").await;
    app.page.click("button", "Import all").await;
    app.page.reads("status", "sessions imported").await;
    app.page.axe_finds_nothing_serious("the end of an import").await;
    app.close().await;
}

#[tokio::test]
async fn axe_finds_nothing_serious_on_sidebar_transcript_menu_and_archived_page() {
    let stage = Stage::new();
    let app = open_demo(&stage).await;
    let page = &app.page;
    page.find("group", "Video: test-card.mp4").await;
    page.axe_finds_nothing_serious("sidebar and transcript with media").await;

    open_session(page, "Auto title fafa").await;
    page.axe_finds_nothing_serious("a transcript with a notice").await;

    page.click("button", "Actions for Auto title fafa").await;
    page.find_starting("menuitem", "Archive").await;
    page.axe_finds_nothing_serious("a row's menu").await;
    page.press(&[fantoccini::key::Key::Escape.into()]).await;

    page.type_into("searchbox", "Search sessions", "echo").await;
    page.find("treegrid", "Messages").await;
    page.axe_finds_nothing_serious("search results").await;

    open_archived_page(page).await;
    page.find_holding("button", "Unarchive").await;
    page.axe_finds_nothing_serious("the archived page").await;
    app.close().await;
}
