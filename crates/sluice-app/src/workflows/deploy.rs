//! `POST` and `PUT /workflows`: a document becomes the current version.

use std::collections::BTreeMap;

use sluice_engine::EngineError;
use sluice_model::{UserId, WorkflowId};
use sluice_store::{
    StoreError,
    audit::{Action, TargetKind},
    deployments, workflows,
};

use super::{
    environment,
    requests::{ChangeWorkflow, Deploy},
    resolve::{DeployInput, Resolved},
    service::Workflows,
    store::{self, NewVersion, Update},
    view::WorkflowView,
};
use crate::{
    audit::{Actor, Change, Target},
    detached,
};

/// Concurrent requests may choose the same slug. The loser retries.
const SLUG_ATTEMPTS: usize = 8;

impl Workflows {
    pub async fn create(
        &self,
        actor: &Actor,
        request: Deploy,
    ) -> Result<WorkflowView, EngineError> {
        let (service, actor) = (self.clone(), actor.clone());
        detached::run(&self.infra.shutdown, async move {
            let id = WorkflowId::random(&mut service.infra.ids.rng());
            let active = request.active.unwrap_or(true);
            let user = &actor.user_id;
            let version = service
                .new_version(user, &id, request, &BTreeMap::new())
                .await?;
            let locks = version.locks();
            service.insert(&actor, &id, active, version).await?;
            service.components.announce_locks(locks);
            service.changed(&id);
            service.get(user, id.as_str()).await
        })
        .await
    }

    pub async fn update(
        &self,
        actor: &Actor,
        id_or_slug: &str,
        change: ChangeWorkflow,
    ) -> Result<WorkflowView, EngineError> {
        let id = self.row(&actor.user_id, id_or_slug).await?.id;
        let (service, actor) = (self.clone(), actor.clone());
        detached::run(&self.infra.shutdown, async move {
            let user = &actor.user_id;
            let (active, update) = match change {
                ChangeWorkflow::Deploy(request) => {
                    let active = request.active;
                    let stored = id.clone();
                    let stored = service
                        .infra
                        .store
                        .read(move |c| workflows::secrets(c, &stored));
                    let version = service
                        .new_version(user, &id, request, &stored.await?)
                        .await?;
                    (active, Update::Version(Box::new(version)))
                }
                ChangeWorkflow::Adjust { secrets, active } => {
                    let sealed = service.new_secrets(user, &id, &secrets).await?;
                    (active, Update::Secrets(sealed))
                }
            };
            service.apply(&actor, &id, active, update).await
        })
        .await
    }

    /// Stores a change of a workflow and makes it effective.
    pub(super) async fn apply(
        &self,
        actor: &Actor,
        id: &WorkflowId,
        active: Option<bool>,
        update: Update,
    ) -> Result<WorkflowView, EngineError> {
        let user = &actor.user_id;
        let target = Target::new(TargetKind::Workflow, id, "");
        let change = Change::new(&self.infra, actor, update.action(), target);
        let now = self.infra.now_ms();
        let locks = match &update {
            Update::Version(version) => version.locks(),
            Update::Rollback(_) | Update::Secrets(_) => Vec::new(),
        };
        let (owner, changed, ids) = (user.clone(), id.clone(), self.infra.ids.clone());
        let stored = self.infra.store.write(move |c| {
            store::update(c, (&owner, &changed), active, update, change, &ids, now)
        });
        if !stored.await? {
            return Err(EngineError::NotFound("workflow"));
        }
        self.components.announce_locks(locks);
        self.changed(id);
        let view = self.get(user, id.as_str()).await?;
        if view.workflow.active {
            // Events may have queued while it was inactive.
            self.owners.wake(id);
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
        let input = DeployInput {
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
        } = self.resolve_document(&input).await?;
        Ok(NewVersion {
            definition,
            components,
            secrets: environment::seal(&self.infra.vault, &mut self.infra.ids.rng(), &secrets),
            document,
            files,
        })
    }

    async fn insert(
        &self,
        actor: &Actor,
        id: &WorkflowId,
        active: bool,
        version: NewVersion,
    ) -> Result<(), EngineError> {
        let target = Target::new(TargetKind::Workflow, id, &version.definition.name);
        let mut change = Change::new(&self.infra, actor, Action::WorkflowCreate, target);
        change.add_names("secrets", version.secrets.keys());
        let now = self.infra.creation_ms();
        for _ in 0..SLUG_ATTEMPTS {
            let (owner, id) = (actor.user_id.clone(), id.clone());
            let (version, change) = (version.clone(), change.clone());
            let ids = self.infra.ids.clone();
            let stored = self.infra.store.write(move |c| {
                store::create(c, &owner, &id, active, version, &ids, now)?;
                change.record(c)
            });
            match stored.await {
                Err(StoreError::Conflict(_)) => {}
                stored => return Ok(stored?),
            }
        }
        Err(EngineError::Conflict(
            "the workflow's name is being taken by others".to_owned(),
        ))
    }

    /// Sealed secrets for the current version.
    async fn new_secrets(
        &self,
        user: &UserId,
        id: &WorkflowId,
        secrets: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, EngineError> {
        let (owner, wanted) = (user.clone(), id.clone());
        let running = self.infra.store.read(move |c| {
            let workflow = workflows::get(c, &owner, &wanted)?;
            workflow.map_or(Ok(None), |workflow| {
                deployments::get(c, &workflow.deployment_id)
            })
        });
        let running = running.await?.ok_or(EngineError::NotFound("workflow"))?;
        environment::must_be_declared(&running.definition.env, secrets)?;
        Ok(environment::seal(
            &self.infra.vault,
            &mut self.infra.ids.rng(),
            secrets,
        ))
    }
}
