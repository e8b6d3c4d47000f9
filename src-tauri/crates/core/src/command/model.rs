//! The model's settings, its key and what servers offer. A key comes in and never goes out.

use super::App;
use crate::agent::model::{BaseUrl, USUAL, checked};
use secrecy::SecretString;
use talaria_wire::*;

pub(super) async fn model_status(app: &App, _: &ClientId, _: Empty) -> Result<ModelStatus, IpcError> {
    let settings = app.boot.ready()?.store.model_settings().await?;
    Ok(status(app, settings).await)
}

pub(super) async fn model_set(
    app: &App,
    _: &ClientId,
    settings: ModelSettings,
) -> Result<ModelStatus, IpcError> {
    let settings = checked(settings)?;
    app.boot.ready()?.store.model_settings_set(settings.clone()).await?;
    Ok(status(app, settings).await)
}

/// The answer's `key` is that of the address given, which need not be the one of the settings yet.
pub(super) async fn model_key(
    app: &App,
    _: &ClientId,
    request: ModelKeyRequest,
) -> Result<ModelStatus, IpcError> {
    let store = &app.boot.ready()?.store;
    let origin = BaseUrl::parse(&request.base_url)?.origin();
    let key = request.key.trim();
    let keys = app.endpoints.keys();
    let key = if key.is_empty() {
        keys.forget(&origin).await?;
        KeyPlace::None
    } else {
        keys.set(&origin, SecretString::from(key)).await?
    };
    Ok(ModelStatus { settings: store.model_settings().await?, key })
}

pub(super) async fn model_list(
    app: &App,
    _: &ClientId,
    request: ModelListRequest,
) -> Result<ModelServer, IpcError> {
    let base_url = match request.base_url {
        Some(base_url) => base_url,
        None => {
            let choice = app.boot.ready()?.store.model_settings().await?.choice;
            let none = || IpcError::bad_request("No model is connected. Give the address of its server.");
            choice.ok_or_else(none)?.base_url
        }
    };
    app.endpoints.list(&base_url).await
}

pub(super) async fn model_find(app: &App, _: &ClientId, _: Empty) -> Result<ModelFindResponse, IpcError> {
    Ok(ModelFindResponse { servers: app.endpoints.find(USUAL).await })
}

async fn status(app: &App, settings: ModelSettings) -> ModelStatus {
    let base = settings.choice.as_ref().and_then(|choice| BaseUrl::parse(&choice.base_url).ok());
    let key = match base {
        Some(base) => app.endpoints.keys().place(&base.origin()).await,
        None => KeyPlace::None,
    };
    ModelStatus { settings, key }
}
