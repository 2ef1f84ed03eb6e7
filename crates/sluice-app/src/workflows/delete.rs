//! `DELETE /workflows/{id}`: removes the workflow with all its rows, including queued events.

use sluice_engine::EngineError;
use sluice_store::{
    audit::{Action, TargetKind},
    workflows,
};

use super::service::Workflows;
use crate::{
    audit::{Actor, Change, Target},
    detached,
};

impl Workflows {
    pub async fn delete(&self, actor: &Actor, id_or_slug: &str) -> Result<(), EngineError> {
        let workflow = self.row(&actor.user_id, id_or_slug).await?;
        let target = Target::new(TargetKind::Workflow, &workflow.id, &workflow.name);
        let change = Change::new(&self.infra, actor, Action::WorkflowDelete, target);
        let (service, owner, id) = (self.clone(), actor.user_id.clone(), workflow.id);
        detached::run(&self.infra.shutdown, async move {
            let removed = id.clone();
            let removed = service.infra.store.write(move |c| {
                let removed = workflows::remove(c, &owner, &removed)?;
                if removed {
                    change.record(c)?;
                }
                Ok(removed)
            });
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
