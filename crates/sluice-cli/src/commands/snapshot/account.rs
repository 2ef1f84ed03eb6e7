//! An account as the server has it.

use std::collections::BTreeMap;

use sluice_api::{
    Account as AppAccount, Component, Source, Subscription, Webhook, WholeWorkflowVersion,
    Workflow, WorkflowTrigger,
};

use super::names::webhook_names;
use crate::client::{Client, ClientError, escaped};

pub(crate) struct Account {
    /// The latest component of each key or name, newest first.
    pub(crate) components: Vec<Component>,
    pub(crate) sources: Vec<DeployedSource>,
    pub(crate) workflows: Vec<DeployedWorkflow>,
    pub(crate) webhooks: Vec<NamedWebhook>,
    pub(crate) subscriptions: Vec<Subscription>,
    pub(crate) accounts: Vec<AppAccount>,
}

pub(crate) struct DeployedSource {
    pub(crate) source: Source,
    pub(crate) component: Component,
    /// Whether it is the registry's component, and not one that the user saved.
    pub(crate) is_from_registry: bool,
}

pub(crate) struct DeployedWorkflow {
    pub(crate) workflow: Workflow,
    pub(crate) document: String,
    pub(crate) files: BTreeMap<String, String>,
}

pub(crate) struct NamedWebhook {
    /// Its name in a folder.
    pub(crate) key: String,
    pub(crate) webhook: Webhook,
}

impl Account {
    /// Whether a subscription belongs to an event trigger of a workflow.
    pub(crate) fn is_trigger(&self, subscription: &Subscription) -> bool {
        let listener = self
            .workflows
            .iter()
            .find(|deployed| deployed.workflow.id.as_str() == subscription.listener_id);
        listener.is_some_and(|deployed| {
            deployed.workflow.triggers.iter().any(|trigger| {
                matches!(trigger, WorkflowTrigger::Events { emitter_id, event_name }
                    if *emitter_id == subscription.emitter_id && *event_name == subscription.event_name)
            })
        })
    }

    pub(crate) async fn fetch(client: &Client) -> Result<Account, ClientError> {
        let components: Vec<Component> = client.all("/components").await?;
        let mut sources = Vec::new();
        for source in client.all("/users/me/sources").await? {
            sources.push(deployed_source(client, source, &components).await?);
        }
        let mut workflows = Vec::new();
        for workflow in client.all("/workflows").await? {
            workflows.push(deployed_workflow(client, workflow).await?);
        }
        let mut webhooks: Vec<Webhook> = client.all("/users/me/webhooks").await?;
        webhooks.reverse();
        Ok(Account {
            components,
            sources,
            workflows,
            webhooks: with_names(webhooks),
            subscriptions: client.get("/users/me/subscriptions").await?,
            accounts: client.all("/accounts").await?,
        })
    }
}

async fn deployed_source(
    client: &Client,
    source: Source,
    saved: &[Component],
) -> Result<DeployedSource, ClientError> {
    let own = saved.iter().find(|saved| saved.id == source.component_id);
    if let Some(component) = own {
        return Ok(DeployedSource {
            component: component.clone(),
            source,
            is_from_registry: false,
        });
    }
    let component: Component = client
        .get(&format!("/components/{}", source.component_id))
        .await?;
    let published: Option<Component> = match &component.key {
        Some(key) => {
            let path = format!("/components/registry/{}", escaped(key));
            client.find(&path).await?
        }
        None => None,
    };
    Ok(DeployedSource {
        is_from_registry: published.is_some_and(|published| published.id == component.id),
        component,
        source,
    })
}

async fn deployed_workflow(
    client: &Client,
    workflow: Workflow,
) -> Result<DeployedWorkflow, ClientError> {
    let path = format!("/workflows/{}/versions/{}", workflow.id, workflow.version);
    let version: WholeWorkflowVersion = client.get(&path).await?;
    Ok(DeployedWorkflow {
        workflow,
        document: version.document,
        files: version.files,
    })
}

fn with_names(oldest_first: Vec<Webhook>) -> Vec<NamedWebhook> {
    let named = oldest_first
        .iter()
        .map(|webhook| (webhook.name.as_deref(), webhook.url.as_str()));
    let keys = webhook_names(named);
    keys.into_iter()
        .zip(oldest_first)
        .map(|(key, webhook)| NamedWebhook { key, webhook })
        .collect()
}
