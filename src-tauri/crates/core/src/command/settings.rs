//! Settings: this home's own.

use super::App;
use talaria_wire::*;

pub(super) async fn settings_get(app: &App, _: &ClientId, _: Empty) -> Result<Settings, IpcError> {
    Ok(app.boot.ready()?.store.settings_get().await?)
}

pub(super) async fn settings_update(
    app: &App,
    _: &ClientId,
    patch: SettingsPatch,
) -> Result<Settings, IpcError> {
    Ok(app.boot.ready()?.store.settings_update(patch).await?)
}
