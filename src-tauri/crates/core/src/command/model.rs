//! The model's settings, its key and what servers offer.

use super::App;
use talaria_wire::*;

macro_rules! later {
    ($($name:ident($req:ty) -> $res:ty;)*) => {$(
        pub(super) async fn $name(_: &App, _: &ClientId, _: $req) -> Result<$res, IpcError> {
            Err(IpcError::internal("Not yet."))
        }
    )*};
}
later! {
    model_status(Empty) -> ModelStatus;
    model_set(ModelSettings) -> ModelStatus;
    model_key(ModelKeyRequest) -> ModelStatus;
    model_list(ModelListRequest) -> ModelServer;
    model_find(Empty) -> ModelFindResponse;
}
