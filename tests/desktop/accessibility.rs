//! axe finds nothing serious on any view: light and dark, wide and narrow, at twice the size, with reduced motion.

use crate::steps::{open_app, open_archived_page, open_session, stage_with_sample};
use crate::views::{VIEWS, open_with_all};
use app_tests::desktop::{Page, Stage};
use app_tests::hermes_file::HermesFile;
use fantoccini::key::Key;
use serde_json::json;
use std::fs::File;

/// How the window stands: its width in pixels of the screen, and the zoom of the page in percent.
#[derive(Clone, Copy, Debug)]
struct Shape {
    name: &'static str,
    width: u32,
    percent: u32,
}

const SHAPES: [Shape; 3] = [
    Shape { name: "wide", width: 1280, percent: 100 },
    Shape { name: "narrow", width: 640, percent: 100 },
    Shape { name: "at twice the size", width: 1280, percent: 200 },
];

#[tokio::test]
async fn axe_finds_nothing_serious_on_any_view_in_any_theme_and_shape() {
    let stage = Stage::new();
    stage.reduce_motion();
    let app = open_with_all(&stage).await;
    let page = &app.page;
    let still = page.run("return matchMedia('(prefers-reduced-motion: reduce)').matches", &[]).await;
    assert_eq!(still, json!(true), "the desktop's wish for no motion reaches the page");

    let mut found = Vec::new();
    for view in VIEWS {
        for shape in SHAPES {
            take(page, shape).await;
            view.open(page).await;
            found.extend(in_both_themes(page, &format!("{view:?}, {}", shape.name)).await);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    app.close().await;
}

#[tokio::test]
async fn axe_finds_nothing_serious_on_the_first_start() {
    let stage = Stage::new();
    drop(HermesFile::copy_of_sample(&stage.hermes_home().join("state.db")).expect("a Hermes store"));
    let app = stage.launch().await;
    app.page.find("main", "Set up Talaria").await;
    app.page.find("button", "Import all").await;
    let mut found = in_all_shapes(&app.page, "the first start").await;
    take(&app.page, SHAPES[0]).await;
    app.page.click("button", "Import all").await;
    app.page.reads("status", "sessions imported").await;
    found.extend(in_all_shapes(&app.page, "the end of an import").await);
    assert!(found.is_empty(), "{}", found.join("\n"));
    app.close().await;
}

#[tokio::test]
async fn axe_finds_nothing_serious_on_a_failed_start() {
    let stage = stage_with_sample().await;
    let lock = File::options()
        .read(true)
        .write(true)
        .open(stage.talaria_home().join("owner.lock"))
        .expect("the lock");
    lock.lock().expect("the home is free");
    let app = stage.launch().await;
    app.page.find("alert", "Could not start").await;
    let found = in_all_shapes(&app.page, "a failed start").await;
    assert!(found.is_empty(), "{}", found.join("\n"));
    app.close().await;
}

/// A view that stays while the window changes around it.
async fn in_all_shapes(page: &Page, view: &str) -> Vec<String> {
    let mut found = Vec::new();
    for shape in SHAPES {
        take(page, shape).await;
        found.extend(in_both_themes(page, &format!("{view}, {}", shape.name)).await);
    }
    found
}

async fn in_both_themes(page: &Page, view: &str) -> Vec<String> {
    let theme = "document.documentElement.dataset.theme = args[0]";
    page.run(theme, &[json!("light")]).await;
    let mut found = page.axe(&format!("{view}, light")).await;
    page.run(theme, &[json!("dark")]).await;
    found.extend(page.axe_contrast(&format!("{view}, dark")).await);
    let moves = "return document.getAnimations()
        .filter((one) => one.playState === 'running' && one.effect.getComputedTiming().endTime === Infinity)
        .map((one) => one.animationName)";
    if page.run("return matchMedia('(prefers-reduced-motion: reduce)').matches", &[]).await == json!(true) {
        assert_eq!(page.run(moves, &[]).await, json!([]), "{view}: what turns for ever");
    }
    // What is wider than the window can only be scrolled to, sideways.
    let cut = "return [...document.querySelectorAll('main, nav, dialog, [role=alert]')]
        .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1
            && getComputedStyle(part).overflowX !== 'hidden' && part.tagName !== 'NAV')
        .map((part) => `${part.tagName} is ${part.scrollWidth} wide in ${part.clientWidth}`)";
    let cut: Vec<String> = serde_json::from_value(page.run(cut, &[]).await).expect("words");
    found.extend(cut.into_iter().map(|words| format!("{view}: {words}")));
    found
}

/// Gives the window a width and the page a zoom, and waits until the page has both.
async fn take(page: &Page, shape: Shape) {
    page.client().set_window_rect(0, 0, shape.width, 800).await.expect("the window takes a size");
    page.run(
        "window.__TAURI_INTERNALS__.invoke('window_zoom', { percent: args[0] })",
        &[json!(shape.percent)],
    )
    .await;
    let has = "const sessions = document.querySelector('.window');
        return Math.abs(innerWidth - args[0] * 100 / args[1]) <= 1
            && (sessions === null || sessions.classList.contains('narrow') === innerWidth < 760)";
    page.wait_with(&format!("{shape:?}"), has, &[json!(shape.width), json!(shape.percent)]).await;
}

/// Selection mode in the sidebar and on the Archived page, and the bar of find.
#[tokio::test]
async fn axe_finds_nothing_serious_while_rows_are_ticked_and_words_are_sought() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    let page = &app.page;
    open_session(page, "Plain chat").await;
    page.press(&[Key::Control.into(), 'f']).await;
    page.find("search", "Find in conversation").await;
    page.axe_finds_nothing_serious("find in conversation").await;
    page.press(&[Key::Escape.into()]).await;
    page.gone("search", "Find in conversation").await;
    page.focus(&page.row("Plain chat").await).await;
    page.press(&[' ']).await;
    page.find("toolbar", "Selection").await;
    page.axe_finds_nothing_serious("selection in the sidebar").await;
    page.click("button", "Done").await;
    page.gone("toolbar", "Selection").await;
    open_archived_page(page).await;
    let tick = "const box = document.querySelector('[role=listitem] .pick input'); box?.click(); return box !== null";
    page.wait_for("a row to tick", tick).await;
    page.find("toolbar", "Selection").await;
    page.axe_finds_nothing_serious("selection on the Archived page").await;
    app.close().await;
}
