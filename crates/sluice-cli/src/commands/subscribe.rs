//! `sluice subscribe` and `sluice unsubscribe`

use clap::Args;
use serde_json::{Value, json};
use sluice_api::{Source, Subscription, SubscriptionParameters, Workflow};
use sluice_model::UserId;

use super::{
    common::Common,
    output::{sanitized, show, show_json},
    webhooks,
};
use crate::{
    client::{Client, escaped},
    exit::NotFound,
};

/// The patterns for all sources and for all workflows, with their names.
const PATTERNS: [(&str, &str); 2] = [("dc_*", "all sources"), ("p_*", "all workflows")];
/// The prefixes of the id of an account, and of its workspace.
const ACCOUNT: [&str; 2] = ["u_", "o_"];
const DEFAULT_CHANNEL: &str = "default";
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
    /// Emitter of the events: id or slug of a source or workflow, `dc_*` for all sources, `p_*` for all workflows, the id of your
    /// account (`u_…` or `o_…`) for both
    emitter: String,
    /// Listener: id, slug or name of a webhook, source or workflow
    listener: String,
    /// Channel of the events, such as `$errors` [default: the default channel]
    #[arg(long, value_name = "NAME")]
    channel: Option<String>,
}

/// An emitter or a listener.
struct End {
    id: String,
    /// For users.
    name: String,
}

/// A subscription with the names of its ends.
struct Named {
    emitter: End,
    listener: End,
    channel: Option<String>,
}

impl SubscriptionArgs {
    async fn resolve(self, client: &Client) -> anyhow::Result<Named> {
        let Some(emitter) = emitter(client, &self.emitter).await? else {
            return Err(not_found(&self.emitter));
        };
        let Some(listener) = listener(client, &self.listener).await? else {
            return Err(not_found(&self.listener));
        };
        Ok(Named {
            emitter,
            listener,
            channel: self.channel,
        })
    }
}

impl Named {
    fn parameters(&self) -> SubscriptionParameters {
        SubscriptionParameters {
            emitter_id: Some(self.emitter.id.clone()),
            event_name: self.channel.clone(),
            listener_id: Some(self.listener.id.clone()),
        }
    }

    /// `ops is subscribed to orders, channel refunds`
    fn text(&self, verb: &str) -> String {
        let channel = self.channel.as_deref().filter(|name| !name.is_empty());
        let channel = channel.unwrap_or(DEFAULT_CHANNEL);
        format!(
            "{} {verb} {}, channel {}\n",
            sanitized(&self.listener.name),
            sanitized(&self.emitter.name),
            sanitized(channel)
        )
    }
}

pub(crate) async fn subscribe(options: SubscribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let named = options.subscription.resolve(&client).await?;
    let created: Subscription = client.post("/subscriptions", &named.parameters()).await?;
    if options.common.json {
        return show_json(&created);
    }
    Ok(show(&named.text("is subscribed to"))?)
}

pub(crate) async fn unsubscribe(options: UnsubscribeOptions) -> anyhow::Result<()> {
    let client = options.common.connection.client()?;
    let named = options.subscription.resolve(&client).await?;
    let parameters = named.parameters();
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
    Ok(show(&named.text("is no longer subscribed to"))?)
}

/// A pattern, an account, a source or a workflow.
async fn emitter(client: &Client, text: &str) -> anyhow::Result<Option<End>> {
    if let Some(several) = several(text) {
        return Ok(Some(several));
    }
    source_or_workflow(client, text).await
}

/// The emitters that a pattern or an account stands for.
fn several(text: &str) -> Option<End> {
    let end = |name: &str| End {
        id: text.to_owned(),
        name: name.to_owned(),
    };
    if let Some((_, name)) = PATTERNS.iter().find(|(pattern, _)| *pattern == text) {
        return Some(end(name));
    }
    let tail = ACCOUNT
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))?;
    UserId::parse(&format!("{}{tail}", UserId::PREFIX))?;
    Some(end(&format!("all sources and workflows of {text}")))
}

async fn source_or_workflow(client: &Client, text: &str) -> anyhow::Result<Option<End>> {
    let source: Option<Source> = client.find(&format!("/sources/{}", escaped(text))).await?;
    if let Some(source) = source {
        return Ok(Some(End {
            id: source.id.to_string(),
            name: source.name_slug,
        }));
    }
    let path = format!("/workflows/{}", escaped(text));
    let workflow: Option<Workflow> = client.find(&path).await?;
    Ok(workflow.map(|workflow| End {
        id: workflow.id.to_string(),
        name: workflow.name_slug,
    }))
}

async fn listener(client: &Client, text: &str) -> anyhow::Result<Option<End>> {
    if let Some(webhook) = webhooks::look_up(client, text).await? {
        return Ok(Some(End {
            id: webhook.id.to_string(),
            name: webhook.name.unwrap_or(webhook.url),
        }));
    }
    source_or_workflow(client, text).await
}

fn not_found(name: &str) -> anyhow::Error {
    NotFound(format!(
        "no source, workflow or webhook {name}: list them with `sluice list`"
    ))
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_and_accounts_are_emitters() {
        for (text, name) in [
            ("dc_*", "all sources"),
            ("p_*", "all workflows"),
            ("u_Aiot2b", "all sources and workflows of u_Aiot2b"),
            ("o_Aiot2b", "all sources and workflows of o_Aiot2b"),
        ] {
            let end = several(text).unwrap();
            assert_eq!((end.id.as_str(), end.name.as_str()), (text, name));
        }
        for text in ["orders", "dc_abc", "u_", "o_a-b", "*"] {
            assert!(several(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_text_has_names_and_the_channel() {
        let end = |name: &str| End {
            id: format!("id of {name}"),
            name: name.to_owned(),
        };
        let mut named = Named {
            emitter: end("orders"),
            listener: end("ops"),
            channel: None,
        };
        let text = named.text("is subscribed to");
        assert_eq!(text, "ops is subscribed to orders, channel default\n");
        named.channel = Some("$errors".to_owned());
        let text = named.text("is subscribed to");
        assert_eq!(text, "ops is subscribed to orders, channel $errors\n");
    }
}
