//! Reading a workflow from the store.

use std::collections::{BTreeMap, BTreeSet};

use sluice_infra::Infra;
use sluice_model::{EmitterId, EventId, InvocationId, TimerSpec, WorkflowId};
use sluice_store::{
    Conn, StoreError, kv, runs,
    state::{self, Fence},
    subject_health, timers,
    workflows::{self, Workflow},
};

use super::{throttle::Window, version::Version};
use crate::{
    commit::streak::Streak,
    owner::{services::Services, store_access},
    state::KvState,
};

/// The definition of a workflow: read at the start of its owner, and again when it changes.
pub(super) struct StoredDefinition {
    pub(super) workflow: Workflow,
    /// Counts the changes of the definition.
    pub(super) definition_no: i64,
    pub(super) current: Version,
    pub(super) timers: BTreeMap<String, TimerSpec>,
}

/// The state of a workflow, read at the start of its owner.
pub(super) struct StoredMemory {
    pub(super) commit_no: i64,
    pub(super) kv: KvState,
    pub(super) last_event: Option<EventId>,
    pub(super) streak: Streak,
    pub(super) interrupted: BTreeSet<InvocationId>,
    pub(super) window: Window,
}

/// Claims and reads the workflow; `None` when it is gone or the server drains.
pub(super) async fn load(
    services: &Services,
    id: &WorkflowId,
) -> Option<((StoredDefinition, StoredMemory), Fence)> {
    let (emitter, id): (EmitterId, WorkflowId) = (id.clone().into(), id.clone());
    let infra = &services.infra;
    let clock = std::sync::Arc::clone(&infra.clock);
    let read = move |c: &mut dyn Conn| {
        let Some(definition) = StoredDefinition::read(c, &id)? else {
            return Ok(None);
        };
        let memory = StoredMemory::read(c, &definition, clock.now_ms())?;
        Ok(Some((definition, memory)))
    };
    let claims = &services.claims;
    claims.read(infra, &emitter, "workflow", read).await
}

/// Reads the definition again.
pub(super) async fn reload(infra: &Infra, id: &WorkflowId) -> Option<StoredDefinition> {
    let (emitter, id): (EmitterId, WorkflowId) = (id.clone().into(), id.clone());
    let read = move |c: &mut dyn Conn| StoredDefinition::read(c, &id);
    store_access::read(infra, &emitter, "workflow", read).await?
}

impl StoredDefinition {
    fn read(c: &mut dyn Conn, id: &WorkflowId) -> Result<Option<StoredDefinition>, StoreError> {
        // First: a change in between is noticed by the next commit.
        let definition_no = state::load(c, id)?.generation;
        let Some(workflow) = workflows::get_for_run(c, id)? else {
            return Ok(None);
        };
        let current = Version::load(c, id, &workflow.deployment_id)?
            .ok_or_else(|| StoreError::Corrupt(format!("{id} has no deployment")))?;
        let timers = timers::of_emitter(c, id)?
            .into_iter()
            .map(|timer| (timer.prop, timer.spec))
            .collect();
        Ok(Some(StoredDefinition {
            workflow,
            definition_no,
            current,
            timers,
        }))
    }
}

impl StoredMemory {
    fn read(
        c: &mut dyn Conn,
        definition: &StoredDefinition,
        now_ms: i64,
    ) -> Result<StoredMemory, StoreError> {
        let id = &definition.workflow.id;
        let window = match definition.current.definition.settings.throttle {
            None => Window::default(),
            Some(throttle) => {
                let since = Window::start_of(throttle, now_ms);
                Window::resumed(since, runs::started_since(c, id, since)?)
            }
        };
        let state = state::load(c, id)?;
        Ok(StoredMemory {
            commit_no: state.commit_no,
            kv: KvState::load(kv::load_all(c, id)?, id)?,
            last_event: state.last_event,
            streak: subject_health::streak(c, id.as_str())?.into(),
            interrupted: runs::running(c, id)?.into_iter().collect(),
            window,
        })
    }
}
