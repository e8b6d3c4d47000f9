//! A store that is really damaged, in the real window: it is said, read, recovered, and used again.

use crate::steps::{open_app, open_session, stage_with_sample};
use app_tests::damage::{overwrite, pages};
use talaria_core::store::home::STORE_FILE;

#[tokio::test]
async fn a_damaged_store_is_read_and_recovered_in_the_window() {
    let stage = stage_with_sample().await;
    let file = stage.talaria_home().join(STORE_FILE);
    let leaf = pages(&file).into_iter().rfind(|page| page.of == "messages" && page.is_leaf);
    overwrite(&file, leaf.expect("a page of messages").number, 0, 4096, 7);
    let app = open_app(&stage).await;
    let page = &app.page;
    page.find("main", "The session store is damaged").await;
    // The list is there, and what reads can be opened.
    open_session(page, "Plain chat").await;
    page.click("button", "Details").await;
    page.click("button", "Recover what reads").await;
    let confirmed = "const button = [...document.querySelectorAll('dialog button')]
        .find((button) => button.textContent.trim() === 'Recover what reads');
        button?.click();
        return button !== undefined";
    page.wait_for("the question before it", confirmed).await;
    page.find("heading", "The store is recovered").await;
    page.screenshot("recovered").await;
    page.click("button", "Open Talaria").await;
    page.find("textbox", "Message").await;
    page.gone("main", "The session store is damaged").await;
    let kept = std::fs::read_dir(stage.talaria_home())
        .expect("the home")
        .any(|entry| entry.expect("an entry").file_name().to_string_lossy().starts_with("talaria.damaged-"));
    assert!(kept, "the damaged file stays");
    app.close().await;
}
