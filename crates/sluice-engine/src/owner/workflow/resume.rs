//! A stored run that continues: interrupted by a crash, resumed, or due.

use sluice_infra::Infra;
use sluice_model::{DeploymentId, InvocationId, WorkflowId};
use sluice_store::{
    Conn, inbox,
    run_steps::{self, StepRecord},
    runs::{self, Run},
    sends::{self, SendRow},
};

use super::version::Version;
use crate::{owner::store_access, work::Work};

pub(super) struct StoredRun {
    pub(super) work: Work,
    pub(super) run: Option<Run>,
    pub(super) records: Vec<StepRecord>,
    /// Sends of earlier steps that are held.
    pub(super) held: Vec<SendRow>,
    /// Its version, unless the owner has it.
    pub(super) version: Option<Version>,
}

impl StoredRun {
    /// Reads a run. `known` are the versions that the owner has. `None` when it has no inbox row, or the server drains.
    pub(super) async fn load(
        infra: Infra,
        workflow: WorkflowId,
        id: InvocationId,
        known: Vec<DeploymentId>,
    ) -> Option<StoredRun> {
        let emitter = workflow.clone().into();
        let read = move |c: &mut dyn Conn| {
            let Some(item) = inbox::get(c, &workflow, &id)? else {
                return Ok(None);
            };
            let run = runs::get(c, &workflow, &id)?;
            let version = match &run {
                Some(run) if !known.contains(&run.deployment_id) => {
                    Version::load(c, &workflow, &run.deployment_id)?
                }
                _ => None,
            };
            Ok(Some(StoredRun {
                work: Work::from(item),
                run,
                records: run_steps::of_run(c, &workflow, &id)?,
                held: sends::held(c, &workflow, &id)?,
                version,
            }))
        };
        store_access::read(&infra, &emitter, "run", read).await?
    }
}
