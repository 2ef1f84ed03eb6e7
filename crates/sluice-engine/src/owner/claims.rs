//! The emitters that this server has claimed. A claim lasts beyond its owner task, so that the next one need not write.

use std::{collections::HashMap, sync::Arc};

use parking_lot::Mutex;
use sluice_infra::Infra;
use sluice_model::EmitterId;
use sluice_store::{
    Conn, StoreError,
    state::{self, Claim, Fence},
};

use super::store_access;

/// Cheap to clone; all clones are one registry.
#[derive(Clone, Default)]
pub(crate) struct Claims(Arc<Mutex<HashMap<EmitterId, Fence>>>);

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
        self.0.lock().remove(emitter);
    }

    async fn claim(
        &self,
        infra: &Infra,
        emitter: &EmitterId,
        subject: &'static str,
    ) -> Option<Fence> {
        if let Some(fence) = self.0.lock().get(emitter) {
            return Some(fence.clone());
        }
        let (id, owner) = (emitter.clone(), Arc::clone(infra.store.incarnation()));
        let may_take_over = infra.cluster.lease().may_take_over();
        let claim = move |c: &mut dyn Conn| state::claim(c, &id, &owner, may_take_over);
        match store_access::write(infra, emitter, subject, claim).await? {
            Claim::Made(fence) => {
                self.0.lock().insert(emitter.clone(), fence.clone());
                Some(fence)
            }
            Claim::Owned(node) => {
                tracing::warn!(%emitter, node, "owned by another node");
                None
            }
            Claim::Gone => None,
        }
    }
}
