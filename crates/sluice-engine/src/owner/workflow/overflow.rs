//! The limit of the queue: the newest events beyond it fail with an error that users see, and can be replayed.

use sluice_store::{
    BatchLimit, Conn,
    inbox::{self, InboxItem},
};

use super::owner::{Task, WorkflowOwner};
use crate::{
    commit::builder::failure,
    owner::{reply::NoReply, store_access},
    work::Work,
};

const BATCH: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 8 * 1024 * 1024,
};

impl WorkflowOwner {
    /// Counts the inbox when it may exceed its limit.
    pub(super) fn check_overflow(&mut self) {
        let max = self.settings().queue as usize;
        if self.is_checking_overflow
            || self.core.is_ending()
            || !self.core.mailbox().may_exceed(max)
        {
            return;
        }
        self.is_checking_overflow = true;
        let keep = (max + self.runs.len() + self.loading.len()) as u64;
        let (infra, id) = (self.core.infra().clone(), self.workflow.id.clone());
        let emitter = self.core.id().clone();
        self.core.tasks.spawn(async move {
            let read = move |c: &mut dyn Conn| inbox::beyond(c, &id, keep, BATCH);
            let items = store_access::read(&infra, &emitter, "queue", read).await;
            Task::Overflow(items.unwrap_or_default())
        });
    }

    pub(super) fn overflowed(&mut self, items: Vec<InboxItem>) {
        self.is_checking_overflow = false;
        // A page that is being read could bring back the rows that are withdrawn here.
        if self.core.is_refilling() {
            return;
        }
        if items.is_empty() {
            self.core.mailbox().counted();
        }
        let queue = self.settings().queue;
        let error = failure(
            "EventQueueFull",
            format!("{queue} events wait already: this one was not run. It can be replayed"),
        );
        for item in items {
            let work = Work::from(item);
            if !self.is_unknown(&work.id) || !self.core.mailbox().withdraw(&work.id) {
                continue;
            }
            let run = self.new_run(&work);
            let (mut commit, _) = self.commit_builder();
            commit.failed(run, &work, Vec::new(), None, &error);
            if let Some(sender) = self.core.mailbox().take_reply(&work.id) {
                let _ = sender.send(Err(NoReply::EndedWithoutRespond(error.message.clone())));
            }
        }
    }
}
