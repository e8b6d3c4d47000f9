use crate::steps::{open_archived_page, titles, wait_for_rows};
use app_tests::desktop::Stage;
use app_tests::hermes_file::HermesFile;

#[tokio::test]
async fn first_start_brings_in_the_sample_and_says_what_is_hidden() {
    let stage = Stage::new();
    drop(HermesFile::copy_of_sample(&stage.hermes_home().join("state.db")).expect("a Hermes store"));
    let app = stage.launch().await;
    let page = &app.page;
    page.find("main", "Set up Talaria").await;

    page.click("button", "Import all").await;
    // 28 rows of the file are 24 listed lineages, one of them archived and one empty.
    page.reads("status", "28 of 28 sessions imported").await;
    page.click("button", "Start").await;

    page.find("navigation", "Sidebar").await;
    wait_for_rows(page, 22).await;
    page.wait_for("words for the empty session", "return document.body.innerText.includes('1 empty hidden')")
        .await;
    assert!(!titles(page).await.contains(&"Titled empty draft".to_owned()));

    page.click("button", "Show empty sessions").await;
    page.row("Titled empty draft").await;
    wait_for_rows(page, 23).await;
    open_archived_page(page).await;
    page.wait_for("the archived session", "return document.body.innerText.includes('Archived one')").await;
    app.close().await;
}

#[tokio::test]
async fn a_home_without_a_hermes_store_can_be_started_empty() {
    let stage = Stage::new();
    let app = stage.launch().await;
    let page = &app.page;
    page.find("main", "Set up Talaria").await;
    page.click("button", "Skip").await;
    page.click("button", "Start").await;
    page.find("navigation", "Sidebar").await;
    page.find("textbox", "Message").await;
    page.wait_for(
        "words for no model",
        "return document.body.innerText.includes('No model is connected yet')",
    )
    .await;
    let send = "return page.first('button', 'Send')?.disabled === true";
    page.wait_for("Send to be disabled", send).await;
    app.close().await;
}
