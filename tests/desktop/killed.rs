//! SIGKILL of the app with its window at random moments; the other processes' share is `integration/store/killed.rs`.

use crate::steps::{open_app, stage_with_sample, titles, wait_for_rows};
use app_tests::kills::kills;
use rand::Rng;
use rand::seq::IteratorRandom;
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

/// A draft is on disk so long after a letter was typed (sessions.md, "Life of a session"). A promise, so it is waited for
/// and not polled.
const DRAFT_WITHIN: Duration = Duration::from_millis(500);

#[tokio::test]
async fn what_the_window_acknowledged_survives_a_kill() {
    let stage = stage_with_sample().await;
    let app = open_app(&stage).await;
    wait_for_rows(&app.page, 22).await;
    let mut active = titles(&app.page).await;
    app.close().await;
    let mut draft = String::new();
    for round in 0..kills().window {
        let app = open_app(&stage).await;
        let page = &app.page;
        wait_for_rows(page, active.len() as u64).await;

        // Told: the toast comes when the store has it.
        for told in 0..rand::rng().random_range(1..=2) {
            let title = active.iter().choose(&mut rand::rng()).expect("a row is left").clone();
            page.ctrl_click(&page.row(&title).await).await;
            let words = if told == 0 { "Archived".to_owned() } else { format!("{} archived", told + 1) };
            page.reads("status", &words).await;
            active.retain(|its| *its != title);
        }
        let word = format!("word{round} ");
        page.type_into("textbox", "Message", &word).await;
        draft.push_str(&word);
        tokio::time::sleep(DRAFT_WITHIN).await;
        // Not told: it may come through or not, and the kill falls into the middle of it.
        let untold = active.iter().choose(&mut rand::rng()).expect("a row is left").clone();
        page.ctrl_click(&page.row(&untold).await).await;
        tokio::time::sleep(rand::rng().random_range(Duration::ZERO..Duration::from_millis(20))).await;
        app.kill();

        let app = open_app(&stage).await;
        let page = &app.page;
        let stands = "const tree = page.first('treegrid', 'Sessions');
            const rows = tree ? page.all('row', undefined, 'is', tree).filter((row) => row.dataset.sessionId) : [];
            return [...args].includes(rows.length)";
        let (most, least) = (active.len(), active.len() - 1);
        page.wait_with("the rows that are left", stands, &[json!(most), json!(least)]).await;
        // Groups stand by their newest session, so the order may change with what is gone.
        let now = titles(page).await;
        active.retain(|title| *title != untold || now.contains(title));
        let sorted = |titles: &[String]| titles.iter().cloned().collect::<BTreeSet<_>>();
        assert_eq!(sorted(&now), sorted(&active), "round {round}");
        let shown = "return page.first('textbox', 'Message')?.value === args[0]";
        page.wait_with(&format!("the draft {draft:?} in round {round}"), shown, &[json!(draft)]).await;
        app.close().await;
    }
}
