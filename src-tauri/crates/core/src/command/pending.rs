//! Rows whose parts are being built: each leaves with its part.

use super::App;
use talaria_wire::*;

macro_rules! pending {
    ($($name:ident($req:ty) -> $res:ty;)*) => {$(
        pub(super) async fn $name(_: &App, _: &ClientId, _: $req) -> Result<$res, IpcError> {
            Err(IpcError::internal(concat!(stringify!($name), " is not there yet.")))
        }
    )*};
}

pending! {
    health_check(Empty) -> HealthReport;
    health_cancel(Empty) -> Empty;
    recovery_start(Empty) -> RecoveryStatus;
    recovery_status(Empty) -> RecoveryStatus;
    recovery_cancel(Empty) -> RecoveryStatus;
    about_get(Empty) -> About;
    diagnostics_get(Empty) -> Diagnostics;
}
