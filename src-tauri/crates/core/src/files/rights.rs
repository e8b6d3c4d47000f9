//! Who may read a file that is written: as with the file that it replaces, else as with the one that it copies, else as the
//! user's own setting (the umask) has it for new files. On its way it is never open to more people than in its place.
//!
//! The rule is that of `cp`, but that no copy is a program. Called by `part` alone.

use std::fs::{File, Metadata, OpenOptions, Permissions};

/// Decided before the file is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rights {
    /// What it is made with; the system takes the umask away.
    #[cfg(unix)]
    made: u32,
    /// The bits and the group that it gets at the end: those of the file it replaces.
    #[cfg(unix)]
    replaced: Option<(u32, u32)>,
}

#[cfg(unix)]
impl Rights {
    pub(super) fn of(replaced: Option<Metadata>, original: Option<Permissions>) -> Self {
        use std::os::unix::fs::{MetadataExt, PermissionsExt};
        Self::decide(
            replaced.map(|found| (found.mode(), found.gid())),
            original.map(|permissions| permissions.mode()),
        )
    }

    fn decide(replaced: Option<(u32, u32)>, original: Option<u32>) -> Self {
        match replaced {
            // Another group could read it until the end otherwise.
            Some((mode, group)) => Self { made: 0o600, replaced: Some((mode & 0o777, group)) },
            None => Self { made: original.unwrap_or(0o666) & 0o666, replaced: None },
        }
    }

    /// To make the file with.
    pub(super) fn on_the_way(self) -> OpenOptions {
        use std::os::unix::fs::OpenOptionsExt;
        let mut options = OpenOptions::new();
        options.write(true).mode(self.made);
        options
    }

    /// Gives the whole file its rights. Where the disk keeps none it stays as it was made.
    pub(super) fn settle(self, file: &File) {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
        let Some((mode, group)) = self.replaced else { return };
        // Mostly the group is the one already; one that is not ours cannot be given.
        let same = file.metadata().is_ok_and(|found| found.gid() == group)
            || fchown(file, None, Some(group)).is_ok();
        let mode = if same { mode } else { without_group(mode) };
        if let Err(error) = file.set_permissions(Permissions::from_mode(mode)) {
            tracing::debug!(%error, "a written file keeps the rights it was made with");
        }
    }
}

/// The rights of a group are not given to another one: its members get those of everybody.
#[cfg(unix)]
fn without_group(mode: u32) -> u32 {
    (mode & 0o707) | (mode & 0o007) << 3
}

/// Elsewhere a file has the rights of its folder.
#[cfg(not(unix))]
impl Rights {
    pub(super) fn of(_replaced: Option<Metadata>, _original: Option<Permissions>) -> Self {
        Self {}
    }

    pub(super) fn on_the_way(self) -> OpenOptions {
        let mut options = OpenOptions::new();
        options.write(true);
        options
    }

    pub(super) fn settle(self, _file: &File) {}
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_replaced_file_goes_before_the_original_and_nothing_becomes_a_program() {
        for (replaced, original, made) in [
            (None, None, 0o666),
            (None, Some(0o100_600), 0o600),
            (None, Some(0o104_755), 0o644),
            (Some((0o100_640, 7)), Some(0o100_644), 0o600),
        ] {
            assert_eq!(Rights::decide(replaced, original).made, made, "{replaced:?} {original:?}");
        }
        assert_eq!(Rights::decide(Some((0o104_750, 7)), None).replaced, Some((0o750, 7)));
    }

    #[test]
    fn another_group_gets_what_everybody_has() {
        for (mode, without) in
            [(0o640, 0o600), (0o664, 0o644), (0o600, 0o600), (0o604, 0o644), (0o777, 0o777)]
        {
            assert_eq!(without_group(mode), without);
        }
    }
}
