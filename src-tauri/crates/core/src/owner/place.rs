//! Where the socket of a home lies: in the user's runtime folder, else in the home itself.

use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What an address of a socket may have, its closing zero left out: 108 bytes on Linux, 104 on macOS.
const LONGEST: usize = 103;

/// The places for the socket of `home`, best first; `runtime` is `$XDG_RUNTIME_DIR`. Whoever listens takes the first,
/// whoever asks tries each: a service and a desktop may differ in that variable.
///
/// Empty when the home is not there, or when no name would be short enough.
pub fn places(home: &Path, runtime: Option<&Path>) -> Vec<PathBuf> {
    let Ok(home) = home.canonicalize() else { return Vec::new() };
    let name = format!("talaria-{:016x}.sock", fingerprint(home.as_os_str().as_bytes()));
    let runtime = runtime.filter(|folder| folder.is_absolute() && is_mine(folder));
    let all = [runtime.map(|folder| folder.join(name)), Some(home.join("owner.sock"))];
    all.into_iter().flatten().filter(|path| path.as_os_str().len() <= LONGEST).collect()
}

/// Whether it is a folder of the user who runs this.
fn is_mine(folder: &Path) -> bool {
    folder.metadata().is_ok_and(|found| found.is_dir() && found.uid() == user())
}

/// The user who runs this.
pub fn user() -> u32 {
    // SAFETY: geteuid takes nothing, changes nothing and cannot fail.
    unsafe { libc::geteuid() }
}

/// FNV-1a, 64 bits: the same in every build, which the standard library does not promise of its own. It tells apart the
/// homes of one user, no more.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_runtime_folder_comes_first_and_the_name_tells_homes_apart() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        for home in [&one, &two] {
            std::fs::create_dir(home).unwrap();
        }
        let runtime = folder.path();
        let of_one = places(&one, Some(runtime));
        assert_eq!(of_one.len(), 2);
        assert!(of_one[0].starts_with(runtime) && of_one[1].starts_with(one.canonicalize().unwrap()));
        assert_ne!(of_one[0], places(&two, Some(runtime))[0]);
        // Another way to the same home is the same home.
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&one, &link).unwrap();
        assert_eq!(places(&link, Some(runtime)), of_one);
    }

    #[test]
    fn a_runtime_folder_that_is_no_folder_of_mine_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "").unwrap();
        for runtime in [Path::new("relative"), &file, &home.path().join("missing")] {
            assert_eq!(places(home.path(), Some(runtime)).len(), 1, "{}", runtime.display());
        }
    }

    #[test]
    fn an_address_that_is_too_long_is_no_place() {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("a-long-name-".repeat(10));
        std::fs::create_dir(&home).unwrap();
        assert_eq!(places(&home, None), Vec::<PathBuf>::new());
        assert_eq!(places(&home, Some(folder.path())).len(), 1);
        assert_eq!(places(&folder.path().join("missing"), Some(folder.path())), Vec::<PathBuf>::new());
    }

    #[test]
    fn the_fingerprint_is_the_published_one() {
        // The test values of the function's authors.
        assert_eq!(fingerprint(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"foobar"), 0x85944171f73967e8);
    }
}
