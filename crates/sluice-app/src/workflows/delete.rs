//! `DELETE /workflows/{id}`: removes the workflow with all its rows, including queued events.

use sluice_engine::EngineError;
use sluice_model::UserId;
use sluice_store::workflows;

use super::service::Workflows;
use crate::detached;

impl Workflows {
    pub async fn delete(&self, user: &UserId, id_or_slug: &str) -> Result<(), EngineError> {
        let id = self.row(user, id_or_slug).await?.id;
        let (service, owner) = (self.clone(), user.clone());
        detached::run(&self.infra.shutdown, async move {
            let removed = id.clone();
            let removed = service
                .infra
                .store
                .write(move |c| workflows::remove(c, &owner, &removed));
            if !removed.await? {
                return Err(EngineError::NotFound("workflow"));
            }
            service.changed(&id);
            service.streams.close(&id);
            Ok(())
        })
        .await
    }
}
