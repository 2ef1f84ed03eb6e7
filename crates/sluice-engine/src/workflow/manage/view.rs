//! Workflows as the API shows them.

use sluice_model::{
    TimerSpec, UserId,
    workflow::{DeployedStep, DeployedTrigger, WorkflowSettings},
};
use sluice_store::{
    Conn, Page, StoreError, deployments, endpoints, inbox, timers,
    workflows::{self, Workflow},
};

use crate::{
    Engine, activity::EmitterSelection, error::EngineError, settings::Settings, view::Listing,
};

pub struct WorkflowView {
    pub workflow: Workflow,
    /// Of the version that runs.
    pub version: u32,
    pub description: Option<String>,
    pub triggers: Vec<TriggerView>,
    pub steps: Vec<DeployedStep>,
    pub settings: WorkflowSettings,
    /// How much waits for its turn.
    pub queued: u64,
}

pub enum TriggerView {
    Http {
        endpoint_url: Option<String>,
        custom_response: bool,
    },
    Schedule {
        timer: TimerSpec,
        next_at: Option<i64>,
    },
    Events {
        emitter_id: String,
        event_name: String,
    },
}

impl Engine {
    pub async fn workflow(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<WorkflowView, EngineError> {
        let workflow = self.workflow_row(user, id_or_slug).await?;
        let settings = self.context.settings.clone();
        let viewed = self
            .context
            .store
            .read(move |c| view(c, workflow, &settings));
        viewed.await?.ok_or(EngineError::NotFound("workflow"))
    }

    pub async fn workflows(
        &self,
        user: &UserId,
        selection: &EmitterSelection,
        page: Page,
    ) -> Result<Listing<WorkflowView>, EngineError> {
        let user = user.clone();
        let filter = selection.filter(self.context.clock.now_ms());
        let settings = self.context.settings.clone();
        let listing = self.context.store.read(move |c| {
            let total = workflows::count(c, &user, &filter)?;
            let mut rows = Vec::new();
            for workflow in workflows::page(c, &user, &filter, &page)? {
                rows.extend(view(c, workflow, &settings)?);
            }
            Ok(Listing { total, rows })
        });
        Ok(listing.await?)
    }
}

/// None when the workflow was removed at this moment.
fn view(
    c: &mut dyn Conn,
    workflow: Workflow,
    settings: &Settings,
) -> Result<Option<WorkflowView>, StoreError> {
    let Some(deployment) = deployments::get(c, &workflow.deployment_id)? else {
        return Ok(None);
    };
    let definition = deployment.definition;
    let endpoint_url = endpoints::of_emitter(c, &workflow.id)?
        .first()
        .map(|endpoint| settings.endpoint_url(&endpoint.key));
    let mut timers = timers::of_emitter(c, &workflow.id)?;
    let triggers = definition
        .triggers
        .into_iter()
        .map(|trigger| match trigger {
            DeployedTrigger::Http { custom_response } => TriggerView::Http {
                endpoint_url: endpoint_url.clone(),
                custom_response,
            },
            DeployedTrigger::Schedule { timer } => {
                let row = timers.iter().position(|row| row.spec == timer);
                TriggerView::Schedule {
                    next_at: row.and_then(|row| timers.swap_remove(row).due_at),
                    timer,
                }
            }
            DeployedTrigger::Events {
                emitter_id,
                event_name,
            } => TriggerView::Events {
                emitter_id,
                event_name,
            },
        });
    Ok(Some(WorkflowView {
        version: deployment.number,
        description: definition.description,
        triggers: triggers.collect(),
        steps: definition.steps,
        settings: definition.settings,
        queued: inbox::count(c, &workflow.id)?,
        workflow,
    }))
}
