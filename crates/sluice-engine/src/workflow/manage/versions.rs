//! The versions of a workflow, and going back to one.

use sluice_model::UserId;
use sluice_store::deployments::{self, Deployment, Version};

use super::{WorkflowView, store::Update};
use crate::{Engine, error::EngineError};

pub struct VersionView<T> {
    pub version: T,
    /// Whether new runs take it.
    pub running: bool,
}

impl Engine {
    /// All of them, newest first.
    pub async fn workflow_versions(
        &self,
        user: &UserId,
        id_or_slug: &str,
    ) -> Result<Vec<VersionView<Version>>, EngineError> {
        let workflow = self.workflow_row(user, id_or_slug).await?;
        let id = workflow.id;
        let versions = self
            .context
            .infra
            .store
            .read(move |c| deployments::versions(c, &id));
        let versions = versions.await?.into_iter().map(|version| VersionView {
            running: version.id == workflow.deployment_id,
            version,
        });
        Ok(versions.collect())
    }

    /// One, with its document.
    pub async fn workflow_version(
        &self,
        user: &UserId,
        id_or_slug: &str,
        number: u32,
    ) -> Result<VersionView<Deployment>, EngineError> {
        let workflow = self.workflow_row(user, id_or_slug).await?;
        let id = workflow.id;
        let found = self
            .context
            .infra
            .store
            .read(move |c| deployments::by_number(c, &id, number));
        let version = found.await?.ok_or(EngineError::NotFound("version"))?;
        Ok(VersionView {
            running: version.id == workflow.deployment_id,
            version,
        })
    }

    /// Lets new runs take an earlier version, with its triggers.
    pub async fn roll_back_workflow(
        &self,
        user: &UserId,
        id_or_slug: &str,
        number: u32,
    ) -> Result<WorkflowView, EngineError> {
        let VersionView { version, .. } = self.workflow_version(user, id_or_slug, number).await?;
        let (user, id) = (user.clone(), version.workflow_id.clone());
        self.to_the_end(|engine| async move {
            let update = Update::Rollback(Box::new(version));
            engine.apply(&user, &id, None, update).await
        })
        .await
    }
}
