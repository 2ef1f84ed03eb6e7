//! Everything stored about a source that its owner needs to run it.

use std::{collections::BTreeMap, sync::Arc};

use sluice_model::{ComponentShape, DedupeState, EventId, SourceId, TimerSpec};
use sluice_runtime::PackageLock;
use sluice_store::{
    Conn, StoreError,
    components::{self, Component, Packages},
    endpoints::{self, Endpoint},
    kv,
    sources::{self, Source},
    state, timers,
};

use super::stored::Stored;

#[derive(Clone)]
pub(crate) struct Definition {
    pub(crate) source: Source,
    /// Of its component, with the source's dynamic props.
    pub(crate) shape: Arc<ComponentShape>,
    /// JavaScript.
    pub(crate) code: Arc<str>,
    pub(crate) packages: Option<Arc<PackageLock>>,
    pub(crate) endpoints: Vec<Endpoint>,
    pub(crate) timers: BTreeMap<String, TimerSpec>,
}

impl Definition {
    pub(crate) fn new(
        source: Source,
        component: &Component,
        endpoints: Vec<Endpoint>,
        timers: BTreeMap<String, TimerSpec>,
    ) -> Result<Definition, StoreError> {
        let code = component.built.as_ref().unwrap_or(&component.code);
        let packages = packages_of(component)?;
        let shape = component.shape.clone();
        Ok(Definition {
            shape: Arc::new(shape.with_dynamic_props(&source.dynamic_props)),
            source,
            code: Arc::from(code.as_str()),
            packages,
            endpoints,
            timers,
        })
    }

    pub(crate) fn load(c: &mut dyn Conn, id: &SourceId) -> Result<Option<Definition>, StoreError> {
        let Some(source) = sources::get_for_run(c, id)? else {
            return Ok(None);
        };
        let component = components::get_for_run(c, &source.component_id)?
            .ok_or_else(|| StoreError::Corrupt(format!("{id} has no component")))?;
        let endpoints = endpoints::of_emitter(c, id)?;
        let timers = timers::of_emitter(c, id)?
            .into_iter()
            .map(|timer| (timer.prop, timer.spec))
            .collect();
        Definition::new(source, &component, endpoints, timers).map(Some)
    }
}

/// The npm packages that a component runs with.
pub(crate) fn packages_of(component: &Component) -> Result<Option<Arc<PackageLock>>, StoreError> {
    let packages = match &component.packages {
        Packages::Resolved(packages) => packages.as_deref(),
        Packages::Unresolved => {
            let id = &component.id;
            return Err(StoreError::Internal(format!(
                "{id} is used before its packages are resolved"
            )));
        }
    };
    let lock = packages.map(serde_json::from_str);
    let lock = lock.transpose().map_err(|error| {
        StoreError::Corrupt(format!("the packages of {}: {error}", component.id))
    })?;
    Ok(lock.map(Arc::new))
}

/// The source's own state: its owner is the only writer.
#[derive(Default)]
pub(crate) struct Memory {
    pub(crate) last_event: Option<EventId>,
    pub(crate) dedupe: DedupeState,
    pub(crate) stored: Stored,
}

impl Memory {
    pub(crate) fn load(c: &mut dyn Conn, id: &SourceId) -> Result<Memory, StoreError> {
        let state = state::load(c, id)?;
        Ok(Memory {
            last_event: state.last_event,
            dedupe: state.dedupe,
            stored: Stored::load(kv::load_all(c, id)?, id)?,
        })
    }
}
