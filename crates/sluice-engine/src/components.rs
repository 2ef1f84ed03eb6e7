//! Saved components: code with the shape it was seen to have, and the registry of published ones.

mod finding;
mod first_use;
mod listing;
mod matching;
mod publishing;
mod searching;

use sluice_model::{ComponentId, ComponentShape, PropDef, PropType, UserId, code_hash};
use sluice_runtime::{Analysis, PackageLock, Role};
use sluice_store::components::{self, Component, Packages};

use crate::{
    Engine,
    code::{self, PreparedCode},
    error::EngineError,
};

pub(crate) use first_use::FirstUses;
pub use listing::{ComponentFilter, Listed, Scope};
pub use publishing::ToPublish;
pub(crate) use publishing::publication;
pub use searching::{ComponentSearch, FoundComponents};

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
        let component = self.inspect_given(user, input).await?;
        let row = component.clone();
        self.context
            .infra
            .store
            .write(move |c| components::insert(c, &row))
            .await?;
        Ok(component)
    }

    /// Loads code that a request gives in a sandbox to see its shape; nothing is saved.
    async fn inspect_given(
        &self,
        user: &UserId,
        input: CodeInput,
    ) -> Result<Component, EngineError> {
        let url = input.url.clone();
        let prepared = code::prepare(input, &self.fetcher, self.settings().max_api_body).await?;
        self.inspect(user, prepared, url, Role::Component).await
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
            .analyze(&prepared.module, prepared.lines(), role)
            .await?;
        for warning in &shape.warnings {
            tracing::warn!(%user, component = shape.name, "a component was saved: {warning}");
        }
        let packages = Packages::Resolved(stored_lock(packages.as_ref())?);
        Ok(Component {
            url,
            ..self.component(user, prepared, shape, packages)
        })
    }

    /// A component to be stored.
    pub(crate) fn component(
        &self,
        user: &UserId,
        PreparedCode { code, built, .. }: PreparedCode,
        shape: ComponentShape,
        packages: Packages,
    ) -> Component {
        let now = self.context.infra.clock.now_ms();
        Component {
            id: ComponentId::random(&mut rand::rng()),
            user_id: user.clone(),
            key: shape.key.clone(),
            name: shape.name.clone(),
            version: shape.version.clone(),
            code_hash: code_hash(&code),
            code,
            url: None,
            built,
            packages,
            shape,
            created_at: now,
            updated_at: now,
            workflow_id: None,
            imported: false,
        }
    }
}

/// Packages as they are stored with a component.
fn stored_lock(lock: Option<&PackageLock>) -> Result<Option<String>, EngineError> {
    lock.map(serde_json::to_string)
        .transpose()
        .map_err(|error| EngineError::Internal(error.to_string()))
}

/// The slugs of the apps that a component names in its props.
fn apps(shape: &ComponentShape) -> impl Iterator<Item = &str> {
    shape.props_of(&PropType::App).filter_map(PropDef::app)
}
