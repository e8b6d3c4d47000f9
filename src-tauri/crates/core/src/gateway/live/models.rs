//! Which model answers a session: asked anew for each turn, so that a change of the settings counts from the next one on.

use crate::agent::ports::Model;
use async_trait::async_trait;
use std::sync::Arc;
use talaria_wire::{IpcError, ModelChoice};

/// A model with what a turn must know of it.
#[derive(Clone)]
pub struct ModelInUse {
    pub model: Arc<dyn Model>,
    pub name: String,
    /// Tokens, when known.
    pub context_length: Option<i64>,
    /// Of a million tokens.
    pub input_price: Option<f64>,
    pub output_price: Option<f64>,
    /// A session stops at this cost.
    pub cost_limit: Option<f64>,
}

impl ModelInUse {
    /// What a request costs; `None` without prices.
    pub fn cost(&self, input: i64, output: i64) -> Option<f64> {
        if self.input_price.is_none() && self.output_price.is_none() {
            return None;
        }
        let of = |tokens: i64, price: Option<f64>| tokens as f64 * price.unwrap_or(0.0) / 1e6;
        Some(of(input, self.input_price) + of(output, self.output_price))
    }
}

/// Finds the model.
#[async_trait]
pub trait Models: Send + Sync {
    /// The session's own choice, else the one of the settings. `None`: no model is connected.
    ///
    /// # Errors
    /// Settings or key cannot be read.
    async fn open(&self, choice: Option<&ModelChoice>) -> Result<Option<ModelInUse>, IpcError>;
}
