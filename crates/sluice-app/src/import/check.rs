//! Checking a tree: the results that an import would have, and whether the components load with their packages.

use std::collections::BTreeMap;

use futures_util::{StreamExt as _, stream};
use sluice_code::PackageImport;
use sluice_engine::EngineError;
use sluice_model::UserId;
use sluice_store::registry;

use super::{
    app_fields::AppFields,
    inspection::{Candidate, Inspection, Inspector, ValidComponent},
    key_rule::KeyRule,
    register::{key_taken, outcome},
    tree::{
        CheckedApp, ComponentDetails, FieldUse, ImportOutcome, ImportedComponent, LinkedComponent,
    },
};

/// How many components are loaded at the same time.
const CONCURRENCY: usize = 4;

/// A check of one tree.
pub(super) struct Check<'a> {
    inspector: &'a Inspector,
    user: &'a UserId,
    /// Whether components are loaded with their packages.
    load: bool,
    /// The files of the keys so far.
    keys: BTreeMap<String, String>,
    fields: AppFields,
}

impl<'a> Check<'a> {
    pub(super) fn new(inspector: &'a Inspector, user: &'a UserId, load: bool) -> Check<'a> {
        Check {
            inspector,
            user,
            load,
            keys: BTreeMap::new(),
            fields: AppFields::default(),
        }
    }

    pub(super) async fn part(
        &mut self,
        linked: Vec<LinkedComponent>,
    ) -> Result<Vec<ImportedComponent>, EngineError> {
        let inspecting = self.inspector.inspect(self.user, linked, KeyRule::OfApp);
        let Inspection {
            mut candidates,
            fields,
        } = inspecting.await?;
        self.fields.merge(&fields);
        for candidate in &mut candidates {
            self.claim_key(candidate);
        }
        let this = &*self;
        let checking = candidates.into_iter().map(|one| this.component(one));
        let mut checked = stream::iter(checking).buffered(CONCURRENCY);
        let mut results = Vec::new();
        while let Some(result) = checked.next().await {
            results.push(result?);
        }
        Ok(results)
    }

    /// The apps of all parts.
    pub(super) async fn apps(self) -> Result<Vec<CheckedApp>, EngineError> {
        let fields = self.fields;
        let checked = self.inspector.infra.store.read(move |c| fields.check(c));
        Ok(checked.await?)
    }

    fn claim_key(&mut self, candidate: &mut Candidate) {
        let Ok(valid) = &candidate.result else { return };
        let key = &valid.publication.key;
        if let Some(other) = self.keys.get(key) {
            candidate.result = Err(key_taken(other, key));
        } else {
            self.keys.insert(key.clone(), candidate.path.clone());
        }
    }

    async fn component(&self, candidate: Candidate) -> Result<ImportedComponent, EngineError> {
        let Candidate { path, result, .. } = candidate;
        let valid = match result {
            Ok(valid) => valid,
            Err(failure) => {
                return Ok(ImportedComponent {
                    path,
                    outcome: ImportOutcome::Failed(failure),
                    details: None,
                });
            }
        };
        let details = Some(details(&valid));
        let loaded = if self.load {
            let loading = self.inspector.load(self.user, &valid.code);
            loading.await?.err()
        } else {
            None
        };
        let outcome = match loaded {
            Some(failure) => ImportOutcome::Failed(failure),
            None => self.compare(valid).await?,
        };
        Ok(ImportedComponent {
            path,
            outcome,
            details,
        })
    }

    async fn compare(&self, valid: ValidComponent) -> Result<ImportOutcome, EngineError> {
        let ValidComponent {
            component,
            publication,
            ..
        } = valid;
        let compared = self.inspector.infra.store.read(move |c| {
            let registration = registry::compare(c, &component, &publication)?;
            Ok(outcome(registration, publication))
        });
        Ok(compared.await?)
    }
}

fn details(valid: &ValidComponent) -> ComponentDetails {
    let packages = valid.code.packages();
    let fields = AppFields::of(&valid.component.shape, valid.code.auth_fields());
    let fields = fields.iter().map(|(app, name, optional)| FieldUse {
        app: app.to_owned(),
        name: name.to_owned(),
        optional,
    });
    ComponentDetails {
        kind: valid.component.shape.kind,
        app: valid.publication.app.clone(),
        packages: packages.iter().map(package_text).collect(),
        fields: fields.collect(),
    }
}

fn package_text(package: &PackageImport) -> String {
    let request = &package.request;
    format!("{}@{}", request.name(), request.version())
}
