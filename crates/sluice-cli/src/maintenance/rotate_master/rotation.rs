//! Replacing the master key of a database.
//!
//! The new key is in a file before the database needs it, and the old one stays until the database does not. So a process that
//! is killed at any point leaves a key that opens the database.

use anyhow::{Context, anyhow, bail};
use sluice_infra::Ids;
use sluice_store::{
    FoundKey, KeyFile, Location, MasterKey, RotationLock,
    audit::Action,
    data_key, nodes,
    transfer::{snapshot, update},
};

use crate::maintenance::MachineChange;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// `servers` are the names of those that run.
    Rotated { servers: Vec<String> },
    /// The database has the new key already.
    Unchanged,
}

/// Replaces the key in a file. Without a new one it is generated.
pub(super) fn of_file(
    location: &Location,
    file: &KeyFile,
    new: Option<MasterKey>,
    ids: &Ids,
) -> anyhow::Result<Outcome> {
    let path = file.path().display();
    if file.load()?.is_none() && file.load_pending()?.is_none() {
        bail!(
            "there is no master key at {path}: run the command on the machine of the server, with its --data-dir, or set \
             SLUICE_MASTER_KEY"
        );
    }
    let lock = file.lock()?;
    let old = current(location, file, &lock)?;
    let new = new.unwrap_or_else(|| MasterKey::generate(&mut ids.rng()));
    if new == old {
        return Ok(Outcome::Unchanged);
    }
    file.write_pending(&new, &lock)?;
    let outcome = reseal(location, &old, &new, ids)?;
    file.publish_pending(&lock)?;
    Ok(outcome)
}

/// Replaces a key that servers have from their settings.
pub(super) fn of_settings(
    location: &Location,
    old: &MasterKey,
    new: &MasterKey,
    ids: &Ids,
) -> anyhow::Result<Outcome> {
    let sealed = sealed(location)?;
    if new.open(&sealed).is_ok() {
        return Ok(Outcome::Unchanged);
    }
    if old.open(&sealed).is_err() {
        return Err(wrong_key("SLUICE_MASTER_KEY"));
    }
    reseal(location, old, new, ids)
}

/// The key that the database uses. A rotation that was interrupted is finished.
fn current(location: &Location, file: &KeyFile, lock: &RotationLock) -> anyhow::Result<MasterKey> {
    let sealed = sealed(location)?;
    match file.find(&sealed)? {
        Some(FoundKey::Current(key)) => Ok(key),
        Some(FoundKey::Pending(key)) => {
            file.publish_pending(lock)?;
            Ok(key)
        }
        None => Err(wrong_key(&file.path().display().to_string())),
    }
}

fn wrong_key(origin: &str) -> anyhow::Error {
    anyhow!(
        "the master key from {origin} is not the one of this database. Nothing was changed: give the current key"
    )
}

fn sealed(location: &Location) -> anyhow::Result<String> {
    let sealed = snapshot(location, |c| -> anyhow::Result<_> {
        sluice_store::transfer::schema_version(c)?;
        Ok(data_key::sealed(c)?)
    })?;
    sealed.context("no server has used this database yet: start one first")
}

/// One transaction, in which only the data key changes.
pub(super) fn reseal(
    location: &Location,
    old: &MasterKey,
    new: &MasterKey,
    ids: &Ids,
) -> anyhow::Result<Outcome> {
    let resealed = update(location, |c| -> anyhow::Result<Outcome> {
        let before = data_key::sealed(c)?.context("the data key is missing")?;
        let after = old.reseal(&before, new, &mut ids.rng());
        let is_replaced = match after {
            Ok(after) => data_key::replace(c, &before, &after)?,
            Err(_) => false,
        };
        if !is_replaced {
            bail!("another rotation was faster");
        }
        MachineChange::of_server(Action::ServerRotateMasterKey).record(c)?;
        let running = nodes::list(c)?.into_iter().filter(nodes::Node::is_alive);
        Ok(Outcome::Rotated {
            servers: running.map(|node| node.name).collect(),
        })
    });
    resealed.context("the master key may not be rotated: run the command again")
}

#[cfg(test)]
mod tests;
