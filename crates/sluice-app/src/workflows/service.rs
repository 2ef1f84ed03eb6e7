//! The service for workflows, and the steps that its operations share.

use sluice_engine::{
    DueTimes, Engine, EngineError,
    accept::{Accept, Endpoints},
    owner::{Owners, WorkflowTests},
    streams::Streams,
};
use sluice_infra::Infra;
use sluice_model::{UserId, WorkflowId};
use sluice_outbox::Outbox;
use sluice_store::workflows::Workflow;

use crate::{accounts::AccountProps, components::Components, lookup};

/// Deploys, changes, deletes, runs and replays workflows.
#[derive(Clone)]
pub struct Workflows {
    pub(super) infra: Infra,
    pub(super) accept: Accept,
    pub(super) endpoints: Endpoints,
    pub(super) owners: Owners,
    pub(super) timers: DueTimes,
    pub(super) streams: Streams,
    pub(super) components: Components,
    pub(super) account_props: AccountProps,
    pub(super) tests: WorkflowTests,
    pub(super) outbox: Outbox,
}

impl Workflows {
    pub(crate) fn new(
        infra: &Infra,
        engine: &Engine,
        components: Components,
        account_props: AccountProps,
    ) -> Workflows {
        Workflows {
            infra: infra.clone(),
            accept: engine.accept.clone(),
            endpoints: engine.endpoints.clone(),
            owners: engine.owners.clone(),
            timers: engine.timers.clone(),
            streams: engine.streams.clone(),
            components,
            account_props,
            tests: engine.workflow_tests.clone(),
            outbox: engine.outbox.clone(),
        }
    }

    /// The user's workflow with this id or slug.
    pub(super) async fn row(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<Workflow, EngineError> {
        lookup::workflow_named(&self.infra.store, user, id_or_slug).await
    }

    /// The id of the user's workflow with this id or slug.
    pub async fn id(&self, user: &UserId, id_or_slug: &str) -> Result<WorkflowId, EngineError> {
        Ok(self.row(user, id_or_slug).await?.id)
    }

    /// Makes the parts of the engine that cache a workflow read it again.
    pub(super) fn changed(&self, workflow: &WorkflowId) {
        self.endpoints.changed(workflow);
        self.owners.workflow_changed(workflow);
        self.timers.arm(self.infra.now_ms());
    }
}
