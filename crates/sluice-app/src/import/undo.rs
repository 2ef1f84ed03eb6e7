//! Undoing an import.

use std::collections::BTreeMap;

use sluice_engine::EngineError;
use sluice_model::ImportId;
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    components,
    imported_files::{self, ImportedFile, RegisteredVersion},
    imports::{self, Import, ImportChange},
    registry::{self, Publication, Shelf},
};

use super::{inspection::app_folder, key_rule::KeyRule, service::Imports};
use crate::audit::{Actor, Change, Target};

/// Changes that are undone in one transaction. Others run in between.
const UNDONE_AT_ONCE: u32 = 100;

/// The versions that an undo changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Undone {
    /// Versions that the import had added.
    pub removed: usize,
    /// Versions that the import had replaced or removed.
    pub restored: usize,
    /// Versions that were changed since. They stay as they are.
    pub kept: usize,
}

impl Imports {
    /// Undoes the last import of a tree. Sources and workflows that use its components keep running. A crash leaves the rest to
    /// be undone again.
    pub async fn undo(&self, actor: &Actor, id: ImportId) -> Result<Undone, EngineError> {
        let wanted = id.clone();
        let found = self.infra.store.read(move |c| {
            let Some(import) = imports::get(c, &wanted)? else {
                return Ok(None);
            };
            let last = imports::last_of_tree(c, &import.tree)?;
            Ok(Some((last.is_some_and(|last| last.id == wanted), import)))
        });
        let Some((is_last, import)) = found.await? else {
            return Err(EngineError::NotFound("import"));
        };
        if !is_last {
            return Err(EngineError::Conflict(format!(
                "{id} is not the last import of {}",
                import.tree
            )));
        }
        let target = Target::new(TargetKind::Import, &id, &import.tree);
        let change = Change::new(&self.infra, actor, Action::RegistryUndoImport, target);
        let mut unrecorded = Some(change);
        let mut undone = Undone::default();
        while let Some(more) = self.undo_some(&import, unrecorded.take()).await? {
            undone.removed += more.removed;
            undone.restored += more.restored;
            undone.kept += more.kept;
        }
        Ok(undone)
    }

    /// Undoes a part of the changes, and records the undo if it is the first. `None` if there are no more.
    async fn undo_some(
        &self,
        import: &Import,
        first: Option<Change>,
    ) -> Result<Option<Undone>, EngineError> {
        let (import, now) = (import.clone(), self.infra.now_ms());
        let undone = self.infra.store.write(move |c| {
            first.map_or(Ok(()), |change| change.record(c))?;
            let changes = imports::take_changes(c, &import.id, UNDONE_AT_ONCE)?;
            if changes.is_empty() {
                imports::remove(c, &import.id)?;
                return Ok(None);
            }
            let mut undone = Undone::default();
            for change in &changes {
                undo_change(c, &import, change, now, &mut undone)?;
            }
            Ok(Some(undone))
        });
        Ok(undone.await?)
    }
}

fn undo_change(
    c: &mut dyn Conn,
    import: &Import,
    change: &ImportChange,
    now: i64,
    undone: &mut Undone,
) -> Result<(), StoreError> {
    let before = publication_before(c, change, now)?;
    if !registry::revert(c, change, before.as_ref())? {
        undone.kept += 1;
        return Ok(());
    }
    match before {
        Some(_) => undone.restored += 1,
        None => undone.removed += 1,
    }
    record_file(c, import, change)
}

/// The registry entry of the component that the import replaced or removed.
fn publication_before(
    c: &mut dyn Conn,
    change: &ImportChange,
    now: i64,
) -> Result<Option<Publication>, StoreError> {
    let Some(old) = &change.old_component else {
        return Ok(None);
    };
    let Some(component) = components::get_for_run(c, old)? else {
        return Ok(None);
    };
    let publication = KeyRule::OfApp.publication(&component, app_folder(&change.path), now);
    // It was valid before.
    Ok(publication.ok())
}

/// The next import reads the file again.
fn record_file(c: &mut dyn Conn, import: &Import, change: &ImportChange) -> Result<(), StoreError> {
    let ImportChange { path, key, .. } = change;
    let Some(newest) = registry::newest(c, &Shelf::Server, key)? else {
        imported_files::forget(c, &import.tree, path)?;
        return Ok(());
    };
    let file = ImportedFile {
        tree: import.tree.clone(),
        path: path.clone(),
        files: BTreeMap::from([(path.clone(), String::new())]),
        registered: Some(RegisteredVersion {
            key: key.clone(),
            version: newest.version,
        }),
        failure: None,
    };
    imported_files::record(c, &file)
}
