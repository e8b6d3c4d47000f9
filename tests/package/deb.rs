//! What the package says about itself and what lies in it.

use super::said;
use app_tests::desktop::target_folder;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A package that people wait for is no larger.
const MOST_BYTES: u64 = 15_000_000;

/// Where the media plugin lies, from the folder on that the package is unpacked in.
pub const PLUGIN: &str = "usr/lib/talaria/gstreamer-1.0/libgsthermesmedia.so";

/// The built package.
pub struct Deb {
    pub path: PathBuf,
}

impl Deb {
    /// What `make bundle` has made.
    pub fn built() -> Self {
        let folder = target_folder().join("release/bundle/deb");
        let files = std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|file| file.path());
        let path = files.into_iter().find(|path| path.extension().is_some_and(|end| end == "deb"));
        Self { path: path.unwrap_or_else(|| panic!("no package in {}: run make bundle", folder.display())) }
    }

    pub fn name(&self) -> &str {
        self.path.to_str().expect("a path of ours is text")
    }

    /// Its files in a folder of their own.
    pub fn extracted(&self) -> TempDir {
        let folder = tempfile::tempdir().expect("a temp folder");
        said("dpkg-deb", &["-x", self.name(), folder.path().to_str().expect("text")]);
        folder
    }

    fn field(&self, name: &str) -> String {
        said("dpkg-deb", &["-f", self.name(), name]).trim().to_owned()
    }
}

fn list(field: &str) -> BTreeSet<&str> {
    field.split(", ").collect()
}

#[test]
fn the_package_says_what_it_is_and_what_it_needs() {
    let deb = Deb::built();
    assert_eq!(deb.field("Package"), "talaria");
    assert_eq!(deb.field("Version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(deb.field("Section"), "utils");
    assert!(deb.field("Description").starts_with("A desktop home for AI-agent sessions"));
    let needs = [
        "ca-certificates",
        "gstreamer1.0-libav",
        "gstreamer1.0-plugins-bad",
        "gstreamer1.0-plugins-base",
        "gstreamer1.0-plugins-good",
        "libgtk-3-0",
        "libwebkit2gtk-4.1-0",
    ];
    assert_eq!(list(&deb.field("Depends")), BTreeSet::from(needs), "without one of them something is mute");
    // No script runs when it is installed or removed: nothing of it could touch data.
    let control = tempfile::tempdir().expect("a temp folder");
    said("dpkg-deb", &["-e", deb.name(), control.path().to_str().expect("text")]);
    let files = std::fs::read_dir(control.path()).expect("the control files").flatten();
    let names: BTreeSet<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    assert_eq!(names, BTreeSet::from(["control".to_owned(), "md5sums".to_owned()]));
    let size = std::fs::metadata(&deb.path).expect("the package").len();
    assert!(size < MOST_BYTES, "{size} bytes");
}

#[test]
fn the_rpm_beside_it_needs_the_same() {
    let folder = target_folder().join("release/bundle/rpm");
    let files = std::fs::read_dir(&folder).expect("make bundle makes it").flatten().map(|file| file.path());
    let rpm =
        files.into_iter().find(|path| path.extension().is_some_and(|end| end == "rpm")).expect("a package");
    assert!(rpm.metadata().expect("the package").len() < MOST_BYTES);
    // Its head is text enough to be read without the tool, which Debian does not have by itself.
    let bytes = std::fs::read(&rpm).expect("the package");
    let names = [
        "gstreamer1-plugins-base",
        "gstreamer1-plugins-good",
        "gstreamer1-plugins-bad-free",
        "gstreamer1-plugin-libav",
        "libwebkit2gtk-4.1.so.0()(64bit)",
        "libgtk-3.so.0()(64bit)",
    ];
    for name in names {
        let wanted = [name.as_bytes(), b"\0"].concat();
        assert!(bytes.windows(wanted.len()).any(|part| part == wanted), "{name} is not named");
    }
}

#[test]
fn what_a_desktop_and_a_terminal_look_for_lies_in_its_place() {
    let root = Deb::built().extracted();
    let root = root.path();
    for file in ["talaria", "talariactl"] {
        let found = root.join("usr/bin").join(file);
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(found.metadata().expect(file).permissions().mode() & 0o777, 0o755, "{file}");
    }
    let plugin = std::fs::read(root.join(PLUGIN)).expect("the media plugin");
    assert!(
        plugin.starts_with(b"\x7fELF") && !plugin.windows(7).any(|part| part == b".symtab"),
        "it is stripped"
    );
    for size in ["16x16", "24x24", "32x32", "64x64", "128x128", "256x256", "512x512"] {
        let icon = root.join(format!("usr/share/icons/hicolor/{size}/apps/talaria.png"));
        assert!(icon.is_file(), "{}", icon.display());
    }
    for file in ["usr/share/metainfo/app.talaria.desktop.metainfo.xml", "usr/share/doc/talaria/copyright"] {
        assert!(root.join(file).is_file(), "{file}");
    }
    let entry = root.join("usr/share/applications/Talaria.desktop");
    let text = std::fs::read_to_string(&entry).expect("a menu entry");
    for line in [
        "Name=Talaria",
        "GenericName=Agent Sessions",
        "Exec=talaria",
        "Icon=talaria",
        "Terminal=false",
        "Categories=Development;",
        "StartupNotify=true",
        "StartupWMClass=talaria",
    ] {
        assert!(text.lines().any(|its| its == line), "{line} is not in\n{text}");
    }
    if Command::new("desktop-file-validate").arg("--version").output().is_ok() {
        assert_eq!(said("desktop-file-validate", &[entry.to_str().expect("text")]), "");
    } else {
        eprintln!("desktop-file-validate is not installed: the menu entry was compared, not validated");
    }
}

#[test]
fn both_programs_have_a_manual_page_that_renders() {
    let root = Deb::built().extracted();
    for (page, words) in [
        ("talaria.1.gz", "a second start brings its window to the front"),
        ("talariactl.1.gz", "Stopped by Ctrl-C."),
    ] {
        let path = root.path().join("usr/share/man/man1").join(page);
        let source = tempfile::NamedTempFile::new().expect("a temp file");
        std::fs::write(source.path(), unpacked(&path)).expect("its source");
        let source = source.path().to_str().expect("text").to_owned();
        let Ok(output) = Command::new("groff").args(["-man", "-Tascii", "-ww", &source]).output() else {
            eprintln!("groff is not installed: {page} was unpacked, not rendered");
            continue;
        };
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{page}");
        // Lines are filled and words may be bold: compared without blanks and without what makes letters bold.
        let text = String::from_utf8_lossy(&output.stdout).replace("\u{1b}[1m", "").replace("\u{1b}[0m", "");
        let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(folded.contains(words), "{page}:\n{text}");
        assert!(folded.contains(concat!("Talaria ", env!("CARGO_PKG_VERSION"))), "{page} names no version");
    }
}

fn unpacked(path: &Path) -> Vec<u8> {
    let output = Command::new("gzip").arg("-dc").arg(path).output().expect("gzip is there");
    assert!(output.status.success() && !output.stdout.is_empty(), "{}", path.display());
    output.stdout
}

#[test]
fn no_path_of_the_building_machine_is_inside() {
    let root = Deb::built().extracted();
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests lies in the repository");
    let home = std::env::home_dir().expect("a home folder").join(".cargo");
    let places = [repository, &home].map(|path| path.to_str().expect("text").as_bytes().to_owned());
    for file in ["usr/bin/talaria", "usr/bin/talariactl", PLUGIN] {
        let bytes = std::fs::read(root.path().join(file)).expect("a program");
        for place in &places {
            let found = bytes.windows(place.len()).position(|part| part == place);
            assert_eq!(found, None, "{file} names {}", String::from_utf8_lossy(place));
        }
    }
}
