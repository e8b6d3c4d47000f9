//! The page's Content-Security-Policy (security.md). Tauri adds hashes for its own scripts; nothing else is added.

/// The policy; `fallback` is the reserved loopback origin, which must be in the first page's policy because a loaded
/// page's policy cannot be widened.
pub(crate) fn policy(fallback: Option<&str>) -> String {
    let media = ["blob:", "hermes-media:", "http://hermes-media.localhost"].into_iter().chain(fallback);
    let media = media.collect::<Vec<_>>().join(" ");
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "style-src-attr 'unsafe-inline'",
        "font-src 'self'",
        "img-src 'self' blob: data: hermes-media: http://hermes-media.localhost",
        &format!("media-src {media}"),
        "connect-src ipc: http://ipc.localhost hermes-media: http://hermes-media.localhost",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-src 'none'",
    ]
    .join("; ")
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn no_inline_script_no_frame_and_no_remote_origin() {
        let policy = policy(Some("http://127.0.0.1:4321"));
        let directive = |name: &str| {
            policy.split("; ").find(|d| d.split(' ').next() == Some(name)).unwrap_or_default().to_owned()
        };
        assert_eq!(directive("default-src"), "default-src 'none'");
        assert_eq!(directive("script-src"), "script-src 'self'");
        assert_eq!(directive("frame-src"), "frame-src 'none'");
        assert!(directive("media-src").ends_with(" http://127.0.0.1:4321"));
        assert!(!policy.contains("unsafe-eval") && !policy.contains('*') && !policy.contains("https:"));
    }

    #[test]
    fn without_a_fallback_no_port_is_named() {
        assert!(!policy(None).contains("127.0.0.1"));
    }
}
