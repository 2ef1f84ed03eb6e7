//! Reading a source from the store.

use sluice_infra::Infra;
use sluice_model::{EmitterId, SourceId};
use sluice_store::Conn;

use crate::{
    owner::store_read,
    state::{Definition, Memory},
};

/// Reads the source; `None` when it is gone or the server drains.
pub(super) async fn load(infra: &Infra, id: &SourceId) -> Option<(Definition, Memory)> {
    let (emitter, id): (EmitterId, SourceId) = (id.clone().into(), id.clone());
    let read = move |c: &mut dyn Conn| {
        let definition = Definition::load(c, &id)?;
        let memory = Memory::load(c, &id)?;
        Ok(definition.map(|definition| (definition, memory)))
    };
    store_read::read(infra, &emitter, "source", read).await?
}
