//! The in-memory front of an inbox.
//!
//! The inbox itself is in the store. Rows that do not fit into the mailbox stay in the store (`spilled`) and are read
//! when there is space. `known` holds every invocation that is queued, being stored or running, so that none runs twice: a
//! read of the store may bring one before its acceptor knows that it is stored.

use std::collections::{HashMap, HashSet, VecDeque, hash_map::Entry};

use parking_lot::Mutex;
use sluice_model::InvocationId;
use sluice_store::inbox::InboxKind;
use tokio::sync::{Notify, oneshot};

use super::{
    direct::{DirectRequests, Kept, NotKept, Receipt},
    reply::{NoReply, ReplySender},
};
use crate::work::Work;

const MAX_ITEMS: usize = 4096;
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Behind more than this a request would not run soon.
const MAX_BEFORE_DIRECT: usize = 512;

#[derive(Default)]
pub(crate) struct Mailbox {
    inner: Mutex<Inner>,
    pub(crate) changed: Notify,
}

#[derive(Default)]
struct Inner {
    queue: VecDeque<Work>,
    bytes: usize,
    known: HashMap<InvocationId, Presence>,
    replies: HashMap<InvocationId, ReplySender>,
    spilled: bool,
    /// Number of spills. A page read before the latest spill is not complete.
    spills: u64,
    /// State at the last count of the whole inbox.
    counted: Option<Counted>,
    direct: DirectRequests,
    /// Whether the owner can dispatch requests at once.
    takes_direct: bool,
    closed: bool,
}

/// The two ways in which an invocation is known.
#[derive(Debug, Clone, Copy, Default)]
struct Presence {
    /// Its acceptor has yet to say that it is stored.
    is_storing: bool,
    work: WorkState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum WorkState {
    /// Not taken yet.
    #[default]
    Expected,
    /// Queued or running.
    Taken,
    /// Committed, before its acceptor knew that it was stored.
    Done,
}

impl Presence {
    const TAKEN: Presence = Presence {
        is_storing: false,
        work: WorkState::Taken,
    };
}

struct Counted {
    spills: u64,
    queued: usize,
}

/// A request for a page of the inbox.
#[derive(Debug)]
pub(crate) struct Refill {
    pub(crate) known: HashSet<InvocationId>,
    spills: u64,
}

/// The mailbox is closed: ask the registry for the next owner.
#[derive(Debug)]
pub(crate) struct Closed;

impl Mailbox {
    /// A mailbox that first reads the rows that the store holds already.
    pub(crate) fn unread() -> Mailbox {
        let mailbox = Mailbox::default();
        mailbox.inner.lock().spilled = true;
        mailbox
    }

    /// Registers an invocation that is about to be stored.
    pub(crate) fn register(
        &self,
        id: InvocationId,
        reply: Option<ReplySender>,
    ) -> Result<(), (Closed, Option<ReplySender>)> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err((Closed, reply));
        }
        let expected = Presence {
            is_storing: true,
            work: WorkState::Expected,
        };
        inner.known.insert(id, expected);
        if let Some(reply) = reply {
            inner.replies.insert(id, reply);
        }
        Ok(())
    }

    /// Queues a registered invocation that is now stored.
    pub(crate) fn enqueue(&self, work: Work) -> Result<(), Closed> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err(Closed);
        }
        if inner.was_taken(&work.id) {
            return Ok(());
        }
        if inner.spilled
            || inner.queue.len() >= MAX_ITEMS
            || inner.bytes + work.event.len() > MAX_BYTES
        {
            inner.known.remove(&work.id);
            inner.spill();
        } else {
            inner.known.insert(work.id, Presence::TAKEN);
            inner.push_back(work);
        }
        drop(inner);
        self.changed.notify_one();
        Ok(())
    }

    /// Queues a request that is not stored, if its owner can dispatch it at once and has `busy_from` requests already.
    pub(crate) fn offer(
        &self,
        work: Work,
        reply: Option<ReplySender>,
        busy_from: usize,
    ) -> Result<Kept, Option<ReplySender>> {
        let (receipt, kept) = oneshot::channel();
        let mut inner = self.inner.lock();
        if inner.known.len() < busy_from || !inner.can_take_direct(&work) {
            return Err(reply);
        }
        inner.known.insert(work.id, Presence::TAKEN);
        if let Some(reply) = reply {
            inner.replies.insert(work.id, reply);
        }
        inner.direct.add(work.clone(), receipt);
        inner.push_back(work);
        drop(inner);
        self.changed.notify_one();
        Ok(kept)
    }

    /// Says whether requests may be offered.
    pub(crate) fn take_direct(&self, takes: bool) {
        self.inner.lock().takes_direct = takes;
    }

    pub(crate) fn has_direct(&self) -> bool {
        !self.inner.lock().direct.is_empty()
    }

    /// The direct requests, until they are answered.
    pub(crate) fn with_direct<T>(&self, access: impl FnOnce(&mut DirectRequests) -> T) -> T {
        access(&mut self.inner.lock().direct)
    }

    /// Withdraws a registration: the row could not be stored.
    pub(crate) fn unregister(&self, id: &InvocationId) {
        let mut inner = self.inner.lock();
        // It was stored all the same if a page brought it.
        if !inner.was_taken(id) {
            inner.known.remove(id);
            inner.replies.remove(id);
        }
    }

    /// Rows were stored that were not registered here.
    pub(crate) fn reload(&self) -> Result<(), Closed> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err(Closed);
        }
        inner.spill();
        drop(inner);
        self.changed.notify_one();
        Ok(())
    }

    /// Whether the invocation is here, or a page may bring it.
    pub(crate) fn knows(&self, id: &InvocationId) -> bool {
        let inner = self.inner.lock();
        inner.spilled || inner.known.contains_key(id)
    }

    /// Takes the next invocation if it is eligible.
    pub(crate) fn pop_if(&self, is_eligible: impl FnOnce(&Work) -> bool) -> Option<Work> {
        let mut inner = self.inner.lock();
        if inner.queue.front().is_some_and(is_eligible) {
            inner.pop()
        } else {
            None
        }
    }

    /// Requeues an invocation at the front.
    pub(crate) fn requeue(&self, work: Work) {
        let mut inner = self.inner.lock();
        inner.bytes += work.event.len();
        inner.direct.restart(&work.id);
        inner.queue.push_front(work);
    }

    /// Requeues a direct request whose outcome was given up, unless it was returned.
    pub(crate) fn requeue_direct(&self, work: Work) {
        let waits = self.inner.lock().direct.contains(&work.id);
        if waits {
            self.requeue(work);
        }
    }

    /// Gives direct requests back to their acceptors: no commit holds, or will hold, their outcomes.
    pub(crate) fn return_direct(&self, returned: HashMap<InvocationId, Receipt>) {
        let mut inner = self.inner.lock();
        inner.remove_queued(|id| returned.contains_key(id));
        for (id, receipt) in returned {
            inner.known.remove(&id);
            let reply = inner.replies.remove(&id);
            let _ = receipt.send(Err(NotKept::Returned(reply)));
        }
    }

    /// Forgets invocations. Those that are in the store are read from there.
    pub(crate) fn forget(&self, ids: &[InvocationId]) {
        if ids.is_empty() {
            return;
        }
        let mut inner = self.inner.lock();
        inner.remove_queued(|id| ids.contains(id));
        for id in ids {
            inner.leave(id, WorkState::Expected);
        }
        inner.spill();
        drop(inner);
        self.changed.notify_one();
    }

    /// A request for the next page when the queue is empty and the store may hold more.
    pub(crate) fn next_refill(&self) -> Option<Refill> {
        let inner = self.inner.lock();
        if !inner.spilled || !inner.queue.is_empty() {
            return None;
        }
        let taken = inner.known.iter();
        let taken = taken.filter(|(_, presence)| presence.work != WorkState::Expected);
        Some(Refill {
            known: taken.map(|(id, _)| *id).collect(),
            spills: inner.spills,
        })
    }

    /// A client of any node waits for the reply to an invocation that a page brings, unless it is known here already.
    pub(crate) fn expect_reply(&self, id: InvocationId, sender: impl FnOnce() -> ReplySender) {
        let mut inner = self.inner.lock();
        let is_new = inner
            .known
            .get(&id)
            .is_none_or(|presence| presence.work == WorkState::Expected);
        if is_new && !inner.replies.contains_key(&id) {
            inner.replies.insert(id, sender());
        }
    }

    /// Queues a page. `complete` says that the inbox holds no more rows.
    pub(crate) fn refill(&self, refill: &Refill, page: Vec<Work>, complete: bool) {
        let mut inner = self.inner.lock();
        for work in page {
            let presence = inner.known.entry(work.id).or_default();
            if presence.work == WorkState::Expected {
                presence.work = WorkState::Taken;
                inner.push_back(work);
            }
        }
        inner.spilled = !complete || inner.spills != refill.spills;
    }

    /// Whether more than `max` rows may wait here and in the store, judging by the last count.
    pub(crate) fn may_exceed(&self, max: usize) -> bool {
        let inner = self.inner.lock();
        match &inner.counted {
            None => true,
            Some(Counted { spills, queued }) => {
                *spills != inner.spills || inner.queue.len() > max.max(*queued)
            }
        }
    }

    /// Records that the inbox was counted and is within its limit.
    pub(crate) fn counted(&self) {
        let mut inner = self.inner.lock();
        inner.counted = Some(Counted {
            spills: inner.spills,
            queued: inner.queue.len(),
        });
    }

    /// Removes a waiting invocation; false when it is being stored or running.
    pub(crate) fn withdraw(&self, id: &InvocationId) -> bool {
        let mut inner = self.inner.lock();
        match inner.queue.iter().position(|work| work.id == *id) {
            Some(place) => {
                if let Some(work) = inner.queue.remove(place) {
                    inner.bytes -= work.event.len();
                }
                true
            }
            // It stays known until it is committed, so that no page brings it back.
            None if inner.known.contains_key(id) => false,
            None => {
                inner.known.insert(*id, Presence::TAKEN);
                true
            }
        }
    }

    /// The invocation is committed and its row deleted.
    pub(crate) fn done(&self, id: &InvocationId) {
        let mut inner = self.inner.lock();
        inner.leave(id, WorkState::Done);
        inner.replies.remove(id);
    }

    pub(crate) fn take_reply(&self, id: &InvocationId) -> Option<ReplySender> {
        self.inner.lock().replies.remove(id)
    }

    pub(crate) fn next_is(&self, kind: InboxKind) -> bool {
        let inner = self.inner.lock();
        inner.queue.front().is_some_and(|work| work.kind == kind)
    }

    pub(crate) fn has_queued(&self) -> bool {
        !self.inner.lock().queue.is_empty()
    }

    /// Closes the mailbox if it is empty and nothing is being stored; true when it is closed.
    pub(crate) fn close_if_unused(&self) -> bool {
        let mut inner = self.inner.lock();
        if inner.known.is_empty() && inner.queue.is_empty() && !inner.spilled {
            inner.closed = true;
        }
        inner.closed
    }

    /// Closes it with whatever it holds. Clients that wait for a reply learn that the source is gone.
    pub(crate) fn close(&self) {
        let replies = {
            let mut inner = self.inner.lock();
            inner.closed = true;
            inner.queue.clear();
            let mut replies = std::mem::take(&mut inner.replies);
            for (id, receipt) in inner.direct.take_uncommitted() {
                let _ = receipt.send(Err(NotKept::Returned(replies.remove(&id))));
            }
            inner.direct.clear();
            replies
        };
        for (_, reply) in replies {
            let _ = reply.send(Err(NoReply::Gone));
        }
    }
}

impl Inner {
    fn can_take_direct(&self, work: &Work) -> bool {
        self.takes_direct
            && !self.closed
            && !self.spilled
            && self.queue.len() < MAX_BEFORE_DIRECT
            && self.bytes + work.event.len() <= MAX_BYTES
    }

    /// The acceptor knows whether the invocation is stored. True when a page brought it before.
    fn was_taken(&mut self, id: &InvocationId) -> bool {
        let Some(presence) = self.known.get_mut(id) else {
            return false;
        };
        presence.is_storing = false;
        match presence.work {
            WorkState::Expected => false,
            WorkState::Taken => true,
            WorkState::Done => {
                self.known.remove(id);
                true
            }
        }
    }

    /// The invocation is neither queued nor running any more. Its acceptor may still ask for it.
    fn leave(&mut self, id: &InvocationId, state: WorkState) {
        if let Entry::Occupied(mut entry) = self.known.entry(*id) {
            if entry.get().is_storing {
                entry.get_mut().work = state;
            } else {
                entry.remove();
            }
        }
    }

    fn spill(&mut self) {
        self.spilled = true;
        self.spills += 1;
    }

    fn push_back(&mut self, work: Work) {
        self.bytes += work.event.len();
        self.queue.push_back(work);
    }

    fn remove_queued(&mut self, is_removed: impl Fn(&InvocationId) -> bool) {
        self.queue.retain(|work| !is_removed(&work.id));
        self.bytes = self.queue.iter().map(|work| work.event.len()).sum();
    }

    fn pop(&mut self) -> Option<Work> {
        let work = self.queue.pop_front()?;
        self.bytes -= work.event.len();
        if let Some(counted) = &mut self.counted {
            counted.queued = counted.queued.min(self.queue.len());
        }
        Some(work)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use sluice_model::IdGen;

    use super::*;

    fn works(count: usize) -> Vec<Work> {
        let mut ids = IdGen::new(1);
        let work = |_| Work {
            id: InvocationId::generate(&mut ids, 1),
            kind: InboxKind::Http,
            prop: None,
            event: Arc::from("null"),
            attempts: 0,
            accepted_at: 1,
            depth: 0,
            dispatched_at: None,
            trace: None,
        };
        (0..count).map(work).collect()
    }

    fn register(mailbox: &Mailbox, work: &Work) {
        assert!(mailbox.register(work.id, None).is_ok());
    }

    fn taken(mailbox: &Mailbox) -> Vec<InvocationId> {
        std::iter::from_fn(|| mailbox.pop_if(|_| true))
            .map(|work| work.id)
            .collect()
    }

    #[test]
    fn a_page_brings_work_that_is_being_stored_in_its_order_and_once() {
        let mailbox = Mailbox::unread();
        let [first, second] = &works(2)[..] else {
            panic!("two of them");
        };
        register(&mailbox, first);
        register(&mailbox, second);
        let refill = mailbox.next_refill().unwrap();
        assert!(refill.known.is_empty());
        // Their acceptors learn only later that both are stored.
        mailbox.refill(&refill, vec![second.clone(), first.clone()], true);
        mailbox.enqueue(first.clone()).unwrap();
        assert_eq!(taken(&mailbox), [second.id, first.id]);
        mailbox.enqueue(second.clone()).unwrap();
        assert_eq!(taken(&mailbox), []);
    }

    #[test]
    fn work_that_is_committed_before_its_acceptor_knows_that_it_is_stored_does_not_run_again() {
        let mailbox = Mailbox::unread();
        let work = &works(1)[0];
        register(&mailbox, work);
        let refill = mailbox.next_refill().unwrap();
        mailbox.refill(&refill, vec![work.clone()], true);
        assert_eq!(taken(&mailbox), [work.id]);
        mailbox.done(&work.id);
        assert!(!mailbox.close_if_unused(), "its acceptor will ask");
        mailbox.enqueue(work.clone()).unwrap();
        assert_eq!(taken(&mailbox), []);
        assert!(mailbox.close_if_unused());
    }

    #[test]
    fn work_whose_storing_seemed_to_fail_stays_known_while_it_runs() {
        let mailbox = Mailbox::unread();
        let work = &works(1)[0];
        register(&mailbox, work);
        let refill = mailbox.next_refill().unwrap();
        mailbox.refill(&refill, vec![work.clone()], true);
        assert_eq!(taken(&mailbox), [work.id]);
        mailbox.unregister(&work.id);
        mailbox.reload().unwrap();
        assert!(mailbox.next_refill().unwrap().known.contains(&work.id));
        mailbox.done(&work.id);
        assert!(mailbox.next_refill().unwrap().known.is_empty());
    }

    #[test]
    fn work_that_does_not_fit_is_read_from_the_store() {
        let mailbox = Mailbox::unread();
        let [first, second] = &works(2)[..] else {
            panic!("two of them");
        };
        register(&mailbox, first);
        let refill = mailbox.next_refill().unwrap();
        // Stored after the page was read, and left in the store.
        mailbox.enqueue(first.clone()).unwrap();
        mailbox.refill(&refill, Vec::new(), true);
        assert!(!mailbox.has_queued());
        let refill = mailbox.next_refill().unwrap();
        mailbox.refill(&refill, vec![first.clone(), second.clone()], true);
        assert_eq!(taken(&mailbox), [first.id, second.id]);
        assert!(mailbox.next_refill().is_none());
    }
}
