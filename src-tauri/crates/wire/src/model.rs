//! The model: where it is, which one, and what it costs. A key never crosses to the page.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// A model of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ModelChoice {
    /// Up to and without `/chat/completions`, mostly ending in `/v1`.
    pub base_url: String,
    pub model: String,
}

/// Settings > Model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(default)]
pub struct ModelSettings {
    /// Absent: no model is connected.
    pub choice: Option<ModelChoice>,
    /// Tokens; absent: as the server says, else unknown.
    pub context_length: Option<i64>,
    /// Price of a million tokens.
    pub input_price: Option<f64>,
    pub output_price: Option<f64>,
    /// A session stops at this cost.
    pub cost_limit: Option<f64>,
}

/// Where the key of the endpoint is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    None,
    Keyring,
    /// A file of mode 0600 in the data folder: there is no keyring.
    File,
}

/// `model_status`, and the answer of what changes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ModelStatus {
    pub settings: ModelSettings,
    /// Of the endpoint's origin; answered to `model_key`: of the address given.
    pub key: KeyPlace,
}

/// `model_key`: keeps the key for the origin of `base_url`; `""` forgets it.
#[derive(Clone, Deserialize, TS)]
#[ts(export)]
#[serde(deny_unknown_fields)]
pub struct ModelKeyRequest {
    pub base_url: String,
    pub key: String,
}

/// Never shows the key.
impl std::fmt::Debug for ModelKeyRequest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ModelKeyRequest").field("base_url", &self.base_url).finish_non_exhaustive()
    }
}

/// `model_list`: what an endpoint offers. Absent: the one of the settings.
#[derive(Clone, Debug, Default, Serialize, Deserialize, TS)]
#[ts(export, optional_fields)]
#[serde(default, deny_unknown_fields)]
pub struct ModelListRequest {
    pub base_url: Option<String>,
}

/// One model of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ModelInfo {
    pub id: String,
    /// Tokens, when the server says so.
    pub context_length: Option<i64>,
}

/// An endpoint that answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ModelServer {
    /// "Ollama", "LM Studio", "llama.cpp", or the host.
    pub name: String,
    /// The one that works: `/v1` is added where only that answers.
    pub base_url: String,
    pub models: Vec<ModelInfo>,
}

/// `model_find`: the servers found on their usual ports of this computer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[ts(export)]
pub struct ModelFindResponse {
    pub servers: Vec<ModelServer>,
}
