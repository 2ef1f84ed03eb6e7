//! The versions of a workflow, and rollback.

use sluice_engine::EngineError;
use sluice_model::UserId;
use sluice_store::deployments::{self, Deployment, Version};

use super::{
    service::Workflows,
    store::Update,
    view::{StepView, WorkflowView, steps_of},
};
use crate::{audit::Actor, detached};

pub struct VersionView {
    pub version: Version,
    /// Whether new runs use it.
    pub running: bool,
}

/// A version with its document.
pub struct WholeVersionView {
    pub deployment: Deployment,
    /// The steps of its definition.
    pub steps: Vec<StepView>,
    /// Whether new runs use it.
    pub running: bool,
}

impl Workflows {
    /// All versions, newest first.
    pub async fn versions(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<Vec<VersionView>, EngineError> {
        let workflow = self.row(user, id_or_slug).await?;
        let id = workflow.id;
        let versions = self
            .infra
            .store
            .read(move |c| deployments::versions(c, &id));
        let versions = versions.await?.into_iter().map(|version| VersionView {
            running: version.id == workflow.deployment_id,
            version,
        });
        Ok(versions.collect())
    }

    /// One version, with its document.
    pub async fn version(
        &self,
        user: &UserId,
        id_or_slug: &str,
        number: u32,
    ) -> Result<WholeVersionView, EngineError> {
        let workflow = self.row(user, id_or_slug).await?;
        let found = self.infra.store.read(move |c| {
            let Some(deployment) = deployments::by_number(c, &workflow.id, number)? else {
                return Ok(None);
            };
            Ok(Some(WholeVersionView {
                steps: steps_of(c, &deployment.definition)?,
                running: deployment.id == workflow.deployment_id,
                deployment,
            }))
        });
        found.await?.ok_or(EngineError::NotFound("version"))
    }

    /// Makes an earlier version current, with its triggers.
    pub async fn roll_back(
        &self,
        actor: &Actor,
        id_or_slug: &str,
        number: u32,
    ) -> Result<WorkflowView, EngineError> {
        let user = &actor.user_id;
        let WholeVersionView {
            deployment: version,
            ..
        } = self.version(user, id_or_slug, number).await?;
        let (service, actor) = (self.clone(), actor.clone());
        let id = version.workflow_id.clone();
        detached::run(&self.infra.shutdown, async move {
            let update = Update::Rollback(Box::new(version));
            service.apply(&actor, &id, None, update).await
        })
        .await
    }
}
