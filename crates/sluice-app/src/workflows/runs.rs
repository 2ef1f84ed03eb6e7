//! Runs of a workflow: starting one manually, and reading them.

use std::collections::HashMap;

use serde_json::value::RawValue;
use sluice_engine::EngineError;
use sluice_model::{
    DeploymentId, InvocationId, TraceContext, UserId,
    workflow::{RunError, RunOrigin, WorkflowDefinition},
};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    deployments::{self, Deployment},
    inbox,
    run_history::{self, Content, ListedRun, ListedStep},
    runs::{self, Run, RunState},
    sends::{self, SendSummary},
    workflows::Workflow,
};

use super::{
    error_place::{ErrorPlace, Sources},
    service::Workflows,
};
use crate::audit::{Actor, Change, Target};

pub struct RunView {
    /// With as much of its event as was asked for.
    pub run: Run,
    /// Where its errors are. Empty in lists.
    pub places: ErrorPlaces,
    pub event_bytes: u64,
    /// The number of its version.
    pub version: u32,
    /// The step that it waits at, if it waits.
    pub waits_at: Option<String>,
    pub steps: Vec<ListedStep>,
    pub sends: Vec<SendSummary>,
}

/// The places of the errors of a run.
#[derive(Default)]
pub struct ErrorPlaces {
    pub run: Option<ErrorPlace>,
    /// In the order of the steps, for each of them.
    pub steps: Vec<Option<ErrorPlace>>,
}

impl Workflows {
    /// Runs a workflow with an event of the caller.
    pub async fn run(
        &self,
        actor: &Actor,
        id_or_slug: &str,
        event: Box<RawValue>,
        trace: Option<TraceContext>,
    ) -> Result<InvocationId, EngineError> {
        let user = &actor.user_id;
        let workflow = self.row(user, id_or_slug).await?;
        must_be_active(&workflow)?;
        let target = Target::new(TargetKind::Workflow, &workflow.id, &workflow.name);
        let change = Change::new(&self.infra, actor, Action::WorkflowRun, target);
        let entry = |run: InvocationId| Some(change.with("run", run.to_string()).into_entry());
        self.accept
            .run(user, &workflow.id, event, trace, entry)
            .await
    }

    /// One run, even if it has not started.
    pub async fn get_run(
        &self,
        user: &UserId,
        id_or_slug: &str,
        run: InvocationId,
    ) -> Result<RunView, EngineError> {
        let workflow = self.row(user, id_or_slug).await?;
        let found = self.infra.store.read(move |c| {
            let found = match runs::get(c, &workflow.id, &run)? {
                Some(run) => Some(run),
                None => queued(c, &workflow, &run)?,
            };
            let Some(run) = found else { return Ok(None) };
            let event_bytes = run.event.len() as u64;
            let listed = ListedRun { run, event_bytes };
            let mut view = view(c, listed, Content::Whole, &mut Versions::default())?;
            view.places = error_places(c, &view)?;
            Ok(Some(view))
        });
        found.await?.ok_or(EngineError::NotFound("run"))
    }
}

pub(super) fn must_be_active(workflow: &Workflow) -> Result<(), EngineError> {
    if workflow.active {
        return Ok(());
    }
    Err(EngineError::Conflict(
        "the workflow is inactive: activate it to run it".to_owned(),
    ))
}

/// The places of the errors of a run and its steps. A run may have survived errors of steps by retries.
fn error_places(c: &mut dyn Conn, view: &RunView) -> Result<ErrorPlaces, StoreError> {
    let errors = view.steps.iter().map(|step| step.record.error.as_ref());
    if view.run.error.is_none() && errors.clone().all(|error| error.is_none()) {
        return Ok(ErrorPlaces::default());
    }
    let deployment = deployments::get(c, &view.run.deployment_id)?;
    let sources = deployment
        .as_ref()
        .and_then(|deployment| Sources::new(&deployment.document, &deployment.files));
    let place = |error: Option<&RunError>| sources.as_ref()?.place(error?);
    Ok(ErrorPlaces {
        run: place(view.run.error.as_ref()),
        steps: errors.map(place).collect(),
    })
}

/// A run that has not started, from its inbox row.
fn queued(
    c: &mut dyn Conn,
    workflow: &Workflow,
    id: &InvocationId,
) -> Result<Option<Run>, StoreError> {
    let item = inbox::get(c, &workflow.id, id)?;
    Ok(item.map(|item| Run {
        id: item.id,
        workflow_id: workflow.id.clone(),
        deployment_id: workflow.deployment_id.clone(),
        state: RunState::Queued,
        origin: RunOrigin {
            source_type: item.kind.as_str().to_owned(),
            emitter_id: None,
            event_id: None,
            replay_of: None,
            key_id: None,
        },
        depth: item.depth,
        accepted_at: item.accepted_at,
        started_at: 0,
        finished_at: None,
        due_at: None,
        pause: None,
        pause_key: None,
        error: None,
        exit_reason: None,
        event: item.payload,
        trace: None,
    }))
}

/// The versions of the runs of one page.
#[derive(Default)]
pub(super) struct Versions(HashMap<DeploymentId, (u32, WorkflowDefinition)>);

impl Versions {
    fn get(
        &mut self,
        c: &mut dyn Conn,
        id: &DeploymentId,
    ) -> Result<Option<&(u32, WorkflowDefinition)>, StoreError> {
        if !self.0.contains_key(id)
            && let Some(Deployment {
                number, definition, ..
            }) = deployments::get(c, id)?
        {
            self.0.insert(id.clone(), (number, definition));
        }
        Ok(self.0.get(id))
    }
}

pub(super) fn view(
    c: &mut dyn Conn,
    listed: ListedRun,
    content: Content,
    versions: &mut Versions,
) -> Result<RunView, StoreError> {
    let ListedRun { run, event_bytes } = listed;
    let (number, definition) = versions
        .get(c, &run.deployment_id)?
        .ok_or_else(|| StoreError::Corrupt(format!("run {} has no version", run.id)))?;
    let waits_at = run.pause.as_ref().and_then(|pause| {
        let step = definition.steps.get(pause.position as usize)?;
        Some(step.name.clone())
    });
    let version = *number;
    Ok(RunView {
        version,
        waits_at,
        steps: run_history::steps(c, &run.workflow_id, &run.id, content)?,
        sends: sends::of_run(c, &run.workflow_id, &run.id)?,
        run,
        places: ErrorPlaces::default(),
        event_bytes,
    })
}
