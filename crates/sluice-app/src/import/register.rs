//! The transaction of an import.

use std::collections::{BTreeMap, HashSet};

use sluice_infra::Ids;
use sluice_model::CodeError;
use sluice_store::{
    Conn, StoreError,
    components::Component,
    imports::{self, Import, RegisteredVersion},
    registry::{self, Publication},
};

use super::{app_fields::AppFields, tree::ImportOutcome};
use crate::components::apps_of;

/// The components of a tree part, to be registered.
pub(super) struct Registration {
    pub(super) tree: String,
    pub(super) left: Vec<String>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) fields: AppFields,
    pub(super) ids: Ids,
    pub(super) now: i64,
}

/// A component of the tree.
pub(super) struct Candidate {
    pub(super) path: String,
    pub(super) files: BTreeMap<String, String>,
    pub(super) result: Result<ValidComponent, Vec<CodeError>>,
}

/// A component that can be registered.
pub(super) struct ValidComponent {
    pub(super) component: Component,
    pub(super) publication: Publication,
}

impl ValidComponent {
    /// The apps that it is for, and that its props name.
    fn apps(&self) -> impl Iterator<Item = &str> {
        let own = self.publication.app.as_deref();
        own.into_iter().chain(apps_of(&self.component.shape))
    }
}

impl Registration {
    /// Returns the outcome of each component, and whether an app has changed.
    pub(super) fn write(
        self,
        c: &mut dyn Conn,
    ) -> Result<(Vec<(String, ImportOutcome)>, bool), StoreError> {
        let Registration {
            tree,
            left,
            candidates,
            fields,
            ids,
            now,
        } = self;
        let mut outcomes = Vec::with_capacity(candidates.len());
        let mut new_apps = false;
        let mut done = HashSet::new();
        for candidate in candidates {
            let Candidate {
                path,
                files,
                result,
            } = candidate;
            let taken = match &result {
                Ok(valid) => owner_of_key(c, &tree, &left, &path, valid)?,
                Err(_) => None,
            };
            let outcome = match (result, taken) {
                (Ok(valid), None) => {
                    for app in valid.apps() {
                        if done.insert(app.to_owned()) {
                            new_apps |= fields.register(c, app, &ids, now)?;
                        }
                    }
                    register(c, valid)?
                }
                (Ok(valid), Some(other)) => {
                    let key = valid.publication.key;
                    let message = format!("{other} has the key {key} already");
                    let errors = vec![CodeError::without_position(message)];
                    ImportOutcome::Failed { errors }
                }
                (Err(errors), _) => ImportOutcome::Failed { errors },
            };
            let import = Import {
                tree: tree.clone(),
                path: path.clone(),
                files,
                registered: outcome.registered(),
                errors: outcome.errors().to_vec(),
            };
            imports::record(c, &import)?;
            outcomes.push((path, outcome));
        }
        Ok((outcomes, new_apps))
    }
}

/// Another file of the tree with the same key. A file that left the tree gives its key up.
fn owner_of_key(
    c: &mut dyn Conn,
    tree: &str,
    left: &[String],
    path: &str,
    valid: &ValidComponent,
) -> Result<Option<String>, StoreError> {
    let owner = imports::path_of_key(c, tree, &valid.publication.key)?;
    let Some(other) = owner.filter(|owner| owner != path) else {
        return Ok(None);
    };
    if left.contains(&other) {
        imports::forget(c, tree, &other)?;
        return Ok(None);
    }
    Ok(Some(other))
}

fn register(c: &mut dyn Conn, valid: ValidComponent) -> Result<ImportOutcome, StoreError> {
    let ValidComponent {
        component,
        publication,
    } = valid;
    let registration = registry::register(c, &component, &publication)?;
    let Publication { key, version, .. } = publication;
    Ok(match registration {
        registry::Registration::New => ImportOutcome::Registered { key, version },
        registry::Registration::Updated => ImportOutcome::Updated { key, version },
        registry::Registration::Unchanged => ImportOutcome::Unchanged { key, version },
    })
}

impl ImportOutcome {
    fn registered(&self) -> Option<RegisteredVersion> {
        match self {
            ImportOutcome::Registered { key, version }
            | ImportOutcome::Updated { key, version }
            | ImportOutcome::Unchanged { key, version } => Some(RegisteredVersion {
                key: key.clone(),
                version: version.clone(),
            }),
            ImportOutcome::Failed { .. } => None,
        }
    }

    fn errors(&self) -> &[CodeError] {
        match self {
            ImportOutcome::Failed { errors } => errors,
            _ => &[],
        }
    }
}
