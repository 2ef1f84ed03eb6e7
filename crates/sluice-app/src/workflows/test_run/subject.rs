//! The document of a test, and the workflow that it belongs to.

use std::collections::BTreeMap;

use sluice_engine::EngineError;
use sluice_model::{DeploymentId, UserId, WorkflowId};
use sluice_store::{
    deployments,
    workflows::{self, Workflow},
};

use super::request::{TestWorkflow, invalid};
use crate::workflows::service::Workflows;

pub(super) struct Subject {
    /// A stored workflow, or one made for this test.
    pub(super) workflow: Workflow,
    pub(super) is_deployed: bool,
    pub(super) document: String,
    pub(super) files: BTreeMap<String, String>,
    /// Sealed.
    pub(super) stored_secrets: BTreeMap<String, String>,
}

impl Workflows {
    pub(super) async fn test_subject(
        &self,
        user: &UserId,
        request: &TestWorkflow,
    ) -> Result<Subject, EngineError> {
        match (&request.workflow, &request.document) {
            (Some(id_or_slug), _) => self.deployed_subject(user, id_or_slug, request).await,
            (None, Some(document)) => Ok(Subject {
                workflow: self.undeployed(user),
                is_deployed: false,
                document: document.clone(),
                files: request.files.clone(),
                stored_secrets: BTreeMap::new(),
            }),
            (None, None) => Err(invalid("document", "is required without workflow")),
        }
    }

    async fn deployed_subject(
        &self,
        user: &UserId,
        id_or_slug: &str,
        request: &TestWorkflow,
    ) -> Result<Subject, EngineError> {
        let workflow = self.row(user, id_or_slug).await?;
        let (id, version) = (workflow.id.clone(), workflow.deployment_id.clone());
        let read = self
            .infra
            .store
            .read(move |c| Ok((workflows::secrets(c, &id)?, deployments::get(c, &version)?)));
        let (stored_secrets, deployment) = read.await?;
        let deployment = deployment.ok_or(EngineError::NotFound("workflow"))?;
        let (document, files) = match &request.document {
            Some(document) => (document.clone(), request.files.clone()),
            None => (deployment.document, deployment.files),
        };
        Ok(Subject {
            workflow,
            is_deployed: true,
            document,
            files,
            stored_secrets,
        })
    }

    fn undeployed(&self, user: &UserId) -> Workflow {
        let (mut rng, now) = (self.infra.ids.rng(), self.infra.now_ms());
        Workflow {
            id: WorkflowId::random(&mut rng),
            user_id: user.clone(),
            name: String::new(),
            name_slug: String::new(),
            active: false,
            internal: false,
            deployment_id: DeploymentId::random(&mut rng),
            created_at: now,
            updated_at: now,
        }
    }
}
