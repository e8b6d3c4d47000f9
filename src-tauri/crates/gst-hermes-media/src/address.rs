//! The addresses that are played: `hermes-media://localhost/stream/<grant>/<name>`, and nothing else.

use talaria_media_frames::Grant;

/// The scheme.
pub const SCHEME: &str = "hermes-media";
const BEFORE_THE_GRANT: &str = "hermes-media://localhost/stream/";

/// The grant of an address; `None` when it is no address of ours. The name behind it is for people and is not looked at.
pub fn grant(uri: &str) -> Option<Grant> {
    let (grant, _name) = uri.strip_prefix(BEFORE_THE_GRANT)?.split_once('/')?;
    Grant::from_hex(grant)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GRANT: &str = "000102030405060708090a0b0c0d0e0f";

    #[test]
    fn an_address_names_its_grant_whatever_the_name() {
        for name in ["clip.mp4", "", "a/b", "%23.mp4", "a?b#c", "%F0%9F%8E%AC.mp4"] {
            let found =
                grant(&format!("hermes-media://localhost/stream/{GRANT}/{name}")).expect("an address");
            assert_eq!(found.hex(), GRANT.as_bytes());
        }
    }

    #[test]
    fn everything_else_is_no_address() {
        for other in [
            "".to_owned(),
            "file:///etc/passwd".to_owned(),
            format!("http://localhost/stream/{GRANT}/a"),
            format!("hermes-media://elsewhere/stream/{GRANT}/a"),
            format!("hermes-media://localhost:80/stream/{GRANT}/a"),
            format!("hermes-media://x@localhost/stream/{GRANT}/a"),
            format!("hermes-media://localhost/{GRANT}/a"),
            format!("hermes-media://localhost/stream/../stream/{GRANT}/a"),
            format!("hermes-media://localhost/stream/{GRANT}"),
            format!("hermes-media://localhost/stream/{}/a", GRANT.to_uppercase()),
            format!("hermes-media://localhost/stream/{GRANT}0/a"),
            format!("hermes-media://localhost/stream/{}/a", &GRANT[1..]),
        ] {
            assert!(grant(&other).is_none(), "{other}");
        }
    }
}
