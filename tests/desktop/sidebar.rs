use crate::steps::{choose_for, open_app, stage_with_sample, titles, wait_for_rows};
use fantoccini::key::Key;
use serde_json::json;

const GROUPS: &str = "return page.all('row', undefined, 'is', page.first('treegrid', 'Sessions'))
    .filter((row) => row.getAttribute('aria-expanded') !== null).map((row) => page.name(row))";

#[tokio::test]
async fn sessions_are_grouped_by_folder_and_can_stand_as_one_list() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    wait_for_rows(page, 22).await;
    let groups: Vec<String> = serde_json::from_value(page.run(GROUPS, &[]).await).expect("names");
    assert_eq!(groups.len(), 2, "one group of the folder and one without: {groups:?}");
    assert!(groups.iter().any(|name| name.starts_with("project")), "{groups:?}");
    assert!(groups.iter().any(|name| name.starts_with("No folder")), "{groups:?}");

    // A shut group hides its own rows only: 21 of the 22 lie in the folder.
    page.click_on(&page.find_starting("row", "project").await).await;
    wait_for_rows(page, 1).await;
    page.click_on(&page.find_starting("row", "project").await).await;
    wait_for_rows(page, 22).await;

    page.click("button", "Show sessions as a single list").await;
    page.wait_for("a list without groups", &format!("{GROUPS}.length === 0")).await;
    wait_for_rows(page, 22).await;
    page.click("button", "Group sessions by workspace").await;
    page.wait_for("the groups", &format!("{GROUPS}.length === 2")).await;
    app.close().await;
}

#[tokio::test]
async fn a_pinned_session_stands_above_and_a_new_title_stays() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    wait_for_rows(page, 22).await;

    choose_for(page, "Plain chat", "Pin").await;
    let pinned = "const tree = page.first('treegrid', 'Pinned');
        return tree && page.all('row', args[0], 'starts', tree).length === 1";
    page.wait_with("the pinned row", pinned, &[json!("Plain chat")]).await;
    wait_for_rows(page, 21).await;
    assert!(!titles(page).await.contains(&"Plain chat".to_owned()));

    let row = page.row("Plain chat").await;
    page.focus(&row).await;
    page.press(&[Key::F2.into()]).await;
    let field = page.find("textbox", "Session title").await;
    page.wait_for(
        "the focus in the field",
        "return document.activeElement === page.first('textbox', 'Session title')",
    )
    .await;
    page.press(&[Key::Control.into(), 'a']).await;
    field.send_keys("Renamed chat").await.expect("the field takes keys");
    page.press(&[Key::Enter.into()]).await;
    page.row("Renamed chat").await;
    app.close().await;

    let app = open_app(&stage).await;
    app.page.wait_with("the pinned row", pinned, &[json!("Renamed chat")]).await;
    app.close().await;
}

#[tokio::test]
async fn a_draft_is_there_again_after_a_switch_and_after_a_restart() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    crate::steps::open_session(page, "Plain chat").await;
    page.type_into("textbox", "Message", "half a thought").await;
    crate::steps::open_session(page, "Media reply").await;
    let text = "return page.first('textbox', 'Message')?.value === args[0]";
    page.wait_with("an empty composer", text, &[json!("")]).await;
    crate::steps::open_session(page, "Plain chat").await;
    page.wait_with("the draft", text, &[json!("half a thought")]).await;
    app.close().await;

    let app = open_app(&stage).await;
    crate::steps::open_session(&app.page, "Plain chat").await;
    app.page.wait_with("the draft", text, &[json!("half a thought")]).await;
    app.close().await;
}
