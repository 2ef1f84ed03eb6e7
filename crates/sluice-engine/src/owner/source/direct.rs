//! Direct requests of a source: the owner dispatches them before they are stored, and stores those that take too long.

use std::time::Duration;

use sluice_model::InvocationId;
use sluice_store::StoreError;
use tokio::time::Instant;

use super::owner::{SourceOwner, SourceTask};
use crate::{
    commit::batch::Batch,
    inbox::insert_direct,
    owner::direct::{DirectRequests, NotKept},
};

/// How long clients wait for a commit that waits for the store.
const COMMIT_GRACE: Duration = Duration::from_secs(1);

impl SourceOwner {
    /// Says whether a request would run at once.
    pub(super) fn offer_direct(&self, can_dispatch: bool) {
        let takes =
            can_dispatch && !self.core.is_stalled() && self.direct_path.is_open(Instant::now());
        self.core.mailbox().take_direct(takes);
    }

    /// Stores requests that take too long. Nothing is committed meanwhile, so that a commit finds the rows that it deletes.
    pub(super) fn store_overdue(&mut self) {
        let now = Instant::now();
        let works = self
            .core
            .mailbox()
            .with_direct(|direct| direct.take_overdue(now));
        if works.is_empty() {
            return;
        }
        self.direct_path.missed(works.len(), now);
        self.storing += 1;
        let (store, emitter) = (self.core.infra().store.clone(), self.core.id().clone());
        self.core.tasks.spawn(async move {
            let ids = works.iter().map(|work| work.id).collect();
            let write = store.commit(move |c| insert_direct(c, &emitter, works));
            let result = write.await;
            SourceTask::Stored { ids, result }
        });
    }

    pub(super) fn stored(&mut self, ids: &[InvocationId], result: &Result<(), StoreError>) {
        self.storing -= 1;
        self.core.mailbox().with_direct(|direct| {
            for id in ids {
                direct.answer(id, result.clone());
            }
        });
        if result.is_err() {
            // Their clients were told that they were not kept. If they were all the same, the store has them.
            self.give_up_direct();
            self.finished.retain(|one| !ids.contains(&one.id));
            self.core.mailbox().forget(ids);
        }
    }

    /// Answers the clients of direct requests whose outcome is durable.
    pub(super) fn answer_direct(&mut self, batch: &Batch) {
        if batch.direct.is_empty() {
            return;
        }
        self.direct_path.succeeded(batch.direct.len());
        let result = match &batch.rejection {
            None => Ok(()),
            Some(error) => Err(StoreError::Internal(format!(
                "the outcome could not be stored: {error}"
            ))),
        };
        self.core.mailbox().with_direct(|direct| {
            for id in &batch.direct {
                direct.answer(id, result.clone());
            }
        });
    }

    /// The store is unavailable. Outcomes that no commit holds are given up with the state of the process, because others may
    /// have read what they wrote, and their requests go the usual way. The others wait a moment for the running commit.
    pub(super) fn give_up_direct(&mut self) {
        tracing::warn!(source = %self.core.id(), "direct requests given up: the store is unavailable");
        self.gives_up_until
            .get_or_insert_with(|| Instant::now() + COMMIT_GRACE);
        self.stop_process();
        self.requeue_all(|_| true);
        let mailbox = self.core.mailbox();
        mailbox.take_direct(false);
        let uncommitted = mailbox.with_direct(DirectRequests::take_uncommitted);
        mailbox.return_direct(uncommitted);
    }

    /// The commit that was given up is settled. If the store had kept its outcomes all the same, the requests are kept.
    pub(super) fn settle_given_up(&mut self, rows: &[InvocationId], was_kept: bool) {
        let mailbox = self.core.mailbox();
        let settled = mailbox.with_direct(DirectRequests::take_committing);
        if was_kept {
            for (id, receipt) in settled {
                mailbox.done(&id);
                let _ = receipt.send(Ok(()));
            }
        } else {
            mailbox.return_direct(settled);
        }
        mailbox.forget(rows);
        self.give_up_direct();
    }

    /// Answers the clients whose commit waits for the store for too long.
    pub(super) fn fail_stalled(&mut self) {
        if self
            .gives_up_until
            .is_none_or(|until| until > Instant::now())
        {
            return;
        }
        let mailbox = self.core.mailbox();
        for (id, receipt) in mailbox.with_direct(DirectRequests::take_committing) {
            mailbox.done(&id);
            let error = StoreError::Unavailable("the outcome cannot be stored now".to_owned());
            let _ = receipt.send(Err(NotKept::Failed(error)));
        }
    }

    /// The time at which direct requests need something to be done.
    pub(super) fn direct_deadline(&self) -> Option<Instant> {
        let mailbox = self.core.mailbox();
        if let Some(until) = self.gives_up_until {
            return Some(until).filter(|until| *until > Instant::now());
        }
        let stored = mailbox.with_direct(DirectRequests::deadline)?;
        let gathered = self.last_dispatch.deadline(Instant::now());
        Some(gathered.map_or(stored, |gathered| gathered.min(stored)))
    }

    /// Whether more requests gather before the next ones are sent to the process.
    pub(super) fn is_gathering(&self) -> bool {
        self.core.mailbox().has_direct() && self.last_dispatch.is_pending(Instant::now())
    }

    pub(super) fn gives_up(&self) -> bool {
        self.gives_up_until.is_some()
    }

    /// Whether the source can be read again after direct requests were given up.
    pub(super) fn can_recover(&self) -> bool {
        let operation = self.operation.as_ref();
        self.gives_up()
            && self.storing == 0
            && !self.core.is_committing()
            // An operation that swapped the code ends soon, without the store.
            && operation.is_none_or(|operation| !operation.is_dirty)
    }
}
