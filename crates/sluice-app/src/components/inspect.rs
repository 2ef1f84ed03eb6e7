//! Saving components: code is loaded in a sandbox once, and stored with the shape that it reports.

use sluice_code::{Location, MemoryFiles, ParsedModule};
use sluice_engine::EngineError;
use sluice_model::{ComponentId, ComponentShape, UserId, code_hash};
use sluice_runtime::{Analysis, Role};
use sluice_store::components::{self, Component, Packages};

use super::{
    input::CodeInput,
    prepare::{PreparedCode, prepare, prepare_beside},
    service::{Components, stored_lock},
};

impl Components {
    /// Loads code in a sandbox and saves it with its shape.
    pub async fn save(&self, user: &UserId, input: CodeInput) -> Result<Component, EngineError> {
        let component = self.inspect_input(user, input).await?;
        let row = component.clone();
        self.infra
            .store
            .write(move |c| components::insert(c, &row))
            .await?;
        Ok(component)
    }

    /// Loads the code of a request in a sandbox to read its shape. Nothing is saved.
    pub(super) async fn inspect_input(
        &self,
        user: &UserId,
        input: CodeInput,
    ) -> Result<Component, EngineError> {
        let url = input.url.clone();
        let prepared = self.prepare(input).await?;
        self.inspect(user, prepared, url, Role::Component).await
    }

    /// Fetches and bundles the code of a request.
    pub(crate) async fn prepare(&self, input: CodeInput) -> Result<PreparedCode, EngineError> {
        prepare(input, &self.fetcher, self.infra.settings.max_api_body).await
    }

    /// Bundles the code of a workflow step and loads it in a sandbox. Nothing is saved.
    pub(crate) async fn inspect_step(
        &self,
        user: &UserId,
        step: &str,
        module: ParsedModule,
        entry: Location,
        files: MemoryFiles,
    ) -> Result<Component, EngineError> {
        let max_bytes = self.infra.settings.max_api_body;
        let prepared = prepare_beside(module, entry, files, max_bytes).await?;
        self.inspect(user, prepared, None, Role::Step(step)).await
    }

    /// Loads code in a sandbox to read its shape. Nothing is saved.
    async fn inspect(
        &self,
        user: &UserId,
        prepared: PreparedCode,
        url: Option<String>,
        role: Role<'_>,
    ) -> Result<Component, EngineError> {
        let Analysis { shape, packages } = self
            .processes
            .analyze(&prepared.module, prepared.lines(), role)
            .await?;
        for warning in &shape.warnings {
            tracing::warn!(%user, component = shape.name, warning, "component has a warning");
        }
        let packages = Packages::Resolved(stored_lock(packages.as_ref())?);
        Ok(Component {
            url,
            ..self.new_component(user, prepared, shape, packages)
        })
    }

    /// A component that is not stored yet.
    pub(crate) fn new_component(
        &self,
        user: &UserId,
        PreparedCode { code, built, .. }: PreparedCode,
        shape: ComponentShape,
        packages: Packages,
    ) -> Component {
        let now = self.infra.now_ms();
        Component {
            id: ComponentId::random(&mut self.infra.ids.rng()),
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
