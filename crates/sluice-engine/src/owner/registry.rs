//! The registry of owners: at any time each source and each workflow has at most one owner, a task of this process.
//!
//! Every part that needs an owner to act asks [`Owners`]. The registry only creates handles; new owners are started by
//! the engine, which receives their handles over a channel, so the registry knows nothing of what owners need.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::Hash,
    sync::Arc,
};

use parking_lot::Mutex;
use sluice_cluster::{Cluster, Hint};
use sluice_infra::Infra;
use sluice_model::{EmitterId, EmitterKind, InvocationId, SourceId, WorkflowId};
use tokio::sync::mpsc;

use super::{
    claims::{Claims, Stay},
    handle::{Owner, SourceHandle, WorkflowControl, WorkflowHandle},
    lifecycle::SourceControl,
};
use crate::work::Work;

/// Cheap to clone; all clones are one registry.
#[derive(Clone)]
pub struct Owners(Arc<Registry>);

struct Registry {
    sources: Handles<SourceId, SourceHandle>,
    workflows: Handles<WorkflowId, WorkflowHandle>,
    new_owners: mpsc::UnboundedSender<NewOwner>,
    infra: Infra,
    claims: Claims,
}

/// An owner that is registered and waits to be started.
pub(crate) enum NewOwner {
    Source(Arc<SourceHandle>, mpsc::UnboundedReceiver<SourceControl>),
    Workflow(
        Arc<WorkflowHandle>,
        mpsc::UnboundedReceiver<WorkflowControl>,
    ),
}

impl Owners {
    /// The registry, and the receiver of the owners that are to be started.
    pub(crate) fn new(infra: Infra, claims: Claims) -> (Owners, mpsc::UnboundedReceiver<NewOwner>) {
        let (new_owners, to_start) = mpsc::unbounded_channel();
        let registry = Registry {
            sources: Handles::default(),
            workflows: Handles::default(),
            new_owners,
            infra,
            claims,
        };
        let owners = Owners(Arc::new(registry));
        owners.watch_other_nodes();
        (owners, to_start)
    }

    /// The owner, which is started when there is none.
    pub fn of(&self, id: &EmitterId) -> Owner {
        match id.kind() {
            EmitterKind::Source(id) => Owner::Source(self.source(&id)),
            EmitterKind::Workflow(id) => Owner::Workflow(self.workflow(&id)),
        }
    }

    pub fn source(&self, id: &SourceId) -> Arc<SourceHandle> {
        self.0.sources.get(id, || {
            let (handle, controls) = SourceHandle::new(id.clone());
            let new = NewOwner::Source(Arc::clone(&handle), controls);
            // Fails only when the engine is gone, and then nothing runs any more.
            let _ = self.0.new_owners.send(new);
            handle
        })
    }

    pub fn workflow(&self, id: &WorkflowId) -> Arc<WorkflowHandle> {
        self.0.workflows.get(id, || {
            let (handle, controls) = WorkflowHandle::new(id.clone());
            let new = NewOwner::Workflow(Arc::clone(&handle), controls);
            let _ = self.0.new_owners.send(new);
            handle
        })
    }

    /// Makes the owner of a workflow, if there is one, read its definition again.
    pub fn workflow_changed(&self, id: &WorkflowId) {
        if let Some(handle) = self.0.workflows.registered(id) {
            handle.changed();
        }
    }

    /// Makes the owner read its inbox, on whichever node: a row was stored that it was not told of.
    pub fn wake(&self, id: &EmitterId) {
        match self.elsewhere(id) {
            Some(node) => self.cluster().hint(&node, Hint::Work(id.clone())),
            None => self.wake_here(id),
        }
    }

    /// As [`Owners::wake`], for an emitter that this node has or should have.
    pub(crate) fn wake_here(&self, id: &EmitterId) {
        loop {
            let owner = self.of(id);
            if owner.mailbox().reload().is_ok() || self.0.infra.shutdown.is_draining() {
                return;
            }
            self.unregister(&owner);
        }
    }

    /// The other node that has the emitter or should have it; `None` when this one has or should.
    pub fn elsewhere(&self, id: &EmitterId) -> Option<String> {
        let (cluster, claims) = (self.cluster(), &self.0.claims);
        if cluster.is_alone() || claims.holds(id) {
            return None;
        }
        let owner = claims.other_owner(id).map(|node| node.to_string());
        let node = owner
            .filter(|node| cluster.is_alive(node))
            .unwrap_or_else(|| cluster.preferred(id.as_str()));
        (node != cluster.incarnation()).then_some(node)
    }

    /// The other node that is known to have the emitter, wherever it should be.
    pub fn owned_elsewhere(&self, id: &EmitterId) -> bool {
        let owner = self.0.claims.other_owner(id);
        owner.is_some_and(|node| self.cluster().is_alive(&node))
    }

    /// Keeps an emitter from being handed over, until it is dropped.
    pub(crate) fn stay(&self, id: &EmitterId) -> Stay {
        self.0.claims.stay(id)
    }

    /// The store has told which node has an emitter.
    pub(crate) fn learn(&self, id: &EmitterId, owner: Option<&str>) {
        let this_node = self.cluster().incarnation();
        self.0.claims.learn(id, owner, this_node);
    }

    fn cluster(&self) -> &Cluster {
        &self.0.infra.cluster
    }

    /// Before this node uses its memory as the only one, it reads what others have stored.
    fn watch_other_nodes(&self) {
        if !self.cluster().owns_database() {
            let owners = self.clone();
            self.cluster().before_alone(move || owners.reload_all());
        }
    }

    /// Makes all owners of this node read their inboxes.
    fn reload_all(&self) {
        for owner in self.0.sources.all().into_iter().map(Owner::Source) {
            let _ = owner.mailbox().reload();
        }
        for owner in self.0.workflows.all().into_iter().map(Owner::Workflow) {
            let _ = owner.mailbox().reload();
        }
    }

    /// Makes an owner finish what runs and give the emitter up; false when there is no owner.
    pub(super) fn hand_over(&self, id: &EmitterId) -> bool {
        match self.registered(id) {
            Some(owner) => {
                owner.hand_over();
                true
            }
            None => false,
        }
    }

    /// Whether the emitter has an owner here.
    pub(super) fn is_running(&self, id: &EmitterId) -> bool {
        self.registered(id).is_some()
    }

    fn registered(&self, id: &EmitterId) -> Option<Owner> {
        match id.kind() {
            EmitterKind::Source(id) => self.0.sources.registered(&id).map(Owner::Source),
            EmitterKind::Workflow(id) => self.0.workflows.registered(&id).map(Owner::Workflow),
        }
    }

    /// Whether an owner has this invocation, or will read it.
    pub(crate) fn know(&self, emitter: &EmitterId, id: &InvocationId) -> bool {
        let owner = self.registered(emitter);
        owner.is_some_and(|owner| owner.mailbox().knows(id))
    }

    /// Hands stored work to its owner. An owner that has stopped meanwhile is replaced by one that reads the store.
    pub(crate) fn enqueue(&self, owner: &Owner, work: Work) {
        if owner.mailbox().enqueue(work).is_err() {
            self.wake(owner.id());
        }
    }

    /// Withdraws work that could not be stored. A commit whose reply was lost may have been kept, so the owner reads the
    /// store.
    pub(crate) fn withdraw(&self, owner: &Owner, id: &InvocationId) {
        owner.mailbox().unregister(id);
        self.wake(owner.id());
    }

    /// Removes an owner whose mailbox is closed. The next request starts a new one.
    pub fn unregister(&self, owner: &Owner) {
        match owner {
            Owner::Source(handle) => self.0.sources.remove(&handle.id, handle),
            Owner::Workflow(handle) => self.0.workflows.remove(&handle.id, handle),
        }
    }
}

struct Handles<K, H>(Mutex<HashMap<K, Arc<H>>>);

impl<K, H> Default for Handles<K, H> {
    fn default() -> Self {
        Handles(Mutex::default())
    }
}

impl<K: Clone + Eq + Hash, H> Handles<K, H> {
    fn get(&self, id: &K, create: impl FnOnce() -> Arc<H>) -> Arc<H> {
        let mut handles = self.0.lock();
        Arc::clone(handles.entry(id.clone()).or_insert_with(create))
    }

    fn registered(&self, id: &K) -> Option<Arc<H>> {
        self.0.lock().get(id).cloned()
    }

    fn all(&self) -> Vec<Arc<H>> {
        self.0.lock().values().cloned().collect()
    }

    fn remove(&self, id: &K, handle: &Arc<H>) {
        if let Entry::Occupied(entry) = self.0.lock().entry(id.clone())
            && Arc::ptr_eq(entry.get(), handle)
        {
            entry.remove();
        }
    }
}
