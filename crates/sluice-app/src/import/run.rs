//! An import or a check of a whole tree.

use std::{
    collections::HashSet,
    io::{self, Read},
    path::Path,
    pin::pin,
    sync::Arc,
};

use futures_util::StreamExt as _;
use sluice_engine::EngineError;
use sluice_model::{ComponentFailure, FailureReason, ImportId, UserId};
use sluice_store::{
    Store,
    audit::{Action, TargetKind},
    imported_files::{self, ImportedFile},
    imports::{self, Import},
    registry::{self, ChangeLog},
};
use tokio::sync::mpsc;

use super::{
    archive,
    archive_files::{ArchiveFiles, ArchiveWriter},
    batches::read_in_batches,
    check::Check,
    checkout::Checkout,
    key_rule::KeyRule,
    plan::Plan,
    register::Part,
    service::Imports,
    tree::{ImportOutcome, ImportProgress, ImportedComponent, RemovedFile},
};

use crate::audit::{Actor, Change, Target};

/// How many files of earlier imports are read at a time.
const PAGE: u32 = 1000;
/// How much of an archive is read after its end.
const MAX_DRAINED: u64 = 64 << 20;
/// How many batches are inspected at a time. While the last components of one are read, the next one uses the other cores.
const CONCURRENT_INSPECTIONS: usize = 2;

/// A tree that is to be imported or checked.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The name of the tree.
    pub tree: String,
    /// The names of the apps to import. Empty for all.
    pub apps: Vec<String>,
    pub mode: ImportMode,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportMode {
    Import {
        /// Whether components that are no longer in the tree are removed from the registry.
        prune: bool,
    },
    Check {
        /// Whether components are loaded with their packages.
        load: bool,
    },
}

/// An unpacked tree.
pub struct UnpackedTree {
    checkout: Arc<Checkout<ArchiveFiles>>,
}

impl Imports {
    /// Unpacks an archive with a tree.
    pub async fn unpack(
        &self,
        archive: impl Read + Send + 'static,
        apps: Vec<String>,
    ) -> Result<UnpackedTree, EngineError> {
        let settings = Arc::clone(&self.infra.settings);
        let unpacked =
            tokio::task::spawn_blocking(move || unpack(archive, &settings.data_dir, &apps));
        let unpacked = unpacked.await;
        unpacked.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))
    }

    /// Imports or checks a tree. It stops when the receiver of the progress is gone.
    pub async fn run(
        &self,
        actor: &Actor,
        request: ImportRequest,
        tree: UnpackedTree,
        progress: mpsc::Sender<ImportProgress>,
    ) -> Result<(), EngineError> {
        let run = Run {
            imports: self,
            actor,
            user: &actor.user_id,
            tree: request.tree,
            checkout: tree.checkout,
            progress,
        };
        let done = match request.mode {
            ImportMode::Import { prune } => run.import(prune).await,
            ImportMode::Check { load } => run.check(load).await,
        };
        match done {
            Ok(()) | Err(RunError::Abandoned) => Ok(()),
            Err(RunError::Failed(error)) => Err(error),
        }
    }
}

fn unpack(
    mut archive: impl Read,
    folder: &Path,
    apps: &[String],
) -> Result<UnpackedTree, EngineError> {
    let internal = |error: io::Error| EngineError::Internal(error.to_string());
    let writer = ArchiveWriter::create(folder).map_err(internal)?;
    let unpacked = archive::unpack(&mut archive, writer);
    // A client that is still sending would not see the response. The error of a broken archive is known already.
    let _ = io::copy(&mut archive.take(MAX_DRAINED), &mut io::sink());
    let files = unpacked.map_err(|error| EngineError::BadRequest(error.to_string()))?;
    let checkout = Checkout::in_archive(files, apps)
        .map_err(|error| EngineError::BadRequest(error.to_string()))?;
    Ok(UnpackedTree {
        checkout: Arc::new(checkout),
    })
}

/// Why a run ended early.
enum RunError {
    /// The receiver of the progress is gone.
    Abandoned,
    Failed(EngineError),
}

impl<E: Into<EngineError>> From<E> for RunError {
    fn from(error: E) -> RunError {
        RunError::Failed(error.into())
    }
}

struct Run<'a> {
    imports: &'a Imports,
    actor: &'a Actor,
    user: &'a UserId,
    tree: String,
    checkout: Arc<Checkout<ArchiveFiles>>,
    progress: mpsc::Sender<ImportProgress>,
}

impl Run<'_> {
    async fn import(&self, prune: bool) -> Result<(), RunError> {
        let earlier = files_of_tree(self.store(), &self.tree).await?;
        let plan = self.plan(earlier).await?;
        let Plan {
            changed,
            unchanged,
            skipped,
            removed,
        } = plan;
        let needs_import = !changed.is_empty() || (prune && !removed.is_empty());
        let import = if needs_import {
            Some(self.begin().await?)
        } else {
            None
        };
        self.tell(ImportProgress::Begun {
            import: import.clone(),
            total: changed.len() + unchanged.len(),
            skipped,
        })
        .await?;
        let mut keys = HashSet::new();
        let unchanged: Vec<_> = unchanged.into_iter().map(unchanged_result).collect();
        self.tell_components(unchanged, &mut keys).await?;
        let left: Arc<[String]> = removed.iter().map(|file| file.path.clone()).collect();
        let batches = read_in_batches(self.checkout.files.clone(), changed);
        let inspector = &self.imports.inspector;
        let mut inspections = pin!(
            batches
                .map(|components| inspector.inspect(self.user, components, KeyRule::OfApp))
                .buffered(CONCURRENT_INSPECTIONS)
        );
        while let Some(inspection) = inspections.next().await {
            let part = Part {
                tree: self.tree.clone(),
                import: import.clone(),
                left: Arc::clone(&left),
            };
            let results = self.imports.register_inspected(part, inspection?).await?;
            self.tell_components(results, &mut keys).await?;
        }
        let removed = self
            .remove(removed, &keys, import.as_ref().filter(|_| prune))
            .await?;
        if let Some(import) = &import {
            self.imports.finish(import, &self.tree).await?;
        }
        self.tell(ImportProgress::Removed(removed)).await
    }

    async fn check(&self, load: bool) -> Result<(), RunError> {
        let Plan {
            changed, skipped, ..
        } = self.plan(Vec::new()).await?;
        self.tell(ImportProgress::Begun {
            import: None,
            total: changed.len(),
            skipped,
        })
        .await?;
        let mut check = Check::new(&self.imports.inspector, self.user, load);
        let mut batches = read_in_batches(self.checkout.files.clone(), changed);
        while let Some(components) = batches.next().await {
            let results = check.part(components).await?;
            self.tell(ImportProgress::Components(results)).await?;
        }
        let apps = check.apps().await?;
        self.tell(ImportProgress::Apps(apps)).await
    }

    async fn plan(&self, earlier: Vec<ImportedFile>) -> Result<Plan, EngineError> {
        let checkout = Arc::clone(&self.checkout);
        let plan = tokio::task::spawn_blocking(move || Plan::new(&checkout, earlier)).await;
        let plan = plan.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()));
        plan.map_err(|error| EngineError::Internal(format!("cannot read the tree: {error}")))
    }

    /// Starts an import that can be undone. It is recorded here, because its parts become visible one after the other.
    async fn begin(&self) -> Result<ImportId, EngineError> {
        let import = Import {
            id: ImportId::random(&mut self.imports.infra.ids.rng()),
            tree: self.tree.clone(),
            user_id: self.user.clone(),
            created_at: self.imports.infra.now_ms(),
        };
        let id = import.id.clone();
        let target = Target::new(TargetKind::Import, &id, &self.tree);
        let infra = &self.imports.infra;
        let change = Change::new(infra, self.actor, Action::RegistryImport, target);
        let begun = self.store().write(move |c| {
            imports::insert(c, &import)?;
            change.record(c)
        });
        begun.await?;
        Ok(id)
    }

    /// The files that left the tree, except for components that moved. With an import, they are removed from the registry.
    async fn remove(
        &self,
        removed: Vec<ImportedFile>,
        keys: &HashSet<String>,
        import: Option<&ImportId>,
    ) -> Result<Vec<RemovedFile>, EngineError> {
        let mut gone = Vec::new();
        for file in removed {
            let key = file.registered.map(|registered| registered.key);
            if key.as_ref().is_some_and(|key| keys.contains(key)) {
                continue;
            }
            if let Some(import) = import {
                self.prune(import, &file.path, key.clone()).await?;
            }
            gone.push(RemovedFile {
                path: file.path,
                key,
                pruned: import.is_some(),
            });
        }
        Ok(gone)
    }

    async fn prune(
        &self,
        import: &ImportId,
        path: &str,
        key: Option<String>,
    ) -> Result<(), EngineError> {
        let (import, path, tree) = (import.clone(), path.to_owned(), self.tree.clone());
        let pruned = self.store().write(move |c| {
            if let Some(key) = &key {
                let log = ChangeLog {
                    import: &import,
                    path: &path,
                };
                registry::prune(c, key, log)?;
            }
            imported_files::forget(c, &tree, &path)?;
            Ok(())
        });
        Ok(pruned.await?)
    }

    async fn tell_components(
        &self,
        results: Vec<ImportedComponent>,
        keys: &mut HashSet<String>,
    ) -> Result<(), RunError> {
        let registered = results.iter().filter_map(|one| one.outcome.registered());
        keys.extend(registered.map(|(key, _)| key.to_owned()));
        if results.is_empty() {
            return Ok(());
        }
        self.tell(ImportProgress::Components(results)).await
    }

    async fn tell(&self, progress: ImportProgress) -> Result<(), RunError> {
        let sent = self.progress.send(progress).await;
        sent.map_err(|_| RunError::Abandoned)
    }

    fn store(&self) -> &Store {
        &self.imports.infra.store
    }
}

/// A component whose files have not changed. A broken one is still broken.
fn unchanged_result(file: ImportedFile) -> ImportedComponent {
    let ImportedFile {
        path,
        registered,
        failure,
        ..
    } = file;
    let outcome = match (failure, registered) {
        (Some(failure), _) => ImportOutcome::Failed(failure),
        (None, Some(registered)) => ImportOutcome::Unchanged {
            key: registered.key,
            version: registered.version,
        },
        (None, None) => ImportOutcome::Failed(ComponentFailure::message(
            FailureReason::Definition,
            "it was not registered",
        )),
    };
    ImportedComponent {
        path,
        outcome,
        details: None,
    }
}

/// The files of a tree as last imported.
async fn files_of_tree(store: &Store, tree: &str) -> Result<Vec<ImportedFile>, EngineError> {
    let mut files: Vec<ImportedFile> = Vec::new();
    loop {
        let after = files.last().map(|file| file.path.clone());
        let (tree, after) = (tree.to_owned(), after.unwrap_or_default());
        let page = store.read(move |c| imported_files::list(c, &tree, &after, PAGE));
        let page = page.await?;
        let is_last = page.len() < PAGE as usize;
        files.extend(page);
        if is_last {
            return Ok(files);
        }
    }
}
