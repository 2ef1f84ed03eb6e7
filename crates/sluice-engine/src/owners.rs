//! Who runs which source and which workflow. At any time each has one owner; here that is a task of this process.
//!
//! Everything that wants one of them to do something asks [`Owners`]. In a cluster this is where a
//! lease with a fencing token is taken, and where work for what others own is passed on.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_model::{EmitterId, EmitterKind, SourceId, WorkflowId};

use crate::{
    context::Context,
    mailbox::Mailbox,
    source::{Actor, SourceHandle},
    workflow::{self, WorkflowHandle},
};

/// What the rest of the engine holds of an owner, whatever it owns.
#[derive(Clone)]
pub(crate) enum Owner {
    Source(Arc<SourceHandle>),
    Workflow(Arc<WorkflowHandle>),
}

impl Owner {
    pub(crate) fn id(&self) -> &EmitterId {
        match self {
            Owner::Source(handle) => &handle.id,
            Owner::Workflow(handle) => &handle.id,
        }
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        match self {
            Owner::Source(handle) => &handle.mailbox,
            Owner::Workflow(handle) => &handle.mailbox,
        }
    }

    /// Asks an owner that is idle to give its process up.
    pub(crate) fn evict(&self) {
        match self {
            Owner::Source(handle) => handle.evict(),
            Owner::Workflow(handle) => handle.evict(),
        }
    }
}

#[derive(Default)]
pub(crate) struct Owners {
    sources: Live<SourceId, SourceHandle>,
    workflows: Live<WorkflowId, WorkflowHandle>,
}

impl Owners {
    /// The owner, which is started when there is none.
    pub(crate) fn of(&self, context: &Arc<Context>, id: &EmitterId) -> Owner {
        match id.kind() {
            EmitterKind::Source(id) => Owner::Source(self.of_source(context, &id)),
            EmitterKind::Workflow(id) => Owner::Workflow(self.of_workflow(context, &id)),
        }
    }

    pub(crate) fn of_source(&self, context: &Arc<Context>, id: &SourceId) -> Arc<SourceHandle> {
        self.sources.get(id, || {
            let (handle, controls) = SourceHandle::new(id.clone());
            let actor = Actor::run(Arc::clone(context), Arc::clone(&handle), controls);
            context.infra.shutdown.spawn(actor);
            handle
        })
    }

    pub(crate) fn of_workflow(
        &self,
        context: &Arc<Context>,
        id: &WorkflowId,
    ) -> Arc<WorkflowHandle> {
        self.workflows.get(id, || {
            let (handle, controls) = WorkflowHandle::new(id.clone());
            let actor = workflow::Actor::run(Arc::clone(context), Arc::clone(&handle), controls);
            context.infra.shutdown.spawn(actor);
            handle
        })
    }

    /// Tells the owner of a workflow, if there is one, that it is not what it was.
    pub(crate) fn workflow_changed(&self, id: &WorkflowId) {
        if let Some(handle) = self.workflows.live(id) {
            handle.changed();
        }
    }

    /// Something was stored that was not announced to its owner.
    pub(crate) fn wake(&self, context: &Arc<Context>, id: &EmitterId) {
        loop {
            let owner = self.of(context, id);
            if owner.mailbox().look_again().is_ok() || context.infra.shutdown.is_draining() {
                return;
            }
            self.release(&owner);
        }
    }

    /// Called by an owner whose mailbox is closed, as its last act.
    pub(crate) fn release(&self, owner: &Owner) {
        match owner {
            Owner::Source(handle) => self.sources.release(&handle.id, handle),
            Owner::Workflow(handle) => self.workflows.release(&handle.id, handle),
        }
    }
}

struct Live<K, H>(Mutex<HashMap<K, Arc<H>>>);

impl<K, H> Default for Live<K, H> {
    fn default() -> Self {
        Live(Mutex::default())
    }
}

impl<K: Clone + Eq + Hash, H> Live<K, H> {
    fn get(&self, id: &K, start: impl FnOnce() -> Arc<H>) -> Arc<H> {
        let mut live = self.0.lock();
        Arc::clone(live.entry(id.clone()).or_insert_with(start))
    }

    fn live(&self, id: &K) -> Option<Arc<H>> {
        self.0.lock().get(id).cloned()
    }

    fn release(&self, id: &K, handle: &Arc<H>) {
        if let Entry::Occupied(entry) = self.0.lock().entry(id.clone())
            && Arc::ptr_eq(entry.get(), handle)
        {
            entry.remove();
        }
    }
}
