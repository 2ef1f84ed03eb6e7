//! The locks that active sources and workflows use.

use std::collections::{HashMap, HashSet};

use sluice_model::{ComponentId, DeploymentId};
use sluice_store::{Store, StoreError, deployments, lock_uses};

/// Reads the locks in use. It remembers the components of workflow versions, which never change.
#[derive(Default)]
pub(super) struct LocksInUse {
    components: HashMap<DeploymentId, Vec<ComponentId>>,
}

impl LocksInUse {
    /// The hashes of the locks.
    pub(super) async fn read(&mut self, store: &Store) -> Result<HashSet<String>, StoreError> {
        let read = store.read(|c| {
            Ok((
                lock_uses::of_active_sources(c)?,
                lock_uses::active_versions(c)?,
            ))
        });
        let (of_sources, versions) = read.await?;
        self.read_versions(store, versions).await?;
        let components: HashSet<ComponentId> =
            self.components.values().flatten().cloned().collect();
        let components: Vec<ComponentId> = components.into_iter().collect();
        let of_workflows = store.read(move |c| lock_uses::of_components(c, &components));
        Ok(of_sources.into_iter().chain(of_workflows.await?).collect())
    }

    /// Reads versions that are new, and forgets those that no workflow runs any more.
    async fn read_versions(
        &mut self,
        store: &Store,
        versions: Vec<DeploymentId>,
    ) -> Result<(), StoreError> {
        let versions: HashSet<DeploymentId> = versions.into_iter().collect();
        self.components.retain(|id, _| versions.contains(id));
        let is_new = |id: &DeploymentId| !self.components.contains_key(id);
        let new: Vec<DeploymentId> = versions.into_iter().filter(is_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        let defined = store.read(move |c| deployments::defined(c, &new)).await?;
        for (id, version) in defined {
            let steps = version.definition.steps.into_iter();
            let components = steps.map(|step| step.component_id).collect();
            self.components.insert(id, components);
        }
        Ok(())
    }
}
