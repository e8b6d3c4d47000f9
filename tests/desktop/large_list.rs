use crate::steps::open_app;
use app_tests::desktop::{App, Page, Stage};
use app_tests::seed::{self, Seed};
use serde_json::{Value, json};

const SESSIONS: usize = 10_000;
/// As `ui.md` has it: "never more than about 80 row elements in the page".
const MOST_ROWS: u64 = 80;

/// Scrolls `args[0]` screens further. Tells how many row elements stand, whether the screen is filled with named rows,
/// and whether the last row of all is among them.
const STEP: &str = "const tree = page.first('treegrid', 'Sessions');
    let scroller = tree;
    while (scroller.scrollHeight <= scroller.clientHeight + 1 || getComputedStyle(scroller).overflowY === 'visible') {
        scroller = scroller.parentElement;
    }
    const box = scroller.getBoundingClientRect();
    const shown = [...tree.querySelectorAll('[role=row]')].filter((row) => {
        const { top, bottom } = row.getBoundingClientRect();
        return bottom > box.top && top < box.bottom;
    });
    const loaded = shown.length > 0 && shown.every((row) => row.dataset.sessionId || row.hasAttribute('aria-expanded'));
    const last = shown.some((row) => row.dataset.sessionId
        && row.getAttribute('aria-posinset') === row.getAttribute('aria-setsize'));
    const rows = document.querySelectorAll('[role=row]').length;
    const bottom = scroller.scrollTop + scroller.clientHeight >= scroller.scrollHeight - 1;
    if (loaded) scroller.scrollTop += args[0] * scroller.clientHeight;
    return { rows, loaded, end: loaded && bottom && last, complete: tree.getAttribute('aria-busy') !== 'true' }";

const GROUP_HEAD: &str = "const tree = page.first('treegrid', 'Sessions');
    return tree && tree.querySelector('[role=row][aria-expanded]') !== null";

/// Scrolls the tree to its end and fails when more than [`MOST_ROWS`] row elements ever stand in the page.
async fn scroll_to_the_end(page: &Page) {
    page.wait_for(
        "the list to be complete",
        "const tree = page.first('treegrid', 'Sessions'); return tree && tree.ariaBusy !== 'true'",
    )
    .await;
    let mut most = 0;
    loop {
        // A screen is judged when its rows are there: each step waits for them and then goes on.
        let step = page
            .wait_with(
                "a screen of rows",
                &format!("const step = (() => {{ {STEP} }})(); return step.loaded && step"),
                &[json!(20)],
            )
            .await;
        most = most.max(step["rows"].as_u64().expect("a count"));
        if step["end"] == true && step["complete"] == true {
            break;
        }
    }
    assert!(most <= MOST_ROWS, "{most} row elements stood in the page at once");
}

/// The `aria-setsize` of the last row in the page that `selector` meets.
async fn set_size(page: &Page, selector: &str) -> Value {
    let script = "const tree = page.first('treegrid', 'Sessions');
        return [...tree.querySelectorAll(args[0])].at(-1)?.getAttribute('aria-setsize') ?? null";
    page.run(script, &[json!(selector)]).await
}

async fn open_seeded(stage: &Stage) -> App {
    seed::seed(&stage.talaria_home(), SESSIONS, 2).await;
    open_app(stage).await
}

#[tokio::test]
async fn ten_thousand_grouped_sessions_scroll_to_the_end_with_few_row_elements() {
    let stage = Stage::new();
    let app = open_seeded(&stage).await;
    let page = &app.page;
    page.find("button", "Show sessions as a single list").await;
    page.wait_for("a group", GROUP_HEAD).await;
    let groups = Seed::default().folders;
    let size = set_size(page, "[role=row][aria-expanded]").await;
    assert_eq!(size, json!(groups.to_string()), "the list tells all its groups");
    scroll_to_the_end(page).await;
    // The groups are all of one size.
    let size = set_size(page, "[role=row][data-session-id][aria-level='2']").await;
    assert_eq!(size, json!((SESSIONS / groups).to_string()), "the last group tells its whole size");
    app.close().await;
}

#[tokio::test]
async fn ten_thousand_sessions_in_a_single_list_scroll_to_the_end_with_few_row_elements() {
    let stage = Stage::new();
    let app = open_seeded(&stage).await;
    let page = &app.page;
    page.click("button", "Show sessions as a single list").await;
    page.wait_for("the groups to go", &format!("return !(() => {{ {GROUP_HEAD} }})()")).await;
    scroll_to_the_end(page).await;
    let size = set_size(page, "[role=row][data-session-id]").await;
    assert_eq!(size, json!(SESSIONS.to_string()), "the list tells its whole size");
    app.close().await;
}
