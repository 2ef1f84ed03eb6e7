//! Sources that may share processes, and the processes that they share.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use tokio::sync::{Notify, futures::OwnedNotified};

use super::{
    membership::{Crashes, Membership},
    separated::Separated,
};
use crate::deno_process::{DenoProcess, Seat};

pub(crate) struct Group {
    processes: Mutex<Processes>,
    /// A process was formed, or was not.
    formed: Arc<Notify>,
    crashes: Arc<Crashes>,
    separated: Arc<Separated>,
}

#[derive(Default)]
struct Processes {
    all: Vec<Weak<DenoProcess>>,
    /// A source is starting a process that others can join.
    is_forming: bool,
}

/// Where a source starts.
pub(crate) enum Place {
    Join(Seat),
    /// In a new process, which others can join.
    Form(Forming),
    /// Another source is starting such a process.
    Wait(OwnedNotified),
}

/// The right to start a process for a group. Others wait until it is used or dropped.
pub(crate) struct Forming(Arc<Group>);

impl Group {
    pub(super) fn new(separated: Arc<Separated>) -> Group {
        Group {
            processes: Mutex::default(),
            formed: Arc::default(),
            crashes: Arc::default(),
            separated,
        }
    }

    pub(super) fn may_share(&self) -> bool {
        !self.crashes.are_many()
    }

    /// Whether nothing is known about it that counts.
    pub(super) fn is_forgettable(&self) -> bool {
        let mut processes = self.processes.lock();
        processes.remove_ended();
        processes.all.is_empty() && !processes.is_forming && self.crashes.recent() == 0
    }

    pub(crate) fn place(self: &Arc<Self>) -> Place {
        let mut processes = self.processes.lock();
        let mut live = processes.all.iter().filter_map(Weak::upgrade);
        if let Some(seat) = live.find_map(|process| process.reserve()) {
            return Place::Join(seat);
        }
        if processes.is_forming {
            return Place::Wait(Arc::clone(&self.formed).notified_owned());
        }
        processes.is_forming = true;
        Place::Form(Forming(Arc::clone(self)))
    }
}

impl Processes {
    fn remove_ended(&mut self) {
        self.all.retain(|process| process.strong_count() > 0);
    }
}

impl Forming {
    pub(crate) fn membership(&self) -> Membership {
        let Group {
            separated, crashes, ..
        } = &*self.0;
        Membership::new(Arc::clone(separated), Arc::clone(crashes))
    }

    /// From now on others can join the process.
    pub(crate) fn formed(self, process: &Arc<DenoProcess>) {
        let mut processes = self.0.processes.lock();
        processes.remove_ended();
        processes.all.push(Arc::downgrade(process));
    }
}

impl Drop for Forming {
    fn drop(&mut self) {
        self.0.processes.lock().is_forming = false;
        self.0.formed.notify_waiters();
    }
}
