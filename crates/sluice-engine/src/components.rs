//! Saved components: code with the shape it was seen to have, and the registry of published ones.

use std::sync::Arc;

use sluice_model::{ComponentId, UserId, code_hash, is_semantic};
use sluice_runtime::{Analysis, Role};
use sluice_store::{
    Conn, Page, StoreError,
    components::{self, Component, Packages},
    registry::{self, Publication, Shelf},
};

use crate::{
    Engine,
    code::{self, PreparedCode},
    error::EngineError,
    view::Listing,
};

/// Code given in a request: as text, by address, or both; then the address only says where it lives.
#[derive(Debug, Clone)]
pub struct CodeInput {
    pub code: Option<String>,
    pub url: Option<String>,
}

/// Which component a source is made from.
#[derive(Debug, Clone)]
pub enum ComponentRef {
    Id(ComponentId),
    RegistryKey(String),
    Code(CodeInput),
}

impl Engine {
    /// Loads code in a sandbox and saves it with its shape.
    pub async fn save_component(
        &self,
        user: &UserId,
        input: CodeInput,
    ) -> Result<Component, EngineError> {
        let url = input.url.clone();
        let prepared = code::prepare(input, &self.fetcher, self.settings().max_api_body).await?;
        let component = self.inspect(user, prepared, url, Role::Component).await?;
        let row = component.clone();
        self.context
            .store
            .write(move |c| components::insert(c, &row))
            .await?;
        Ok(component)
    }

    /// Loads code in a sandbox to see its shape; nothing is saved.
    pub(crate) async fn inspect(
        &self,
        user: &UserId,
        prepared: PreparedCode,
        url: Option<String>,
        role: Role<'_>,
    ) -> Result<Component, EngineError> {
        let Analysis { shape, packages } = self
            .context
            .runtime
            .analyze(Arc::from(prepared.javascript()), prepared.lines(), role)
            .await?;
        let PreparedCode { code, built } = prepared;
        let packages = packages
            .map(|lock| serde_json::to_string(&lock))
            .transpose()
            .map_err(|error| EngineError::Internal(error.to_string()))?;
        for warning in &shape.warnings {
            tracing::warn!(%user, component = shape.name, "a component was saved: {warning}");
        }
        let now = self.context.clock.now_ms();
        Ok(Component {
            id: ComponentId::random(&mut rand::rng()),
            user_id: user.clone(),
            key: shape.key.clone(),
            name: shape.name.clone(),
            version: shape.version.clone(),
            code_hash: code_hash(&code),
            code,
            url,
            built,
            packages: Packages::Resolved(packages),
            shape,
            created_at: now,
            updated_at: now,
            workflow_id: None,
        })
    }

    /// What the user saved: the newest of each key, or of each name without one.
    pub async fn saved_components(
        &self,
        user: &UserId,
        page: Page,
    ) -> Result<Listing<Component>, EngineError> {
        let user = user.clone();
        let listing = self.context.store.read(move |c| {
            Ok(Listing {
                total: components::count_newest(c, &user)?,
                rows: components::newest(c, &user, &page)?,
            })
        });
        Ok(listing.await?)
    }

    /// Puts a component of the operator's into the registry of this server.
    pub async fn publish_component(
        &self,
        user: &UserId,
        id: &ComponentId,
    ) -> Result<Component, EngineError> {
        let (owner, wanted) = (user.clone(), id.clone());
        let now = self.context.clock.now_ms();
        let component = self
            .context
            .store
            .read(move |c| components::get(c, &owner, &wanted))
            .await?
            .ok_or(EngineError::NotFound("component"))?;
        let publication = publication(Shelf::Server, &component, now)?;
        let fresh = self
            .context
            .store
            .write(move |c| registry::publish(c, &publication))
            .await?;
        if fresh {
            Ok(component)
        } else {
            Err(EngineError::Conflict(format!(
                "version {} is already published under this key",
                component.version
            )))
        }
    }

    pub(crate) async fn resolve(
        &self,
        user: &UserId,
        reference: ComponentRef,
    ) -> Result<Component, EngineError> {
        let found = match reference {
            ComponentRef::Code(input) => return self.save_component(user, input).await,
            ComponentRef::Id(id) => {
                let user = user.clone();
                self.context
                    .store
                    .read(move |c| components::get(c, &user, &id))
                    .await?
            }
            ComponentRef::RegistryKey(key) => {
                self.context
                    .store
                    .read(move |c| registry::newest(c, &Shelf::Server, &key))
                    .await?
            }
        };
        found.ok_or(EngineError::NotFound("component"))
    }
}

/// The component that an id or a key names, for this user: one of their own, or a published one.
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
    match components::newest_by_key(c, user, key_or_id)? {
        Some(own) => Ok(Some(own)),
        None => registry::newest(c, &Shelf::Server, key_or_id),
    }
}

/// What a component is on a shelf, if it may stand there.
pub(crate) fn publication(
    shelf: Shelf,
    component: &Component,
    now: i64,
) -> Result<Publication, EngineError> {
    let key = publishable_key(component)?;
    Ok(Publication {
        shelf,
        app: key.split_once('-').map(|(app, _)| app.to_owned()),
        key,
        version: component.version.clone(),
        component_id: component.id.clone(),
        kind: component.shape.kind,
        name: component.name.clone(),
        description: component.shape.description.clone(),
        published_at: now,
    })
}

/// Registry components need a key of the form `<app>-<name>` and a semantic version.
fn publishable_key(component: &Component) -> Result<String, EngineError> {
    let key = component.key.clone().unwrap_or_default();
    let well_formed = key.split('-').count() >= 2
        && key.split('-').all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        });
    if !well_formed {
        return Err(EngineError::Invalid(
            "a published component needs a key of the form <app>-<name>".to_owned(),
        ));
    }
    if !is_semantic(&component.version) {
        return Err(EngineError::Invalid(
            "a published component needs a semantic version such as 1.0.0".to_owned(),
        ));
    }
    Ok(key)
}
