//! From a request to an answer: the same for every HTTP form.
//!
//! The order is method, grant, preconditions, If-Range, range, then what the transport can carry (RFC 9110, section
//! 13.2.2). It opens nothing itself, knows no window and no store: the [`Resolver`] stands between.

use super::body::Body;
use super::conditions::{self, Validators, Verdict};
use super::error::MediaError;
use super::handle::ReadAt;
use super::headers::{put_description, put_validators};
use super::range::{Wanted, wanted};
use super::{CAPPED_BYTES, MAX_PICTURE_BYTES};
use http::header::{ALLOW, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_TYPE, HeaderMap, HeaderValue, RANGE};
use http::{Method, Response, StatusCode};
use std::sync::Arc;
use talaria_wire::MediaKind;
use tokio_util::sync::CancellationToken;

/// What is asked, with the transport's own parts (host, token, route) already taken off.
pub struct Ask<'a> {
    /// The method.
    pub method: &'a Method,
    /// The headers.
    pub headers: &'a HeaderMap,
    /// The grant's name as the address gives it; anything may stand there.
    pub grant: &'a str,
}

/// Opens what a grant names.
pub trait Resolver {
    /// The file as it is now, all checks passed again.
    fn resolve(&self, grant: &str) -> Result<Representation, Refusal>;
}

/// An open file, ready to be answered with.
pub struct Representation {
    /// The open file.
    pub source: Arc<dyn ReadAt>,
    /// Bytes, at the time it was opened.
    pub size: u64,
    /// Entity tag and time.
    pub validators: Validators,
    /// Audio, video or picture.
    pub kind: MediaKind,
    /// The Content-Type.
    pub mime: String,
    /// The name for people.
    pub name: String,
    /// Cancelled when the right to read it ends, also in the middle of an answer.
    pub ended: CancellationToken,
}

/// Why a grant leads nowhere.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// Guessed, ended, or another client's: all the same from outside.
    #[error("This address has ended. Open the file again from its message.")]
    NoGrant,
    /// The file does not pass the checks now.
    #[error(transparent)]
    File(#[from] MediaError),
}

/// How an answer travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    /// A connection that takes any length.
    Streamed,
    /// One buffer in memory: parts of audio and video are cut to [`CAPPED_BYTES`], pictures go whole.
    Capped,
}

impl Transport {
    fn limit(self, kind: MediaKind) -> u64 {
        match (self, kind) {
            (Self::Streamed, _) => u64::MAX,
            (Self::Capped, MediaKind::Picture) => MAX_PICTURE_BYTES,
            (Self::Capped, MediaKind::Audio | MediaKind::Video) => CAPPED_BYTES,
        }
    }
}

/// Answers. Blocks on the disk only through the resolver; the body is not read yet.
pub fn serve(ask: &Ask<'_>, resolver: &dyn Resolver, transport: Transport) -> Response<Body> {
    let head = ask.method == Method::HEAD;
    if let Some(refusal) = method_refused(ask.method) {
        return refusal;
    }
    let file = match resolver.resolve(ask.grant) {
        Ok(file) => file,
        Err(refusal) => return without_body_for(head, refused(&refusal)),
    };
    match conditions::evaluate(ask.headers, &file.validators) {
        Verdict::Proceed => {}
        Verdict::NotModified => return not_modified(&file),
        Verdict::Failed => {
            return without_body_for(head, words(StatusCode::PRECONDITION_FAILED, "The file has changed."));
        }
    }
    // Range is defined for GET only (section 14.2).
    if head {
        return whole(&file, Body::Empty);
    }
    let limit = transport.limit(file.kind);
    match range_of(ask.headers, &file) {
        Wanted::Whole if file.size > limit => too_long(&file, limit),
        Wanted::Whole => whole(&file, content(&file, 0, file.size)),
        Wanted::Part { start, length } => part(&file, start, length.min(limit)),
        Wanted::Unsatisfiable => {
            unsatisfiable(&file, format!("The file has {} bytes; the range begins behind them.", file.size))
        }
    }
}

/// 405 for a method that no address of any transport has.
pub fn method_refused(method: &Method) -> Option<Response<Body>> {
    if matches!(*method, Method::GET | Method::HEAD) {
        return None;
    }
    let mut response = words(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD are answered here.");
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
    Some(response)
}

/// An answer of plain words.
pub fn words(status: StatusCode, text: impl Into<String>) -> Response<Body> {
    let text = text.into();
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(http::header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(http::header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_LENGTH, text.len().into());
    *response.body_mut() = Body::Text(text);
    response
}

fn range_of(headers: &HeaderMap, file: &Representation) -> Wanted {
    let mut ranges = headers.get_all(RANGE).iter();
    match (ranges.next(), ranges.next()) {
        (Some(range), None) if conditions::range_applies(headers, &file.validators) => {
            wanted(range, file.size)
        }
        // The field is no list: sent twice it means nothing.
        _ => Wanted::Whole,
    }
}

fn content(file: &Representation, start: u64, length: u64) -> Body {
    Body::Part { source: Arc::clone(&file.source), start, length, ended: file.ended.clone() }
}

fn whole(file: &Representation, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    describe(response.headers_mut(), file);
    response.headers_mut().insert(CONTENT_LENGTH, file.size.into());
    response
}

fn part(file: &Representation, start: u64, length: u64) -> Response<Body> {
    let mut response = Response::new(content(file, start, length));
    *response.status_mut() = StatusCode::PARTIAL_CONTENT;
    let headers = response.headers_mut();
    describe(headers, file);
    headers.insert(CONTENT_LENGTH, length.into());
    headers.insert(
        CONTENT_RANGE,
        ascii(format!("bytes {start}-{last}/{}", file.size, last = start + length - 1)),
    );
    response
}

fn not_modified(file: &Representation) -> Response<Body> {
    let mut response = Response::new(Body::Empty);
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    put_validators(response.headers_mut(), &file.validators);
    response
}

fn unsatisfiable(file: &Representation, text: String) -> Response<Body> {
    let mut response = words(StatusCode::RANGE_NOT_SATISFIABLE, text);
    response.headers_mut().insert(CONTENT_RANGE, ascii(format!("bytes */{}", file.size)));
    response
}

/// A whole file that does not fit into one buffer. A short 200 would be believed to be the file, so it is refused with
/// the one status that carries the size: the asker knows which ranges to ask for.
fn too_long(file: &Representation, limit: u64) -> Response<Body> {
    let text = format!(
        "The file has {} bytes; one answer holds at most {limit}. Ask for parts of it with a Range header.",
        file.size
    );
    unsatisfiable(file, text)
}

fn refused(refusal: &Refusal) -> Response<Body> {
    match refusal {
        Refusal::NoGrant => words(StatusCode::FORBIDDEN, refusal.to_string()),
        Refusal::File(error) => words(error.status(), error.without_path()),
    }
}

fn describe(headers: &mut HeaderMap, file: &Representation) {
    put_validators(headers, &file.validators);
    put_description(headers, &file.mime, &file.name);
}

/// HEAD has the headers of GET and no content.
fn without_body_for(head: bool, mut response: Response<Body>) -> Response<Body> {
    if head {
        *response.body_mut() = Body::Empty;
    }
    response
}

fn ascii(text: String) -> HeaderValue {
    HeaderValue::try_from(text).expect("digits and ASCII punctuation only")
}
