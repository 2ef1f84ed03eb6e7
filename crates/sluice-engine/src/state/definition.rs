//! The stored definition of a source and its state, as its owner needs them.

use std::{collections::BTreeMap, sync::Arc};

use sluice_model::{CodeFiles, ComponentShape, DedupeState, EventId, SourceId, TimerSpec};
use sluice_runtime::PackageLock;
use sluice_store::{
    Conn, StoreError,
    components::{self, Component, Packages},
    endpoints::{self, Endpoint},
    kv,
    sources::{self, Source},
    state, subject_health, timers,
};

use super::kv::KvState;
use crate::commit::{request_sample::RequestSample, streak::Streak};

#[derive(Clone)]
pub struct Definition {
    pub source: Source,
    /// The component's shape with the source's dynamic props.
    pub shape: Arc<ComponentShape>,
    pub code: Arc<CodeFiles>,
    pub packages: Option<Arc<PackageLock>>,
    pub endpoints: Vec<Endpoint>,
    pub timers: BTreeMap<String, TimerSpec>,
}

impl Definition {
    pub fn new(
        source: Source,
        component: &Component,
        endpoints: Vec<Endpoint>,
        timers: BTreeMap<String, TimerSpec>,
    ) -> Result<Definition, StoreError> {
        let packages = packages_of(component)?;
        let shape = component.shape.clone();
        Ok(Definition {
            shape: Arc::new(shape.with_dynamic_props(&source.dynamic_props)),
            source,
            code: Arc::new(component.code.clone()),
            packages,
            endpoints,
            timers,
        })
    }

    pub fn load(c: &mut dyn Conn, id: &SourceId) -> Result<Option<Definition>, StoreError> {
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

/// The locked npm packages of a component.
pub fn packages_of(component: &Component) -> Result<Option<Arc<PackageLock>>, StoreError> {
    let packages = match &component.packages {
        Packages::Resolved(lock) => lock.as_ref(),
        Packages::Unresolved => {
            let id = &component.id;
            return Err(StoreError::Internal(format!(
                "{id} has no resolved packages"
            )));
        }
    };
    let lock = packages.map(|lock| serde_json::from_str(&lock.text));
    let lock = lock.transpose().map_err(|error| {
        StoreError::Corrupt(format!("the packages of {}: {error}", component.id))
    })?;
    Ok(lock.map(Arc::new))
}

/// The source's state. Its owner is the only writer.
#[derive(Default)]
pub struct Memory {
    /// The number of the last commit.
    pub commit_no: i64,
    pub last_event: Option<EventId>,
    pub dedupe: DedupeState,
    pub(crate) streak: Streak,
    pub(crate) requests: RequestSample,
    pub kv: KvState,
}

impl Memory {
    pub fn load(c: &mut dyn Conn, id: &SourceId) -> Result<Memory, StoreError> {
        let state = state::load(c, id)?;
        Ok(Memory {
            commit_no: state.commit_no,
            last_event: state.last_event,
            dedupe: state.dedupe,
            streak: subject_health::streak(c, id.as_str())?.into(),
            requests: RequestSample::default(),
            kv: KvState::load(kv::load_all(c, id)?, id)?,
        })
    }
}
