//! One endpoint, asked for answers.

use super::BaseUrl;
use super::failure::{About, Said, failure, in_stream, refused, retry_after};
use super::reader::{BadEnd, Reader};
use super::request::{Dialect, Fences, body};
use super::web::{Web, media_type};
use crate::agent::ports::{Model, ModelError, ModelErrorKind, ModelPiece, ModelRequest};
use async_trait::async_trait;
use reqwest::header::RETRY_AFTER;
use reqwest::{Method, Response};
use secrecy::SecretString;
use std::time::SystemTime;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Bytes of a failure's body that are read.
const FAILURE_BODY: usize = 64 << 10;

/// An endpoint with its key.
pub struct Endpoint {
    web: Web,
    base: BaseUrl,
    key: Option<SecretString>,
    fences: Fences,
}

impl Endpoint {
    pub(super) fn new(web: Web, base: BaseUrl, key: Option<SecretString>, fences: Fences) -> Self {
        Self { web, base, key, fences }
    }

    /// Asks once, and once more without the field that a few older servers do not know.
    async fn ask(&self, request: &ModelRequest) -> Result<Response, ModelError> {
        match self.post(request, true).await {
            Err(Refusal { said, .. }) if said.names(&["stream_options"]) => self.post(request, false).await,
            answered => answered,
        }
        .map_err(|refusal| refusal.error)
    }

    async fn post(&self, request: &ModelRequest, usage: bool) -> Result<Response, Refusal> {
        let host = self.base.host();
        let dialect = Dialect { usage, completion_tokens: host == "api.openai.com" };
        let body = body(request, dialect, &self.fences);
        let url = self.base.join("/chat/completions");
        let post = self.web.request(Method::POST, &self.base, url, self.key.as_ref())?.json(&body);
        let mut response = self.web.send(post, &host).await?;
        if response.status().is_success() {
            return Ok(response);
        }
        let (status, media_type) = (response.status().as_u16(), media_type(&response));
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = wait.and_then(|value| retry_after(value, SystemTime::now()));
        // The status says enough when the words do not come.
        let rest = self.web.rest(&mut response, FAILURE_BODY, &host).await.unwrap_or_default();
        let said = Said::in_response(&media_type, &rest);
        let error = refused(status, &said, wait, &self.about(&host, &request.model));
        Err(Refusal { said, error })
    }

    fn about<'a>(&'a self, host: &'a str, model: &'a str) -> About<'a> {
        About { host, model, key: self.key.as_ref() }
    }

    async fn stream(
        &self,
        request: &ModelRequest,
        pieces: &mpsc::Sender<ModelPiece>,
    ) -> Result<(), ModelError> {
        let mut response = self.ask(request).await?;
        let host = self.base.host();
        let media_type = media_type(&response);
        let mut reader = Reader::new(media_type, format!("call_{}", Uuid::new_v4().simple()));
        let mut length = 0;
        while let Some(bytes) =
            self.web.piece(&mut response, &host).await.map_err(|error| cut(error, length))?
        {
            let bytes = bytes.as_ref();
            length += bytes.len();
            if length > self.web.limits.body {
                return Err(failure(
                    ModelErrorKind::Refused,
                    format!("{host} sent more than an answer can be."),
                ));
            }
            let (said, ended) = reader.push(bytes);
            self.tell(said, pieces).await?;
            ended.map_err(|end| self.words_of(end, request))?;
            if reader.is_done() {
                break;
            }
        }
        let (said, ended) = reader.end();
        self.tell(said, pieces).await?;
        ended.map_err(|end| self.words_of(end, request))
    }

    async fn tell(&self, said: Vec<ModelPiece>, pieces: &mpsc::Sender<ModelPiece>) -> Result<(), ModelError> {
        for piece in said {
            pieces.send(piece).await.map_err(|_| cancelled())?;
        }
        Ok(())
    }

    fn words_of(&self, end: BadEnd, request: &ModelRequest) -> ModelError {
        let host = self.base.host();
        match end {
            BadEnd::Said(said) => in_stream(&said, &self.about(&host, &request.model)),
            BadEnd::NoAnswer(what) => failure(
                ModelErrorKind::Refused,
                format!(
                    "{host} answered with {what}, not with an answer of a model. Check the address in Settings, \
                     Model; most end in /v1."
                ),
            ),
            BadEnd::Cut => {
                failure(ModelErrorKind::Cut, format!("The answer of {host} broke off before its end."))
            }
        }
    }
}

/// An answer that is a failure.
struct Refusal {
    said: Said,
    error: ModelError,
}

impl From<ModelError> for Refusal {
    fn from(error: ModelError) -> Self {
        Self { said: Said::default(), error }
    }
}

#[async_trait]
impl Model for Endpoint {
    async fn answer(
        &self,
        request: ModelRequest,
        pieces: mpsc::Sender<ModelPiece>,
        stop: CancellationToken,
    ) -> Result<(), ModelError> {
        tokio::select! {
            // Dropping the stream closes its connection.
            () = stop.cancelled() => Err(cancelled()),
            ended = self.stream(&request, &pieces) => ended,
        }
    }
}

fn cancelled() -> ModelError {
    failure(ModelErrorKind::Cancelled, "Stopped.")
}

/// Silence in the middle of an answer is its end.
fn cut(error: ModelError, length: usize) -> ModelError {
    let kind = if length > 0 { ModelErrorKind::Cut } else { error.kind };
    ModelError { kind, ..error }
}
