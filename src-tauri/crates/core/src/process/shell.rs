//! The shell that takes a command's text.

use super::{Command, Environment};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The text as a command of the shell: bash where the user has it (what models write is mostly for bash), else the
/// system's own; `cmd` on Windows.
pub fn shell(text: &str, folder: PathBuf, environment: &Environment) -> Command {
    let (program, arguments) = if cfg!(windows) {
        (OsString::from("cmd.exe"), vec!["/D".into(), "/S".into(), "/C".into()])
    } else {
        let bash = environment.get("PATH").and_then(|path| find("bash", path));
        (bash.map_or_else(|| "/bin/sh".into(), PathBuf::into_os_string), vec!["-c".into()])
    };
    Command { program, arguments, text: Some(text.into()), folder, environment: environment.clone() }
}

/// Only full paths count: a relative one would find a program in the folder that the agent works in.
fn find(name: &str, path: &std::ffi::OsStr) -> Option<PathBuf> {
    std::env::split_paths(path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|program| is_program(program))
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn bash_is_taken_from_the_users_path_but_never_from_a_relative_folder_or_a_file_that_is_no_program() {
        let folder = tempfile::tempdir().unwrap();
        let bash = folder.path().join("bash");
        std::fs::write(&bash, "").unwrap();
        let environment = |path: String| Environment::cleaned([("PATH".into(), path.into())]);
        let of = |path: String| shell("true", "/".into(), &environment(path)).program;
        let path = folder.path().display().to_string();
        std::fs::set_permissions(&bash, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(of(path.clone()), "/bin/sh");
        std::fs::set_permissions(&bash, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(of(format!("relative:{path}")), bash.as_os_str());
        assert_eq!(of("relative:.".into()), "/bin/sh");
        assert_eq!(shell("true", "/".into(), &Environment::default()).program, "/bin/sh");
    }
}
