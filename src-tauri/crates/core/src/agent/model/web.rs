//! HTTP to a model's server: two connection pools, bounds on time and size, a key that goes nowhere else.
//!
//! Redirects are never followed, so no other server gets a request or its key. A server of this computer is asked
//! without the system's proxy.

use super::BaseUrl;
use super::failure::failure;
use crate::agent::ports::{ModelError, ModelErrorKind};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue};
use reqwest::{Client, ClientBuilder, Method, RequestBuilder, Response, Url};
use secrecy::{ExposeSecret, SecretString};
use std::error::Error;
use std::time::Duration;
use tokio::time::timeout;

/// Bounds of one request.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Until the connection stands.
    pub connect: Duration,
    /// Without a byte: until the answer begins, and between two pieces of it.
    pub silence: Duration,
    /// Bytes of one answer.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(15), silence: Duration::from_secs(120), body: 64 << 20 }
    }
}

/// The pools. Clones share them.
#[derive(Clone)]
pub(super) struct Web {
    /// Through the system's proxy, when there is one.
    far: Client,
    near: Client,
    pub limits: Limits,
}

impl Web {
    pub fn new(limits: Limits) -> Self {
        // Another part of the process may have chosen a provider; then that one is used.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let plain = move || {
            Client::builder()
                .redirect(reqwest::redirect::Policy::none())
                .connect_timeout(limits.connect)
                .user_agent(concat!("Talaria/", env!("CARGO_PKG_VERSION")))
        };
        let far = built(plain);
        let near = built(move || plain().no_proxy());
        Self { far, near, limits }
    }

    /// A request to the server of `base`, with the key.
    pub fn request(
        &self,
        method: Method,
        base: &BaseUrl,
        url: Url,
        key: Option<&SecretString>,
    ) -> Result<RequestBuilder, ModelError> {
        let client = if base.is_here() { &self.near } else { &self.far };
        let request = client.request(method, url);
        let Some(key) = key else { return Ok(request) };
        let value = HeaderValue::from_str(&format!("Bearer {}", key.expose_secret()));
        let mut value = value.map_err(|_| {
            failure(
                ModelErrorKind::Key,
                "The key holds characters that no key has. Enter it again in Settings, Model.",
            )
        })?;
        // Never in a log of the HTTP library.
        value.set_sensitive(true);
        Ok(request.header(AUTHORIZATION, value))
    }

    /// Sends it and waits for the head of the answer.
    pub async fn send(&self, request: RequestBuilder, host: &str) -> Result<Response, ModelError> {
        match timeout(self.limits.connect + self.limits.silence, request.send()).await {
            Ok(Ok(response)) => Ok(response),
            Ok(Err(error)) => Err(unreachable(&error, host)),
            Err(_) => Err(silent(host)),
        }
    }

    /// The next piece of an answer's body; `None` at its end.
    pub async fn piece(
        &self,
        response: &mut Response,
        host: &str,
    ) -> Result<Option<impl AsRef<[u8]> + use<>>, ModelError> {
        match timeout(self.limits.silence, response.chunk()).await {
            Ok(Ok(piece)) => Ok(piece),
            Ok(Err(_)) => Err(failure(
                ModelErrorKind::Cut,
                format!("The connection to {host} broke off in the middle of the answer."),
            )),
            Err(_) => Err(silent(host)),
        }
    }

    /// What is left of a body, at most `most` bytes of it.
    pub async fn rest(
        &self,
        response: &mut Response,
        most: usize,
        host: &str,
    ) -> Result<Vec<u8>, ModelError> {
        let mut body = Vec::new();
        while body.len() < most
            && let Some(piece) = self.piece(response, host).await?
        {
            body.extend_from_slice(piece.as_ref());
        }
        body.truncate(most);
        Ok(body)
    }
}

/// A client, also on a computer whose certificates cannot be read: it then reaches only servers without TLS.
fn built(plain: impl Fn() -> ClientBuilder) -> Client {
    plain().build().unwrap_or_else(|error| {
        tracing::warn!(%error, "the system's certificates cannot be read");
        plain().tls_certs_only([]).build().expect("a client without certificates needs nothing of the system")
    })
}

/// The media type of an answer in lower case, without its parameters; empty when there is none.
pub(super) fn media_type(response: &Response) -> String {
    let value =
        response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn silent(host: &str) -> ModelError {
    failure(ModelErrorKind::Unreachable, format!("{host} did not answer in time."))
}

/// Why there was no answer at all.
fn unreachable(error: &reqwest::Error, host: &str) -> ModelError {
    let mut causes = Vec::new();
    let mut cause: Option<&dyn Error> = error.source();
    while let Some(error) = cause {
        causes.push(error.to_string());
        cause = error.source();
    }
    let causes = causes.join(": ").to_lowercase();
    let words = if causes.contains("certificate") {
        format!("The secure connection to {host} failed: its certificate is not trusted here.")
    } else if causes.contains("dns") || causes.contains("lookup") {
        format!("There is no server named {host}, or no network. Check the address and the network.")
    } else if error.is_connect() || error.is_timeout() {
        format!("Nothing answers at {host}. Check that the server is running and the address is right.")
    } else {
        format!("The connection to {host} failed before an answer came.")
    };
    failure(ModelErrorKind::Unreachable, words)
}
