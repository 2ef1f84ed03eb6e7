//! Reading a source from the store.

use sluice_model::{EmitterId, SourceId};
use sluice_store::{Conn, state::Fence};

use crate::{
    owner::services::Services,
    state::{Definition, Memory},
};

/// Claims and reads the source; `None` when it is gone or the server drains.
pub(super) async fn load(
    services: &Services,
    id: &SourceId,
) -> Option<((Definition, Memory), Fence)> {
    let (emitter, id): (EmitterId, SourceId) = (id.clone().into(), id.clone());
    let read = move |c: &mut dyn Conn| {
        let definition = Definition::load(c, &id)?;
        let memory = Memory::load(c, &id)?;
        Ok(definition.map(|definition| (definition, memory)))
    };
    let claims = &services.claims;
    claims.read(&services.infra, &emitter, "source", read).await
}
