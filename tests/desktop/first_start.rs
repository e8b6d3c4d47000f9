use crate::steps::{open_archived_page, titles, wait_for_rows};
use app_tests::desktop::{Page, Stage};
use app_tests::hermes_file::HermesFile;
use std::collections::BTreeMap;

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
    page.click("button", "Show report").await;
    let report = report_lines(page).await;
    // What the sample was made with.
    for (name, words) in [
        ("Continued over several sessions", "2"),
        ("Branches", "1"),
        ("Sub-agent sessions, kept but not listed", "3"),
        ("Notices", "9"),
        ("Tool calls", "19"),
        ("Archived", "1"),
    ] {
        assert_eq!(report.get(name).map(String::as_str), Some(words), "{name} in {report:?}");
    }
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

/// The open report: the words of each line under its name.
async fn report_lines(page: &Page) -> BTreeMap<String, String> {
    let script = "const report = page.first('region', 'Report of the import');
        return report && Object.fromEntries([...report.querySelectorAll('dt')].map((name) =>
            [page.text(name), page.text(name.nextElementSibling)]))";
    serde_json::from_value(page.wait_with("the report", script, &[]).await).expect("names and words")
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
    let send = "return page.first('button', 'Send')?.getAttribute('aria-disabled') === 'true'";
    page.wait_for("Send to be disabled", send).await;
    app.close().await;
}
