//! Changes of the server's registry by imports. They can be undone.

use sluice_model::ComponentId;

use super::{
    Publication, Shelf, begin_change, change_log::ChangeLog, find_newest, newest, publish,
    remove_all, take_down,
};
use crate::{
    components::{self, Component, SELECT, query_component},
    conn::{Conn, query_opt},
    error::Result,
    imports::ImportChange,
    params,
};

/// The result of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Registration {
    /// The first of its key.
    New,
    /// Another version of its key, or other code of the same version.
    Updated,
    /// The same code of the same version was there.
    Unchanged,
}

/// Stores an imported component and publishes it, in place of other code of the same version.
pub fn register(
    c: &mut dyn Conn,
    component: &Component,
    publication: &Publication,
    log: Option<ChangeLog<'_>>,
) -> Result<Registration> {
    let Publication {
        shelf,
        key,
        version,
        ..
    } = publication;
    begin_change(c, shelf)?;
    let before = version_of(c, shelf, key, version)?;
    let registration = registration(c, before.as_ref(), component, publication)?;
    if registration == Registration::Unchanged {
        return Ok(registration);
    }
    if let Some(log) = log {
        let old = before.as_ref().map(|before| &before.id);
        log.record(c, (key, version), old, Some(&component.id))?;
    }
    if let Some(before) = &before {
        take_down(c, shelf, key, version, &before.id)?;
    }
    components::insert(c, component)?;
    publish(c, publication)?;
    Ok(registration)
}

/// The result that [`register`] would have.
pub fn compare(
    c: &mut dyn Conn,
    component: &Component,
    publication: &Publication,
) -> Result<Registration> {
    let before = version_of(
        c,
        &publication.shelf,
        &publication.key,
        &publication.version,
    )?;
    registration(c, before.as_ref(), component, publication)
}

fn registration(
    c: &mut dyn Conn,
    before: Option<&Component>,
    component: &Component,
    publication: &Publication,
) -> Result<Registration> {
    Ok(match before {
        Some(before) if before.code.is_same_code(&component.code) => Registration::Unchanged,
        Some(_) => Registration::Updated,
        None if newest(c, &publication.shelf, &publication.key)?.is_some() => Registration::Updated,
        None => Registration::New,
    })
}

fn version_of(
    c: &mut dyn Conn,
    shelf: &Shelf,
    key: &str,
    version: &str,
) -> Result<Option<Component>> {
    let sql = format!(
        "{SELECT} JOIN registry r ON r.component_id = c.id \
         WHERE r.shelf = ?1 AND r.key = ?2 AND r.version = ?3"
    );
    query_component(c, &sql, params![shelf, key, version])
}

/// Removes the component of an import from the server's registry, and publishes the one before it. False if the version was
/// changed since: then nothing changes.
pub fn revert(
    c: &mut dyn Conn,
    change: &ImportChange,
    before: Option<&Publication>,
) -> Result<bool> {
    let shelf = Shelf::Server;
    let ImportChange { key, version, .. } = change;
    begin_change(c, &shelf)?;
    let sql = "SELECT component_id FROM registry WHERE shelf = ?1 AND key = ?2 AND version = ?3";
    let current: Option<ComponentId> = query_opt(c, sql, params![&shelf, key, version])?;
    if current != change.new_component {
        return Ok(false);
    }
    if let Some(current) = &current {
        take_down(c, &shelf, key, version, current)?;
    }
    if let Some(before) = before {
        publish(c, before)?;
    }
    find_newest(c, &shelf, key)?;
    Ok(true)
}

/// As [`unpublish`], for an import that removes a component from the server's registry.
pub fn prune(c: &mut dyn Conn, key: &str, log: ChangeLog<'_>) -> Result<bool> {
    remove_all(c, &Shelf::Server, key, Some(log))
}
