//! A queue that is longer than it may be: what came last fails, with an error that somebody can see, and can be replayed.

use sluice_runtime::Failure;
use sluice_store::{
    BatchLimit,
    inbox::{self, InboxItem},
};

use super::Actor;
use crate::{mailbox::Work, workflow::commit::Builder};

const AT_ONCE: BatchLimit = BatchLimit {
    rows: 100,
    bytes: 8 * 1024 * 1024,
};

impl Actor {
    pub(super) fn watch_overflow(&mut self) {
        let most = self.settings().queue as usize;
        let may_overflow = self.handle.mailbox.may_hold_more_than(most);
        if self.overflow.is_some() || !may_overflow || self.context.draining.is_cancelled() {
            return;
        }
        let (store, id) = (self.context.store.clone(), self.handle.id.clone());
        let keep = (most + self.runs.len() + self.loading.len()) as u64;
        self.overflow = Some(tokio::spawn(async move {
            let read = store.read(move |c| inbox::beyond(c, &id, keep, AT_ONCE));
            read.await.unwrap_or_else(|error| {
                tracing::warn!(%error, "a queue could not be counted");
                Vec::new()
            })
        }));
    }

    pub(super) fn overflowed(&mut self, items: Vec<InboxItem>) {
        let queue = self.settings().queue;
        // A page of the store that is on its way could bring back what is withdrawn here.
        if self.refilling.is_some() {
            return;
        }
        if items.is_empty() {
            self.handle.mailbox.counted();
        }
        for item in items {
            let work = Work::from(item);
            if !self.is_unknown(&work.id) || !self.handle.mailbox.withdraw(&work.id) {
                continue;
            }
            let failure = Failure {
                name: "EventQueueFull".to_owned(),
                message: format!(
                    "{queue} events wait already: this one was not run. It can be replayed"
                ),
                stack: String::new(),
                code: None,
            };
            let run = self.new_run(&work);
            let mut builder = Builder {
                workflow: &self.workflow,
                timers: &self.timers,
                last_event: &mut self.last_event,
                ids: &mut self.ids,
                now_ms: self.context.clock.now_ms(),
                max_depth: self.context.settings.max_event_depth,
            };
            let change = builder.refused(run, &work, Vec::new(), None, &failure);
            if let Some(sender) = self.handle.mailbox.take_reply(&work.id) {
                let _ = sender.send(Err(crate::NoReply::EndedWithoutRespond(
                    failure.message.clone(),
                )));
            }
            self.changes.push(change);
        }
    }
}
