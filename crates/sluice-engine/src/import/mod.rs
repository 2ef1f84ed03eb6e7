//! Importing a tree of components into the registry: each is looked at without its packages, and what is sound is registered
//! with its app. A tree is the truth for what came from it, so that code of the same version may change.

mod apps;
mod registering;

use std::collections::BTreeMap;

use sluice_code::CodeError;
use sluice_model::{ComponentShape, UserId};
use sluice_runtime::{LoadError, SurveyModule};
use sluice_store::{
    components::{Component, Packages},
    imports::{self, Import},
    registry::Shelf,
};

use self::{
    apps::FieldsOfApps,
    registering::{Candidate, Registering},
};
use crate::{
    Engine, Listing,
    code::{self, PreparedCode},
    components::{CodeInput, publication},
    error::EngineError,
};

/// A component of a tree.
pub struct ImportedComponent {
    pub path: String,
    pub code: CodeOfTree,
    /// The hash of each file that it was made of, by path; empty for one that was looked for in vain.
    pub files: BTreeMap<String, String>,
}

/// What the files of a component make.
pub enum CodeOfTree {
    Module(String),
    /// Nothing, for this reason.
    Broken(String),
}

/// What came of a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Imported {
    Registered { key: String, version: String },
    Updated { key: String, version: String },
    Unchanged { key: String, version: String },
    Failed { reason: String },
}

/// Part of a tree.
pub struct TreePart {
    /// What the tree is called.
    pub tree: String,
    pub components: Vec<ImportedComponent>,
    /// Paths that are no more in the tree.
    pub left: Vec<String>,
}

impl Engine {
    /// Registers what is sound, and remembers of every component what it was made of and what came of it. In their order.
    pub async fn import_components(
        &self,
        user: &UserId,
        part: TreePart,
    ) -> Result<Vec<(String, Imported)>, EngineError> {
        let TreePart {
            tree,
            components,
            left,
        } = part;
        let mut places = Vec::with_capacity(components.len());
        let mut codes = Vec::with_capacity(components.len());
        for ImportedComponent { path, code, files } in components {
            codes.push(self.prepare_code_of_tree(code).await?);
            places.push((path, files));
        }
        let shapes = self.look_at(&codes).await?;
        let mut fields = FieldsOfApps::default();
        let mut candidates = Vec::with_capacity(places.len());
        for (((path, files), code), shape) in places.into_iter().zip(codes).zip(shapes) {
            let found = match (code, shape) {
                (Ok(code), Some(Ok(shape))) => {
                    fields.add(&shape, code.module.auth_fields().clone());
                    self.sound(user, app_folder(&path), code, shape)
                }
                (Ok(_), Some(Err(reason))) | (Err(reason), _) => Err(reason),
                (Ok(_), None) => Err("it was not looked at".to_owned()),
            };
            candidates.push(Candidate { path, files, found });
        }
        let registering = Registering {
            tree,
            left,
            candidates,
            fields,
            now: self.context.infra.clock.now_ms(),
        };
        let written = self
            .context
            .infra
            .store
            .write(move |c| registering.write(c));
        let (outcomes, new_apps) = written.await?;
        if new_apps {
            self.context.accounts.forget_all();
        }
        Ok(outcomes)
    }

    /// What the last imports of a tree found, by path, from behind `after`.
    pub async fn imported_files(
        &self,
        tree: String,
        after: String,
        limit: u32,
    ) -> Result<Listing<Import>, EngineError> {
        let listing = self.context.infra.store.read(move |c| {
            let total = imports::count(c, &tree)?;
            let rows = imports::list(c, &tree, &after, limit)?;
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }

    /// Code that can be looked at, or why it cannot.
    async fn prepare_code_of_tree(
        &self,
        code: CodeOfTree,
    ) -> Result<Result<PreparedCode, String>, EngineError> {
        let code = match code {
            CodeOfTree::Module(code) => Some(code),
            CodeOfTree::Broken(reason) => return Ok(Err(reason)),
        };
        let input = CodeInput { code, url: None };
        let prepared = code::prepare(input, &self.fetcher, self.settings().max_api_body).await;
        // Each takes a while, and others have requests too.
        tokio::task::yield_now().await;
        match prepared {
            Ok(prepared) => Ok(Ok(prepared)),
            Err(EngineError::InvalidCode(faults)) => Ok(Err(in_words(&faults))),
            Err(EngineError::Invalid(reason)) => Ok(Err(reason)),
            Err(error) => Err(error),
        }
    }

    /// The shapes of those that have code.
    async fn look_at(
        &self,
        codes: &[Result<PreparedCode, String>],
    ) -> Result<Vec<Option<Result<ComponentShape, String>>>, EngineError> {
        let modules = codes.iter().flatten().map(|code| SurveyModule {
            module: code.module.clone(),
            lines: code.lines(),
        });
        let surveyed = self.context.runtime.survey(modules.collect()).await;
        let mut surveyed = surveyed.into_iter();
        codes
            .iter()
            .map(
                |code| match (code, code.is_ok().then(|| surveyed.next()).flatten()) {
                    (Ok(_), Some(Ok(shape))) => Ok(Some(Ok(shape))),
                    (Ok(_), Some(Err(LoadError::Code(faults)))) => Ok(Some(Err(in_words(&faults)))),
                    (Ok(_), Some(Err(error))) => Err(error.into()),
                    _ => Ok(None),
                },
            )
            .collect()
    }

    /// A component that may stand in the registry, or why it may not.
    fn sound(
        &self,
        user: &UserId,
        folder: Option<&str>,
        code: PreparedCode,
        shape: ComponentShape,
    ) -> Result<registering::Sound, String> {
        let now = self.context.infra.clock.now_ms();
        let component = Component {
            imported: true,
            ..self.component(user, code, shape, Packages::Unresolved)
        };
        let publication = publication(Shelf::Server, &component, folder, now)
            .map_err(|error| error.to_string())?;
        Ok(registering::Sound {
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

/// All faults, each with its place.
fn in_words(faults: &[CodeError]) -> String {
    let faults: Vec<String> = faults
        .iter()
        .map(|fault| match (fault.line, fault.column) {
            (Some(line), Some(column)) => format!("{line}:{column}: {}", fault.message),
            _ => fault.message.clone(),
        })
        .collect();
    faults.join("; ")
}
