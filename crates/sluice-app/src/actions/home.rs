//! The workflow of a user's action runs. It is stored at the first run.

use std::collections::BTreeMap;

use sluice_engine::EngineError;
use sluice_infra::Ids;
use sluice_model::{
    DeploymentId, UserId, WorkflowId,
    workflow::{DeployedStep, WorkflowDefinition, WorkflowSettings},
};
use sluice_store::{
    Conn, StoreError,
    deployments::{self, Deployment},
    users,
    workflows::{self, Workflow},
};

use super::service::Actions;

const NAME: &str = "Actions";
/// No name of a user becomes this slug.
const SLUG: &str = "$actions";
/// Runs of one user at once. Each has a process, so the limits of processes are reached before.
const CONCURRENCY: u32 = 200;

impl Actions {
    /// The id of the workflow, which is stored if there is none yet.
    pub(super) async fn home(&self, user: &UserId) -> Result<WorkflowId, EngineError> {
        if let Some(id) = self.home_if_any(user).await? {
            return Ok(id);
        }
        let (user, ids, now) = (
            user.clone(),
            self.infra.ids.clone(),
            self.infra.creation_ms(),
        );
        let stored = self.infra.store.write(move |c| {
            // Two first runs at once store one workflow.
            users::hold(c, &user)?;
            match workflows::of_actions(c, &user)? {
                Some(stored) => Ok(stored.id),
                None => create(c, &user, &ids, now),
            }
        });
        Ok(stored.await?)
    }

    pub(super) async fn home_if_any(
        &self,
        user: &UserId,
    ) -> Result<Option<WorkflowId>, EngineError> {
        let user = user.clone();
        let read = self
            .infra
            .store
            .read(move |c| workflows::of_actions(c, &user));
        Ok(read.await?.map(|workflow| workflow.id))
    }
}

fn create(c: &mut dyn Conn, user: &UserId, ids: &Ids, now: i64) -> Result<WorkflowId, StoreError> {
    let id = WorkflowId::random(&mut ids.rng());
    let empty = insert_version(c, &id, definition(NAME.to_owned(), Vec::new()), ids, now)?;
    let workflow = Workflow {
        id: id.clone(),
        user_id: user.clone(),
        name: NAME.to_owned(),
        name_slug: SLUG.to_owned(),
        active: true,
        deployment_id: empty,
        created_at: now,
        updated_at: now,
        internal: true,
    };
    workflows::insert(c, &workflow)?;
    Ok(id)
}

/// The version of one run. The caller holds the workflow.
pub(super) fn insert_version(
    c: &mut dyn Conn,
    workflow: &WorkflowId,
    definition: WorkflowDefinition,
    ids: &Ids,
    now: i64,
) -> Result<DeploymentId, StoreError> {
    let deployment = Deployment {
        id: DeploymentId::random(&mut ids.rng()),
        workflow_id: workflow.clone(),
        number: deployments::newest_number(c, workflow)? + 1,
        definition,
        document: String::new(),
        files: BTreeMap::new(),
        created_at: now,
    };
    deployments::insert(c, &deployment)?;
    Ok(deployment.id)
}

pub(super) fn definition(name: String, steps: Vec<DeployedStep>) -> WorkflowDefinition {
    WorkflowDefinition {
        name,
        description: None,
        env: BTreeMap::new(),
        triggers: Vec::new(),
        steps,
        settings: WorkflowSettings {
            concurrency: CONCURRENCY,
            ..WorkflowSettings::default()
        },
    }
}
