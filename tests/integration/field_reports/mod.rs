//! What went wrong elsewhere, a test each: of the kind, not of the instance. One file a group of the collection. Where a
//! test elsewhere already holds it, the file's head names that test.

mod b_sessions;
mod c_archive;
mod d_store;
mod e_media;
mod f_security;
mod g_start;
mod i_text;

use crate::architecture::source::{Kind, repository, sources};

/// The reports that this version answers.
const REPORTS: &str = "B1 B4 B5 B7 B9 B12 B14 B16 B20 B23 C1 C3 C5 C6 D1 D3 D5 D8 D10 D13 E1 E2 E4 E5 E7 E9 E10 E15 F1 F2 F5 F7 F10 G7 G8 I1 I3 I6";

fn files() -> Vec<(String, String)> {
    let folder = repository().join("tests/integration/field_reports");
    let entries = std::fs::read_dir(folder).expect("this folder").map(|entry| entry.expect("a file").path());
    entries
        .filter(|path| !path.ends_with("mod.rs"))
        .map(|path| {
            let text = std::fs::read_to_string(&path).expect("a text");
            (path.display().to_string(), text)
        })
        .collect()
}

#[test]
fn every_report_is_answered_in_the_file_of_its_group() {
    for report in REPORTS.split(' ') {
        let group = report[..1].to_lowercase();
        let (_, text) = files()
            .into_iter()
            .find(|(path, _)| path.rsplit('/').next().is_some_and(|name| name.starts_with(&group)))
            .unwrap_or_else(|| panic!("no file for group {group}"));
        let named = text
            .lines()
            .filter(|line| line.trim_start().starts_with("//"))
            .any(|line| line.split(|c: char| !c.is_alphanumeric()).any(|word| word == report));
        assert!(named, "{report} is named nowhere in the file of its group");
    }
}

/// A test that was renamed or taken away leaves no name behind.
#[test]
fn every_test_that_is_named_here_is_there() {
    let all: Vec<_> = sources();
    let rust: Vec<String> = all.iter().filter(|s| s.kind == Kind::Rust).map(|s| s.text.clone()).collect();
    let mut named = 0;
    for (path, text) in files() {
        let head: Vec<&str> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let head = head.join(" ").replace("//!", " ");
        for quoted in head.split('`').skip(1).step_by(2) {
            let name = quoted.rsplit("::").next().expect("a last part");
            if name.matches('_').count() < 3 || name.contains(['.', '/']) {
                continue;
            }
            named += 1;
            let is_there = rust.iter().any(|text| text.contains(&format!("fn {name}(")));
            assert!(is_there, "{path} names {quoted}, and there is no such test");
        }
    }
    assert!(named > 20, "only {named} names were found: the look is broken");
}
