//! Settings: this home's own.

use super::{App, sweep};
use crate::store::SweepCause;
use talaria_wire::*;

pub(super) async fn settings_get(app: &App, _: &ClientId, _: Empty) -> Result<Settings, IpcError> {
    Ok(app.boot.ready()?.store.settings_get().await?)
}

pub(super) async fn settings_update(
    app: &App,
    _: &ClientId,
    patch: SettingsPatch,
) -> Result<Settings, IpcError> {
    let limit_is_set = patch.archive_after_days.is_some();
    let settings = app.boot.ready()?.store.settings_update(patch).await?;
    if limit_is_set {
        sweep::run(app, SweepCause::Asked).await;
    }
    Ok(settings)
}
