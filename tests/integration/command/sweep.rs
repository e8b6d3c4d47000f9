//! The automatic archive and bulk actions as the windows hear of them.

use super::*;
use app_tests::home::DAY;
use app_tests::seed::chat;
use talaria_core::clock::{Clock, ManualClock};
use talaria_core::command::SWEEP_EVERY;
use talaria_core::store::Store;
use talaria_wire::SettingsPatch;

/// A folder whose home holds session 1 and so on, each last active so many days ago, and has this limit.
async fn folder(limit: u32, ages: &[i64]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    let store = Store::open(&home, OwnerLock::acquire(&home).unwrap(), Arc::new(SystemClock)).unwrap();
    for (n, age) in (1..).zip(ages) {
        let lineage = chat(n, SystemClock.now() - age * DAY - n as i64, &["x"]);
        store.lineage_put(Arc::new(lineage)).await.unwrap();
    }
    let patch = SettingsPatch { archive_after_days: Some(limit), ..SettingsPatch::default() };
    store.settings_update(patch).await.unwrap();
    store.close().await;
    folder
}

async fn host(folder: TempDir, every: Duration) -> Host {
    let host = Host::start_changed(folder, false, |config| config.sweep_every = every);
    host.until(BootPhase::Ready).await;
    host
}

async fn active(host: &Host) -> Vec<String> {
    let list = host.call("session_list", json!({})).await.unwrap();
    list["rows"].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

/// Waits until a window has heard so many events.
async fn heard(seen: &Mutex<Vec<EventEnvelope>>, count: usize) -> Vec<AppEvent> {
    let deadline = Instant::now() + DEADLINE;
    loop {
        let mut events: Vec<AppEvent> = seen.lock().unwrap().iter().map(|sent| sent.event.clone()).collect();
        // The end of the start is told while the first window comes.
        events.retain(|event| !matches!(event, AppEvent::BootChanged { .. }));
        if events.len() >= count {
            return events;
        }
        assert!(Instant::now() < deadline, "heard only {events:?}");
        tokio::task::yield_now().await;
    }
}

fn refetch() -> AppEvent {
    AppEvent::SessionsChanged { ids: Vec::new() }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_automatic_archive_waits_for_a_window_tells_it_and_can_be_taken_back() {
    let host = host(folder(30, &[1, 40, 50]).await, SWEEP_EVERY).await;
    let before = active(&host).await;
    assert_eq!(before, ["session-1", "session-2", "session-3"], "nobody is there to be told");
    let seen = host.attach("main");
    let events = heard(&seen, 2).await;
    let AppEvent::SessionsSwept { count: 2, days: 30, at } = events[0] else { panic!("{events:?}") };
    assert_eq!(events[1], refetch());
    assert_eq!(active(&host).await, ["session-1"]);
    let undo = json!({ "target": { "kind": "swept_at", "at": at }, "action": "unarchive" });
    let back = host.call("session_bulk", undo).await.unwrap();
    assert_eq!(back["done"], json!(["session-2", "session-3"]));
    assert_eq!(active(&host).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_a_window_shows_stays_until_no_window_shows_it() {
    let host = host(folder(0, &[40, 50, 60]).await, SWEEP_EVERY).await;
    let (main, second) = (host.attach("main"), host.attach("second"));
    host.call_as("main", "session_show", json!({ "id": "session-1" })).await.unwrap();
    host.call_as("second", "session_show", json!({ "id": "session-2" })).await.unwrap();
    let preview = host.call("sweep_preview", json!({ "days": 30 })).await.unwrap();
    assert_eq!((&preview["archives"], &preview["kept"]), (&json!(1), &json!(2)));
    assert_eq!(preview["sample"][0]["id"], "session-3");

    let limit = json!({ "archive_after_days": 30 });
    host.call("settings_update", limit.clone()).await.unwrap();
    assert_eq!(active(&host).await, ["session-1", "session-2"], "done with the answer");
    for window in [&main, &second] {
        let events = heard(window, 2).await;
        assert!(matches!(events[0], AppEvent::SessionsSwept { count: 1, days: 30, .. }), "{events:?}");
    }
    host.app.client_gone(&ClientId::from("second"));
    host.call("settings_update", limit.clone()).await.unwrap();
    assert_eq!(active(&host).await, ["session-1"], "its window is gone");
    host.call("session_show", json!({})).await.unwrap();
    host.call("settings_update", limit).await.unwrap();
    assert_eq!(active(&host).await, [""; 0], "its window shows none");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_that_is_not_the_limit_starts_no_run() {
    let host = host(folder(0, &[40]).await, SWEEP_EVERY).await;
    host.call("settings_update", json!({ "archive_after_days": 30 })).await.unwrap();
    let (ids, back) = (json!({ "kind": "ids", "ids": ["session-1"] }), "unarchive");
    host.call("session_bulk", json!({ "target": ids, "action": back })).await.unwrap();
    host.call("settings_update", json!({ "theme": "dark" })).await.unwrap();
    assert_eq!(active(&host).await, ["session-1"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_automatic_archive_runs_again_and_again() {
    let host = host(folder(30, &[40, 50]).await, Duration::from_millis(5)).await;
    host.call("session_show", json!({ "id": "session-1" })).await.unwrap();
    let seen = host.attach("main");
    assert_eq!(heard(&seen, 2).await.len(), 2, "the first run leaves the open one");
    host.call("session_show", json!({})).await.unwrap();
    let events = heard(&seen, 4).await;
    assert!(matches!(events[2], AppEvent::SessionsSwept { count: 1, days: 30, .. }), "{events:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_stays_open_empties_the_trash_after_30_days() {
    let folder = folder(0, &[1, 2]).await;
    let clock = ManualClock::at(SystemClock.now());
    let own = clock.clone();
    let host = Host::start_changed(folder, false, |config| {
        (config.sweep_every, config.boot.clock) = (Duration::from_millis(5), Arc::new(own));
    });
    host.until(BootPhase::Ready).await;
    let seen = host.attach("main");
    host.call("session_delete", json!({ "id": "session-1", "mode": "trash" })).await.unwrap();
    let db = rusqlite::Connection::open(host.folder.path().join("home/talaria.db")).unwrap();
    let last_run = || -> i64 {
        db.query_row("SELECT value FROM meta WHERE name = 'last_run'", [], |row| row.get(0)).unwrap()
    };
    let trash = async || {
        let trash = host.call("trash_list", json!({})).await.unwrap();
        trash["rows"].as_array().unwrap().len()
    };
    // Weeks, in steps that a clock makes when nothing is wrong with it.
    for _ in 0..5 {
        assert_eq!(trash().await, 1);
        clock.advance(5 * DAY);
        let deadline = Instant::now() + DEADLINE;
        while last_run() != clock.now() {
            assert!(Instant::now() < deadline, "no run came");
            tokio::task::yield_now().await;
        }
    }
    clock.advance(5 * DAY);
    let events = heard(&seen, 1).await;
    assert_eq!(events[0], refetch());
    assert_eq!(trash().await, 0);
    assert_eq!(active(&host).await, ["session-2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bulk_action_is_told_to_the_other_windows_by_its_ids_or_as_a_new_list() {
    let host = host(folder(0, &[1; 500]).await, SWEEP_EVERY).await;
    let (main, second) = (host.attach("main"), host.attach("second"));
    let bulk = |ids: Vec<String>| {
        host.call("session_bulk", json!({ "target": { "kind": "ids", "ids": ids }, "action": "archive" }))
    };
    let name = |n: usize| format!("session-{n}");
    assert_eq!(bulk(vec![name(999)]).await.unwrap()["refused"][0]["error"]["code"], "not_found");
    bulk(vec![name(1), name(2)]).await.unwrap();
    bulk((1..=500).map(name).collect()).await.unwrap();
    let events = heard(&second, 2).await;
    let AppEvent::SessionsChanged { ids } = &events[0] else { panic!("{events:?}") };
    assert_eq!(ids.iter().map(|id| id.as_str()).collect::<Vec<_>>(), ["session-1", "session-2"]);
    assert_eq!(events[1..], [refetch()], "498 are too many to name");
    assert_eq!(heard(&main, 0).await, [], "the cause has its answer");
}
