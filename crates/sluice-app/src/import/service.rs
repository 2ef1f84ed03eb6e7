//! Importing a tree of components into the registry. Each component is inspected without its packages, and valid ones are
//! registered with their app. The tree is authoritative for its components: code of the same version may change.

use std::{collections::BTreeMap, sync::Arc};

use sluice_code::{CodeTree, FileError, Limits, LinkOptions, Linker, Location, MemoryFiles};
use sluice_engine::{EngineError, process::credentials::Credentials};
use sluice_infra::Infra;
use sluice_model::{CodeError, ComponentShape, UserId};
use sluice_runtime::{LoadError, Processes, Role};
use sluice_store::{
    components::{Component, Packages},
    imports::{self, Import},
};

use super::{
    app_fields::AppFields,
    key_rule::KeyRule,
    register::{Candidate, Registration, ValidComponent},
    tree::{ImportOutcome, ImportedComponent, TreePart},
};
use crate::{components::Components, listing::Listing};

/// The scope of published apps, and the packages in it that are none.
const APPS: &str = "@pipedream/";
const NO_APPS: [&str; 3] = [
    "@pipedream/platform",
    "@pipedream/types",
    "@pipedream/helper_functions",
];

/// Imports trees.
#[derive(Clone)]
pub struct Imports {
    infra: Infra,
    processes: Arc<dyn Processes>,
    components: Components,
    credentials: Credentials,
}

impl Imports {
    pub fn new(
        infra: &Infra,
        processes: &Arc<dyn Processes>,
        components: Components,
        credentials: Credentials,
    ) -> Imports {
        Imports {
            infra: infra.clone(),
            processes: Arc::clone(processes),
            components,
            credentials,
        }
    }

    /// Registers valid components, and records the files and the outcome of each. Outcomes are in the order of the part.
    pub async fn import(
        &self,
        user: &UserId,
        part: TreePart,
    ) -> Result<Vec<(String, ImportOutcome)>, EngineError> {
        self.import_with(user, part, KeyRule::OfApp).await
    }

    /// As [`Imports::import`], with a rule for the keys.
    pub(crate) async fn import_with(
        &self,
        user: &UserId,
        part: TreePart,
        keys: KeyRule,
    ) -> Result<Vec<(String, ImportOutcome)>, EngineError> {
        let TreePart {
            tree,
            texts,
            components,
            left,
        } = part;
        let linker = linker(&texts)?;
        let mut places = Vec::with_capacity(components.len());
        let mut codes = Vec::with_capacity(components.len());
        for component in components {
            let ImportedComponent {
                path,
                files,
                errors,
            } = component;
            codes.push(match errors.as_slice() {
                [] => link(&linker, &path).await,
                _ => Err(errors),
            });
            places.push((path, files));
        }
        let shapes = self.survey(user, &codes).await?;
        let mut fields = AppFields::default();
        let mut candidates = Vec::with_capacity(places.len());
        for (((path, files), code), shape) in places.into_iter().zip(codes).zip(shapes) {
            let result = match (code, shape) {
                (Ok(code), Some(Ok(shape))) => {
                    fields.add(&shape, code.auth_fields());
                    self.validate(user, app_folder(&path), &code, shape, keys)
                }
                (Ok(_), Some(Err(errors))) | (Err(errors), _) => Err(errors),
                (Ok(_), None) => Err(one_error("it was not inspected")),
            };
            candidates.push(Candidate {
                path,
                files,
                result,
            });
        }
        let registration = Registration {
            tree,
            left,
            candidates,
            fields,
            ids: self.infra.ids.clone(),
            now: self.infra.now_ms(),
        };
        let written = self.infra.store.write(move |c| registration.write(c));
        let (outcomes, new_apps) = written.await?;
        if new_apps {
            self.credentials.forget_all();
        }
        Ok(outcomes)
    }

    /// The components of a tree as last imported, ordered by path, after `after`.
    pub async fn list(
        &self,
        tree: String,
        after: String,
        limit: u32,
    ) -> Result<Listing<Import>, EngineError> {
        let listing = self.infra.store.read(move |c| {
            let total = imports::count(c, &tree)?;
            let rows = imports::list(c, &tree, &after, limit)?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }

    /// The shapes of the components with code; `None` for the others.
    async fn survey(
        &self,
        user: &UserId,
        codes: &[Result<CodeTree, Vec<CodeError>>],
    ) -> Result<Vec<Option<Result<ComponentShape, Vec<CodeError>>>>, EngineError> {
        let trees = codes.iter().flatten().cloned();
        let by = Some(user.clone());
        let surveyed = self.processes.survey(trees.collect(), &by).await;
        let mut surveyed = surveyed.into_iter();
        let mut shapes = Vec::with_capacity(codes.len());
        for code in codes {
            let Ok(code) = code else {
                shapes.push(None);
                continue;
            };
            shapes.push(match surveyed.next() {
                Some(Ok(shape)) => Some(Ok(shape)),
                Some(Err(LoadError::Code(errors))) if extends_published_app(code) => {
                    Some(self.analyze(user, code, errors).await)
                }
                Some(Err(LoadError::Code(errors))) => Some(Err(errors)),
                Some(Err(error)) => return Err(error.into()),
                None => None,
            });
        }
        Ok(shapes)
    }

    /// The shape of a component with its packages installed, or its errors. `errors` are those without the packages.
    async fn analyze(
        &self,
        user: &UserId,
        code: &CodeTree,
        errors: Vec<CodeError>,
    ) -> Result<ComponentShape, Vec<CodeError>> {
        let by = Some(user.clone());
        match self.processes.analyze(code, Role::Component, &by).await {
            Ok(analysis) => Ok(analysis.shape),
            Err(LoadError::Code(errors)) => Err(errors),
            Err(error @ (LoadError::Start(_) | LoadError::Packages(_))) => {
                tracing::warn!(%error, "component not read with its packages");
                Err(errors)
            }
        }
    }

    /// A component that can be registered, or its errors.
    fn validate(
        &self,
        user: &UserId,
        folder: Option<&str>,
        code: &CodeTree,
        shape: ComponentShape,
        keys: KeyRule,
    ) -> Result<ValidComponent, Vec<CodeError>> {
        let now = self.infra.now_ms();
        let component = Component {
            imported: true,
            ..self
                .components
                .new_component(user, code, shape, Packages::Unresolved)
        };
        let publication = keys
            .publication(&component, folder, now)
            .map_err(|error| one_error(error.to_string()))?;
        Ok(ValidComponent {
            component,
            publication,
        })
    }
}

/// Whether a component imports files of an app that is published as a package. Its shape may come from there.
fn extends_published_app(code: &CodeTree) -> bool {
    let is_app = |name: &str| name.starts_with(APPS) && !NO_APPS.contains(&name);
    let packages = code.packages();
    packages
        .iter()
        .any(|package| is_app(package.request.name()))
}

fn linker(texts: &BTreeMap<String, String>) -> Result<Linker<MemoryFiles>, EngineError> {
    let invalid = |error: FileError| EngineError::Invalid(format!("texts: {error}"));
    let files = MemoryFiles::new(texts).map_err(invalid)?;
    // The size of a request is limited.
    let limits = Limits {
        files: texts.len(),
        bytes: usize::MAX,
    };
    let options = LinkOptions {
        limits,
        manifests: true,
        ..LinkOptions::default()
    };
    Ok(Linker::new(files, options))
}

/// The code of the component at `path`, or its errors.
async fn link(linker: &Linker<MemoryFiles>, path: &str) -> Result<CodeTree, Vec<CodeError>> {
    let tree = linker.link(&Location::new(path)).await;
    // Linking takes a while. Other requests run in between.
    tokio::task::yield_now().await;
    tree.map_err(|errors| {
        let errors = errors.into_iter();
        errors.map(|error| error.relative_to(path)).collect()
    })
}

/// The folder of the app that a file of the tree belongs to.
fn app_folder(path: &str) -> Option<&str> {
    let mut folders = path.split('/').zip(path.split('/').skip(1));
    let (app, _) = folders.find(|(_, below)| matches!(*below, "sources" | "actions"))?;
    Some(app)
}

fn one_error(message: impl Into<String>) -> Vec<CodeError> {
    vec![CodeError::without_position(message)]
}
