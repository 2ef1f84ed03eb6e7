//! Inspecting components without their packages: the shape of each, its registry entry, and the credentials that it reads.

use std::{collections::BTreeMap, sync::Arc};

use sluice_code::CodeTree;
use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::{CodeError, ComponentFailure, ComponentShape, FailureReason, UserId};
use sluice_runtime::{LoadError, Processes, Role};
use sluice_store::{
    components::{Component, Packages},
    registry::Publication,
};

use super::{app_fields::AppFields, key_rule::KeyRule, tree::LinkedComponent};
use crate::components::{Components, apps_of};

/// The scope of published apps, and the packages in it that are none.
const APPS: &str = "@pipedream/";
const NO_APPS: [&str; 3] = [
    "@pipedream/platform",
    "@pipedream/types",
    "@pipedream/helper_functions",
];

#[derive(Clone)]
pub(super) struct Inspector {
    pub(super) infra: Infra,
    pub(super) processes: Arc<dyn Processes>,
    pub(super) components: Components,
}

/// Inspected components, in their order.
pub(super) struct Inspection {
    pub(super) candidates: Vec<Candidate>,
    pub(super) fields: AppFields,
}

/// A component of the tree.
pub(super) struct Candidate {
    pub(super) path: String,
    pub(super) files: BTreeMap<String, String>,
    pub(super) result: Result<ValidComponent, ComponentFailure>,
}

/// A component that can be registered.
pub(super) struct ValidComponent {
    pub(super) code: CodeTree,
    pub(super) component: Component,
    pub(super) publication: Publication,
}

impl ValidComponent {
    /// The apps that it is for, and that its props name.
    pub(super) fn apps(&self) -> impl Iterator<Item = &str> {
        let own = self.publication.app.as_deref();
        own.into_iter().chain(apps_of(&self.component.shape))
    }
}

impl Inspector {
    pub(super) async fn inspect(
        &self,
        user: &UserId,
        linked: Vec<LinkedComponent>,
        keys: KeyRule,
    ) -> Result<Inspection, EngineError> {
        let shapes = self.survey(user, &linked).await?;
        let mut fields = AppFields::default();
        let mut candidates = Vec::with_capacity(linked.len());
        for (component, shape) in linked.into_iter().zip(shapes) {
            let LinkedComponent {
                path, files, code, ..
            } = component;
            let result = match (code, shape) {
                (Err(errors), _) => Err(ComponentFailure::new(FailureReason::Code, errors)),
                (Ok(_), Err(failure)) => Err(failure),
                (Ok(code), Ok(shape)) => {
                    fields.merge(&AppFields::of(&shape, code.auth_fields()));
                    self.validate(user, app_folder(&path), code, shape, keys)
                }
            };
            candidates.push(Candidate {
                path,
                files,
                result,
            });
        }
        Ok(Inspection { candidates, fields })
    }

    /// Loads a component with its packages.
    pub(super) async fn load(
        &self,
        user: &UserId,
        code: &CodeTree,
    ) -> Result<Result<ComponentShape, ComponentFailure>, EngineError> {
        let by = Some(user.clone());
        match self.processes.analyze(code, Role::Component, &by).await {
            Ok(analysis) => Ok(Ok(analysis.shape)),
            Err(LoadError::Code(errors)) => {
                Ok(Err(ComponentFailure::new(FailureReason::Load, errors)))
            }
            Err(LoadError::Imports(errors)) => {
                Ok(Err(ComponentFailure::new(FailureReason::Packages, errors)))
            }
            Err(LoadError::Packages(reason)) => Ok(Err(ComponentFailure::message(
                FailureReason::Packages,
                reason,
            ))),
            Err(error @ LoadError::Start(_)) => Err(error.into()),
        }
    }

    /// The shapes of the components that have code.
    async fn survey(
        &self,
        user: &UserId,
        linked: &[LinkedComponent],
    ) -> Result<Vec<Result<ComponentShape, ComponentFailure>>, EngineError> {
        let unknown = linked.iter().filter(|component| component.shape.is_none());
        let unknown = unknown.flat_map(|component| &component.code).cloned();
        let by = Some(user.clone());
        let surveyed = self.processes.survey(unknown.collect(), &by).await;
        let mut surveyed = surveyed.into_iter();
        let mut results = Vec::with_capacity(linked.len());
        for component in linked {
            let missing = || Err(LoadError::Code(vec![not_inspected()]));
            results.push(match (&component.code, &component.shape) {
                (Err(_), _) => Err(definition(vec![not_inspected()])),
                (Ok(_), Some(shape)) => shape.clone().map_err(definition),
                (Ok(code), None) => {
                    let shape = surveyed.next().unwrap_or_else(missing);
                    self.shape(user, code, shape).await?
                }
            });
        }
        Ok(results)
    }

    async fn shape(
        &self,
        user: &UserId,
        code: &CodeTree,
        surveyed: Result<ComponentShape, LoadError>,
    ) -> Result<Result<ComponentShape, ComponentFailure>, EngineError> {
        let errors = match surveyed {
            Ok(shape) => return Ok(Ok(shape)),
            Err(LoadError::Code(errors) | LoadError::Imports(errors)) => errors,
            Err(error) => return Err(error.into()),
        };
        if !extends_published_app(code) {
            return Ok(Err(definition(errors)));
        }
        Ok(match self.load(user, code).await {
            Ok(Ok(shape)) => Ok(shape),
            Ok(Err(failure)) if failure.reason == FailureReason::Load => Err(failure),
            Ok(Err(_)) | Err(_) => {
                tracing::warn!("component of a published app not read with its packages");
                Err(definition(errors))
            }
        })
    }

    /// A component that can be registered, or its errors.
    fn validate(
        &self,
        user: &UserId,
        folder: Option<&str>,
        code: CodeTree,
        shape: ComponentShape,
        keys: KeyRule,
    ) -> Result<ValidComponent, ComponentFailure> {
        let now = self.infra.now_ms();
        let component = Component {
            imported: true,
            ..self
                .components
                .new_component(user, &code, shape, Packages::Unresolved)
        };
        let publication = keys
            .publication(&component, folder, now)
            .map_err(|error| ComponentFailure::message(FailureReason::Key, error.to_string()))?;
        Ok(ValidComponent {
            code,
            component,
            publication,
        })
    }
}

fn definition(errors: Vec<CodeError>) -> ComponentFailure {
    ComponentFailure::new(FailureReason::Definition, errors)
}

fn not_inspected() -> CodeError {
    CodeError::without_position("it was not inspected")
}

/// Whether a component imports files of an app that is published as a package. Its shape may come from there.
fn extends_published_app(code: &CodeTree) -> bool {
    let is_app = |name: &str| name.starts_with(APPS) && !NO_APPS.contains(&name);
    let packages = code.packages();
    packages
        .iter()
        .any(|package| is_app(package.request.name()))
}

/// The folder of the app that a file of the tree belongs to.
pub(super) fn app_folder(path: &str) -> Option<&str> {
    let mut folders = path.split('/').zip(path.split('/').skip(1));
    let (app, _) = folders.find(|(_, below)| matches!(*below, "sources" | "actions"))?;
    Some(app)
}
