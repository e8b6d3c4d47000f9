//! Installed by apt, started from the menu entry, upgraded, removed. It changes the machine, so it runs only where that
//! is nobody's: in CI, as root.

use super::{Deb, import_and_archive, said, stage, wait_for_rows};
use app_tests::home::{NOON, open};
use app_tests::kills::is_ci;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use talaria_core::clock::ManualClock;

const ENTRY: &str = "/usr/share/applications/Talaria.desktop";

/// Takes the package off the machine, however the test ends.
struct Installed;

impl Drop for Installed {
    fn drop(&mut self) {
        // Removed already is as good.
        drop(Command::new("apt-get").args(["purge", "-y", "talaria"]).output());
    }
}

fn install(package: &Path) -> Installed {
    let package = package.to_str().expect("text");
    said(
        "env",
        &["DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends", package],
    );
    Installed
}

/// The same package with a higher version.
fn repacked(deb: &Deb, folder: &Path) -> PathBuf {
    let (tree, package) = (folder.join("tree"), folder.join("talaria-upgrade.deb"));
    said("dpkg-deb", &["-R", deb.name(), tree.to_str().expect("text")]);
    let control = tree.join("DEBIAN/control");
    let text = std::fs::read_to_string(&control).expect("the control file");
    let old = concat!("Version: ", env!("CARGO_PKG_VERSION"), "\n");
    let new = concat!("Version: ", env!("CARGO_PKG_VERSION"), "+upgrade1\n");
    assert!(text.contains(old), "{text}");
    std::fs::write(&control, text.replace(old, new)).expect("written");
    said("dpkg-deb", &["-b", tree.to_str().expect("text"), package.to_str().expect("text")]);
    package
}

/// The program that the menu starts.
fn program_of_the_entry() -> PathBuf {
    let entry = std::fs::read_to_string(ENTRY).expect("a menu entry");
    let exec = entry.lines().find_map(|line| line.strip_prefix("Exec=")).expect("an Exec line");
    let found = said("sh", &["-c", &format!("command -v {exec}")]);
    PathBuf::from(found.trim())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_upgrade_keeps_the_store_and_a_removal_keeps_the_data() {
    // SAFETY: geteuid takes nothing, changes nothing and cannot fail.
    let is_root = unsafe { libc::geteuid() } == 0;
    if !is_root || !is_ci() {
        eprintln!("Installing, upgrading and removing by apt runs only with CI=true and as root.");
        return;
    }
    assert!(!Path::new("/usr/bin/talaria").exists(), "Talaria is installed here: remove it before this test");
    let deb = Deb::built();
    let folder = tempfile::tempdir().expect("a temp folder");

    let installed = install(&deb.path);
    let program = program_of_the_entry();
    assert_eq!(program, Path::new("/usr/bin/talaria"));
    let stage = stage(&program);
    let app = stage.launch().await;
    import_and_archive(&app.page).await;
    app.close().await;

    let upgraded = install(&repacked(&deb, folder.path()));
    assert!(said("dpkg-query", &["-W", "talaria"]).contains("+upgrade1"));
    let app = stage.launch().await;
    wait_for_rows(&app.page, 21).await;
    app.page.no_row("Plain chat").await;
    app.close().await;

    said("apt-get", &["remove", "-y", "talaria"]);
    assert!(!program.exists() && !Path::new(ENTRY).exists(), "it is gone");
    let store =
        open(&stage.talaria_home(), &ManualClock::at(NOON), Duration::ZERO).expect("the store is there");
    assert_eq!(store.counts().await.expect("counts").archived, 2, "the sample's own and the one archived");
    drop((installed, upgraded));
}
