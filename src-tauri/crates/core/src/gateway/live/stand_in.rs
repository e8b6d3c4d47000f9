//! Until the model's client is wired.

use talaria_wire::*;

pub struct NoModels;

#[async_trait::async_trait]
impl super::Models for NoModels {
    async fn open(&self, _: Option<&ModelChoice>) -> Result<Option<super::ModelInUse>, IpcError> {
        Ok(None)
    }
}
