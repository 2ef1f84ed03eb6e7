//! The service of imports.

use std::sync::Arc;

use sluice_engine::{EngineError, process::credentials::Credentials};
use sluice_infra::Infra;
use sluice_model::{ImportId, UserId};
use sluice_runtime::Processes;
use sluice_store::imports::{self, ImportSummary};

use super::{
    inspection::{Inspection, Inspector},
    key_rule::KeyRule,
    register::{Part, Registration},
    tree::{ImportedComponent, LinkedComponent},
};
use crate::components::Components;

/// Changes of an import that are forgotten in one transaction.
const FORGOTTEN_AT_ONCE: u32 = 200;

/// Imports trees. A tree is authoritative for its components: code of the same version may change.
#[derive(Clone)]
pub struct Imports {
    pub(super) infra: Infra,
    pub(super) inspector: Inspector,
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
            inspector: Inspector {
                infra: infra.clone(),
                processes: Arc::clone(processes),
                components,
            },
            credentials,
        }
    }

    /// The imports that can be undone, newest first.
    pub async fn list(&self) -> Result<Vec<ImportSummary>, EngineError> {
        Ok(self.infra.store.read(imports::list).await?)
    }

    /// Registers valid components, and records the files and the result of each. Results are in the order of the components.
    pub(crate) async fn register(
        &self,
        user: &UserId,
        part: Part,
        components: Vec<LinkedComponent>,
        keys: KeyRule,
    ) -> Result<Vec<ImportedComponent>, EngineError> {
        let inspection = self.inspector.inspect(user, components, keys).await?;
        self.register_inspected(part, inspection).await
    }

    /// Registers components that were inspected.
    pub(super) async fn register_inspected(
        &self,
        part: Part,
        inspection: Inspection,
    ) -> Result<Vec<ImportedComponent>, EngineError> {
        let registration = Registration {
            part,
            inspection,
            ids: self.infra.ids.clone(),
            now: self.infra.now_ms(),
        };
        let written = self.infra.store.write(move |c| registration.write(c));
        let (results, new_apps) = written.await?;
        if new_apps {
            self.credentials.forget_all();
        }
        Ok(results)
    }

    /// Ends an import. If it changed something, earlier imports of the tree can no longer be undone.
    pub(super) async fn finish(&self, import: &ImportId, tree: &str) -> Result<(), EngineError> {
        let (import, tree) = (import.clone(), tree.to_owned());
        let over = self.infra.store.read(move |c| {
            let last = imports::last_of_tree(c, &tree)?;
            if last.is_some_and(|last| last.id == import) {
                imports::older(c, &tree, &import)
            } else {
                Ok(vec![import])
            }
        });
        for import in over.await? {
            self.forget(&import).await?;
        }
        Ok(())
    }

    /// Removes an import that cannot be undone any more.
    async fn forget(&self, import: &ImportId) -> Result<(), EngineError> {
        loop {
            let id = import.clone();
            let forgotten = self.infra.store.write(move |c| {
                let forgotten = imports::forget_changes(c, &id, FORGOTTEN_AT_ONCE)?;
                if forgotten == 0 {
                    imports::remove(c, &id)?;
                }
                Ok(forgotten)
            });
            if forgotten.await? == 0 {
                return Ok(());
            }
        }
    }
}
