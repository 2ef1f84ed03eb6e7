//! The transaction that creates a workflow, or changes its version or settings.

use std::collections::BTreeMap;

use sluice_infra::Ids;
use sluice_model::{DeploymentId, UserId, WorkflowId, slugify, workflow::WorkflowDefinition};
use sluice_store::{
    Conn, StoreError,
    audit::{Action, TargetKind},
    components::{self, Component},
    deployments::{self, Deployment},
    users,
    workflows::{self, Workflow},
};

use super::triggers::{self, Before};
use crate::{
    audit::{Change, Target},
    components::lock_hash,
    slug::free_slug,
    subscriptions::subscribe_created,
};

/// A valid version that is not stored yet.
#[derive(Clone)]
pub(super) struct NewVersion {
    pub(super) definition: WorkflowDefinition,
    pub(super) document: String,
    pub(super) files: BTreeMap<String, String>,
    pub(super) components: Vec<Component>,
    /// Sealed, by name.
    pub(super) secrets: BTreeMap<String, String>,
}

impl NewVersion {
    /// The hashes of the locks of its own components.
    pub(super) fn locks(&self) -> Vec<String> {
        self.components.iter().filter_map(lock_hash).collect()
    }
}

/// Stores a workflow with its first version. Fails with a conflict when a concurrent request takes its slug.
pub(super) fn create(
    c: &mut dyn Conn,
    user: &UserId,
    id: &WorkflowId,
    active: bool,
    version: NewVersion,
    ids: &Ids,
    now: i64,
) -> Result<(), StoreError> {
    users::hold(c, user)?;
    let name = version.definition.name.clone();
    let definition = version.definition.clone();
    let workflow = Workflow {
        id: id.clone(),
        user_id: user.clone(),
        name_slug: free_slug(c, user, &name, workflows::slug_taken)?,
        name,
        active,
        deployment_id: insert_version(c, id, version, ids, now)?.id,
        created_at: now,
        updated_at: now,
        internal: false,
    };
    workflows::insert(c, &workflow)?;
    subscribe_created(c, user, id, ids, now)?;
    triggers::store(c, &workflow, None, &definition, ids, now)
}

/// The effect of an update on a workflow.
pub(super) enum Update {
    Version(Box<NewVersion>),
    /// Returns to an earlier version.
    Rollback(Box<Deployment>),
    /// Sealed secrets.
    Secrets(BTreeMap<String, String>),
}

impl Update {
    pub(super) fn action(&self) -> Action {
        match self {
            Update::Version(_) => Action::WorkflowDeploy,
            Update::Rollback(_) => Action::WorkflowRollback,
            Update::Secrets(_) => Action::WorkflowUpdate,
        }
    }
}

/// Returns false when the workflow does not exist. Without `active`, it stays active or inactive. Records the change.
pub(super) fn update(
    c: &mut dyn Conn,
    (user, id): (&UserId, &WorkflowId),
    active: Option<bool>,
    update: Update,
    mut change: Change,
    ids: &Ids,
    now: i64,
) -> Result<bool, StoreError> {
    // From here on no other request changes it.
    if !workflows::hold(c, user, id)? {
        return Ok(false);
    }
    let (mut workflow, before) = running(c, user, id)?;
    workflow.active = active.unwrap_or(workflow.active);
    workflow.updated_at = now;
    let definition = match update {
        Update::Version(version) => {
            let definition = version.definition.clone();
            change.add_names("secrets", version.secrets.keys());
            let deployment = insert_version(c, id, *version, ids, now)?;
            change.add("version", deployment.number);
            workflow.deployment_id = deployment.id;
            definition
        }
        Update::Rollback(deployment) => {
            change.add("version", deployment.number);
            workflow.deployment_id = deployment.id;
            deployment.definition
        }
        Update::Secrets(secrets) => {
            store_secrets(c, id, &secrets)?;
            change.add_names("secrets", secrets.keys());
            if secrets.is_empty() && workflow.active != before.active {
                change.set_action(switch(workflow.active));
            }
            before.definition.clone()
        }
    };
    if workflow.name != definition.name {
        if slugify(&workflow.name) != slugify(&definition.name) {
            workflow.name_slug = free_slug(c, user, &definition.name, workflows::slug_taken)?;
        }
        workflow.name.clone_from(&definition.name);
    }
    workflows::update(c, &workflow)?;
    triggers::store(c, &workflow, Some(&before), &definition, ids, now)?;
    if workflow.active != before.active {
        change.add("active", workflow.active);
    }
    change.set_target(Target::new(TargetKind::Workflow, id, &workflow.name));
    change.record(c)?;
    Ok(true)
}

fn switch(active: bool) -> Action {
    if active {
        Action::WorkflowActivate
    } else {
        Action::WorkflowDeactivate
    }
}

fn running(
    c: &mut dyn Conn,
    user: &UserId,
    id: &WorkflowId,
) -> Result<(Workflow, Before), StoreError> {
    let corrupt = || StoreError::Corrupt(format!("{id} has no version"));
    let workflow = workflows::get(c, user, id)?.ok_or_else(corrupt)?;
    let deployment = deployments::get(c, &workflow.deployment_id)?.ok_or_else(corrupt)?;
    let before = Before {
        definition: deployment.definition,
        active: workflow.active,
    };
    Ok((workflow, before))
}

fn insert_version(
    c: &mut dyn Conn,
    id: &WorkflowId,
    version: NewVersion,
    ids: &Ids,
    now: i64,
) -> Result<Deployment, StoreError> {
    for component in &version.components {
        components::insert(c, component)?;
    }
    store_secrets(c, id, &version.secrets)?;
    let deployment = Deployment {
        id: DeploymentId::random(&mut ids.rng()),
        workflow_id: id.clone(),
        number: deployments::newest_number(c, id)? + 1,
        definition: version.definition,
        document: version.document,
        files: version.files,
        created_at: now,
    };
    deployments::insert(c, &deployment)?;
    Ok(deployment)
}

fn store_secrets(
    c: &mut dyn Conn,
    id: &WorkflowId,
    secrets: &BTreeMap<String, String>,
) -> Result<(), StoreError> {
    secrets
        .iter()
        .try_for_each(|(name, sealed)| workflows::set_secret(c, id, name, sealed))
}
