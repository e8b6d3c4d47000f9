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

    /// The policy as security.md writes it.
    const WRITTEN: &str = "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; \
        font-src 'self'; img-src 'self' blob: data: hermes-media: http://hermes-media.localhost; media-src blob: \
        hermes-media: http://hermes-media.localhost <fallback origin>; connect-src ipc: http://ipc.localhost \
        hermes-media: http://hermes-media.localhost; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; \
        form-action 'none'; frame-src 'none'";

    #[test]
    fn the_policy_is_the_written_one_with_the_reserved_port() {
        let port = "http://127.0.0.1:4321";
        assert_eq!(policy(Some(port)), WRITTEN.replace("<fallback origin>", port));
    }

    #[test]
    fn without_a_fallback_no_port_is_named() {
        assert_eq!(policy(None), WRITTEN.replace(" <fallback origin>", ""));
    }
}
