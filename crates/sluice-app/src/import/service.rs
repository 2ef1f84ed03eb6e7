//! Importing a tree of components into the registry. Each component is inspected without its packages, and valid ones are
//! registered with their app. The tree is authoritative for its components: code of the same version may change.

use std::sync::Arc;

use sluice_engine::{EngineError, process::credentials::Credentials};
use sluice_infra::Infra;
use sluice_model::{CodeError, ComponentShape, UserId};
use sluice_runtime::{LoadError, Processes, SurveyModule};
use sluice_store::{
    components::{Component, Packages},
    imports::{self, Import},
    registry::Shelf,
};

use super::{
    app_fields::AppFields,
    register::{Candidate, Registration, ValidComponent},
    tree::{ImportOutcome, ImportedComponent, TreeCode, TreePart},
};
use crate::{
    components::{CodeInput, Components, PreparedCode, publication},
    listing::Listing,
};

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
        let TreePart {
            tree,
            components,
            left,
        } = part;
        let mut places = Vec::with_capacity(components.len());
        let mut codes = Vec::with_capacity(components.len());
        for ImportedComponent { path, code, files } in components {
            codes.push(self.prepare(code).await?);
            places.push((path, files));
        }
        let shapes = self.survey(&codes).await?;
        let mut fields = AppFields::default();
        let mut candidates = Vec::with_capacity(places.len());
        for (((path, files), code), shape) in places.into_iter().zip(codes).zip(shapes) {
            let result = match (code, shape) {
                (Ok(code), Some(Ok(shape))) => {
                    fields.add(&shape, code.module.auth_fields().clone());
                    self.validate(user, app_folder(&path), code, shape)
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

    /// The code to inspect, or its errors.
    async fn prepare(
        &self,
        code: TreeCode,
    ) -> Result<Result<PreparedCode, Vec<CodeError>>, EngineError> {
        let code = match code {
            TreeCode::Module(code) => Some(code),
            TreeCode::Broken(errors) => return Ok(Err(errors)),
        };
        let input = CodeInput { code, url: None };
        let prepared = self.components.prepare(input).await;
        // Preparing takes a while. Other requests run in between.
        tokio::task::yield_now().await;
        match prepared {
            Ok(prepared) => Ok(Ok(prepared)),
            Err(EngineError::InvalidCode(errors)) => Ok(Err(errors)),
            Err(EngineError::Invalid(reason)) => Ok(Err(one_error(reason))),
            Err(error) => Err(error),
        }
    }

    /// The shapes of the components with code; `None` for the others.
    async fn survey(
        &self,
        codes: &[Result<PreparedCode, Vec<CodeError>>],
    ) -> Result<Vec<Option<Result<ComponentShape, Vec<CodeError>>>>, EngineError> {
        let modules = codes.iter().flatten().map(|code| SurveyModule {
            module: code.module.clone(),
            lines: code.lines(),
        });
        let surveyed = self.processes.survey(modules.collect()).await;
        let mut surveyed = surveyed.into_iter();
        codes
            .iter()
            .map(
                |code| match (code, code.is_ok().then(|| surveyed.next()).flatten()) {
                    (Ok(_), Some(Ok(shape))) => Ok(Some(Ok(shape))),
                    (Ok(_), Some(Err(LoadError::Code(errors)))) => Ok(Some(Err(errors))),
                    (Ok(_), Some(Err(error))) => Err(error.into()),
                    _ => Ok(None),
                },
            )
            .collect()
    }

    /// A component that can be registered, or its errors.
    fn validate(
        &self,
        user: &UserId,
        folder: Option<&str>,
        code: PreparedCode,
        shape: ComponentShape,
    ) -> Result<ValidComponent, Vec<CodeError>> {
        let now = self.infra.now_ms();
        let component = Component {
            imported: true,
            ..self
                .components
                .new_component(user, code, shape, Packages::Unresolved)
        };
        let publication = publication(Shelf::Server, &component, folder, now)
            .map_err(|error| one_error(error.to_string()))?;
        Ok(ValidComponent {
            component,
            publication,
        })
    }
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
