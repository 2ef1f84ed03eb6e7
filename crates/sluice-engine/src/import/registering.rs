//! What an import writes, in one transaction.

use std::collections::BTreeMap;

use sluice_store::{
    Conn, StoreError,
    components::Component,
    imports::{self, Import, RegisteredVersion},
    registry::{self, Publication, Registration},
};

use super::{Imported, apps::FieldsOfApps};

pub(super) struct Registering {
    pub(super) tree: String,
    pub(super) left: Vec<String>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) fields: FieldsOfApps,
    pub(super) now: i64,
}

/// A component of the tree, as far as it got.
pub(super) struct Candidate {
    pub(super) path: String,
    pub(super) files: BTreeMap<String, String>,
    pub(super) found: Result<Sound, String>,
}

/// A component that may stand in the registry.
pub(super) struct Sound {
    pub(super) component: Component,
    pub(super) publication: Publication,
}

impl Registering {
    /// What came of each, and whether there are new apps.
    pub(super) fn write(
        self,
        c: &mut dyn Conn,
    ) -> Result<(Vec<(String, Imported)>, bool), StoreError> {
        let Registering {
            tree,
            left,
            candidates,
            fields,
            now,
        } = self;
        let mut outcomes = Vec::with_capacity(candidates.len());
        let mut new_apps = false;
        for Candidate { path, files, found } in candidates {
            let taken = match &found {
                Ok(sound) => owner_of_key(c, &tree, &left, &path, sound)?,
                Err(_) => None,
            };
            let imported = match (found, taken) {
                (Ok(sound), None) => {
                    new_apps |= fields.register(c, &sound.publication, now)?;
                    registered(c, sound)?
                }
                (Ok(sound), Some(other)) => {
                    let key = sound.publication.key;
                    let reason = format!("the key {key} is that of {other} already");
                    Imported::Failed { reason }
                }
                (Err(reason), _) => Imported::Failed { reason },
            };
            let import = Import {
                tree: tree.clone(),
                path: path.clone(),
                files,
                registered: imported.registered(),
                error: imported.reason(),
            };
            imports::record(c, &import)?;
            outcomes.push((path, imported));
        }
        Ok((outcomes, new_apps))
    }
}

/// Another file of the tree that has the key. One that has left the tree gives it up.
fn owner_of_key(
    c: &mut dyn Conn,
    tree: &str,
    left: &[String],
    path: &str,
    sound: &Sound,
) -> Result<Option<String>, StoreError> {
    let owner = imports::path_of_key(c, tree, &sound.publication.key)?;
    let Some(other) = owner.filter(|owner| owner != path) else {
        return Ok(None);
    };
    if left.contains(&other) {
        imports::forget(c, tree, &other)?;
        return Ok(None);
    }
    Ok(Some(other))
}

fn registered(c: &mut dyn Conn, sound: Sound) -> Result<Imported, StoreError> {
    let Sound {
        component,
        publication,
    } = sound;
    let registration = registry::register(c, &component, &publication)?;
    let Publication { key, version, .. } = publication;
    Ok(match registration {
        Registration::New => Imported::Registered { key, version },
        Registration::Updated => Imported::Updated { key, version },
        Registration::Unchanged => Imported::Unchanged { key, version },
    })
}

impl Imported {
    fn registered(&self) -> Option<RegisteredVersion> {
        match self {
            Imported::Registered { key, version }
            | Imported::Updated { key, version }
            | Imported::Unchanged { key, version } => Some(RegisteredVersion {
                key: key.clone(),
                version: version.clone(),
            }),
            Imported::Failed { .. } => None,
        }
    }

    fn reason(&self) -> Option<String> {
        match self {
            Imported::Failed { reason } => Some(reason.clone()),
            _ => None,
        }
    }
}
