//! The house's rules, read from the sources: which way imports go, who may know Tauri and SQLite, how long a file is,
//! what lies at the top. A failure names the file, the line and the rule.

pub(crate) mod source;

use source::{Kind, Source, crate_paths, repository, script_imports, sources};
use std::collections::BTreeSet;
use std::path::Path;

/// Modules of the core, lowest first. A module names only modules of lower steps, never one beside it.
const CORE_STEPS: &[&[&str]] = &[
    &["clock"],
    &["store", "media", "notify", "owner", "process", "secret"],
    &["files"],
    &["import", "export", "save", "agent"],
    &["gateway"],
    &["boot"],
    &["command"],
];

/// Folders of the interface, lowest first. A file names its own folder and lower ones.
const UI_STEPS: &[&str] =
    &["styles", "lib", "ipc", "platform", "state", "shared", "markdown", "features", "views"];

/// A longer file holds more than one concept.
const LONGEST_FILE: usize = 800;

const TOP_LEVEL: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "Makefile",
    "README.md",
    "icons",
    "src-tauri",
    "target",
    "tests",
    "ui",
];

const CORE: &str = "src-tauri/crates/core/src/";
const SHELL: &str = "src-tauri/src/";

fn core_step(module: &str) -> Option<usize> {
    CORE_STEPS.iter().position(|step| step.contains(&module))
}

/// Fails with every broken rule at once, one a line.
fn expect_none(broken: Vec<String>, rule: &str) {
    assert!(broken.is_empty(), "{rule}\n{}\n", broken.join("\n"));
}

fn rust_sources() -> Vec<Source> {
    let found: Vec<_> = sources().into_iter().filter(|source| source.kind == Kind::Rust).collect();
    assert!(found.len() > 20, "only {} Rust files were found: the walk is broken", found.len());
    found
}

/// The interface's product files: its tests, the host in memory they use and the preview pages are not built in.
fn ui_sources() -> Vec<Source> {
    let found: Vec<_> = sources()
        .into_iter()
        .filter(|source| {
            matches!(source.kind, Kind::Script | Kind::Svelte)
                && source.path.starts_with("ui/src/")
                && !["ui/src/dev/", "ui/src/test/"].iter().any(|folder| source.path.starts_with(folder))
                && !source.path.contains(".test.")
        })
        .collect();
    assert!(found.len() > 10, "only {} interface files were found: the walk is broken", found.len());
    found
}

/// The first line whose code holds one of the words as a Rust path or crate name.
fn lines_naming<'a>(source: &'a Source, crates: &'a [&str]) -> impl Iterator<Item = String> + 'a {
    source.code_lines().filter_map(move |(number, line)| {
        let named = source::words(line).any(|word| crates.contains(&word));
        named.then(|| format!("{}:{number}: {}", source.path, line.trim()))
    })
}

#[test]
fn core_modules_import_only_what_stands_left_of_them() {
    let mut broken = Vec::new();
    for source in rust_sources().iter().filter(|source| source.path.starts_with(CORE)) {
        let inside = source.path.trim_start_matches(CORE);
        let module = inside.split(['/', '.']).next().expect("a path has a first part");
        if module == "lib" {
            continue;
        }
        let Some(own) = core_step(module) else {
            broken.push(format!("{}: the module {module:?} has no step in this test's table", source.path));
            continue;
        };
        for (number, named) in crate_paths(source, inside) {
            if named != module && core_step(&named).is_some_and(|step| step >= own) {
                broken.push(format!("{}:{number}: {module} names {named}", source.path));
            }
        }
    }
    expect_none(
        broken,
        "core imports go clock <- store, media, notify, owner <- import, export <- gateway <- boot <- command",
    );
}

#[test]
fn crates_depend_only_on_crates_below_them() {
    let forbidden: &[(&str, &[&str])] = &[
        (
            "src-tauri/crates/wire/",
            &["talaria_core", "talaria_lib", "talariactl", "app_tests", "tokio", "rusqlite"],
        ),
        (
            "src-tauri/crates/media-frames/",
            &["talaria_wire", "talaria_core", "talaria_lib", "talariactl", "app_tests", "tokio", "gstreamer"],
        ),
        (
            "src-tauri/crates/gst-hermes-media/",
            &["talaria_wire", "talaria_core", "talaria_lib", "talariactl", "app_tests", "tokio"],
        ),
        ("src-tauri/crates/core/", &["talaria_lib", "talariactl", "app_tests", "gstreamer"]),
        ("src-tauri/crates/ctl/", &["talaria_lib", "app_tests"]),
        ("tests/", &["talaria_lib"]),
        (SHELL, &["talariactl", "app_tests"]),
    ];
    let mut broken = Vec::new();
    for source in rust_sources() {
        for (folder, crates) in forbidden {
            if source.path.starts_with(folder) {
                broken.extend(lines_naming(&source, crates).filter(|line| !line.starts_with(OWN)));
            }
        }
    }
    expect_none(
        broken,
        "wire, media-frames <- core <- ctl, tests and the shell; media-frames <- gst-hermes-media; nothing depends on the shell",
    );
}

/// These tests name what they forbid.
const OWN: &str = "tests/integration/architecture";

#[test]
fn only_the_shell_names_tauri() {
    let crates =
        ["tauri", "tauri_build", "tauri_plugin_dialog", "tauri_plugin_opener", "tauri_plugin_window_state"];
    let broken: Vec<_> = rust_sources()
        .iter()
        .filter(|source| !source.path.starts_with(SHELL) && source.path != "src-tauri/build.rs")
        .filter(|source| !source.path.starts_with(OWN))
        .flat_map(|source| lines_naming(source, &crates).collect::<Vec<_>>())
        .chain(manifests_naming("tauri", &["src-tauri/Cargo.toml"]))
        .collect();
    expect_none(broken, "only src-tauri/src and its build.rs may name tauri");
}

#[test]
fn only_store_import_and_tests_name_sqlite() {
    let allowed = ["src-tauri/crates/core/src/store", "src-tauri/crates/core/src/import", "tests/"];
    let broken: Vec<_> = rust_sources()
        .iter()
        .filter(|source| !allowed.iter().any(|folder| source.path.starts_with(folder)))
        .filter(|source| !source.path.contains("/tests/"))
        .flat_map(|source| lines_naming(source, &["rusqlite", "libsqlite3_sys"]).collect::<Vec<_>>())
        .chain(manifests_naming("rusqlite", &["src-tauri/crates/core/Cargo.toml", "tests/Cargo.toml"]))
        .collect();
    expect_none(broken, "all SQL stands in core::store and core::import");
}

/// Who may look at a secret, and who may ask a server.
const KEYS: &str = "src-tauri/crates/core/src/secret/";
const MODEL: &str = "src-tauri/crates/core/src/agent/model/";

#[test]
fn a_key_is_looked_at_only_where_it_is_kept_sent_and_taken_out_of_words() {
    let allowed = [
        KEYS,
        "src-tauri/crates/core/src/agent/model/web.rs",
        "src-tauri/crates/core/src/agent/model/failure.rs",
        "tests/",
    ];
    let broken: Vec<_> = rust_sources()
        .iter()
        .filter(|source| !allowed.iter().any(|place| source.path.starts_with(place)))
        .flat_map(|source| {
            lines_naming(source, &["expose_secret", "ExposeSecret", "keyring"]).collect::<Vec<_>>()
        })
        .filter(|line| !line.contains("keyring:") && !line.contains("config.keyring"))
        .collect();
    expect_none(
        broken,
        "a key is looked at in core::secret, sent by agent::model::web, hidden by agent::model::failure",
    );
}

#[test]
fn only_the_models_client_asks_other_servers() {
    let broken: Vec<_> = rust_sources()
        .iter()
        .filter(|source| !source.path.starts_with(MODEL) && !source.path.starts_with("tests/"))
        .flat_map(|source| lines_naming(source, &["reqwest", "rustls"]).collect::<Vec<_>>())
        .collect();
    expect_none(broken, "only core::agent::model makes requests");
}

/// Dependency lines of members' manifests that begin with `name`, but in the manifests that may. What only tests need
/// is no dependency of the product.
fn manifests_naming(name: &str, allowed: &[&str]) -> Vec<String> {
    let members = [
        "src-tauri/Cargo.toml",
        "src-tauri/crates/wire/Cargo.toml",
        "src-tauri/crates/core/Cargo.toml",
        "src-tauri/crates/ctl/Cargo.toml",
        "src-tauri/crates/media-frames/Cargo.toml",
        "src-tauri/crates/gst-hermes-media/Cargo.toml",
        "tests/Cargo.toml",
    ];
    let mut found = Vec::new();
    for member in members.into_iter().filter(|member| !allowed.contains(member)) {
        let text = std::fs::read_to_string(repository().join(member)).expect("a member has a manifest");
        // A dev-dependency belongs to tests, which may name anything.
        let product = text.split("[dev-dependencies]").next().expect("a split has a first part");
        let lines = product.lines().enumerate().filter(|(_, line)| line.starts_with(name));
        found.extend(lines.map(|(index, line)| format!("{member}:{}: {line}", index + 1)));
    }
    found
}

#[test]
fn only_the_platform_folder_imports_tauri_in_the_interface() {
    let broken: Vec<_> = ui_sources()
        .iter()
        .filter(|source| !source.path.starts_with("ui/src/platform/"))
        .flat_map(|source| {
            script_imports(source)
                .into_iter()
                .filter(|import| import.from.starts_with("@tauri-apps"))
                .map(|import| format!("{}:{}: {}", source.path, import.line, import.from))
                .collect::<Vec<_>>()
        })
        .collect();
    expect_none(broken, "only ui/src/platform imports @tauri-apps");
}

#[test]
fn nobody_imports_the_global_event_listener() {
    let mut broken = Vec::new();
    for source in ui_sources() {
        for import in script_imports(&source) {
            let hears_everything = source::words(&import.names).any(|name| matches!(name, "listen" | "once"));
            let whole_module = import.names.contains('*') || import.names.is_empty();
            if import.from == "@tauri-apps/api/event" && (hears_everything || whole_module) {
                broken
                    .push(format!("{}:{}: {} from {}", source.path, import.line, import.names, import.from));
            }
        }
    }
    expect_none(broken, "listen() hears every window's events; events come by the window's own channel");
}

#[test]
fn raw_html_is_written_only_by_markdown() {
    let broken: Vec<_> = ui_sources()
        .iter()
        .filter(|source| !source.path.starts_with("ui/src/markdown/"))
        .flat_map(|source| {
            let text = source.text.lines().enumerate();
            text.filter(|(_, line)| {
                ["{@html", ".innerHTML =", ".outerHTML =", "insertAdjacentHTML("]
                    .iter()
                    .any(|word| line.contains(word))
            })
            .map(|(index, line)| format!("{}:{}: {}", source.path, index + 1, line.trim()))
            .collect::<Vec<_>>()
        })
        .collect();
    expect_none(broken, "only ui/src/markdown, behind its sanitizer, writes HTML");
}

#[test]
fn interface_folders_import_only_what_stands_left_of_them() {
    let step = |path: &str| {
        let folder = path.trim_start_matches("ui/src/").split('/').next().expect("a path has a first part");
        UI_STEPS.iter().position(|name| *name == folder)
    };
    let mut broken = Vec::new();
    for source in ui_sources().iter() {
        // Files beside the folders (main, App, the test set-up) put everything together.
        let Some(own) = step(&source.path) else {
            let top = !source.path.trim_start_matches("ui/src/").contains('/');
            if !top {
                broken.push(format!("{}: its folder has no step in this test's table", source.path));
            }
            continue;
        };
        for import in script_imports(source).iter().filter(|import| import.from.starts_with('.')) {
            let target = import.resolve(&source.path);
            if !target.starts_with("ui/src/") {
                broken.push(format!("{}:{}: {} leaves ui/src", source.path, import.line, import.from));
            } else if step(&target).is_none_or(|step| step > own) {
                broken.push(format!("{}:{}: {} names {target}", source.path, import.line, UI_STEPS[own]));
            }
        }
    }
    expect_none(broken, &format!("interface imports go {}", UI_STEPS.join(" <- ")));
}

#[test]
fn no_file_is_longer_than_one_concept() {
    let broken: Vec<_> = sources()
        .iter()
        .map(|source| (source, source.text.lines().count()))
        .filter(|(_, lines)| *lines > LONGEST_FILE)
        .map(|(source, lines)| format!("{}: {lines} lines", source.path))
        .collect();
    expect_none(broken, "a file has at most 800 lines: split it by concept");
}

#[test]
fn the_top_level_holds_the_front_door_and_nothing_else() {
    let found: BTreeSet<String> = std::fs::read_dir(repository())
        .expect("the repository can be listed")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.'))
        .collect();
    let strangers: Vec<_> = found.into_iter().filter(|name| !TOP_LEVEL.contains(&name.as_str())).collect();
    expect_none(strangers, "beside the fixed folders and files the top level holds only dot files");
}

#[test]
fn the_readme_maps_folders_that_exist() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("README.md exists");
    let (_, map) = readme.split_once("## Code map").expect("README.md has a section \"Code map\"");
    let map = map.split_once("\n## ").map_or(map, |(section, _)| section);
    let cells = map.lines().filter_map(|line| line.strip_prefix("| `")?.split(" |").next());
    let names: Vec<&str> =
        cells.flat_map(|cell| cell.split('`').step_by(2)).filter(|name| !name.trim().is_empty()).collect();
    assert!(names.len() >= 10, "the code map names only {names:?}");
    let gone = |name: &&str| !Path::new(&repository()).join(name).exists();
    let broken: Vec<String> = names.into_iter().filter(gone).map(str::to_owned).collect();
    expect_none(broken, "the code map of README.md names what is not there");
}

#[test]
fn every_picture_of_the_readme_is_in_the_tree() {
    let readme = std::fs::read_to_string(repository().join("README.md")).expect("README.md exists");
    let pictures: Vec<&str> =
        readme.split("![").skip(1).filter_map(|rest| rest.split_once("](")?.1.split(')').next()).collect();
    assert!(!pictures.is_empty(), "README.md shows no picture");
    let gone = pictures.into_iter().filter(|name| !repository().join(name).is_file());
    expect_none(gone.map(str::to_owned).collect(), "README.md shows what is not there");
}

#[test]
fn no_installed_package_and_no_build_is_in_the_tree() {
    let listed = std::process::Command::new("git").args(["ls-files"]).current_dir(repository()).output();
    let listed = String::from_utf8(listed.expect("git lists the tree").stdout).expect("names are text");
    assert!(listed.lines().count() > 100, "git lists only {} files", listed.lines().count());
    let built = |name: &&str| name.split('/').any(|part| ["node_modules", "target", "dist"].contains(&part));
    expect_none(listed.lines().filter(built).map(str::to_owned).collect(), "installed or built, not written");
}
