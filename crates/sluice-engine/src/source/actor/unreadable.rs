//! A source whose secrets cannot be read has nothing to start a process with.

use super::{Actor, Running, process::failed_outcome};
use crate::source::hooks;

impl Actor {
    /// Whatever is to run fails, and says why.
    pub(super) fn cannot_run(&mut self, reason: &str) {
        let outcome = || failed_outcome("SecretUnreadable", reason.to_owned());
        if let Some(operation) = &mut self.engaged {
            for (hook, reply) in operation.hooks.drain(..) {
                let _ = reply.send(hooks::failed(hook, &outcome()).map_or(Ok(()), Err));
            }
        }
        let most = self.context.infra.settings.source_concurrency;
        while self.is_open() && self.uncommitted + self.finished.len() < 4 * most {
            let Some(work) = self.handle.mailbox.pop_if(|_| true) else {
                break;
            };
            let id = work.id;
            self.running.insert(id, Running::Work(work));
            self.ended(id, outcome());
        }
        self.commit_finished();
    }
}
