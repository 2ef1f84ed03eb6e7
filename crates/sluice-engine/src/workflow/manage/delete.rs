//! `DELETE /workflows/{id}`: everything of the workflow goes, what waits for its turn included.

use sluice_model::UserId;
use sluice_store::workflows;

use crate::{Engine, error::EngineError};

impl Engine {
    pub async fn delete_workflow(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<(), EngineError> {
        let id = self.workflow_row(user, id_or_slug).await?.id;
        let owner = user.clone();
        self.to_the_end(|engine| async move {
            let gone = id.clone();
            let removed = engine
                .context
                .infra
                .store
                .write(move |c| workflows::remove(c, &owner, &gone));
            if !removed.await? {
                return Err(EngineError::NotFound("workflow"));
            }
            engine.workflow_changed(&id);
            engine.context.streams.close(&id);
            Ok(())
        })
        .await
    }
}
