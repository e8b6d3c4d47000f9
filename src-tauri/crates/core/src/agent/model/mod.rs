//! The model's server: any endpoint that speaks OpenAI's chat completions.
//!
//! What is said and understood is pure (`request`, `sse`, `pieces`, `reader`, `failure`); `client` does the asking and
//! `find` the looking around. It never retries, never follows a redirect, never decides what a turn does, and shows a
//! key to nobody but the origin it was kept for. `gateway` makes an [`Endpoint`] for a turn, `command` lists and finds.

mod address;
mod client;
mod failure;
mod find;
mod pieces;
mod reader;
mod request;
mod settings;
mod sse;
mod web;

pub use address::{AddressError, BaseUrl};
pub use client::Endpoint;
pub use find::{Kind, USUAL};
pub use settings::{checked, checked_choice};
pub use web::Limits;

use crate::secret::Keys;
use request::Fences;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use talaria_wire::{IpcError, ModelChoice, ModelServer};
use web::Web;

/// A turn waits no longer than this for the length of its model's context.
const LENGTH: Duration = Duration::from_secs(3);

/// Asks endpoints, each with its own key. Cheap to clone.
#[derive(Clone)]
pub struct Endpoints {
    web: Web,
    keys: Keys,
    fences: Fences,
    /// What servers told of their models, also that they tell nothing.
    lengths: Arc<Mutex<HashMap<ModelChoice, Option<i64>>>>,
}

impl Endpoints {
    /// Asks with the keys kept by `keys`.
    pub fn new(keys: Keys, limits: Limits) -> Self {
        Self { web: Web::new(limits), keys, fences: Fences::default(), lengths: Arc::default() }
    }

    /// Where keys are kept.
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The endpoint of a choice, with the key of its origin; made anew for each turn, so that a new key is used.
    ///
    /// # Errors
    /// `BadRequest` for a base URL that cannot be.
    pub async fn endpoint(&self, choice: &ModelChoice) -> Result<Endpoint, IpcError> {
        let base = BaseUrl::parse(&choice.base_url)?;
        let key = self.keys.get(&base.origin()).await;
        Ok(Endpoint::new(self.web.clone(), base, key, self.fences.clone()))
    }

    /// What an endpoint offers. The answer's `base_url` is the one that works: `/v1` is added when only that answers.
    ///
    /// # Errors
    /// `BadRequest` for an address that cannot be, a key that is refused or an answer that is no list of models;
    /// `Busy`, retryable, when nothing answers.
    pub async fn list(&self, base_url: &str) -> Result<ModelServer, IpcError> {
        let base = BaseUrl::parse(base_url)?;
        let key = self.keys.get(&base.origin()).await;
        Ok(find::list(&self.web, base, key.as_ref()).await?)
    }

    /// The context of a model in tokens, when its server tells it. Asked once in a run; a server that does not answer is
    /// asked again the next time.
    pub async fn context_length(&self, choice: &ModelChoice) -> Option<i64> {
        // A poisoned map is whole: one insert is all that happens to it.
        let known = || self.lengths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(length) = known().get(choice) {
            return *length;
        }
        let listed = tokio::time::timeout(LENGTH, self.list(&choice.base_url)).await.ok()?.ok()?;
        let model = listed.models.into_iter().find(|model| model.id == choice.model);
        let length = model.and_then(|model| model.context_length);
        known().insert(choice.clone(), length);
        length
    }

    /// The servers that answer on these ports of this computer ([`USUAL`]).
    pub async fn find(&self, ports: &[(Kind, u16)]) -> Vec<ModelServer> {
        find::find(&self.web, ports).await
    }
}
