//! What the host is made of, for "About" and the diagnostics: names and values, read once at start.

/// The system, the web view, and how windows are shown. What cannot be told is left out.
pub(crate) fn of_host() -> Vec<(String, String)> {
    let facts = [
        ("System", system()),
        ("Architecture", Some(std::env::consts::ARCH.to_owned())),
        ("Web view", tauri::webview_version().ok()),
        ("Display", session(|name| std::env::var(name).ok())),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}

fn system() -> Option<String> {
    if !cfg!(target_os = "linux") {
        return Some(std::env::consts::OS.to_owned());
    }
    std::fs::read_to_string("/etc/os-release").ok().and_then(|text| pretty_name(&text))
}

/// The name in an `os-release` file (freedesktop.org, os-release(5)).
fn pretty_name(text: &str) -> Option<String> {
    let value = text.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
    Some(value.trim_matches(['"', '\'']).to_owned())
}

/// Wayland or X11, as the desktop says.
fn session(var: impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name: &str| var(name).filter(|value| !value.is_empty());
    set("XDG_SESSION_TYPE")
        .or_else(|| set("WAYLAND_DISPLAY").map(|_| "wayland".to_owned()))
        .or_else(|| set("DISPLAY").map(|_| "x11".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_is_named_as_it_names_itself() {
        assert_eq!(pretty_name("ID=debian\nPRETTY_NAME=\"Debian 12\"\n").as_deref(), Some("Debian 12"));
        assert_eq!(pretty_name("ID=debian"), None);
    }

    #[test]
    fn a_session_is_told_by_what_is_set() {
        let of = |set: &[(&str, &str)]| {
            session(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
        };
        assert_eq!(of(&[("XDG_SESSION_TYPE", "wayland"), ("DISPLAY", ":0")]).as_deref(), Some("wayland"));
        assert_eq!(of(&[("XDG_SESSION_TYPE", ""), ("DISPLAY", ":0")]).as_deref(), Some("x11"));
        assert_eq!(of(&[]), None);
    }
}
