use crate::steps::{
    choose_for, open_app, open_archived_page, press_in_row, stage_with_sample, wait_for_rows,
};

const TITLE: &str = "Plain chat";

#[tokio::test]
async fn delete_asks_first_and_undo_and_the_trash_bring_it_back() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    wait_for_rows(page, 22).await;

    choose_for(page, TITLE, "Delete").await;
    page.find_holding("dialog", TITLE).await;
    page.click("button", "Cancel").await;
    page.wait_for("the question to close", "return !page.first('dialog')").await;
    page.row(TITLE).await;

    choose_for(page, TITLE, "Delete").await;
    page.find_holding("dialog", TITLE).await;
    page.click("button", "Delete").await;
    page.no_row(TITLE).await;
    page.reads("status", "Deleted").await;
    page.click("button", "Undo").await;
    page.row(TITLE).await;

    choose_for(page, TITLE, "Delete").await;
    page.find_holding("dialog", TITLE).await;
    page.click("button", "Delete").await;
    page.no_row(TITLE).await;
    open_archived_page(page).await;
    page.find("list", "Recently deleted").await;
    let both = "const toast = page.all('status').find((status) => page.text(status).startsWith('Deleted'));
        const row = page.all('listitem', undefined, 'is', page.first('list', 'Recently deleted'))[0];
        if (!toast || !row) return null;
        const [over, under] = [toast.getBoundingClientRect(), row.getBoundingClientRect()];
        return over.bottom <= under.top";
    page.wait_for("the toast to stand clear of the deleted row", both).await;
    press_in_row(page, TITLE, "Restore").await;
    page.click("button", "Back to sessions").await;
    page.row(TITLE).await;
    app.close().await;
}

#[tokio::test]
async fn delete_permanently_names_the_session_and_leaves_nothing() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_archived_page(page).await;
    press_in_row(page, "Archived one", "Delete permanently").await;
    page.find("dialog", "Permanently delete \"Archived one\"? This cannot be undone.").await;
    let confirm = "const dialog = page.first('dialog');
        const button = dialog && page.all('button', 'Delete permanently', 'is', dialog)[0];
        if (!button) return false;
        button.click();
        return true";
    page.wait_for("the question's button", confirm).await;
    page.wait_for("the empty page", "return document.body.innerText.includes('Nothing archived')").await;
    app.close().await;

    let app = open_app(&stage).await;
    open_archived_page(&app.page).await;
    app.page.wait_for("the empty page", "return document.body.innerText.includes('Nothing archived')").await;
    app.close().await;
}
