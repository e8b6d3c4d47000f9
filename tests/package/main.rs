//! The package as people get it: what it says, what lies in it, the app started from it, and (in CI, as root) installed,
//! upgraded and removed by apt. `make bundle` makes it first.

#![allow(
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop where it stands; support code of tests counts as tests"
)]

mod deb;
mod installed;
mod playing;

use app_tests::desktop::{Page, Stage};
use app_tests::hermes_file::HermesFile;
use deb::Deb;
use std::path::Path;
use std::process::Command;

/// A stage for an app that lies elsewhere, with a Hermes store where the first start looks for one.
fn stage(app: &Path) -> Stage {
    let stage = Stage::with_app(app);
    drop(HermesFile::copy_of_sample(&stage.hermes_home().join("state.db")).expect("a Hermes store"));
    stage
}

/// First start: brings the sample in and archives a row.
async fn import_and_archive(page: &Page) {
    page.find("main", "Set up Talaria").await;
    page.click("button", "Import all").await;
    page.reads("status", "28 of 28 sessions imported").await;
    page.click("button", "Start").await;
    page.ctrl_click(&page.row("Plain chat").await).await;
    page.reads("status", "Archived").await;
    page.no_row("Plain chat").await;
}

/// Waits until the sidebar has so many session rows.
async fn wait_for_rows(page: &Page, count: usize) {
    let script = "return [...document.querySelectorAll('[role=row][data-session-id]')].length === args[0]";
    page.wait_with(&format!("{count} rows"), script, &[count.into()]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_app_starts_from_the_package_and_its_talariactl_works_beside_it() {
    let deb = Deb::built();
    let root = deb.extracted();
    let stage = stage(&root.path().join("usr/bin/talaria"));
    let app = stage.launch().await;
    import_and_archive(&app.page).await;
    wait_for_rows(&app.page, 21).await;

    // The open app does the work: the home is its own.
    let mut ctl = stage.command(&root.path().join("usr/bin/talariactl"));
    let output = tokio::task::spawn_blocking(move || ctl.args(["import", "--json"]).output());
    let output = output.await.expect("it ends").expect("talariactl runs");
    let report: talaria_wire::ImportReport = serde_json::from_slice(&output.stdout).expect("a report");
    assert_eq!((report.sessions, report.unchanged), (0, 28));
    let version = stage.command(&root.path().join("usr/bin/talariactl")).arg("version").output();
    let version = version.expect("talariactl runs").stdout;
    assert!(String::from_utf8_lossy(&version).starts_with(concat!("talariactl ", env!("CARGO_PKG_VERSION"))));
    app.close().await;
}

/// Runs a tool and gives back what it says; it must succeed.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let words =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{program} {arguments:?}: {words}");
    words
}
