//! The app that a component is for, if this server knows the app.

use std::collections::{HashMap, HashSet};

use sluice_engine::EngineError;
use sluice_model::{ComponentId, ComponentShape};
use sluice_store::{
    Conn, StoreError,
    components::{self, Component},
};

use super::{apps::app_of, service::Components};
use crate::apps::known;

impl Components {
    /// The slug of the app that a component is for, if this server knows the app.
    pub async fn app(&self, component: &Component) -> Result<Option<String>, EngineError> {
        let Some(slug) = app_of(&component.shape).map(str::to_owned) else {
            return Ok(None);
        };
        let known = self
            .infra
            .store
            .read(move |c| known::among(c, &HashSet::from([&*slug])));
        Ok(known.await?.into_iter().next())
    }
}

/// The slugs of the apps that components are for. Takes one query at most. Those without an app that this server knows are
/// left out.
pub(crate) fn known_apps<'a>(
    c: &mut dyn Conn,
    shapes: impl Iterator<Item = (&'a ComponentId, &'a ComponentShape)> + Clone,
) -> Result<HashMap<ComponentId, String>, StoreError> {
    let slugs: HashSet<&str> = shapes
        .clone()
        .filter_map(|(_, shape)| app_of(shape))
        .collect();
    let known = known::among(c, &slugs)?;
    let apps = shapes.filter_map(|(id, shape)| {
        let app = known.get(app_of(shape)?)?;
        Some((id.clone(), app.clone()))
    });
    Ok(apps.collect())
}

/// As [`known_apps`], of components by their ids.
pub(crate) fn apps_by_component(
    c: &mut dyn Conn,
    ids: &HashSet<&ComponentId>,
) -> Result<HashMap<ComponentId, String>, StoreError> {
    let ids: Vec<ComponentId> = ids.iter().copied().cloned().collect();
    let shapes = components::shapes_for_run(c, &ids)?;
    known_apps(c, shapes.iter())
}
