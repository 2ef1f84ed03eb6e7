//! The transaction that registers a part of a tree.

use std::{
    collections::{BTreeMap, HashSet},
    sync::Arc,
};

use sluice_infra::Ids;
use sluice_model::{ComponentFailure, FailureReason, ImportId};
use sluice_store::{
    Conn, StoreError,
    imported_files::{self, ImportedFile, RegisteredVersion},
    registry::{self, ChangeLog, Publication},
};

use super::{
    inspection::{Candidate, Inspection, ValidComponent},
    tree::{ImportOutcome, ImportedComponent},
};

/// The place of a part in its tree.
pub(crate) struct Part {
    /// The name of the tree.
    pub(crate) tree: String,
    /// The import that records the changes, if they can be undone.
    pub(crate) import: Option<ImportId>,
    /// Paths that are no longer in the tree. Their keys become available to other files.
    pub(crate) left: Arc<[String]>,
}

/// The inspected components of a part, to be registered.
pub(super) struct Registration {
    pub(super) part: Part,
    pub(super) inspection: Inspection,
    pub(super) ids: Ids,
    pub(super) now: i64,
}

impl Registration {
    /// Returns the result of each component, and whether an app has changed.
    pub(super) fn write(
        self,
        c: &mut dyn Conn,
    ) -> Result<(Vec<ImportedComponent>, bool), StoreError> {
        let Registration {
            part: Part { tree, import, left },
            inspection: Inspection { candidates, fields },
            ids,
            now,
        } = self;
        let mut results = Vec::with_capacity(candidates.len());
        let mut new_apps = false;
        let mut done = HashSet::new();
        for candidate in candidates {
            let Candidate {
                path,
                files,
                result,
            } = candidate;
            let outcome = match free_key(c, &tree, &left, &path, result)? {
                Ok(valid) => {
                    for app in valid.apps() {
                        if done.insert(app.to_owned()) {
                            new_apps |= fields.register(c, app, &ids, now)?;
                        }
                    }
                    let import = import.as_ref();
                    let log = import.map(|import| ChangeLog {
                        import,
                        path: &path,
                    });
                    register(c, valid, log)?
                }
                Err(failure) => ImportOutcome::Failed(failure),
            };
            record(c, &tree, &path, files, &outcome)?;
            results.push(ImportedComponent {
                path,
                outcome,
                details: None,
            });
        }
        Ok((results, new_apps))
    }
}

/// The component if no other file of the tree has its key. A file that left the tree gives its key up.
fn free_key(
    c: &mut dyn Conn,
    tree: &str,
    left: &[String],
    path: &str,
    result: Result<ValidComponent, ComponentFailure>,
) -> Result<Result<ValidComponent, ComponentFailure>, StoreError> {
    let valid = match result {
        Ok(valid) => valid,
        Err(failure) => return Ok(Err(failure)),
    };
    let key = &valid.publication.key;
    let owner = imported_files::path_of_key(c, tree, key)?;
    let Some(other) = owner.filter(|owner| owner != path) else {
        return Ok(Ok(valid));
    };
    if left.contains(&other) {
        imported_files::forget(c, tree, &other)?;
        return Ok(Ok(valid));
    }
    Ok(Err(key_taken(&other, key)))
}

pub(super) fn key_taken(other: &str, key: &str) -> ComponentFailure {
    let message = format!("{other} has the key {key} already");
    ComponentFailure::message(FailureReason::Key, message)
}

fn register(
    c: &mut dyn Conn,
    valid: ValidComponent,
    log: Option<ChangeLog<'_>>,
) -> Result<ImportOutcome, StoreError> {
    let ValidComponent {
        component,
        publication,
        ..
    } = valid;
    let registration = registry::register(c, &component, &publication, log)?;
    Ok(outcome(registration, publication))
}

pub(super) fn outcome(
    registration: registry::Registration,
    publication: Publication,
) -> ImportOutcome {
    let Publication { key, version, .. } = publication;
    match registration {
        registry::Registration::New => ImportOutcome::Registered { key, version },
        registry::Registration::Updated => ImportOutcome::Updated { key, version },
        registry::Registration::Unchanged => ImportOutcome::Unchanged { key, version },
    }
}

fn record(
    c: &mut dyn Conn,
    tree: &str,
    path: &str,
    files: BTreeMap<String, String>,
    outcome: &ImportOutcome,
) -> Result<(), StoreError> {
    let registered = outcome.registered();
    let failure = match outcome {
        ImportOutcome::Failed(failure) => Some(failure.clone()),
        _ => None,
    };
    let file = ImportedFile {
        tree: tree.to_owned(),
        path: path.to_owned(),
        files,
        registered: registered.map(|(key, version)| RegisteredVersion {
            key: key.to_owned(),
            version: version.to_owned(),
        }),
        failure,
    };
    imported_files::record(c, &file)
}
