//! The processes of a workflow, one for each version with active runs.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use sluice_model::DeploymentId;
use sluice_runtime::ProcessSpec;

use super::{owner::WorkflowOwner, version::Version};

impl WorkflowOwner {
    /// Starts the processes of versions whose runs are ready.
    pub(super) fn ensure_processes(&mut self) {
        if self.core.is_ending() {
            return;
        }
        let mut seen = HashSet::new();
        let ready: Vec<Arc<Version>> = self
            .runs
            .values()
            .filter(|active| active.is_ready() && seen.insert(active.version.id.clone()))
            .map(|active| Arc::clone(&active.version))
            .collect();
        for version in ready {
            self.ensure_process(&version);
        }
    }

    fn ensure_process(&mut self, version: &Arc<Version>) {
        let program = || Arc::clone(version);
        let host = self.core.hosts.get_or_insert(version.id.clone(), program);
        if !host.is_stopped() {
            return;
        }
        let infra = self.core.infra();
        let spec = version.process_spec(&self.workflow, &infra.settings, &infra.vault, &self.kv);
        let is_full = self.core.services.disk.is_full(&self.workflow.user_id);
        let spec = match spec {
            // Without disk space the store does not grow.
            Ok(spec) => ProcessSpec {
                max_db: is_full.then(|| self.kv.bytes()),
                ..spec
            },
            Err(reason) => {
                self.core.hosts.remove(&version.id);
                self.fail_ready(&version.id, "SecretUnreadable", &reason);
                return;
            }
        };
        let access = version.data_store_access(&self.workflow, Some(&self.core.fence));
        let grants = version.grants(&self.core.services.credentials, &self.workflow.user_id);
        let starter = self.core.services.starter.clone();
        let start = starter.start(self.workflow.user_id.clone(), spec, access, grants);
        let host = self.core.hosts.get_or_insert(version.id.clone(), program);
        host.start(start);
    }

    /// New secrets of the current version: its steps get them from the next one on.
    pub(super) fn renew_environment(&mut self, before: &Version) {
        let current = &self.current;
        if current.id != before.id || current.has_secrets_of(before) {
            return;
        }
        for active in self.runs.values_mut() {
            if active.version.id == current.id {
                active.version = Arc::clone(current);
            }
        }
        if let Some(host) = self.core.hosts.get_mut(&current.id) {
            host.is_outdated = true;
        }
    }

    /// Stops outdated processes that run no step.
    pub(super) fn retire_outdated(&mut self) {
        let outdated = self.core.hosts.iter().filter(|(_, host)| host.is_outdated);
        let unused: Vec<DeploymentId> = outdated
            .map(|(id, _)| id.clone())
            .filter(|id| self.running_on(id).next().is_none())
            .collect();
        for id in unused {
            self.stop_process(&id);
        }
    }

    pub(super) fn stop_process(&mut self, version: &DeploymentId) {
        self.generation += 1;
        self.core.hosts.remove(version);
    }

    /// Stops idle processes because another owner needs their permits.
    pub(super) fn evict(&mut self) {
        let busy = self.busy_versions();
        self.core
            .hosts
            .retain(|id, host| busy.contains(id) || host.live().is_none());
    }

    pub(super) fn update_idleness(&mut self) {
        let busy = self.busy_versions();
        let current = self.current.id.clone();
        for (id, host) in self.core.hosts.iter_mut() {
            host.set_idle(!busy.contains(id));
        }
        // An old version whose last run has ended needs no process.
        self.core.hosts.retain(|id, host| {
            let is_used = *id == current || host.is_starting() || busy.contains(id);
            is_used && (busy.contains(id) || !host.is_stopped())
        });
        let none = BTreeMap::new();
        let is_active = self.workflow.active;
        self.core
            .update_idleness(if is_active { &self.timers } else { &none });
    }

    fn busy_versions(&self) -> HashSet<DeploymentId> {
        let versions = self.runs.values().map(|active| active.version.id.clone());
        versions.collect()
    }
}
