//! The emitters that this server has claimed, and the owners of others as far as they are known. A claim lasts beyond its owner
//! task, so that the next one need not write.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use sluice_cluster::Hint;
use sluice_infra::Infra;
use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    state::{self, Claim, Fence},
};

use super::store_access;

const MAX_OTHERS: usize = 50_000;

/// Cheap to clone; all clones are one registry.
#[derive(Clone, Default)]
pub(crate) struct Claims(Arc<Mutex<Known>>);

#[derive(Default)]
struct Known {
    held: HashMap<EmitterId, Fence>,
    /// The nodes that have the others, as of the last time that the store told so.
    others: HashMap<EmitterId, Arc<str>>,
    /// How many operations need an emitter to stay here.
    stays: HashMap<EmitterId, usize>,
}

/// Keeps an emitter from being handed over, until it is dropped.
pub struct Stay {
    claims: Claims,
    emitter: EmitterId,
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut known = self.claims.0.lock();
        if let Some(count) = known.stays.get_mut(&self.emitter) {
            *count -= 1;
            if *count == 0 {
                known.stays.remove(&self.emitter);
            }
        }
    }
}

impl Claims {
    /// Claims an emitter, unless this server has it, and reads it. `None` when it is gone, another node has it, or the server
    /// drains.
    pub(super) async fn read<T: Send + 'static>(
        &self,
        infra: &Infra,
        emitter: &EmitterId,
        subject: &'static str,
        read: impl Fn(&mut dyn Conn) -> Result<Option<T>, StoreError> + Clone + Send + 'static,
    ) -> Option<(T, Fence)> {
        loop {
            let fence = self.claim(infra, emitter, subject).await?;
            let (id, held, read) = (emitter.clone(), fence.clone(), read.clone());
            let read = move |c: &mut dyn Conn| {
                let is_held = state::is_held(c, &id, &held)?;
                Ok((is_held, read(c)?))
            };
            let (is_held, value) = store_access::read(infra, emitter, subject, read).await?;
            if is_held {
                return Some((value?, fence));
            }
            self.forget(emitter);
        }
    }

    /// The next owner claims the emitter anew, so that commits of the one before are fenced.
    pub(super) fn forget(&self, emitter: &EmitterId) {
        self.0.lock().held.remove(emitter);
    }

    /// Whether this server has claimed the emitter.
    pub(super) fn holds(&self, emitter: &EmitterId) -> bool {
        self.0.lock().held.contains_key(emitter)
    }

    /// Has an emitter stay here, if this server has it.
    pub(super) fn stay(&self, emitter: &EmitterId) -> Stay {
        *self.0.lock().stays.entry(emitter.clone()).or_default() += 1;
        Stay {
            claims: self.clone(),
            emitter: emitter.clone(),
        }
    }

    /// All that this server has claimed and may hand over.
    pub(super) fn movable(&self) -> Vec<EmitterId> {
        let known = self.0.lock();
        let held = known.held.keys();
        held.filter(|id| !known.stays.contains_key(*id))
            .cloned()
            .collect()
    }

    /// All that this server has claimed.
    pub(super) fn held(&self) -> Vec<EmitterId> {
        self.0.lock().held.keys().cloned().collect()
    }

    /// The other node that had claimed the emitter when the store last told.
    pub(super) fn other_owner(&self, emitter: &EmitterId) -> Option<Arc<str>> {
        self.0.lock().others.get(emitter).cloned()
    }

    /// The store has told who has claimed an emitter.
    pub(crate) fn learn(&self, emitter: &EmitterId, owner: Option<&str>, this_node: &str) {
        let mut known = self.0.lock();
        match owner.filter(|owner| *owner != this_node) {
            None => drop(known.others.remove(emitter)),
            Some(owner) => known.add_other(emitter, owner),
        }
    }

    /// Gives claims up, so that other nodes may make them, and tells those that should.
    pub(super) async fn release(&self, infra: &Infra, emitters: &[EmitterId]) {
        let mut released = Vec::new();
        {
            let mut known = self.0.lock();
            for emitter in emitters {
                if let Some(fence) = known.held.remove(emitter) {
                    released.push((emitter.clone(), fence));
                }
            }
        }
        if released.is_empty() {
            return;
        }
        let claims = released.clone();
        let write = infra.store.commit(move |c| state::release(c, &claims));
        if let Err(error) = write.await {
            // They stay claimed until this node claims them again or ends.
            tracing::warn!(%error, "claims not given up");
            return;
        }
        for (emitter, _) in released {
            let next = infra.cluster.preferred(emitter.as_str());
            infra.cluster.hint(&next, Hint::Work(emitter));
        }
    }

    async fn claim(
        &self,
        infra: &Infra,
        emitter: &EmitterId,
        subject: &'static str,
    ) -> Option<Fence> {
        if let Some(fence) = self.0.lock().held.get(emitter) {
            return Some(fence.clone());
        }
        let (id, owner) = (emitter.clone(), Arc::clone(infra.store.incarnation()));
        let may_take_over = infra.cluster.lease().may_take_over();
        let claim = move |c: &mut dyn Conn| state::claim(c, &id, &owner, may_take_over);
        match store_access::write(infra, emitter, subject, claim).await? {
            Claim::Made(fence) => {
                let mut known = self.0.lock();
                known.others.remove(emitter);
                known.held.insert(emitter.clone(), fence.clone());
                Some(fence)
            }
            Claim::Owned(node) => {
                tracing::debug!(%emitter, node, "owned by another node");
                self.0.lock().add_other(emitter, &node);
                infra.cluster.hint(&node, Hint::Work(emitter.clone()));
                None
            }
            Claim::Gone => None,
        }
    }
}

impl Known {
    fn add_other(&mut self, emitter: &EmitterId, node: &str) {
        if self.others.len() >= MAX_OTHERS {
            self.others.clear();
        }
        self.others.insert(emitter.clone(), Arc::from(node));
    }
}
