//! Registers the starter set as a tree of its own.
//!
//! The hash of the registered set is kept apart from its components, so that one that the operator unpublishes stays away
//! until the set changes.

use std::collections::{BTreeMap, BTreeSet};

use sluice_engine::EngineError;
use sluice_infra::Infra;
use sluice_model::UserId;
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    imported_files::{self, ImportedFile},
    registry::{self, Shelf},
};

use super::set::{StarterComponent, StarterSet};
use crate::{
    audit::{Actor, Change, Target},
    import::{ImportOutcome, ImportedComponent, Imports, KeyRule, Part, link_texts},
};

const TREE: &str = "sluice";
/// The tree whose rows are about the set as a whole.
const SET_TREE: &str = "sluice set";
const SET_PATH: &str = "starter";
/// The row of the node that registers a set.
const CLAIM_PATH: &str = "claim";
/// After this time another node takes over.
const CLAIM_MS: i64 = 2 * 60 * 1000;
/// More rows than a set has.
const MAX_ROWS: u32 = 1_000;

/// The state of a set before its registration.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Claim {
    /// It is registered.
    Registered,
    /// Another node registers it.
    Elsewhere,
    /// This node registers it.
    Here,
}

/// Claims the registration for this node. Two nodes may claim it in the same moment: then both do the same.
pub(super) async fn claim(infra: &Infra, set: &StarterSet) -> Result<Claim, EngineError> {
    let (hash, now) = (set.hash(), infra.now_ms());
    // A claim of a node that is gone is left over.
    let is_alone = infra.cluster.is_alone();
    let claimed = infra.store.write(move |c| {
        if value(c, SET_PATH)?.as_ref() == Some(&hash) {
            return Ok(Claim::Registered);
        }
        let until = value(c, CLAIM_PATH)?.and_then(|until| until.parse::<i64>().ok());
        // A clock that was set back must not extend a claim.
        if !is_alone && until.is_some_and(|until| until > now && until <= now + CLAIM_MS) {
            return Ok(Claim::Elsewhere);
        }
        record(c, CLAIM_PATH, &(now + CLAIM_MS).to_string())?;
        Ok(Claim::Here)
    });
    Ok(claimed.await?)
}

/// Gives up the claim of this node.
pub(super) async fn release(infra: &Infra) -> Result<(), EngineError> {
    let released = infra.store.write(|c| record(c, CLAIM_PATH, "0"));
    Ok(released.await?)
}

/// Registers a set. Returns the number of its components.
pub(super) async fn register(
    infra: &Infra,
    imports: &Imports,
    set: &StarterSet,
) -> Result<usize, EngineError> {
    let hash = set.hash();
    let all = set.components();
    let paths: BTreeSet<String> = all.iter().map(|one| one.path.clone()).collect();
    let (free, left) = infra.store.read(move |c| sort_out(c, all)).await?;
    let linked = link_texts(&set.texts, free.into_iter().map(|one| one.path)).await;
    let linked = linked.map_err(|error| EngineError::Internal(error.to_string()))?;
    let part = Part {
        tree: TREE.to_owned(),
        import: None,
        left: left.into(),
    };
    let user = UserId::server();
    let results = imports
        .register(&user, part, linked, KeyRule::Plain)
        .await?;
    let count = results.len();
    check(results)?;
    let target = Target::new(TargetKind::Registry, "", TREE);
    let change = Change::new(infra, &Actor::server(), Action::RegistryStarterSet, target);
    let change = change.with("components", count);
    infra
        .store
        .write(move |c| {
            remove_left(c, &paths)?;
            record(c, CLAIM_PATH, "0")?;
            record(c, SET_PATH, &hash)?;
            change.record(c)
        })
        .await?;
    Ok(count)
}

/// A value that is kept beside the components.
fn value(c: &mut dyn Conn, path: &str) -> Result<Option<String>, StoreError> {
    let rows = imported_files::list(c, SET_TREE, "", MAX_ROWS)?;
    let row = rows.into_iter().find(|row| row.path == path);
    Ok(row.and_then(|mut row| row.files.remove(path)))
}

fn record(c: &mut dyn Conn, path: &str, value: &str) -> Result<(), StoreError> {
    let row = ImportedFile {
        tree: SET_TREE.to_owned(),
        path: path.to_owned(),
        files: BTreeMap::from([(path.to_owned(), value.to_owned())]),
        registered: None,
        failure: None,
    };
    imported_files::record(c, &row)
}

/// The components whose keys are free, and the paths that are no longer in the set. A key that the operator has published a
/// component under stays theirs.
fn sort_out(
    c: &mut dyn Conn,
    all: Vec<StarterComponent>,
) -> Result<(Vec<StarterComponent>, Vec<String>), StoreError> {
    let known = imported_files::list(c, TREE, "", MAX_ROWS)?;
    let is_left = |row: &&ImportedFile| !all.iter().any(|one| one.path == row.path);
    let left = known.iter().filter(is_left).map(|row| row.path.clone());
    let left = left.collect();
    let mut free = Vec::with_capacity(all.len());
    for component in all {
        let key = &component.key;
        let is_taken = imported_files::path_of_key(c, TREE, key)?.is_none()
            && registry::newest(c, &Shelf::Server, key)?.is_some();
        if is_taken {
            tracing::info!(key, "starter component left out: its key is in use");
        } else {
            free.push(component);
        }
    }
    Ok((free, left))
}

/// An error if a component cannot be registered, for example because the machine is too busy to load it.
fn check(results: Vec<ImportedComponent>) -> Result<(), EngineError> {
    for ImportedComponent { path, outcome, .. } in results {
        if let ImportOutcome::Failed(failure) = outcome {
            let errors = failure.errors.iter().map(|error| error.located(&path));
            let errors: Vec<String> = errors.collect();
            return Err(EngineError::Internal(errors.join("; ")));
        }
    }
    Ok(())
}

/// Unpublishes components that are no longer in the set. Their sources keep running.
fn remove_left(c: &mut dyn Conn, paths: &BTreeSet<String>) -> Result<(), StoreError> {
    for row in imported_files::list(c, TREE, "", MAX_ROWS)? {
        if paths.contains(&row.path) {
            continue;
        }
        if let Some(registered) = &row.registered {
            registry::unpublish(c, &Shelf::Server, &registered.key)?;
        }
        imported_files::forget(c, TREE, &row.path)?;
    }
    Ok(())
}
