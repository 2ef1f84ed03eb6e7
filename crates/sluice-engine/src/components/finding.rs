//! Which component a request means.

use sluice_model::{ComponentId, UserId};
use sluice_store::{
    Conn, StoreError,
    components::{self, Component},
    registry::{self, Shelf},
};

use super::ComponentRef;
use crate::{Engine, error::EngineError};

impl Engine {
    /// The component that a source is made from, ready to run.
    pub(crate) async fn resolve(
        &self,
        user: &UserId,
        reference: ComponentRef,
    ) -> Result<Component, EngineError> {
        let owner = user.clone();
        let found = match reference {
            ComponentRef::Code(input) => return self.save_component(user, input).await,
            ComponentRef::Id(id) => {
                let read = move |c: &mut dyn Conn| components::get(c, &owner, &id);
                self.context.infra.store.read(read).await?
            }
            ComponentRef::RegistryKey(key) => {
                let read = move |c: &mut dyn Conn| published(c, &owner, &key);
                self.context.infra.store.read(read).await?
            }
        };
        self.ready(found.ok_or(EngineError::NotFound("component"))?)
            .await
    }

    /// The component that an id or a key names, for this user: a published one, or one of their own. Ready to run.
    pub(crate) async fn find_component(
        &self,
        user: &UserId,
        key_or_id: &str,
    ) -> Result<Option<Component>, EngineError> {
        let (user, key_or_id) = (user.clone(), key_or_id.to_owned());
        let found = self
            .context
            .infra
            .store
            .read(move |c| find(c, &user, &key_or_id))
            .await?;
        match found {
            Some(component) => self.ready(component).await.map(Some),
            None => Ok(None),
        }
    }
}

fn find(c: &mut dyn Conn, user: &UserId, key_or_id: &str) -> Result<Option<Component>, StoreError> {
    if let Some(id) = ComponentId::parse(key_or_id) {
        return match components::get(c, user, &id)? {
            Some(own) => Ok(Some(own)),
            None => registry::by_id(c, &id),
        };
    }
    // As for a source, so that forms ask for what will run; what is only saved comes last.
    match published(c, user, key_or_id)? {
        Some(published) => Ok(Some(published)),
        None => components::newest_by_key(c, user, key_or_id),
    }
}

/// What stands under a key for this user: what they published, else what the operator did.
fn published(c: &mut dyn Conn, user: &UserId, key: &str) -> Result<Option<Component>, StoreError> {
    match registry::newest(c, &Shelf::Account(user.clone()), key)? {
        Some(own) => Ok(Some(own)),
        None => registry::newest(c, &Shelf::Server, key),
    }
}
