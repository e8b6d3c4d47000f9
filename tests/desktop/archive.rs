use crate::steps::{
    choose_for, open_app, open_archived_page, press_in_row, stage_with_sample, titles, wait_for_rows,
};
use fantoccini::key::Key;

const CLICKED: &str = "Plain chat";
const BY_MENU: &str = "Media reply";
const BY_KEY: &str = "Image attached";

#[tokio::test]
async fn a_session_is_archived_by_click_menu_and_key_and_undo_puts_it_back() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    wait_for_rows(page, 22).await;
    let before = titles(page).await;

    let row = page.row(CLICKED).await;
    page.ctrl_click(&row).await;
    page.no_row(CLICKED).await;
    page.reads("status", "Archived").await;
    page.click("button", "Undo").await;
    page.row(CLICKED).await;
    assert_eq!(titles(page).await, before, "Undo puts the row at its old place");

    choose_for(page, BY_MENU, "Archive").await;
    page.no_row(BY_MENU).await;

    let row = page.row(BY_KEY).await;
    page.focus(&row).await;
    page.press(&['e']).await;
    page.no_row(BY_KEY).await;
    wait_for_rows(page, 20).await;
    // Only what the store has answered can be undone; the folded toast says that it has, for both.
    page.reads("status", "2 archived").await;

    page.press(&[Key::Control.into(), 'z']).await;
    page.row(BY_KEY).await;
    page.press(&[Key::Control.into(), 'z']).await;
    page.row(BY_MENU).await;
    assert_eq!(titles(page).await, before, "Ctrl+Z undoes one action after the other");
    app.close().await;
}

#[tokio::test]
async fn unarchive_brings_a_session_back_without_a_reload() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    wait_for_rows(page, 22).await;
    let row = page.row(CLICKED).await;
    page.ctrl_click(&row).await;
    page.no_row(CLICKED).await;
    page.run("window.sameDocument = true", &[]).await;

    open_archived_page(page).await;
    press_in_row(page, CLICKED, "Unarchive").await;
    page.reads("status", "Restored").await;
    page.click("button", "Back to sessions").await;
    page.row(CLICKED).await;
    wait_for_rows(page, 22).await;
    assert_eq!(page.run("return window.sameDocument", &[]).await, true, "the page was not loaded anew");
    app.close().await;
}

#[tokio::test]
async fn an_archived_session_stays_archived_after_a_restart() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    wait_for_rows(&app.page, 22).await;
    let row = app.page.row(CLICKED).await;
    app.page.ctrl_click(&row).await;
    // The toast comes when the store has it on disk.
    app.page.reads("status", "Archived").await;
    app.close().await;

    let app = open_app(&stage).await;
    wait_for_rows(&app.page, 21).await;
    app.page.no_row(CLICKED).await;
    open_archived_page(&app.page).await;
    app.page.wait_for("the archived session", "return document.body.innerText.includes('Plain chat')").await;
    app.close().await;
}

/// A box that is drawn where no click reaches it can be ticked by the keyboard alone.
#[tokio::test]
async fn a_click_into_a_drawn_box_of_the_archived_page_ticks_it() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_archived_page(page).await;
    let ticks = "const box = document.querySelector(args[0])?.getBoundingClientRect();
        const target = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
        if (target?.type !== 'checkbox') return false;
        target.click();
        return true";
    for drawn in ["[role=listitem] .pick .box", ".all .box"] {
        page.wait_with(drawn, ticks, &[drawn.into()]).await;
        page.find("toolbar", "Selection").await;
        page.click("button", "Done").await;
        page.gone("toolbar", "Selection").await;
    }
    app.close().await;
}
