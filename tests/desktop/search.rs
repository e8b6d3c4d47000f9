use crate::steps::{open_app, stage_with_sample, wait_for_rows};
use fantoccini::key::Key;

#[tokio::test]
async fn search_finds_titles_first_and_a_hit_in_the_text_opens_at_its_message() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    wait_for_rows(page, 22).await;

    page.type_into("searchbox", "Search sessions", "Plain ch").await;
    page.find("treegrid", "Titles").await;
    let title_hit = "const titles = page.first('treegrid', 'Titles');
        return titles && page.all('row', 'Plain chat', 'starts', titles).some((row) => row.dataset.sessionId)";
    page.wait_for("the hit among the titles", title_hit).await;

    page.find("searchbox", "Search sessions").await.clear().await.expect("the field empties");
    page.type_into("searchbox", "Search sessions", "hi from tool").await;
    page.find("treegrid", "Messages").await;
    let hit = page.row("Auto title 6014").await;
    let message = hit.attr("data-message-id").await.expect("an attribute").expect("a hit names its message");
    page.click_on(&hit).await;
    page.find("heading", "Auto title 6014").await;
    let script = "return [...document.querySelectorAll('article')].some((article) => article.dataset.messageId === args[0])";
    page.wait_with("the message of the hit", script, &[message.into()]).await;

    let field = page.find("searchbox", "Search sessions").await;
    page.focus(&field).await;
    page.press(&[Key::Escape.into()]).await;
    wait_for_rows(page, 22).await;

    page.type_into("searchbox", "Search sessions", "zeppelin").await;
    let nothing = "return document.body.innerText.includes('No session mentions')";
    page.wait_for("words for no hit", nothing).await;
    app.close().await;
}
