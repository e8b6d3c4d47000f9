//! Whether somebody of a process group lives. A dead process stays a member until its parent takes note of it, and where
//! the first process of the system never does (many containers) that is for ever: on Linux the dead are told apart.

/// Whether a living process is in the group.
pub(super) fn has_living(group: libc::pid_t) -> bool {
    // SAFETY: killpg takes two numbers and touches no memory; signal 0 only asks.
    let has_members = unsafe { libc::killpg(group, 0) == 0 };
    has_members && lives(group).unwrap_or(true)
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn lives(group: libc::pid_t) -> Option<bool> {
    let entries = std::fs::read_dir("/proc").ok()?.flatten();
    let processes = entries.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    let mut states = processes.filter_map(|entry| std::fs::read(entry.path().join("stat")).ok());
    Some(states.any(|stat| is_living_member(&String::from_utf8_lossy(&stat), group)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn lives(_group: libc::pid_t) -> Option<bool> {
    None
}

/// proc_pid_stat(5): behind the name, which may hold anything, come state, parent and group.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn is_living_member(stat: &str, group: libc::pid_t) -> bool {
    let Some((_, behind)) = stat.rsplit_once(") ") else { return false };
    let mut fields = behind.split(' ');
    let is_dead = fields.next().is_none_or(|state| matches!(state, "Z" | "X" | "x"));
    !is_dead && fields.nth(1).is_some_and(|of| of.parse() == Ok(group))
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use super::*;

    #[test]
    fn the_dead_and_those_of_other_groups_are_told_apart_whatever_the_name() {
        for (stat, is) in [
            ("7 (sleep) S 1 77 70 0 -1", true),
            ("7 (a) Z 1 77 (b) T 1 77 70", true),
            ("7 (sleep) Z 1 77 70 0", false),
            ("7 (sleep) S 77 78 77 0", false),
            ("7 (x) S 1 77 y) S 1 5 70", false),
            ("7 (sleep) S", false),
            ("", false),
        ] {
            assert_eq!(is_living_member(stat, 77), is, "{stat}");
        }
    }
}
