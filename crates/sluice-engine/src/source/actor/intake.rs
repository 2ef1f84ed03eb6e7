//! Taking work in: from the store into the mailbox, from the mailbox into the process.

use std::cmp::Reverse;

use sluice_model::InvocationId;
use sluice_store::inbox::InboxKind;

use super::{Actor, Running, process::failed_outcome};
use crate::{
    mailbox::Work,
    owning::InboxPage,
    source::uploads::{self, PLACEHOLDER, PlaceError, TmpFolder},
};

impl Actor {
    pub(super) fn refill(&mut self) {
        if self.refilling.is_some() || !self.is_open() {
            return;
        }
        let Some(refill) = self.handle.mailbox.wants_refill() else {
            return;
        };
        let store = self.context.infra.store.clone();
        let emitter = self.handle.id.clone().into();
        self.refilling = Some(tokio::spawn(InboxPage::read(store, emitter, refill)));
    }

    pub(super) fn refilled(&mut self, page: Option<InboxPage>) {
        if let Some(page) = page {
            page.put_into(&self.handle.mailbox);
        }
    }

    /// Events whose time has come need no process: they are stored anew with the next commit.
    pub(super) fn take_due_events(&mut self) {
        if !self.is_open() {
            return;
        }
        while let Some(work) = self
            .handle
            .mailbox
            .pop_if(|work| work.kind == InboxKind::Held)
        {
            self.due_events.push(work);
        }
    }

    pub(super) fn dispatch(&mut self) {
        if !self.is_open() || !self.is_authorized() {
            return;
        }
        let Some(live) = &self.process else { return };
        let most = self.context.infra.settings.source_concurrency;
        let mut alone = self.running.values().any(Running::is_suspect);
        let mut ready = Vec::new();
        while !alone
            && self.running.len() < most
            && self.uncommitted + self.finished.len() < 4 * most
        {
            let idle = self.running.is_empty();
            let Some(work) = self
                .handle
                .mailbox
                .pop_if(|work| idle || !work.is_suspect())
            else {
                break;
            };
            if work.kind == InboxKind::Held {
                self.due_events.push(work);
                continue;
            }
            self.deepest = self.deepest.max(work.depth);
            alone = work.is_suspect();
            if work.event.contains(PLACEHOLDER) {
                let folder = TmpFolder {
                    real: live.process.tmp().to_owned(),
                    visible: live.process.visible_tmp().to_owned(),
                };
                self.placing.spawn(uploads::place(
                    self.context.infra.store.clone(),
                    self.handle.id.clone().into(),
                    work.clone(),
                    folder,
                ));
            } else {
                ready.push(self.context.invocation(&work));
            }
            self.running.insert(work.id, Running::Work(work));
        }
        if !ready.is_empty() {
            live.process.invoke(&ready);
        }
    }

    pub(super) fn placed(&mut self, placed: Option<Result<Work, (Work, PlaceError)>>) {
        match (placed, &self.process) {
            (Some(Ok(work)), Some(live)) => live.process.invoke(&[self.context.invocation(&work)]),
            // Without a process it goes back and is placed again for the next one.
            (Some(Ok(work) | Err((work, PlaceError::Store(_)))), _) => self.give_back(work.id),
            (Some(Err((work, error @ PlaceError::Disk(_)))), _) => {
                let outcome = failed_outcome("UploadFailed", error.to_string());
                self.ended(work.id, outcome);
            }
            (None, _) => {}
        }
    }

    /// Gives back what runs and is meant, so that it waits in its old order again.
    pub(super) fn give_all_back(&mut self, is_meant: impl Fn(&InvocationId) -> bool) {
        let meant = self.running.keys().filter(|id| is_meant(id));
        let mut ids: Vec<InvocationId> = meant.copied().collect();
        ids.sort_unstable_by_key(|id| Reverse(*id));
        for id in ids {
            self.give_back(id);
        }
    }

    pub(super) fn give_back(&mut self, id: InvocationId) {
        if let Some(Running::Work(work)) = self.running.remove(&id) {
            self.handle.mailbox.return_to_front(work);
        }
    }
}
