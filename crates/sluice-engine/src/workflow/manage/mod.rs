//! What users do with workflows: deploy, change and remove them, look at their runs, and make runs go on.

mod delete;
mod deploy;
mod emitters;
mod environment;
mod findings;
mod pauses;
mod replay;
mod resolve;
mod runs;
mod step_code;
mod step_props;
mod store;
mod triggers;
mod versions;
mod view;

use std::collections::BTreeMap;

use sluice_model::{UserId, WorkflowId};
use sluice_store::workflows::{self, Workflow};

pub use pauses::{Callback, Cancelled, Resumed};
pub use replay::{ReplayFrom, ReplayRuns};
pub use runs::{RunPage, RunView};
pub use versions::VersionView;
pub use view::{TriggerView, WorkflowView};

use crate::{Engine, error::EngineError};

/// What a version of a workflow is made from.
pub struct Deploy {
    /// YAML or JSON.
    pub document: String,
    /// The files that its steps name, by path.
    pub files: BTreeMap<String, String>,
    /// Values for what the document declares as secrets; those that are left out keep what they have.
    pub secrets: BTreeMap<String, String>,
    /// Left out: as it was, and a new one is active.
    pub active: Option<bool>,
}

/// What is to change in a workflow.
pub enum ChangeWorkflow {
    Deploy(Deploy),
    /// The version stays.
    Adjust {
        secrets: BTreeMap<String, String>,
        active: Option<bool>,
    },
}

impl Engine {
    /// The user's workflow with this id or slug.
    pub(crate) async fn workflow_row(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<Workflow, EngineError> {
        let missing = || EngineError::NotFound("workflow");
        let (user, wanted) = (user.clone(), id_or_slug.to_owned());
        let found = self
            .context
            .infra
            .store
            .read(move |c| match WorkflowId::parse(&wanted) {
                Some(id) => workflows::get(c, &user, &id),
                None => workflows::by_slug(c, &user, &wanted),
            });
        found.await?.ok_or_else(missing)
    }

    /// The id of the user's workflow with this id or slug.
    pub async fn workflow_id(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<WorkflowId, EngineError> {
        Ok(self.workflow_row(user, id_or_slug).await?.id)
    }

    /// Lets everybody know that a workflow is not what it was.
    fn workflow_changed(&self, workflow: &WorkflowId) {
        let context = &self.context;
        self.endpoints.forget(workflow);
        context.owners.workflow_changed(workflow);
        context.timers_changed(context.infra.clock.now_ms());
    }
}
