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

/// Stand for all sources and for all workflows.
const ALL: [&str; 2] = ["dc_*", "p_*"];
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
    ends: Ends,
    #[command(flatten)]
    common: Common,
}

/// Send the events there no more
#[derive(Debug, Args)]
pub(crate) struct UnsubscribeOptions {
    #[command(flatten)]
    ends: Ends,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Args)]
struct Ends {
    /// Whose events: id or slug of a source or workflow, `dc_*` for all sources, `p_*` for all workflows
    emitter: String,
    /// Who gets them: id, slug or name of a webhook, a source or a workflow
    listener: String,
    /// A channel, such as `$errors` [default: the default one]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
}

impl Ends {
    async fn find(self, client: &Client) -> anyhow::Result<SubscriptionParameters> {
        let emitter = if ALL.contains(&self.emitter.as_str()) {
            self.emitter
        } else {
            match emitter(client, &self.emitter).await? {
                Some(id) => id,
                None => return Err(nobody(&self.emitter)),
            }
        };
        let listener = match emitter_or_webhook(client, &self.listener).await? {
            Some(id) => id,
            None => return Err(nobody(&self.listener)),
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
    let ends = options.ends.find(&client).await?;
    let made: Subscription = client.post("/subscriptions", &ends).await?;
    if options.common.json {
        return show_json(&made);
    }
    Ok(show(&format!(
        "{} gets the events of {}\n",
        made.listener_id, made.emitter_id
    ))?)
}

pub(crate) async fn unsubscribe(options: UnsubscribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let ends = options.ends.find(&client).await?;
    let given: Value = json!(ends);
    let query: Vec<String> = given
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| Some(format!("{name}={}", escaped(value.as_str()?))))
        .collect();
    let path = format!("/subscriptions?{}", query.join("&"));
    client.delete(&path).await?;
    if options.common.json {
        return show_json(&ends);
    }
    let [listener, emitter] = [ends.listener_id, ends.emitter_id].map(Option::unwrap_or_default);
    Ok(show(&format!(
        "{listener} gets the events of {emitter} no more\n"
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

fn nobody(name: &str) -> anyhow::Error {
    let lists = "`sluice list` shows sources, workflows and webhooks";
    NotFound(format!("there is nothing called {name}: {lists}")).into()
}
