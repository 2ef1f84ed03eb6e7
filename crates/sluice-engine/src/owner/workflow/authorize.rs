//! Accounts of steps: before a step runs, the process must have the current `$auth` of its accounts.

use std::sync::Arc;

use sluice_model::DeploymentId;

use super::owner::WorkflowOwner;
use crate::process::credentials::GrantStatus;

/// Whether a step may use its accounts.
pub(super) enum Authorization {
    Granted,
    /// Its accounts are being refreshed, or there is no process yet.
    Unknown,
    Rejected(Arc<str>),
}

impl WorkflowOwner {
    /// Sends changed credentials of a step to the process.
    pub(super) fn authorize(&mut self, version: &DeploymentId, position: usize) -> Authorization {
        let now_ms = self.core.now_ms();
        let Some(host) = self.core.hosts.get_mut(version) else {
            return Authorization::Unknown;
        };
        if host.is_outdated {
            return Authorization::Unknown;
        }
        let program = Arc::clone(&host.program);
        let Some(live) = host.live_mut() else {
            return Authorization::Unknown;
        };
        let grants = live.grants.get_mut(position);
        let Some(grants) = grants.filter(|grants| !grants.is_empty()) else {
            return Authorization::Granted;
        };
        match grants.check(now_ms) {
            GrantStatus::Current => Authorization::Granted,
            GrantStatus::Changed(auths) => {
                live.authorize(&program.definition.steps[position].name, &auths);
                Authorization::Granted
            }
            GrantStatus::Rejected(reason) => Authorization::Rejected(reason),
            GrantStatus::Unknown => {
                let entries = grants.entries();
                self.core.refresh_accounts(entries);
                Authorization::Unknown
            }
        }
    }
}
