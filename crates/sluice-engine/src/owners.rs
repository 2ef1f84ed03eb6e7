//! Who runs which source. At any time a source has one owner; here that is a task of this process.
//!
//! Everything that wants a source to do something asks [`Owners::of`]. In a cluster this is where a
//! lease with a fencing token is taken, and where work for sources that others own is passed on.

use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_model::SourceId;

use crate::{
    context::Context,
    source::{Actor, SourceHandle},
};

#[derive(Default)]
pub(crate) struct Owners {
    live: Mutex<HashMap<SourceId, Arc<SourceHandle>>>,
}

impl Owners {
    /// The owner of a source, which is started when there is none.
    pub(crate) fn of(&self, context: &Arc<Context>, id: &SourceId) -> Arc<SourceHandle> {
        let mut live = self.live.lock();
        match live.entry(id.clone()) {
            Entry::Occupied(entry) => Arc::clone(entry.get()),
            Entry::Vacant(entry) => {
                let (handle, controls) = SourceHandle::new(id.clone());
                entry.insert(Arc::clone(&handle));
                context.tasks.spawn(Actor::run(
                    Arc::clone(context),
                    Arc::clone(&handle),
                    controls,
                ));
                handle
            }
        }
    }

    /// Something was stored for a source that was not announced to its owner.
    pub(crate) fn wake(&self, context: &Arc<Context>, id: &SourceId) {
        loop {
            let handle = self.of(context, id);
            if handle.mailbox.look_again().is_ok() || context.draining.is_cancelled() {
                return;
            }
            self.release(&handle);
        }
    }

    /// Called by an owner whose mailbox is closed, as its last act.
    pub(crate) fn release(&self, handle: &Arc<SourceHandle>) {
        let mut live = self.live.lock();
        if let Entry::Occupied(entry) = live.entry(handle.id.clone())
            && Arc::ptr_eq(entry.get(), handle)
        {
            entry.remove();
        }
    }
}
