//! `DELETE /sources/{id}`: what runs finishes, `deactivate` runs, and everything of the source goes.

use sluice_model::{Hook, SourceId, UserId};

use super::OnHookError;
use crate::{Engine, error::EngineError, source::Gate};

impl Engine {
    pub async fn delete_source(
        &self,
        user: &UserId,
        id: &SourceId,
        on_hook_error: OnHookError,
    ) -> Result<(), EngineError> {
        let (user, id) = (user.clone(), id.clone());
        self.to_the_end(|engine| async move { engine.tear_down(&user, &id, on_hook_error).await })
            .await
    }

    async fn tear_down(
        &self,
        user: &UserId,
        id: &SourceId,
        on_hook_error: OnHookError,
    ) -> Result<(), EngineError> {
        self.source_row(user, id).await?;
        let engagement = self.engage(id).await?;
        // Another request may have deleted it while this one waited its turn.
        let source = self.source_row(user, id).await?;
        let shape = self.shape_of(&source).await?;
        engagement.set_gate(Gate::Shut).await?;
        if source.active && shape.has_hook(Hook::Deactivate) {
            match (engagement.hook(Hook::Deactivate).await, on_hook_error) {
                (Ok(()), _) => {}
                (Err(EngineError::HookFailed { .. }), OnHookError::Ignore) => {
                    tracing::info!(source = %id, "a source is deleted although its deactivate hook failed");
                }
                (Err(error), _) => return Err(error),
            }
        }
        self.remove(id).await?;
        engagement.leave();
        Ok(())
    }
}
