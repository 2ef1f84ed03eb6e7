//! `sluice subscribe` and `sluice unsubscribe`

use clap::Args;
use serde_json::{Value, json};
use sluice_api::{Source, Subscription, SubscriptionParameters, Workflow};
use sluice_model::{SourceId, WebhookId, WorkflowId};

use super::{
    common::Common,
    output::{show, show_json},
    webhooks,
};
use crate::{
    client::{Client, escaped},
    exit::NotFound,
};

/// The patterns for all sources and for all workflows.
const PATTERNS: [&str; 2] = ["dc_*", "p_*"];
const EXAMPLES: &str = "\
Examples:
  sluice subscribe orders ops
  sluice subscribe orders archive --channel refunds
  sluice subscribe 'p_*' ops --channel '$errors'";

/// Send the events of a source or workflow to a webhook, a source or a workflow
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct SubscribeOptions {
    #[command(flatten)]
    subscription: SubscriptionArgs,
    #[command(flatten)]
    common: Common,
}

/// Stop sending the events of a source or workflow to a listener
#[derive(Debug, Args)]
pub(crate) struct UnsubscribeOptions {
    #[command(flatten)]
    subscription: SubscriptionArgs,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct SubscriptionArgs {
    /// Emitter of the events: id or slug of a source or workflow, `dc_*` for all sources, `p_*` for all workflows
    emitter: String,
    /// Listener: id, slug or name of a webhook, source or workflow
    listener: String,
    /// Channel of the events, such as `$errors` [default: the default channel]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
}

impl SubscriptionArgs {
    async fn resolve(self, client: &Client) -> anyhow::Result<SubscriptionParameters> {
        let emitter = if PATTERNS.contains(&self.emitter.as_str()) {
            self.emitter
        } else {
            match emitter(client, &self.emitter).await? {
                Some(id) => id,
                None => return Err(not_found(&self.emitter)),
            }
        };
        let Some(listener) = emitter_or_webhook(client, &self.listener).await? else {
            return Err(not_found(&self.listener));
        };
        Ok(SubscriptionParameters {
            emitter_id: Some(emitter),
            event_name: self.channel,
            listener_id: Some(listener),
        })
    }
}

pub(crate) async fn subscribe(options: SubscribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let parameters = options.subscription.resolve(&client).await?;
    let created: Subscription = client.post("/subscriptions", &parameters).await?;
    if options.common.json {
        return show_json(&created);
    }
    Ok(show(&format!(
        "{} is subscribed to {}\n",
        created.listener_id, created.emitter_id
    ))?)
}

pub(crate) async fn unsubscribe(options: UnsubscribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let parameters = options.subscription.resolve(&client).await?;
    let fields: Value = json!(parameters);
    let query: Vec<String> = fields
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some(format!("{name}={}", escaped(value.as_str()?))))
        .collect();
    let path = format!("/subscriptions?{}", query.join("&"));
    client.delete(&path).await?;
    if options.common.json {
        return show_json(&parameters);
    }
    let [listener, emitter] =
        [parameters.listener_id, parameters.emitter_id].map(Option::unwrap_or_default);
    Ok(show(&format!(
        "{listener} is no longer subscribed to {emitter}\n"
    ))?)
}

/// The id of a source, else of a workflow.
async fn emitter(client: &Client, name: &str) -> anyhow::Result<Option<String>> {
    if SourceId::parse(name).is_some() || WorkflowId::parse(name).is_some() {
        return Ok(Some(name.to_owned()));
    }
    let source: Option<Source> = client.find(&format!("/sources/{}", escaped(name))).await?;
    if let Some(source) = source {
        return Ok(Some(source.id.to_string()));
    }
    let path = format!("/workflows/{}", escaped(name));
    let workflow: Option<Workflow> = client.find(&path).await?;
    Ok(workflow.map(|workflow| workflow.id.to_string()))
}

async fn emitter_or_webhook(client: &Client, name: &str) -> anyhow::Result<Option<String>> {
    if WebhookId::parse(name).is_some() {
        return Ok(Some(name.to_owned()));
    }
    if let Some(webhook) = webhooks::by_name(client, name).await? {
        return Ok(Some(webhook.id.to_string()));
    }
    emitter(client, name).await
}

fn not_found(name: &str) -> anyhow::Error {
    NotFound(format!(
        "no source, workflow or webhook {name}: list them with `sluice list`"
    ))
    .into()
}
