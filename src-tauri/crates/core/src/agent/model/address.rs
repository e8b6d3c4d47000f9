//! The base URL of an endpoint: what may stand in it, and the origin that its key is bound to. Pure.

use reqwest::Url;
use std::net::IpAddr;
use talaria_wire::IpcError;

/// What an address that was pasted whole ends in.
const CHAT: &str = "/chat/completions";

/// A base URL that may be asked. Without a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Url);

/// Why an address is none, in words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct AddressError(&'static str);

impl From<AddressError> for IpcError {
    fn from(error: AddressError) -> Self {
        Self::bad_request(error.0)
    }
}

impl BaseUrl {
    /// Takes `http` and `https`. Plain `http` only to this computer and to private networks: on the way through the
    /// internet everybody reads what is said, and the key.
    ///
    /// # Errors
    /// In words for the person who typed it.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        let mut url = Url::parse(text.trim()).map_err(|_| {
            AddressError("This is no web address. It looks like https://api.example.com/v1 or http://localhost:11434/v1.")
        })?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none_or(str::is_empty) {
            return Err(AddressError("The address of a model's server begins with https:// or http://."));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError(
                "The address must not hold a name or a password. Give the key in its own field.",
            ));
        }
        if url.query().is_some() {
            return Err(AddressError("The address must not hold a \"?\". Give the key in its own field."));
        }
        if url.scheme() == "http" && !is_near(&url) {
            return Err(AddressError(
                "Outside of this computer and private networks the address must begin with https://, because with \
                 http:// others can read what is sent.",
            ));
        }
        url.set_fragment(None);
        let path = url.path().trim_end_matches('/');
        let path = path.strip_suffix(CHAT).unwrap_or(path).trim_end_matches('/').to_owned();
        url.set_path(&path);
        Ok(Self(url))
    }

    /// Scheme, host and port, the usual port left out: what a key is bound to.
    pub fn origin(&self) -> String {
        self.0.origin().ascii_serialization()
    }

    /// Host, and port when it is not the usual one: for words.
    pub fn host(&self) -> String {
        let host = self.0.host_str().unwrap_or_default();
        self.0.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The port, the usual one of the scheme included.
    pub(super) fn port(&self) -> Option<u16> {
        self.0.port_or_known_default()
    }

    /// Whether it is on this computer.
    pub(super) fn is_here(&self) -> bool {
        is_here(&self.0)
    }

    /// `path` below the base.
    pub(super) fn join(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(&format!("{}{path}", self.0.path().trim_end_matches('/')));
        url
    }

    /// `path` at the server's top.
    pub(super) fn at_top(&self, path: &str) -> Url {
        let mut url = self.0.clone();
        url.set_path(path);
        url
    }

    /// The same server with `/v1`, when the base has no path.
    pub(super) fn with_v1(&self) -> Option<Self> {
        (self.0.path().len() <= 1).then(|| Self(self.at_top("/v1")))
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.as_str().trim_end_matches('/'))
    }
}

/// The host as an address, when it is written as one.
fn address(url: &Url) -> Option<IpAddr> {
    let host = url.host_str()?.trim_start_matches('[').trim_end_matches(']');
    host.parse::<IpAddr>().ok().map(|address| address.to_canonical())
}

fn is_here(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    match address(url) {
        // 0.0.0.0 is what servers say they listen on; asked, it is this computer.
        Some(address) => address.is_loopback() || address.is_unspecified(),
        None => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// This computer, or one of a private network: RFC 1918, RFC 6598, link-local, unique local; a name that no public
/// server has.
fn is_near(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    is_here(url)
        || match address(url) {
            Some(IpAddr::V4(address)) => {
                let [a, b, ..] = address.octets();
                address.is_private() || address.is_link_local() || (a == 100 && (64..128).contains(&b))
            }
            Some(IpAddr::V6(address)) => address.is_unique_local() || address.is_unicast_link_local(),
            None => {
                let private = [".local", ".lan", ".internal", ".home.arpa"];
                !host.contains('.') || private.iter().any(|end| host.ends_with(end))
            }
        }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_kept_as_the_base_of_its_endpoint() {
        for (typed, base, origin) in [
            ("https://api.openai.com/v1", "https://api.openai.com/v1", "https://api.openai.com"),
            (" https://API.openai.com:443/v1/ ", "https://api.openai.com/v1", "https://api.openai.com"),
            ("https://x.org:8443/a/b//", "https://x.org:8443/a/b", "https://x.org:8443"),
            ("http://localhost:11434", "http://localhost:11434", "http://localhost:11434"),
            (
                "http://127.0.0.1:1234/v1/chat/completions",
                "http://127.0.0.1:1234/v1",
                "http://127.0.0.1:1234",
            ),
            ("http://[::1]:8080/v1#top", "http://[::1]:8080/v1", "http://[::1]:8080"),
            ("http://192.168.1.20:11434/v1", "http://192.168.1.20:11434/v1", "http://192.168.1.20:11434"),
        ] {
            let parsed = BaseUrl::parse(typed).expect(typed);
            assert_eq!((parsed.to_string(), parsed.origin()), (base.to_owned(), origin.to_owned()));
            assert_eq!(BaseUrl::parse(&parsed.to_string()).as_ref(), Ok(&parsed), "{typed}");
        }
    }

    #[test]
    fn plain_http_stays_on_this_computer_and_in_private_networks() {
        for near in [
            "http://localhost:1",
            "http://a.localhost:1",
            "http://127.8.9.1",
            "http://[::1]",
            "http://[::ffff:127.0.0.1]",
            "http://0.0.0.0:11434",
            "http://10.0.0.5",
            "http://172.31.0.1",
            "http://100.64.0.1",
            "http://[fd00::1]",
            "http://[fe80::1]",
            "http://box",
            "http://box.local",
        ] {
            assert!(BaseUrl::parse(near).is_ok(), "{near}");
        }
        for far in [
            "http://api.openai.com/v1",
            "http://8.8.8.8",
            "http://172.32.0.1",
            "http://[2001:db8::1]",
            "http://localhost.evil.com",
            "http://127.0.0.1.nip.io",
            "http://0x08080808",
        ] {
            assert!(BaseUrl::parse(far).is_err(), "{far}");
        }
    }

    #[test]
    fn what_is_no_address_of_a_server_is_refused() {
        for typed in [
            "",
            "localhost",
            "localhost:11434/v1",
            "ftp://x.org",
            "file:///etc/passwd",
            "https://",
            "https://me:pw@x.org/v1",
            "https://sk-key@x.org",
            "https://x.org/v1?key=abc",
            "javascript:alert(1)",
        ] {
            assert!(BaseUrl::parse(typed).is_err(), "{typed}");
        }
    }

    #[test]
    fn another_scheme_host_or_port_is_another_origin() {
        let origin = |text: &str| BaseUrl::parse(text).expect(text).origin();
        let own = origin("https://x.org/v1");
        assert_eq!(origin("https://x.org/v2"), own);
        for other in ["https://x.org:444/v1", "https://y.x.org/v1", "https://x.org.evil.com/v1"] {
            assert_ne!(origin(other), own, "{other}");
        }
        assert_ne!(origin("http://localhost:80"), origin("https://localhost:80"));
    }
}
