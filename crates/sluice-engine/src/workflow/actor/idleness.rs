//! Processes that nobody needs for the moment, and when they go.

use std::{collections::HashSet, sync::Arc};

use sluice_model::DeploymentId;
use tokio::time::Instant;

use super::Actor;
use crate::owners::Owner;

impl Actor {
    pub(super) fn idle_at(&self) -> Option<Instant> {
        let since = self.hosts.values().filter_map(|host| host.idle_since).min();
        since.map(|since| since + self.context.infra.settings.idle_timeout)
    }

    pub(super) fn note_idleness(&mut self) {
        let busy: HashSet<DeploymentId> = self
            .runs
            .values()
            .map(|active| active.version.id.clone())
            .collect();
        let now = Instant::now();
        let current = self.current.id.clone();
        // The process of an old version has no use when its last run is over.
        self.hosts
            .retain(|id, host| *id == current || host.is_starting || busy.contains(id));
        for (id, host) in &mut self.hosts {
            host.start_after = host.start_after.filter(|at| *at > now);
            let is_idle = host.live.is_some() && !busy.contains(id);
            host.idle_since = is_idle.then(|| host.idle_since.unwrap_or(now));
        }
        self.hosts.retain(|id, host| {
            host.live.is_some()
                || host.is_starting
                || host.start_after.is_some()
                || busy.contains(id)
        });
        let owner = Owner::Workflow(Arc::clone(&self.handle));
        let all_idle =
            !self.hosts.is_empty() && self.hosts.values().all(|host| host.idle_since.is_some());
        match (all_idle, self.is_listed_idle) {
            (true, false) => self.context.slots.idle(&owner),
            (false, true) => self.context.slots.not_idle(&self.handle.id),
            _ => {}
        }
        self.is_listed_idle = all_idle;
    }

    pub(super) fn stop_idle_hosts(&mut self) {
        let timeout = self.context.infra.settings.idle_timeout;
        self.hosts.retain(|_, host| {
            host.idle_since
                .is_none_or(|since| since.elapsed() < timeout)
        });
    }

    pub(super) fn stop_idle_hosts_now(&mut self) {
        self.is_listed_idle = false;
        self.hosts.retain(|_, host| host.idle_since.is_none());
    }
}
