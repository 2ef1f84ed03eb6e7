//! Dispatch: from the mailbox into the process, within the source's concurrency.

use std::{cmp::Reverse, sync::Arc};

use sluice_model::InvocationId;
use sluice_runtime::{Call, Invocation, LogLevel, LogLine};
use sluice_store::inbox::InboxKind;

use super::owner::{Running, SourceOwner, SourceTask, Uploaded};
use crate::{
    process::{
        LiveProcess,
        uploads::{PLACEHOLDER, UploadError, write_uploads},
    },
    quotas::QuotaExceeded,
    work::Work,
};

impl SourceOwner {
    /// Events from other sources were not accepted from a client, so they cannot be rejected: over quota they wait for the
    /// next day.
    pub(super) fn hold_over_quota(&mut self) {
        if self.core.hold_until.is_some()
            || !self.core.services.quotas.are_set()
            || !self.core.next_is(InboxKind::Event)
        {
            return;
        }
        let user = self.definition.source.user_id.clone();
        if let Some(QuotaExceeded { quota, .. }) = self.core.check_quota(&user) {
            let line = LogLine {
                ts: self.core.now_ms(),
                kind: "system".to_owned(),
                level: LogLevel::Error,
                message: format!("events wait for the next day: {quota} exceeded"),
            };
            self.extras.logs.push((None, line));
        }
    }

    /// Held events that are due need no process: the next commit releases them.
    pub(super) fn take_due_events(&mut self) {
        if !self.is_open() {
            return;
        }
        let is_held = |work: &Work| work.kind == InboxKind::Held;
        while let Some(work) = self.core.mailbox().pop_if(is_held) {
            self.extras.due_events.push(work);
        }
    }

    pub(super) fn dispatch(&mut self) {
        let can_dispatch = self.is_open() && self.is_authorized();
        let mut alone = self.running.values().any(Running::is_suspect);
        self.offer_direct(can_dispatch && !alone);
        if !can_dispatch || self.is_gathering() {
            return;
        }
        let max = self.core.infra().settings.source_concurrency;
        let mut ready = Vec::new();
        while !alone && self.running.len() < max && self.has_commit_capacity() {
            let is_idle = self.running.is_empty();
            let eligible = |work: &Work| is_idle || !work.is_suspect();
            let Some(mut work) = self.core.mailbox().pop_if(eligible) else {
                break;
            };
            if work.kind == InboxKind::Held {
                self.extras.due_events.push(work);
                continue;
            }
            let tick_health = &self.core.services.tick_health;
            tick_health.dispatched(self.core.id(), &mut work);
            self.extras.depth = self.extras.depth.max(work.depth);
            alone = work.is_suspect();
            if work.event.contains(PLACEHOLDER) {
                self.upload(work.clone());
            } else {
                ready.push(self.invocation(&work));
            }
            self.running.insert(work.id, Running::Work(work));
        }
        if let (Some(live), false) = (self.core.live(&()), ready.is_empty()) {
            live.invoke(&ready);
            self.last_dispatch.set(&ready);
        }
    }

    fn invocation(&self, work: &Work) -> Invocation {
        Invocation {
            id: work.id,
            call: Call::Run,
            event: Arc::clone(&work.event),
            timeout: self.core.infra().settings.invocation_timeout,
        }
    }

    /// Writes the files of a request into the folder of the process.
    fn upload(&mut self, work: Work) {
        let Some(folder) = self.core.live(&()).map(LiveProcess::tmp_folder) else {
            return;
        };
        let (store, emitter) = (self.core.infra().store.clone(), self.core.id().clone());
        let generation = self.generation;
        self.uploading += 1;
        self.core.tasks.spawn(async move {
            let result = write_uploads(store, emitter, work, folder).await;
            SourceTask::Uploaded(Uploaded { generation, result })
        });
    }

    pub(super) fn uploaded(&mut self, uploaded: Uploaded) {
        let Uploaded { generation, result } = uploaded;
        self.uploading -= 1;
        if generation != self.generation {
            // The process is gone: its work was requeued and is uploaded again for the next one.
            return;
        }
        match (result, self.core.live(&())) {
            (Ok(work), Some(live)) => live.invoke(&[self.invocation(&work)]),
            (Ok(work) | Err((work, UploadError::Store(_))), _) => self.requeue(work.id),
            (Err((work, error @ UploadError::Disk(_))), _) => {
                self.fail(work.id, "UploadFailed", error.to_string());
            }
        }
    }

    /// Requeues running work in its old order.
    pub(super) fn requeue_all(&mut self, is_affected: impl Fn(&InvocationId) -> bool) {
        let affected = self.running.keys().filter(|id| is_affected(id));
        let mut ids: Vec<InvocationId> = affected.copied().collect();
        ids.sort_unstable_by_key(|id| Reverse(*id));
        for id in ids {
            self.requeue(id);
        }
    }

    fn requeue(&mut self, id: InvocationId) {
        if let Some(Running::Work(work)) = self.running.remove(&id) {
            self.core.mailbox().requeue(work);
        }
    }
}
