//! The answer to the web view's own scheme: one buffer, and only for the grant's own client.

use super::address::route;
use super::headers::allow_own_page;
use super::serve::{Ask, Resolver, Transport, method_refused, serve, words};
use http::{Request, Response, StatusCode, Uri};

/// The hosts of the scheme's addresses: Windows' web view has its own spelling.
const HOSTS: &[&str] = &["localhost", "hermes-media.localhost"];

/// Answers a request of the scheme. Blocks on the disk.
pub fn answer(request: &Request<Vec<u8>>, resolver: &dyn Resolver) -> Response<Vec<u8>> {
    // A file that shrinks under the reading is opened once more: the second answer has its size of now.
    let mut response =
        try_answer(request, resolver).or_else(|_| try_answer(request, resolver)).unwrap_or_else(|error| {
            let text = format!("The file could not be read. {error}.");
            words(StatusCode::INTERNAL_SERVER_ERROR, text)
                .map(|body| body.read().expect("words are in memory"))
        });
    allow_own_page(request.headers(), response.headers_mut());
    response
}

fn try_answer(request: &Request<Vec<u8>>, resolver: &dyn Resolver) -> std::io::Result<Response<Vec<u8>>> {
    let response = match (method_refused(request.method()), grant_of(request.uri())) {
        // Before the route, as over loopback.
        (Some(refusal), _) => refusal,
        (None, None) => words(StatusCode::NOT_FOUND, "There is nothing at this address."),
        (None, Some(grant)) => {
            let ask = Ask { method: request.method(), headers: request.headers(), grant };
            serve(&ask, resolver, Transport::Capped)
        }
    };
    let (parts, body) = response.into_parts();
    Ok(Response::from_parts(parts, body.read()?))
}

fn grant_of(uri: &Uri) -> Option<&str> {
    let (first, grant) = route(uri.path())?;
    (first == "stream" && uri.host().is_some_and(|host| HOSTS.contains(&host))).then_some(grant)
}
