//! Steps and the accounts that they use.

use std::sync::Arc;

use sluice_model::DeploymentId;

use super::Actor;
use crate::{accounts::Standing, owning::FIRST_PAUSE};

/// Whether a step may use its accounts.
pub(super) enum Authorization {
    Granted,
    /// Somebody is finding out, or there is no process yet.
    Unknown,
    Refused(Arc<str>),
}

impl Actor {
    /// Brings the process up to date with the accounts of a step.
    pub(super) fn authorize(&mut self, version: &DeploymentId, position: usize) -> Authorization {
        let Some(host) = self.hosts.get_mut(version) else {
            return Authorization::Unknown;
        };
        let Some(live) = host.live.as_mut().filter(|_| !host.is_outdated) else {
            return Authorization::Unknown;
        };
        let Some(grants) = live.grants.get_mut(position) else {
            return Authorization::Granted;
        };
        if grants.is_empty() {
            return Authorization::Granted;
        }
        match grants.check(self.context.infra.clock.now_ms()) {
            Standing::Current => Authorization::Granted,
            Standing::Changed(auths) => {
                let step = &host.version.definition.steps[position].name;
                live.process.authorize(step, &auths);
                Authorization::Granted
            }
            Standing::Refused(reason) => Authorization::Refused(reason),
            Standing::Unknown => {
                if self.authorizing.is_empty() {
                    let slots = grants.slots();
                    let context = Arc::clone(&self.context);
                    let finding_out = async move {
                        if let Err(error) = context.accounts.find_out_all(&slots).await {
                            tracing::warn!(%error, "an account could not be read; trying again");
                            tokio::time::sleep(FIRST_PAUSE).await;
                        }
                    };
                    // On its own, because renewed tokens must reach the store also when the server stops or the workflow goes.
                    let on_its_own = self.context.infra.shutdown.spawn(finding_out);
                    self.authorizing.spawn(async move {
                        let _ = on_its_own.await;
                    });
                }
                Authorization::Unknown
            }
        }
    }
}
