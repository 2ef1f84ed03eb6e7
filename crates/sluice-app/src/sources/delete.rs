//! `DELETE /sources/{id}`. Running invocations finish or are interrupted, `deactivate` runs, and the source is removed with all
//! its rows.

use sluice_engine::EngineError;
use sluice_model::{ComponentShape, Hook, SourceId};
use sluice_store::{
    audit::{Action, TargetKind},
    components,
    sources::Source,
};

use super::{requests::OnHookError, service::Sources};
use crate::{
    audit::{Actor, Change, Target},
    detached, lookup,
};

impl Sources {
    pub async fn delete(
        &self,
        actor: &Actor,
        id: &SourceId,
        on_hook_error: OnHookError,
    ) -> Result<(), EngineError> {
        let (sources, actor, id) = (self.clone(), actor.clone(), id.clone());
        detached::run(&self.infra.shutdown, async move {
            sources.tear_down(&actor, &id, on_hook_error).await
        })
        .await
    }

    async fn tear_down(
        &self,
        actor: &Actor,
        id: &SourceId,
        on_hook_error: OnHookError,
    ) -> Result<(), EngineError> {
        let (store, user) = (&self.infra.store, &actor.user_id);
        lookup::source(store, user, id).await?;
        let lock = self.lock(id).await?;
        // Another request may have deleted it while this one waited for the lock.
        let source = lookup::source(store, user, id).await?;
        let shape = self.shape_of(&source).await?;
        lock.stop_dispatch().await?;
        if source.active && shape.has_hook(Hook::Deactivate) {
            match (lock.run_hook(Hook::Deactivate).await, on_hook_error) {
                (Ok(()), _) => {}
                (Err(EngineError::HookFailed { .. }), OnHookError::Ignore) => {
                    tracing::info!(source = %id, "deactivate hook failed; deleting source anyway");
                }
                (Err(error), _) => return Err(error),
            }
        }
        let target = Target::new(TargetKind::Source, id, &source.name);
        let deleted = Change::new(&self.infra, actor, Action::SourceDelete, target);
        self.remove(id, Some(deleted)).await?;
        lock.stop_owner();
        Ok(())
    }

    async fn shape_of(&self, source: &Source) -> Result<ComponentShape, EngineError> {
        let id = source.component_id.clone();
        let shape = self
            .infra
            .store
            .read(move |c| components::shape_for_run(c, &id));
        shape.await?.ok_or(EngineError::NotFound("component"))
    }
}
