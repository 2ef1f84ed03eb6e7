//! Saving components: code is loaded in a sandbox once, and stored with the shape that it reports.

use sluice_code::{CodeTree, Location, MemoryFiles, ParsedModule};
use sluice_engine::EngineError;
use sluice_model::{ComponentId, ComponentShape, UserId, code_hash};
use sluice_runtime::{Analysis, Role};
use sluice_store::{
    audit::Action,
    components::{self, Component, Packages},
};

use super::{
    change::change_of,
    input::CodeInput,
    prepare::{prepare, prepare_beside},
    service::{Components, lock_hash, stored_lock},
};

use crate::audit::{Actor, Change};

impl Components {
    /// Loads code in a sandbox and saves it with its shape.
    pub async fn save(&self, actor: &Actor, input: CodeInput) -> Result<Component, EngineError> {
        let component = self.inspect_input(&actor.user_id, input).await?;
        let change = change_of(&self.infra, actor, Action::ComponentCreate, &component);
        self.insert(component, Some(change)).await
    }

    /// As [`Components::save`], as a part of another change, which is recorded.
    pub(super) async fn save_part(
        &self,
        user: &UserId,
        input: CodeInput,
    ) -> Result<Component, EngineError> {
        let component = self.inspect_input(user, input).await?;
        self.insert(component, None).await
    }

    async fn insert(
        &self,
        component: Component,
        change: Option<Change>,
    ) -> Result<Component, EngineError> {
        let row = component.clone();
        let saved = self.infra.store.write(move |c| {
            components::insert(c, &row)?;
            change.map_or(Ok(()), |change| change.record(c))
        });
        saved.await?;
        self.announce_locks(lock_hash(&component));
        Ok(component)
    }

    /// Loads the code of a request in a sandbox to read its shape. Nothing is saved.
    pub(super) async fn inspect_input(
        &self,
        user: &UserId,
        input: CodeInput,
    ) -> Result<Component, EngineError> {
        let url = input.url.clone();
        let tree = self.prepare(input).await?;
        self.inspect(user, &tree, url, Role::Component).await
    }

    /// The files of a request's code.
    pub(crate) async fn prepare(&self, input: CodeInput) -> Result<CodeTree, EngineError> {
        prepare(input, &self.fetcher, self.infra.settings.max_api_body).await
    }

    /// Loads the code of a workflow step in a sandbox, with the files that it imports. Nothing is saved.
    pub(crate) async fn inspect_step(
        &self,
        user: &UserId,
        step: &str,
        module: ParsedModule,
        entry: Location,
        files: MemoryFiles,
    ) -> Result<Component, EngineError> {
        let max_bytes = self.infra.settings.max_api_body;
        let tree = prepare_beside(module, entry, files, max_bytes).await?;
        self.inspect(user, &tree, None, Role::Step(step)).await
    }

    /// Loads code in a sandbox to read its shape. Nothing is saved.
    async fn inspect(
        &self,
        user: &UserId,
        tree: &CodeTree,
        url: Option<String>,
        role: Role<'_>,
    ) -> Result<Component, EngineError> {
        self.disk.check(user)?;
        let by = Some(user.clone());
        let Analysis { shape, packages } = self.processes.analyze(tree, role, &by).await?;
        for warning in &shape.warnings {
            tracing::warn!(%user, component = shape.name, warning, "component has a warning");
        }
        if packages.is_some() {
            self.disk.forget(user);
        }
        let packages = Packages::Resolved(stored_lock(packages.as_ref())?);
        Ok(Component {
            url,
            ..self.new_component(user, tree, shape, packages)
        })
    }

    /// A component that is not stored yet.
    pub(crate) fn new_component(
        &self,
        user: &UserId,
        tree: &CodeTree,
        shape: ComponentShape,
        packages: Packages,
    ) -> Component {
        let now = self.infra.creation_ms();
        Component {
            id: ComponentId::random(&mut self.infra.ids.rng()),
            user_id: user.clone(),
            key: shape.key.clone(),
            name: shape.name.clone(),
            version: shape.version.clone(),
            code_hash: code_hash(tree.code()),
            code: tree.to_files(),
            url: None,
            packages,
            shape,
            created_at: now,
            updated_at: now,
            workflow_id: None,
            imported: false,
        }
    }
}
