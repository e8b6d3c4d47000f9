//! The model that answers this store's sessions: the endpoint of the settings, or the session's own.

use super::live::{ModelInUse, Models};
use crate::agent::model::Endpoints;
use crate::store::Store;
use async_trait::async_trait;
use std::sync::Arc;
use talaria_wire::{IpcError, ModelChoice};

/// Reads the settings for each turn.
pub struct Connected {
    store: Store,
    endpoints: Endpoints,
}

impl Connected {
    /// The models of one open store.
    pub fn new(store: Store, endpoints: Endpoints) -> Self {
        Self { store, endpoints }
    }
}

#[async_trait]
impl Models for Connected {
    async fn open(&self, choice: Option<&ModelChoice>) -> Result<Option<ModelInUse>, IpcError> {
        let settings = self.store.model_settings().await?;
        let Some(used) = choice.or(settings.choice.as_ref()) else { return Ok(None) };
        let model = self.endpoints.endpoint(used).await?;
        // Length and prices are told of the model of the settings; of another one nothing is known.
        let is_told = settings.choice.as_ref() == Some(used);
        let context_length = match settings.context_length.filter(|_| is_told) {
            Some(told) => Some(told),
            None => self.endpoints.context_length(used).await,
        };
        Ok(Some(ModelInUse {
            model: Arc::new(model),
            name: used.model.clone(),
            context_length,
            input_price: settings.input_price.filter(|_| is_told),
            output_price: settings.output_price.filter(|_| is_told),
            cost_limit: settings.cost_limit,
        }))
    }
}
