//! Which node has an emitter, for operations that only its owner can do.

use sluice_infra::Infra;
use sluice_model::EmitterId;
use sluice_store::state;

use super::{claims::Stay, registry::Owners};
use crate::error::EngineError;

#[derive(Clone)]
pub struct Ownership {
    infra: Infra,
    owners: Owners,
}

impl Ownership {
    pub(crate) fn new(infra: Infra, owners: Owners) -> Ownership {
        Ownership { infra, owners }
    }

    /// Keeps an emitter that this node has from being handed over, until it is dropped.
    pub fn stay(&self, id: &EmitterId) -> Stay {
        self.owners.stay(id)
    }

    /// The node that has the emitter, if it is another one that is alive.
    pub async fn other_owner(&self, id: &EmitterId) -> Result<Option<String>, EngineError> {
        let cluster = &self.infra.cluster;
        let wanted = id.clone();
        let owner = self.infra.store.read(move |c| state::owner(c, &wanted));
        let owner = owner.await?;
        self.owners.learn(id, owner.as_deref());
        Ok(owner.filter(|node| node != cluster.incarnation() && cluster.is_alive(node)))
    }
}
