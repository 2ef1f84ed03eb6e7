//! Before anything runs: is what the process knows of its accounts still right?
//!
//! Sources without accounts pass without a glance. For the others the answer is in memory nearly always; when it is not,
//! work waits in the mailbox while somebody finds out.

use std::sync::Arc;

use sluice_runtime::{Failure, ModuleSpec};

use super::{Actor, Running, process::failed_outcome};
use crate::{accounts::Standing, owning::FIRST_PAUSE, source::hooks};

/// The name of the error that an invocation fails with when its account is of no use.
const ACCOUNT_ERROR: &str = "AccountError";

impl Actor {
    /// Whether queued work can go to the process. Work whose account is of no use fails here.
    pub(super) fn is_authorized(&mut self) -> bool {
        let Some(live) = &self.process else {
            return false;
        };
        if live.grants.is_empty() {
            return true;
        }
        if !self.handle.mailbox.has_queued() {
            return false;
        }
        match self.authorize() {
            Ok(authorized) => authorized,
            Err(reason) => {
                self.fail_queued(&reason);
                false
            }
        }
    }

    pub(super) fn is_authorized_for_hooks(&mut self) -> bool {
        match self.authorize() {
            Ok(authorized) => authorized,
            Err(reason) => {
                let failure = Failure {
                    name: ACCOUNT_ERROR.to_owned(),
                    message: reason.to_string(),
                    stack: String::new(),
                    code: None,
                };
                if let Some(operation) = &mut self.engaged {
                    for (hook, reply) in operation.hooks.drain(..) {
                        let _ = reply.send(Err(hooks::refused(hook, &failure)));
                    }
                }
                false
            }
        }
    }

    /// Brings the process up to date. `Err` says in words why its accounts cannot be used.
    fn authorize(&mut self) -> Result<bool, Arc<str>> {
        let Some(live) = &mut self.process else {
            return Ok(false);
        };
        if live.grants.is_empty() {
            return Ok(true);
        }
        if self.authorizing.is_some() {
            return Ok(false);
        }
        match live.grants.check(self.context.infra.clock.now_ms()) {
            Standing::Current => Ok(true),
            Standing::Changed(auths) => {
                live.process.authorize(ModuleSpec::COMPONENT, &auths);
                Ok(true)
            }
            Standing::Refused(reason) => Err(reason),
            Standing::Unknown => {
                let slots = live.grants.slots();
                let context = Arc::clone(&self.context);
                let finding_out = async move {
                    if let Err(error) = context.accounts.find_out_all(&slots).await {
                        tracing::warn!(%error, "an account could not be read; trying again");
                        tokio::time::sleep(FIRST_PAUSE).await;
                    }
                };
                // Tracked, because renewed tokens must reach the store also when the server is stopping.
                self.authorizing = Some(self.context.infra.shutdown.spawn(finding_out));
                Ok(false)
            }
        }
    }

    /// Fails as much as may be uncommitted at once; the rest follows when that is committed.
    fn fail_queued(&mut self, reason: &str) {
        let most = 4 * self.context.infra.settings.source_concurrency;
        while self.uncommitted + self.finished.len() < most {
            let Some(work) = self.handle.mailbox.pop_if(|_| true) else {
                break;
            };
            let id = work.id;
            self.running.insert(id, Running::Work(work));
            self.ended(id, failed_outcome(ACCOUNT_ERROR, reason.to_owned()));
        }
        // No process reports these, so nothing else would.
        self.commit_finished();
    }
}
