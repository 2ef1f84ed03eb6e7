//! The first use of an imported component. An import resolves no packages: they are resolved, and the real shape is read,
//! when the component first runs or its form is first opened.

use sluice_code::CodeTree;
use sluice_engine::EngineError;
use sluice_model::{ComponentId, UserId};
use sluice_runtime::{Analysis, Role};
use sluice_store::components::{self, Component, Packages};

use super::service::{Components, lock_hash, stored_lock};

impl Components {
    /// The component with its packages and its real shape. Every component that runs passes through here. On an error
    /// it stays unresolved, and the next use tries again.
    pub(super) async fn ready(
        &self,
        user: &UserId,
        component: Component,
    ) -> Result<Component, EngineError> {
        if component.packages != Packages::Unresolved {
            return Ok(component);
        }
        let lock = self.first_uses.of(&component.id);
        let _guard = lock.lock().await;
        let found = self.stored(&component.id).await?;
        if found.packages != Packages::Unresolved {
            return Ok(found);
        }
        let tree = CodeTree::parse(&found.code).map_err(EngineError::InvalidCode)?;
        let by = Some(user.clone());
        let analysis = self.processes.analyze(&tree, Role::Component, &by);
        let Analysis { shape, packages } = analysis.await?;
        let packages = stored_lock(packages.as_ref())?;
        let (id, now) = (found.id.clone(), self.infra.now_ms());
        self.infra
            .store
            .write(move |c| components::resolve(c, &id, packages.as_ref(), &shape, now))
            .await?;
        // Read again: another node may have been first.
        let resolved = self.stored(&found.id).await?;
        self.announce_locks(lock_hash(&resolved));
        Ok(resolved)
    }

    /// Fails when an import has replaced the component in the meantime.
    async fn stored(&self, id: &ComponentId) -> Result<Component, EngineError> {
        let id = id.clone();
        self.infra
            .store
            .read(move |c| components::get_for_run(c, &id))
            .await?
            .ok_or_else(|| {
                EngineError::Conflict(
                    "the component has just been replaced by another: try again".to_owned(),
                )
            })
    }
}
