//! `POST` and `PUT /workflows`: a document becomes the version that runs.

use std::collections::BTreeMap;

use sluice_model::{UserId, WorkflowId};
use sluice_store::{StoreError, deployments, workflows};

use super::{
    ChangeWorkflow, Deploy, WorkflowView, environment,
    resolve::{Given, Resolved},
    store::{self, NewVersion, Update},
};
use crate::{Engine, error::EngineError};

/// Others may take a name at the same moment.
const TRIES: usize = 8;

impl Engine {
    pub async fn create_workflow(
        &self,
        user: &UserId,
        request: Deploy,
    ) -> Result<WorkflowView, EngineError> {
        let user = user.clone();
        self.to_the_end(|engine| async move {
            let id = WorkflowId::random(&mut rand::rng());
            let active = request.active.unwrap_or(true);
            let version = engine
                .new_version(&user, &id, request, &BTreeMap::new())
                .await?;
            engine.store_workflow(&user, &id, active, version).await?;
            engine.workflow_changed(&id);
            engine.workflow(&user, id.as_str()).await
        })
        .await
    }

    pub async fn update_workflow(
        &self,
        user: &UserId,
        id_or_slug: &str,
        change: ChangeWorkflow,
    ) -> Result<WorkflowView, EngineError> {
        let id = self.workflow_row(user, id_or_slug).await?.id;
        let user = user.clone();
        self.to_the_end(|engine| async move {
            let (active, update) = match change {
                ChangeWorkflow::Deploy(request) => {
                    let active = request.active;
                    let stored = id.clone();
                    let stored = engine
                        .context
                        .infra
                        .store
                        .read(move |c| workflows::secrets(c, &stored));
                    let version = engine
                        .new_version(&user, &id, request, &stored.await?)
                        .await?;
                    (active, Update::Version(Box::new(version)))
                }
                ChangeWorkflow::Adjust { secrets, active } => {
                    let sealed = engine.new_secrets(&user, &id, &secrets).await?;
                    (active, Update::Secrets(sealed))
                }
            };
            engine.apply(&user, &id, active, update).await
        })
        .await
    }

    /// Makes a change of a workflow known to everybody once it is stored.
    pub(super) async fn apply(
        &self,
        user: &UserId,
        id: &WorkflowId,
        active: Option<bool>,
        update: Update,
    ) -> Result<WorkflowView, EngineError> {
        let now = self.context.infra.clock.now_ms();
        let (owner, changed) = (user.clone(), id.clone());
        let stored = self
            .context
            .infra
            .store
            .write(move |c| store::update(c, &owner, &changed, active, update, now));
        if !stored.await? {
            return Err(EngineError::NotFound("workflow"));
        }
        self.workflow_changed(id);
        let view = self.workflow(user, id.as_str()).await?;
        if view.workflow.active {
            // What waited while it was inactive.
            self.context.owners.wake(&self.context, id);
        }
        Ok(view)
    }

    async fn new_version(
        &self,
        user: &UserId,
        workflow: &WorkflowId,
        request: Deploy,
        stored_secrets: &BTreeMap<String, String>,
    ) -> Result<NewVersion, EngineError> {
        let Deploy {
            document,
            files,
            secrets,
            active: _,
        } = request;
        let given = Given {
            user,
            workflow,
            document: &document,
            files: &files,
            secrets: &secrets,
            stored_secrets,
        };
        let Resolved {
            definition,
            components,
        } = self.resolve_document(&given).await?;
        Ok(NewVersion {
            definition,
            components,
            secrets: environment::seal(&self.context.infra.vault, &secrets),
            document,
            files,
        })
    }

    async fn store_workflow(
        &self,
        user: &UserId,
        id: &WorkflowId,
        active: bool,
        version: NewVersion,
    ) -> Result<(), EngineError> {
        let now = self.context.infra.clock.now_ms();
        for _ in 0..TRIES {
            let (owner, id, version) = (user.clone(), id.clone(), version.clone());
            let stored = self
                .context
                .infra
                .store
                .write(move |c| store::create(c, &owner, &id, active, version, now));
            match stored.await {
                Err(StoreError::Conflict(_)) => {}
                stored => return Ok(stored?),
            }
        }
        Err(EngineError::Conflict(
            "the workflow's name is being taken by others".to_owned(),
        ))
    }

    /// Secrets for the version that runs, sealed.
    async fn new_secrets(
        &self,
        user: &UserId,
        id: &WorkflowId,
        secrets: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, EngineError> {
        let (owner, wanted) = (user.clone(), id.clone());
        let running = self.context.infra.store.read(move |c| {
            let workflow = workflows::get(c, &owner, &wanted)?;
            workflow.map_or(Ok(None), |workflow| {
                deployments::get(c, &workflow.deployment_id)
            })
        });
        let running = running.await?.ok_or(EngineError::NotFound("workflow"))?;
        environment::must_be_declared(&running.definition.env, secrets)?;
        Ok(environment::seal(&self.context.infra.vault, secrets))
    }
}
