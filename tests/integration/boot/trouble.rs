use super::*;
use app_tests::damage::{overwrite, pages};
use app_tests::hermes_file::HermesFile;
use rusqlite::Connection;
use talaria_core::owner::ask_import;
use talaria_core::store::SCHEMA;
use talaria_wire::{BootPhase, ErrorCode, RecoveryStatus};
use tokio_util::sync::CancellationToken;

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_store_opens_for_reading_is_recovered_and_is_whole_again() {
    let folder = seeded(80).await;
    overwrite(&folder.path().join(STORE_FILE), 1, 0, 100, 1);
    let host = Host::start(folder, NOW);
    let status = host.until(|now| now.phase != BootPhase::Connecting).await;
    assert_eq!((status.phase, status.first_start), (BootPhase::Ready, false));
    let trouble = status.trouble.expect("it is damaged");
    assert_eq!((trouble.code, trouble.readable, trouble.total), (ErrorCode::Damaged, Some(80), Some(80)));
    assert!(trouble.recoverable && trouble.bytes > 0 && !trouble.found.is_empty(), "{trouble:?}");
    assert_eq!(trouble.path, host.file().display().to_string());
    assert_eq!(host.ok("session_list", json!({})).await["counts"]["active"], 80);
    let refused = host.call("session_update", json!({ "id": "session-1", "title": "x" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Damaged);
    let again = host.ok("boot_retry", json!({})).await;
    assert_eq!(again["phase"], "ready", "it stays readable");

    let events = host.events();
    host.ok("recovery_start", json!({})).await;
    let ended = host.recovery_end().await;
    assert_eq!((&ended["state"], &ended["report"]["sessions"]), (&json!("done"), &json!(80)), "{ended}");
    assert_eq!(ended["report"]["messages"], 320);
    let status = host.until(|now| now.trouble.is_none()).await;
    assert_eq!(status.phase, BootPhase::Ready);
    assert!(exists(host.folder.path(), "talaria.damaged-20261130T120000Z"));
    host.ok("session_update", json!({ "id": "session-1", "title": "written again" })).await;
    // The end is told after the status holds it.
    let told = async {
        while !events.lock().unwrap().iter().any(|event| matches!(event, AppEvent::SessionsChanged { .. })) {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, told).await.expect("the lists are told");
    let seen = events.lock().unwrap();
    let is_done =
        |event: &AppEvent| matches!(event, AppEvent::RecoveryChanged { status: RecoveryStatus::Done { .. } });
    assert!(seen.iter().any(is_done), "{seen:?}");
    assert!(
        seen.iter()
            .any(|event| matches!(event, AppEvent::BootChanged { status } if status.trouble.is_none()))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recovery_of_a_whole_store_is_refused_in_words() {
    let host = Host::start(seeded(3).await, NOW);
    host.until(|now| now.phase == BootPhase::Ready).await;
    host.ok("recovery_start", json!({})).await;
    let ended = host.recovery_end().await;
    assert_eq!(
        (&ended["state"], &ended["error"]["code"]),
        (&json!("failed"), &json!("bad_request")),
        "{ended}"
    );
    host.ok("session_update", json!({ "id": "session-1", "title": "still writable" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recovery_that_fails_leaves_the_store_readable() {
    let folder = seeded(20).await;
    overwrite(&folder.path().join(STORE_FILE), 1, 0, 100, 1);
    let before = std::fs::read(folder.path().join(STORE_FILE)).unwrap();
    // Where the new file would be made stands something else.
    std::fs::create_dir(folder.path().join(format!("{STORE_FILE}.recovered.part"))).unwrap();
    let host = Host::start(folder, NOW);
    host.until(|now| now.trouble.is_some()).await;
    host.ok("recovery_start", json!({})).await;
    let ended = host.recovery_end().await;
    assert_eq!(ended["state"], "failed", "{ended}");
    assert_eq!(host.ok("session_list", json!({})).await["counts"]["active"], 20);
    assert!(std::fs::read(host.file()).unwrap() == before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_store_is_read_and_cannot_be_recovered_and_opens_when_it_is_known() {
    let folder = seeded(12).await;
    let number = |file: &Path, version: i64| {
        Connection::open(file).unwrap().pragma_update(None, "user_version", version).unwrap();
    };
    number(&folder.path().join(STORE_FILE), SCHEMA + 1);
    let host = Host::start(folder, NOW);
    let trouble = host.until(|now| now.trouble.is_some()).await.trouble.unwrap();
    assert_eq!((trouble.code, trouble.recoverable), (ErrorCode::Newer, false));
    assert_eq!(host.ok("session_list", json!({})).await["counts"]["active"], 12);
    host.ok("recovery_start", json!({})).await;
    assert_eq!(host.recovery_end().await["state"], "failed");

    // As an update of the app would: the number is one it knows.
    number(&host.file(), SCHEMA);
    host.ok("boot_retry", json!({})).await;
    let status = host.until(|now| now.trouble.is_none()).await;
    assert_eq!(status.phase, BootPhase::Ready);
    host.ok("session_update", json!({ "id": "session-1", "title": "writable" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_at_all_fails_with_words_and_names_the_copy_before_the_last_update() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(STORE_FILE), "not a database at all. ".repeat(2_000)).unwrap();
    std::fs::write(folder.path().join(format!("{STORE_FILE}.schema-1")), "an old copy").unwrap();
    let host = Host::start(folder, NOW);
    let failure = host.until(|now| now.phase == BootPhase::Failed).await.failure.unwrap();
    assert_eq!((failure.code, failure.recoverable), (ErrorCode::Damaged, false));
    assert!(failure.message.contains("talaria.db.schema-1"), "{}", failure.message);
    assert!(host.app.boot.status().trouble.is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn damage_that_an_open_store_meets_has_it_opened_for_reading_until_it_is_recovered() {
    let folder = seeded(400).await;
    let file = folder.path().join(STORE_FILE);
    let leaf = pages(&file).into_iter().filter(|page| page.of == "messages" && page.is_leaf).nth(20).unwrap();
    let host = Host::start(folder, NOW);
    host.until(|now| now.phase == BootPhase::Ready).await;
    overwrite(&file, leaf.number, 0, 4096, 1);
    let transcript = |n: usize| json!({ "session_id": format!("session-{n}"), "anchor": { "at": "end" } });
    // Reading every transcript meets the page.
    for n in 1..=400 {
        if host.call("message_page", transcript(n)).await.is_err_and(|e| e.code == ErrorCode::Damaged) {
            break;
        }
    }
    let trouble = host.until(|now| now.trouble.is_some()).await.trouble.unwrap();
    assert_eq!((trouble.code, trouble.recoverable), (ErrorCode::Damaged, true));
    assert_eq!((trouble.readable, trouble.total), (Some(400), Some(400)));
    let mut read = 0;
    for n in 1..=400 {
        read += host.ok("message_page", transcript(n)).await["messages"].as_array().unwrap().len();
    }
    assert_eq!(read as i64, 1_600 - leaf.rows, "every transcript opens, around the damage");
    let refused = host.call("session_update", json!({ "id": "session-1", "title": "x" })).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::Damaged);
    assert!(host.retried().await.trouble.is_some(), "a check of the file finds it");
    host.ok("recovery_start", json!({})).await;
    let ended = host.recovery_end().await;
    assert_eq!((&ended["state"], &ended["report"]["sessions"]), (&json!("done"), &json!(400)), "{ended}");
    let messages =
        ended["report"]["tables"].as_array().unwrap().iter().find(|t| t["table"] == "messages").unwrap();
    assert_eq!(messages["lost"], leaf.rows, "{ended}");
    host.until(|now| now.trouble.is_none() && now.phase == BootPhase::Ready).await;
}

/// A host on a store that is taken for too large to be checked at its start.
async fn unchecked(folder: TempDir, now: i64) -> Host {
    let host = Host::start_with(folder, now, Limits { checked: 0, ..Limits::default() });
    host.until(|now| now.phase == BootPhase::Ready).await;
    host
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_store_whose_list_meets_damage_lists_all_that_reads_and_is_not_written() {
    let folder = seeded(400).await;
    let file = folder.path().join(STORE_FILE);
    let root = pages(&file).into_iter().find(|page| page.of == "lineages_said" && page.is_root).unwrap();
    let sound = std::fs::read(&file).unwrap();
    overwrite(&file, root.number, 0, 4096, 1);
    let host = unchecked(folder, NOW).await;
    let list = json!({ "limit": 500, "min_messages": 1 });
    // As the sidebar asks. It may be met before.
    let _ = host.call("session_list", list.clone()).await;
    let trouble = host.until(|now| now.trouble.is_some()).await.trouble.unwrap();
    assert_eq!((trouble.code, trouble.readable, trouble.total), (ErrorCode::Damaged, Some(400), Some(400)));
    let listed = host.ok("session_list", list.clone()).await;
    assert_eq!(listed["rows"].as_array().unwrap().len(), 400);

    let damaged = std::fs::read(&file).unwrap();
    let other = tempfile::tempdir().unwrap();
    let hermes = HermesFile::copy_of_sample(&other.path().join("state.db")).unwrap();
    let refused = ask_import(host.folder.path(), hermes.path(), CancellationToken::new(), |_| {}).await;
    assert_eq!(refused.expect("somebody listens").unwrap_err().code, ErrorCode::Damaged);
    assert!(host.retried().await.trouble.is_some(), "asked for, all of it is checked");
    assert_eq!(host.ok("session_list", list).await["rows"].as_array().unwrap().len(), 400);
    assert!(std::fs::read(&file).unwrap() == damaged, "not a byte of it was written");

    // As somebody who puts a copy back.
    std::fs::write(&file, sound).unwrap();
    assert_eq!(host.retried().await.trouble, None);
    host.ok("session_update", json!({ "id": "session-1", "title": "written again" })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_jump_of_the_clock_holds_until_the_app_ends_whatever_is_opened_anew() {
    let host = Host::start(seeded(400).await, NOW);
    host.until(|now| now.phase == BootPhase::Ready).await;
    host.ok("session_delete", json!({ "id": "session-1", "mode": "trash" })).await;
    let folder = closed(host).await;
    let file = folder.path().join(STORE_FILE);
    let root = pages(&file).into_iter().find(|page| page.of == "lineages_said" && page.is_root).unwrap();
    overwrite(&file, root.number, 0, 4096, 1);
    let host = unchecked(folder, NOW + 40 * DAY).await;
    assert_eq!(host.app.boot.status().clock_jump_days, Some(40));
    let _ = host.call("session_list", json!({ "limit": 500, "min_messages": 1 })).await;
    let status = host.until(|now| now.trouble.is_some()).await;
    assert_eq!(status.clock_jump_days, Some(40));
    host.ok("recovery_start", json!({})).await;
    assert_eq!(host.recovery_end().await["state"], "done");
    let status = host.until(|now| now.trouble.is_none() && now.phase == BootPhase::Ready).await;
    assert_eq!(status.clock_jump_days, Some(40));
    assert_eq!(host.app.boot.ready().unwrap().store.clock_jump_days(), Some(40), "nothing is swept either");
    assert_eq!(host.ok("session_list", json!({})).await["counts"]["trash"], 1, "the trash is as it was");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_jumped_either_way_is_told_once() {
    let mut folder = seeded(3).await;
    for (now, days) in [
        (NOW + 3 * DAY, None),
        (NOW + 20 * DAY, Some(17)),
        (NOW + 21 * DAY, None),
        (NOW, Some(21)),
        (NOW + DAY, None),
    ] {
        let host = Host::start(folder, now);
        let status = host.until(|status| status.phase == BootPhase::Ready).await;
        assert_eq!(status.clock_jump_days, days);
        folder = closed(host).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_search_is_whole_after_a_start_over_an_index_that_is_not() {
    let folder = seeded(30).await;
    let db = Connection::open(folder.path().join(STORE_FILE)).unwrap();
    db.execute_batch(
        "DELETE FROM message_search WHERE rowid IN (SELECT seq FROM messages WHERE lineage < 20)",
    )
    .unwrap();
    drop(db);
    let host = Host::start(folder, NOW);
    host.until(|now| now.phase == BootPhase::Ready).await;
    let whole = async {
        let request = json!({ "query": "deploy", "archived": "include" });
        while host.ok("session_search", request.clone()).await["message_count"]["n"] != 30 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(DEADLINE, whole).await.expect("it is mended in the background");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_is_run_by_command_and_about_tells_the_sizes() {
    let host = Host::start(seeded(5).await, NOW);
    host.until(|now| now.phase == BootPhase::Ready).await;
    let report = host.ok("health_check", json!({})).await;
    assert_eq!(report["items"].as_array().unwrap().len(), 7, "{report}");
    host.ok("health_cancel", json!({})).await;
    std::fs::create_dir(host.folder.path().join("deep")).unwrap();
    std::fs::write(host.folder.path().join("deep/file"), [0; 1_000_000]).unwrap();
    let about = host.ok("about_get", json!({})).await;
    let bytes = |name: &str| about[name].as_u64().unwrap();
    assert!(bytes("home_bytes") >= bytes("store_bytes") + 1_000_000, "{about}");
    assert!(bytes("store_bytes") >= std::fs::metadata(host.file()).unwrap().len());
    assert_eq!(
        about["facts"],
        json!([["System", "A system"], ["Media playback", "The web view plays files by itself."]])
    );
    assert_eq!((&about["version"], &about["schema"]), (&json!("test"), &json!(SCHEMA)));
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_hold_what_helps_and_nothing_private() {
    let folder = seeded(5).await;
    let logs = folder.path().join("logs");
    std::fs::create_dir(&logs).unwrap();
    let line = |n: usize| {
        format!(
            "line {n} at {}/file of Secret plan and \u{9031}\u{5831}, key sk-abcdefghijklmnop0123\n",
            folder.path().display()
        )
    };
    std::fs::write(logs.join("talaria.2026-11-29.log"), (0..300).map(line).collect::<String>()).unwrap();
    std::fs::write(logs.join("talaria.2026-11-30.log"), "a last line\n").unwrap();
    let host = Host::start(folder, NOW);
    host.until(|now| now.phase == BootPhase::Ready).await;
    host.ok("session_update", json!({ "id": "session-1", "title": "Secret plan" })).await;
    host.ok("session_update", json!({ "id": "session-2", "title": "\u{9031}\u{5831}" })).await;
    host.ok("session_delete", json!({ "id": "session-2", "mode": "trash" })).await;
    host.ok("settings_update", json!({ "closed_groups": ["/srv/private/folder"], "zoom": 120 })).await;
    host.ok("health_check", json!({})).await;
    let text = host.ok("diagnostics_get", json!({})).await["text"].as_str().unwrap().to_owned();
    for there in [
        "Talaria test on linux",
        "System: A system",
        "zoom = 120",
        "4 active",
        "Search: Good",
        "a last line",
        "line 299 at ~/file",
    ] {
        assert!(text.contains(there), "{there} is missing in {text}");
    }
    let path = host.folder.path().display().to_string();
    for private in ["Secret plan", "\u{9031}\u{5831}", "sk-abc", "private/folder", path.as_str(), "line 99 "]
    {
        assert!(!text.contains(private), "{private} is in {text}");
    }
    assert_eq!(text.lines().skip_while(|line| *line != "Log").count(), 201);
}
