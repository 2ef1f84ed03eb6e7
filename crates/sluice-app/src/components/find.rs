//! Finding the component that a request names.

use sluice_engine::EngineError;
use sluice_model::{ComponentId, UserId};
use sluice_store::{
    Conn, StoreError,
    components::{self, Component},
    registry::{self, Shelf},
};

use super::{input::ComponentRef, service::Components};

impl Components {
    /// The component of a source, ready to run.
    pub(crate) async fn resolve(
        &self,
        user: &UserId,
        reference: ComponentRef,
    ) -> Result<Component, EngineError> {
        let owner = user.clone();
        let found = match reference {
            ComponentRef::Code(input) => return self.save_part(user, input).await,
            ComponentRef::Named(name) => {
                let found = self.find(user, &name).await?;
                return found.ok_or(EngineError::NotFound("component"));
            }
            ComponentRef::Id(id) => {
                let read = move |c: &mut dyn Conn| components::get(c, &owner, &id);
                self.infra.store.read(read).await?
            }
            ComponentRef::RegistryKey(key) => {
                let read = move |c: &mut dyn Conn| published(c, &owner, &key);
                self.infra.store.read(read).await?
            }
        };
        self.ready(user, found.ok_or(EngineError::NotFound("component"))?)
            .await
    }

    /// The component with this id or key, ready to run: a published one, or one of the user's own.
    pub(crate) async fn find(
        &self,
        user: &UserId,
        key_or_id: &str,
    ) -> Result<Option<Component>, EngineError> {
        let (owner, key_or_id) = (user.clone(), key_or_id.to_owned());
        let found = self
            .infra
            .store
            .read(move |c| find(c, &owner, &key_or_id))
            .await?;
        match found {
            Some(component) => self.ready(user, component).await.map(Some),
            None => Ok(None),
        }
    }
}

pub(crate) fn find(
    c: &mut dyn Conn,
    user: &UserId,
    key_or_id: &str,
) -> Result<Option<Component>, StoreError> {
    if let Some(id) = ComponentId::parse(key_or_id) {
        return match components::get(c, user, &id)? {
            Some(own) => Ok(Some(own)),
            None => registry::by_id(c, &id),
        };
    }
    // The same order as for a source, so that a form shows the component that will run. Saved components come last.
    match published(c, user, key_or_id)? {
        Some(published) => Ok(Some(published)),
        None => components::newest_by_key(c, user, key_or_id),
    }
}

/// The published component with this key: the user's, or else the operator's.
fn published(c: &mut dyn Conn, user: &UserId, key: &str) -> Result<Option<Component>, StoreError> {
    match registry::newest(c, &Shelf::Account(user.clone()), key)? {
        Some(own) => Ok(Some(own)),
        None => registry::newest(c, &Shelf::Server, key),
    }
}
