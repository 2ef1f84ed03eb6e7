//! Accounts: before an invocation the process must have the current `$auth`.
//!
//! Sources without accounts pass at once. For the others the credentials are nearly always cached; otherwise work waits in
//! the mailbox while they are refreshed.

use std::sync::Arc;

use sluice_runtime::ModuleSpec;

use super::{
    hooks,
    owner::{Running, SourceOwner},
};
use crate::{
    commit::builder::failure,
    process::credentials::{GrantStatus, Grants},
};

/// The name of the error of an invocation whose account cannot be used.
const ACCOUNT_ERROR: &str = "AccountError";

impl SourceOwner {
    /// Whether queued work can be dispatched. Work whose account cannot be used fails here.
    pub(super) fn is_authorized(&mut self) -> bool {
        let Some(live) = self.core.live(&()) else {
            return false;
        };
        if live.grants.iter().all(Grants::is_empty) {
            return true;
        }
        if !self.core.mailbox().has_queued() {
            return false;
        }
        match self.authorize() {
            Ok(authorized) => authorized,
            Err(reason) => {
                self.fail_queued(ACCOUNT_ERROR, &reason);
                false
            }
        }
    }

    pub(super) fn is_authorized_for_hooks(&mut self) -> bool {
        match self.authorize() {
            Ok(authorized) => authorized,
            Err(reason) => {
                let error = failure(ACCOUNT_ERROR, reason.to_string());
                for (hook, reply) in self.take_hooks() {
                    let _ = reply.send(Err(hooks::rejected(hook, &error)));
                }
                false
            }
        }
    }

    /// Sends changed credentials to the process. `Err` is the reason why an account cannot be used.
    fn authorize(&mut self) -> Result<bool, Arc<str>> {
        if self.core.is_refreshing_accounts() {
            return Ok(false);
        }
        let now_ms = self.core.now_ms();
        let Some(live) = self
            .core
            .hosts
            .get_mut(&())
            .and_then(|host| host.live_mut())
        else {
            return Ok(false);
        };
        let Some(grants) = live.grants.first_mut().filter(|grants| !grants.is_empty()) else {
            return Ok(true);
        };
        match grants.check(now_ms) {
            GrantStatus::Current => Ok(true),
            GrantStatus::Changed(auths) => {
                live.authorize(ModuleSpec::COMPONENT, &auths);
                Ok(true)
            }
            GrantStatus::Rejected(reason) => Err(reason),
            GrantStatus::Unknown => {
                let entries = grants.entries();
                self.core.refresh_accounts(entries);
                Ok(false)
            }
        }
    }

    /// Fails queued work, as much as may wait for a commit at once; the rest follows after that commit.
    pub(super) fn fail_queued(&mut self, name: &str, reason: &str) {
        while self.has_commit_capacity() {
            let Some(work) = self.core.mailbox().pop_if(|_| true) else {
                break;
            };
            let id = work.id;
            self.running.insert(id, Running::Work(work));
            self.fail(id, name, reason.to_owned());
        }
        // No process reports these, so nothing else triggers their commit.
        self.commit_finished();
    }
}
