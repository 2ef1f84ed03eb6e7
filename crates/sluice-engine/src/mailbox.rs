//! The in-memory face of a source's inbox.
//!
//! The inbox itself is in the store; the mailbox holds the front of it. What does not fit is left in the
//! store (`spilled`) and read when there is room. `known` has every invocation that is here, on its way
//! here or running, so that a read of the store never brings one a second time.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_model::InvocationId;
use sluice_runtime::Reply;
use sluice_store::inbox::{InboxItem, InboxKind};
use tokio::sync::{Notify, oneshot};

const MOST_ITEMS: usize = 4096;
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// One accepted thing to run.
#[derive(Debug, Clone)]
pub(crate) struct Work {
    pub(crate) id: InvocationId,
    pub(crate) kind: InboxKind,
    /// The interface prop it came through.
    pub(crate) prop: Option<Arc<str>>,
    pub(crate) event: Arc<str>,
    pub(crate) attempts: u32,
    /// When it was accepted; for a tick, when it was due.
    pub(crate) accepted_at: i64,
    /// How many events in a row led here, each caused by the one before.
    pub(crate) depth: u32,
}

impl Work {
    /// A process has died under it. What shared a process that died runs alone until it has ended, also
    /// after a restart, so that only the guilty one is charged for what it does.
    pub(crate) fn is_suspect(&self) -> bool {
        self.attempts > 0
    }
}

impl From<InboxItem> for Work {
    fn from(item: InboxItem) -> Work {
        let InboxItem {
            id,
            kind,
            prop,
            payload,
            attempts,
            accepted_at,
            depth,
        } = item;
        Work {
            id,
            kind,
            prop: prop.map(Arc::from),
            event: Arc::from(payload),
            attempts,
            accepted_at,
            depth,
        }
    }
}

/// Why a client that waited for `respond` got no answer from the component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoReply {
    EndedWithoutRespond(String),
    TimedOut,
    /// The source or the server went away.
    Gone,
}

pub(crate) type ReplySender = oneshot::Sender<Result<Reply, NoReply>>;

#[derive(Default)]
pub(crate) struct Mailbox {
    inner: Mutex<Inner>,
    pub(crate) changed: Notify,
}

#[derive(Default)]
struct Inner {
    queue: VecDeque<Work>,
    bytes: usize,
    known: HashSet<InvocationId>,
    replies: HashMap<InvocationId, ReplySender>,
    spilled: bool,
    /// Counts spills, so that a page read before the latest one does not pass for complete.
    spills: u64,
    /// The first that was left in the store since a page was asked for: the page was told to leave it out.
    missed: Option<InvocationId>,
    /// What it was like when all that waits was last counted.
    counted: Option<Counted>,
    closed: bool,
}

struct Counted {
    spills: u64,
    queued: usize,
}

/// What a read of the store must bring to be of use.
#[derive(Debug)]
pub(crate) struct Refill {
    pub(crate) known: HashSet<InvocationId>,
    spills: u64,
}

/// The mailbox's source has let go of it; its successor must be asked for.
#[derive(Debug)]
pub(crate) struct Closed;

impl Mailbox {
    /// A mailbox that will first look at what the store already holds.
    pub(crate) fn unread() -> Mailbox {
        let mailbox = Mailbox::default();
        mailbox.inner.lock().spilled = true;
        mailbox
    }

    /// Announces an invocation that is about to be stored.
    pub(crate) fn expect(
        &self,
        id: InvocationId,
        reply: Option<ReplySender>,
    ) -> Result<(), (Closed, Option<ReplySender>)> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err((Closed, reply));
        }
        inner.known.insert(id);
        if let Some(reply) = reply {
            inner.replies.insert(id, reply);
        }
        Ok(())
    }

    /// Delivers what was announced and is now stored.
    pub(crate) fn deliver(&self, work: Work) {
        let mut inner = self.inner.lock();
        if inner.spilled
            || inner.queue.len() >= MOST_ITEMS
            || inner.bytes + work.event.len() > MOST_BYTES
        {
            inner.known.remove(&work.id);
            inner.missed = Some(inner.missed.map_or(work.id, |missed| missed.min(work.id)));
            inner.spill();
        } else {
            inner.push_back(work);
        }
        drop(inner);
        self.changed.notify_one();
    }

    /// Takes an announcement back: it could not be stored.
    pub(crate) fn forget(&self, id: &InvocationId) {
        let mut inner = self.inner.lock();
        inner.known.remove(id);
        inner.replies.remove(id);
    }

    /// Something is in the store that was not announced here.
    pub(crate) fn look_again(&self) -> Result<(), Closed> {
        let mut inner = self.inner.lock();
        if inner.closed {
            return Err(Closed);
        }
        inner.spill();
        drop(inner);
        self.changed.notify_one();
        Ok(())
    }

    /// Takes what comes next, if it will do.
    pub(crate) fn pop_if(&self, will_do: impl FnOnce(&Work) -> bool) -> Option<Work> {
        let mut inner = self.inner.lock();
        if inner.queue.front().is_some_and(will_do) {
            inner.pop()
        } else {
            None
        }
    }

    /// Puts back what must run again, in front of everything else.
    pub(crate) fn return_to_front(&self, work: Work) {
        let mut inner = self.inner.lock();
        inner.bytes += work.event.len();
        inner.queue.push_front(work);
    }

    /// Asks for a page of the store when there is room and something may be there.
    pub(crate) fn wants_refill(&self) -> Option<Refill> {
        let mut inner = self.inner.lock();
        if !inner.spilled || !inner.queue.is_empty() {
            return None;
        }
        inner.missed = None;
        Some(Refill {
            known: inner.known.clone(),
            spills: inner.spills,
        })
    }

    /// Takes in a page read for `refill`; `complete` says that nothing lay beyond it.
    pub(crate) fn refill(&self, refill: &Refill, page: Vec<Work>, complete: bool) {
        let mut inner = self.inner.lock();
        for work in page {
            // What comes after one that is missing waits for it, or the order would be lost.
            if inner.missed.is_some_and(|missed| missed < work.id) {
                break;
            }
            if inner.known.insert(work.id) {
                inner.push_back(work);
            }
        }
        inner.spilled = !complete || inner.spills != refill.spills;
    }

    /// Whether more than `most` may wait, here and in the store, for all that is known since it was last counted.
    pub(crate) fn may_hold_more_than(&self, most: usize) -> bool {
        let inner = self.inner.lock();
        match &inner.counted {
            None => true,
            Some(Counted { spills, queued }) => {
                *spills != inner.spills || inner.queue.len() > most.max(*queued)
            }
        }
    }

    /// All that waits was counted, and is not too much.
    pub(crate) fn counted(&self) {
        let mut inner = self.inner.lock();
        inner.counted = Some(Counted {
            spills: inner.spills,
            queued: inner.queue.len(),
        });
    }

    /// Takes back what waits here or in the store; false when it is on its way or under way.
    pub(crate) fn withdraw(&self, id: &InvocationId) -> bool {
        let mut inner = self.inner.lock();
        match inner.queue.iter().position(|work| work.id == *id) {
            Some(place) => {
                if let Some(work) = inner.queue.remove(place) {
                    inner.bytes -= work.event.len();
                }
                true
            }
            // It stays known until it is done, so that no page brings it.
            None => inner.known.insert(*id),
        }
    }

    /// The invocation is committed: its row is gone from the store.
    pub(crate) fn done(&self, id: &InvocationId) {
        let mut inner = self.inner.lock();
        inner.known.remove(id);
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

    /// Closes the mailbox if nothing is in it or on its way; true when it is closed now.
    pub(crate) fn close_if_unused(&self) -> bool {
        let mut inner = self.inner.lock();
        if inner.known.is_empty() && inner.queue.is_empty() && !inner.spilled {
            inner.closed = true;
        }
        inner.closed
    }

    /// Closes it whatever is in it; those who wait for a reply are told that the source is gone.
    pub(crate) fn close(&self) {
        let replies = {
            let mut inner = self.inner.lock();
            inner.closed = true;
            inner.queue.clear();
            std::mem::take(&mut inner.replies)
        };
        for (_, reply) in replies {
            let _ = reply.send(Err(NoReply::Gone));
        }
    }
}

impl Inner {
    fn spill(&mut self) {
        self.spilled = true;
        self.spills += 1;
    }

    fn push_back(&mut self, work: Work) {
        self.bytes += work.event.len();
        self.queue.push_back(work);
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
        };
        (0..count).map(work).collect()
    }

    fn announced(mailbox: &Mailbox, work: &Work) {
        assert!(mailbox.expect(work.id, None).is_ok());
    }

    #[test]
    fn a_page_that_was_told_to_leave_one_out_does_not_overtake_it() {
        let mailbox = Mailbox::unread();
        let [first, second] = &works(2)[..] else {
            panic!("two of them");
        };
        announced(&mailbox, first);
        let refill = mailbox.wants_refill().unwrap();
        // Both are stored, and left in the store, before the page is read: it has the second alone.
        mailbox.deliver(first.clone());
        announced(&mailbox, second);
        mailbox.deliver(second.clone());
        mailbox.refill(&refill, vec![second.clone()], true);
        assert!(!mailbox.has_queued());
        let refill = mailbox.wants_refill().unwrap();
        mailbox.refill(&refill, vec![first.clone(), second.clone()], true);
        let taken = [0, 1].map(|_| mailbox.pop_if(|_| true).unwrap().id);
        assert_eq!(taken, [first.id, second.id]);
    }

    #[test]
    fn what_came_before_the_missing_one_is_taken() {
        let mailbox = Mailbox::unread();
        let [first, second, third] = &works(3)[..] else {
            panic!("three of them");
        };
        announced(&mailbox, second);
        let refill = mailbox.wants_refill().unwrap();
        mailbox.deliver(second.clone());
        mailbox.refill(&refill, vec![first.clone(), third.clone()], true);
        assert_eq!(mailbox.pop_if(|_| true).unwrap().id, first.id);
        assert!(!mailbox.has_queued());
        assert!(mailbox.wants_refill().is_some());
    }
}
