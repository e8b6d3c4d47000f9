//! Windows of sessions: one each, the main one beside them, and the end of the app with the last.

use crate::steps::{choose_for, open_app, stage_with_sample, titles};
use app_tests::desktop::{App, Page};
use fantoccini::wd::WindowHandle;
use std::time::{Duration, Instant};

const DEADLINE: Duration = Duration::from_secs(60);
const POLL: Duration = Duration::from_millis(50);

/// Waits until the app has so many windows.
async fn windows(page: &Page, count: usize) -> Vec<WindowHandle> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let all = page.client().windows().await.expect("the driver lists the windows");
        if all.len() == count {
            return all;
        }
        assert!(Instant::now() < deadline, "{} windows, not {count}", all.len());
        tokio::time::sleep(POLL).await;
    }
}

async fn turn_to(page: &Page, window: &WindowHandle) {
    page.client().switch_to_window(window.clone()).await.expect("the window is there");
}

/// Opens the first session of the list in a window of its own. Answers its title, the main window and the new one.
async fn open_first(app: &App) -> (String, WindowHandle, WindowHandle) {
    let page = &app.page;
    let main = page.client().window().await.expect("a window");
    let title = titles(page).await.swap_remove(0);
    choose_for(page, &title, "Open in new window").await;
    let all = windows(page, 2).await;
    let own = all.into_iter().find(|window| *window != main).expect("another window");
    (title, main, own)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_opens_in_one_window_of_its_own_which_has_no_list() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    let (title, main, own) = open_first(&app).await;
    turn_to(page, &own).await;
    page.find("heading", &title).await;
    page.find("button", "Open the main window").await;
    assert_eq!(page.count("navigation", Some("Sidebar")).await, 0);
    assert_eq!(page.client().title().await.expect("a title"), title);
    page.axe_finds_nothing_serious("the window of one session").await;
    page.screenshot("session-window").await;

    turn_to(page, &main).await;
    choose_for(page, &title, "Open in new window").await;
    // The answer of another command says that this one was through.
    page.click_on(&page.find_starting("button", "Settings").await).await;
    page.find("heading", "General").await;
    windows(page, 2).await;
    app.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_closed_main_window_comes_back_from_a_sessions_window() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    let (title, _, own) = open_first(&app).await;
    stage.close_window("Talaria");
    turn_to(page, &own).await;
    windows(page, 1).await;
    page.find("heading", &title).await;
    page.click("button", "Open the main window").await;
    let all = windows(page, 2).await;
    let main = all.into_iter().find(|window| *window != own).expect("another window");
    turn_to(page, &main).await;
    page.find("navigation", "Sidebar").await;
    app.close().await;
}
